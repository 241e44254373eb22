// Sums of n ln n for windows of few cells: all ways to share the cells between levels are tried.
#pragma once

#include "common/host_device.h"
#include "local_entropy/answers/exceptions.h"
#include "local_entropy/answers/measure.h"

#include <cstdint>
#include <vector>

namespace local_entropy::equal
{

/// The key of an Exception: a difference D = F(N) - sum F(n) of N cells that may be the wrong side
/// of the middle between two floats.
HOST_DEVICE inline std::int64_t exceptionKey(int cells, std::int64_t difference)
{
    constexpr int kBits = 48; // of the difference
    return static_cast<std::int64_t>(cells) << kBits | difference;
}

/// Doubles near the middle of two floats, by their last 29 bits, which a float does not have.
struct Middles
{
    static constexpr int kBits = 29;

    std::uint32_t first = 0, number = 0; ///< in units of 2^(kBits - 32), as hold() compares

    /// Of a double, by its lower 32 bits.
    HOST_DEVICE bool hold(std::uint32_t lower) const
    {
        return (lower << (32 - kBits)) - first < number;
    }
};

/// F(n) = round(factor (n log2 n) / 2) for windows of at most kMostCells cells. Of many factors,
/// the one whose sums round to the nearest float for every way to share 1 ... `cells` cells between
/// levels; or, where none of them does, the one whose wrong sums are nearest to the middle of two
/// floats. Four differences of neighbouring F, and the negatives of four others, fit 32 bits.
struct ShareScale
{
    static constexpr int kMostCells = 25;

    ShareScale(int cells, Base base);

    /// What F(N) - sum F(n) is multiplied by for the entropy of N cells, n = 0 ... cells.
    std::vector<double> scales;
    std::vector<std::int64_t> sums; ///< F(n), n = 0 ... cells
    double error = 0; ///< D without exceptions is right if D - error and D + error agree
    Middles middles;  ///< and, of all `cells`, if the product with its scale is not among these
    std::vector<Exception> exceptions; ///< of which either says so, by ascending keys
};

} // namespace local_entropy::equal
