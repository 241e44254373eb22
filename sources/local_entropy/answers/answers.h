// How the counts of a window become the nearest float: the same bits on every method, path, device
// and thread.
//
//   H = ln N - (1 / N) sum n ln n = D / (N 2^k),  D = F(N) - S,  S = sum of F(n) over the levels,
//   F(n) = n ln n 2^k, rounded to an integer.
//
// S is an integer: the order of summation cannot be seen, a sliding window does not drift, and a
// window of one level gives exactly 0. A method hands over S and N. D is off by at most (m + 1) / 2
// where m levels have two cells or more; relative to D that is less than 0.55 2^-k (the worst: two
// levels of two cells, 1.5 / (4 ln 2)). A double within that band of the boundary between two
// floats is *undecided*, one window in a million or fewer; the method then recounts that window,
// and the counts decide (ExactEntropy). The other measures have sums of their own: n^2, or 1.
#pragma once

#include <cstdint>
#include <vector>

#include "local_entropy/answers/answer_tables.h"

namespace local_entropy
{

/// What a window's counts mean for one measure. Immutable after construction, for any number of
/// threads. Expects rounding to nearest, as every new thread has it.
///
/// "No cell" (beyond the border, masked): a method may load such cells as one dummy level and sum
/// over all of a full window; `absent` says how many there are.
class Answers
{
public:
    static constexpr int kMostCells = 65535;

    /// `order` is used by Hill only, `base` by Entropy only. No window, and no level, has more than
    /// `mostCells` cells at any moment, dummies included: a method that lets cells enter before
    /// others leave counts both. `empty` is the answer for a window without cells. `mostBits` keeps
    /// k small for a method with narrow sums; k is never above what lets a sum of twice mostCells
    /// ln mostCells fit 63 bits (65025 cells: 42 bits). Beyond 48 bits a double would be the limit.
    /// Throws common::Error for arguments out of range.
    Answers(Measure measure, double order, Base base, int mostCells, double empty,
            int mostBits = 48);

    /// False: the measure needs the counts themselves (floatOf), and there are no tables of sums.
    bool fromSums() const { return isFromSums(kind); }

    /// All of it as plain data, which lives as long as this does.
    AnswerTables tables() const
    {
        AnswerTables all;
        all.kind = kind;
        all.base = base;
        all.order = hillOrder;
        all.most = most;
        all.empty = emptyValue;
        all.emptyFloat = static_cast<float>(emptyValue);
        all.band = bandUnits;
        all.wideError = wideError;
        all.sums = sumsOf.data();
        all.wideSums = wideSumsOf.data();
        all.scales = scalesOf.data();
        all.logarithms = logarithmsOf.data();
        return all;
    }

    int mostCells() const { return most; }
    int fractionBits() const { return bits; } ///< k; 0 where sums are whole numbers
    double empty() const { return emptyValue; }

    /// F(n), n = 0 ... mostCells; F(0) = 0.
    const std::int64_t *sums() const { return sumsOf.data(); }
    /// F(n + 1) - F(n), n = 0 ... mostCells - 1: S grows by deltas()[n] when a level's count goes
    /// from n to n + 1, and shrinks by as much when it goes back.
    const std::int64_t *deltas() const { return deltasOf.data(); }
    /// The same as sums() in 104 bits of fraction, for doubles; whole numbers where sums() are.
    const UInt128 *wideSums() const { return wideSumsOf.data(); }
    /// What N cells' D is multiplied by, n = 0 ... mostCells; scales()[0] is 0. Entropy (without
    /// Hill's exponential) and Simpson only.
    const double *scales() const { return scalesOf.data(); }
    /// How far the double is off at most, in units of its last place (2^-52 for 1 <= value < 2).
    std::uint32_t band() const { return bandUnits; }

    /// out[i] from sums[i], S over all levels of a window of `cells` cells; absent[i] of them are
    /// the dummy level's (nullptr: there is none). Returns true if any of them is undecided: ask
    /// undecided() for each, and overwrite those by floatOf(). Needs fromSums().
    bool finishRow(const std::int64_t *sums, int cells, const std::uint16_t *absent, float *out,
                   int n) const;

    /// Whether S, without a dummy level, leaves two floats for a window of `cells` cells.
    bool undecided(std::int64_t sum, int cells) const;

    /// The float for one window, S without a dummy level. recount(std::vector<int> &counts) is
    /// called if S leaves it undecided, and appends how many cells each level has; zeros may be
    /// among them.
    template <class Recount>
    float nearestFloat(std::int64_t sum, int cells, Recount &&recount) const
    {
        float answer;
        if (decide(sum, cells, answer)) return answer;
        return fromCounts<float>(recount);
    }

    /// The same for doubles; the sum is one of wideSums().
    template <class Recount>
    double nearestDouble(UInt128 wideSum, int cells, Recount &&recount) const
    {
        double answer;
        if (decideSoon(wideSum, cells, answer) || decideWide(tables(), wideSum, cells, answer))
            return answer;
        return fromCounts<double>(recount);
    }

    /// finishRow(), and the undecided ones decided: recount(i, counts) counts window i, without the
    /// dummy level.
    template <class Recount>
    void finishRowExactly(const std::int64_t *sums, int cells, const std::uint16_t *absent,
                          float *out, int n, Recount &&recount) const
    {
        if (!finishRow(sums, cells, absent, out, n)) return;
        for (int i = 0; i < n; i++) {
            const int dummies = absent ? absent[i] : 0;
            out[i] = nearestFloat(sums[i] - sumsOf[dummies], cells - dummies,
                                  [&](std::vector<int> &counts) { recount(i, counts); });
        }
    }

    /// The answer from the counts, in any order; zeros among them do no harm. Always the nearest,
    /// except for Hill of an order other than 0, 1, 2 and infinity: there it is computed with 128
    /// bits in a fixed order, the same bits everywhere, and the nearest unless it lies within 2^-32
    /// units of a boundary; a double is within one unit of the last place.
    float floatOf(const int *counts, int number) const;
    double doubleOf(const int *counts, int number) const;

private:
    /// 1 / (N ln base) = mantissa 2^exponent, rounded down; the mantissa's highest bit is set.
    struct Scale64
    {
        std::uint64_t mantissa;
        int exponent;
    };

    void makeEntropyTables(int mostBits);
    void makeWholeTables();
    /// The float from S, without a dummy level; false if S leaves two.
    bool decide(std::int64_t sum, int cells, float &answer) const;
    /// What decideWide() answers, by one product of 64 bits; false, one time in a hundred, if these
    /// do not decide, and for other measures than entropy.
    bool decideSoon(UInt128 wideSum, int cells, double &answer) const;
    template <class T>
    T answer(const int *counts, int number) const;
    template <class T, class Recount>
    T fromCounts(Recount &&recount) const
    {
        std::vector<int> counts;
        recount(counts);
        return answer<T>(counts.data(), static_cast<int>(counts.size()));
    }

    AnswerKind kind;
    Base base;
    double hillOrder;
    int most;
    int bits = 0;
    double emptyValue;
    std::uint32_t bandUnits = 0;
    UInt128 wideError = 0; ///< of one wide sum's F(n)
    std::vector<std::int64_t> sumsOf, deltasOf;
    std::vector<UInt128> wideSumsOf, logarithmsOf;
    std::vector<double> scalesOf;
    std::vector<Scale64> longScalesOf;
};

} // namespace local_entropy
