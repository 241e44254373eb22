// Sums of n ln n whose steps have 32 bits: the scale of their fixed point, chosen so that their
// error is small.
#pragma once

#include "local_entropy/answers/measure.h"

#include <cstdint>
#include <vector>

namespace local_entropy
{

/// F(n) = round(factor (n log2 n) / 2) for windows of at most `cells` cells, with a small error:
///   |F(N) - sum F(n) - (exact, not rounded)| <= error
/// for every way to share N <= cells cells between levels. Differences of neighbouring F are below
/// a bound, so that a kernel's additions do not overflow.
///
/// Each F(n) is off by up to a half, and a window has many levels. But most levels have few cells:
/// with an integer factor F is exact for 1, 2, 4, 8, ... cells, and of the factors that are large
/// enough a few are nearly exact for 3, 5, 6, 7 and more, too. So few windows are left in doubt.
struct SumScale
{
    /// For kernels that add differences in 32 bits with a sign, four and the negatives of four
    /// others at a time; and for those that add each one, without a sign, to 64 bits.
    static constexpr double kByFours = 0x1p31 / 4, kOneByOne = 0x1p32;

    explicit SumScale(int cells, double bound = kByFours);

    /// For kernels that add one by one, and windows whose cells all count: where a factor is known
    /// with which every way to share all `cells` cells gives the nearest float, as ExactScale has
    /// it for fewer, that one. Windows of fewer cells may be in doubt more often with it.
    static SumScale forWhole(Base base, int cells);
    static bool knowsWhole(int cells);

    std::uint32_t factor = 0;
    /// Whether float(double(F(N) - sum F(n)) * scales(base)[N]) is the nearest for N = `cells`.
    bool isExactForWhole = false;
    double error = 0;
    /// The same for all ways to share N = 0 ... `cells` cells, no fewer: so much is known of F(N)
    /// then that most of these are less.
    std::vector<double> errors;
    double wholeError() const { return errors.back(); } ///< of windows whose cells all count
    std::vector<std::int64_t> sums;                     ///< F(n), n = 0 ... cells

    /// What F(N) - sum F(n) is multiplied by to become the entropy in nats of N cells.
    double nats(int cells) const { return 2 * 0x1.62e42fefa39efp-1 / factor / cells; }
    /// The same for the entropy in that base, of N = 0 ... cells; scales[0] is 0.
    std::vector<double> scales(Base base) const;

private:
    SumScale() = default;
};

/// F(n + 1) - F(n), which has 32 bits.
std::vector<std::int32_t> differencesOf(const std::vector<std::int64_t> &sums);

/// For small windows there is more: a factor with which every way to share N cells, N = 1 ... 25,
/// between levels gives the nearest float,
///   float(double(F(N) - sum F(n)) * scales[N]),
/// with sums below 2^32. All 9270 ways are tried whenever one of these is made. Such factors are
/// rare, and the one for a base was found by trying random ones: for each N, every way leaves an
/// interval of scales that round right, and the intervals have to meet.
struct ExactScale
{
    static constexpr int kMostCells = 25;

    /// For windows of at most `cells` cells, which are at most kMostCells.
    ExactScale(Base base, int cells);

    std::vector<std::int64_t> sums; ///< F(n), n = 0 ... cells
    std::vector<double> scales;     ///< of N cells; scales[0] is 0
};

} // namespace local_entropy
