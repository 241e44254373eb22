// From the sums of a window's ranks to its result, for windows of at most 25 cells.
//
// A level with n cells has the ranks 0 .. n - 1. Two sums over the window, modulo 256,
//   pairs   = sum of the ranks = sum of n (n - 1) / 2, the number of pairs of equal cells
//   weights = sum of w[rank modulo 16]
// are different for any two different ways to divide N cells among levels, for every N to 25: w was
// found by a search (random changes, kept if they lead to fewer coincidences), and the tests check
// all 9,295 partitions. So the pair is a name for the counts, and a table gives the result of any
// measure. For at most nine cells another w does with the lower five bits of the second sum alone.
#pragma once

#include "local_entropy/answers/answers.h"

#include <cstdint>
#include <vector>

namespace local_entropy
{

constexpr int kSmallCells = 25; ///< of a window that these tables serve
constexpr int kByteCells = 9;   ///< of a window whose second sum is enough

/// How many bytes of sums name the result: the sum of weights and, above kByteCells, that of pairs.
constexpr int keyBytes(int cells) { return cells <= kByteCells ? 1 : 2; }

/// w for windows of so many cells, as 16 bytes; w[0] is 0.
const std::uint8_t *rankWeights(int cells);

/// Immutable; for any number of threads.
class RankTable
{
public:
    /// For windows of `cells` cells, 1 to kSmallCells; `mayMiss`: some may have fewer that count.
    RankTable(int cells, const Answers &answers, bool mayMiss);

    int cells() const { return most; }

    /// Results of full windows: [weights modulo 32] where keyBytes() is 1, [pairs * 256 + weights]
    /// where it is 2.
    const float *full() const { return values.data(); }

    /// The result of a window with these sums if `absent` of its cells are equal and do not count:
    /// what these add to the sums depends on their number alone. Needs mayMiss.
    float withAbsent(unsigned pairs, unsigned weights, int absent) const
    {
        if (absent >= most) return empty;
        const Fewer &rest = fewer[absent];
        const unsigned row = (pairs - rest.pairs) & rest.rowMask;
        return packed[rest.rows[row] + ((weights - rest.weights) & rest.columnMask)];
    }

private:
    /// Windows in which fewer cells count: the sums of the absent ones, and where in `packed` the
    /// results of the rest begin, for every sum of pairs.
    struct Fewer
    {
        std::uint8_t pairs = 0, weights = 0, rowMask = 0, columnMask = 0;
        std::vector<std::uint16_t> rows;
    };
    struct Entry
    {
        std::uint8_t pairs, weights;
        float value;
    };

    std::vector<Entry> entries(int cells, const Answers &answers) const;
    void addFewer(int absent, const std::vector<Entry> &entries);
    std::size_t firstFit(const std::vector<Entry> &row, unsigned columnMask);

    int most;
    float empty;
    std::vector<float> values, packed;
    std::vector<bool> taken; ///< places of `packed`
    std::vector<Fewer> fewer;
};

} // namespace local_entropy
