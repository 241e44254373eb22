// Windows of 3x3 cells, each on its own (.cu): no sum goes from one to the next, only rows and
// their ranks.
//
// The *rank* of a cell in a window is how many cells before it, row by row, are equal to it. A
// level of n cells has the ranks 0 ... n - 1, each once. So the sum of weight[rank] over a window's
// cells depends on its counts alone, and with suitable weights it names them: see kWeights. A table
// of few floats has the answers.
//
// Whether two cells are equal matters to all windows that hold both: twelve comparisons a cell with
// the 5 + 5 + 2 cells before it serve all. A cell is in three windows of its row: as their first,
// middle and last column. For each of these places, and for each row of a window that the cell's
// row can be, a word holds the ranks of four cells, a byte each. Two such words, that lie one row
// of a window apart, make one of eight nibbles, by which the instruction that permutes bytes looks
// up four weights at once, of the eight that it holds.
//
// There are nine ranks and eight weights. That instruction takes the nibble 8 as "the sign of byte
// 0", which is 0: so weight[8] is 0, and weight[0] is not.
#pragma once

#include "local_entropy/methods/equal/feed.h"
#include "local_entropy/methods/equal/strip.h"

namespace local_entropy::equal
{

constexpr int kNineCells = 9, kNineKeys = 128; ///< sums are less
constexpr int kNineThreads = 384;
constexpr std::uint32_t kThrees = 0x03030303;

/// weight[rank]. For at most nine cells, no two ways to share them between levels have the same
/// sum (NinePlan checks that). Found by a search; the sums of nine cells, of which there are 30,
/// lie in different banks of the shared memory.
constexpr std::uint32_t kWeights[kNineCells] = {2, 3, 16, 14, 31, 15, 5, 17, 0};
constexpr std::uint32_t kFirstWeight = kWeights[0];
constexpr std::uint32_t fourWeights(int first)
{
    return kWeights[first] | kWeights[first + 1] << 8 | kWeights[first + 2] << 16 |
           kWeights[first + 3] << 24;
}
constexpr std::uint32_t kLowWeights = fourWeights(0), kHighWeights = fourWeights(4);

/// No edge cuts windows of the rows top ... bottom - 1, so all items of these rows go by the same
/// code, but in the first and the last strip. Strips::items come in this order: of the first and
/// the last strip; of the others, first those of these rows; then, a strip each, the rows above
/// `top` and those from `bottom` on.
struct NineWithin
{
    int top, bottom;
    int items; ///< of these rows
};

template <typename Cell>
struct NineTask
{
    Strips<Cell> strips;
    NineWithin within;
    int warps;                          ///< of a block that have items
    const float *answers;               ///< [cells that count][sum of weights]
    std::uint32_t sums[kNineCells + 1]; ///< of the weights of a level of so many cells
};

/// Two words of weights: for the first two and the last two of a lane's cells. Each has a byte for
/// either word of ranks.
struct Weights
{
    std::uint32_t first, last;

    __device__ Weights operator+(const Weights &other) const
    {
        return {first + other.first, last + other.last};
    }

    /// Where both bytes of window or cell i are, and ones in their places.
    __device__ std::uint32_t ofWindow(int i) const { return i < 2 ? first : last; }
    __device__ static constexpr std::uint32_t ones(int i) { return i % 2 ? 0x01010000 : 0x0101; }
};

/// A value that is the same for all lanes. Blocks have one row of threads: nothing is added. So the
/// compiler, which does not know that, nor what other lanes say, keeps it in a register, where it
/// would make a constant again before each use.
__device__ inline std::uint32_t kept(std::uint32_t value)
{
    return __shfl_sync(kAllLanes, value + threadIdx.y, 0);
}

/// Looks up the weights of eight nibbles, each a rank.
class LookUp
{
public:
    __device__ LookUp() : low(kept(kLowWeights)) {}
    __device__ Weights operator()(std::uint32_t ranks) const
    {
        return {weights(ranks), weights(ranks >> 16)};
    }

private:
    __device__ std::uint32_t weights(std::uint32_t ranks) const
    {
        static_assert(kFirstWeight < 128 && kWeights[8] == 0, "the sign of byte 0");
        std::uint32_t found; // __byte_perm() would drop the nibbles' highest bit
        asm("prmt.b32 %0, %1, %2, %3;" : "=r"(found) : "r"(low), "r"(kHighWeights), "r"(ranks));
        return found;
    }

    std::uint32_t low;
};

using NineRow = Words<-2, 4>;

/// A lane's four cells, inverted, and which others are equal to them. A sum of two halves, of which
/// one is inverted, is 0xffff only where they are equal; what is more than kNot tells that. All
/// that is too much in a word of such answers, or in a sum of them, is known: `kTooMuch` in each.
class Equal
{
public:
    static constexpr std::uint32_t kTooMuch = 0xfefefdfe; ///< kNot + 256 kNot

    __device__ explicit Equal(const NineRow &row) : inverted{~*row.of(0), ~*row.of(1)} {}

    /// In four bytes, which of the cells are equal to those that begin in that column; and
    /// kTooMuch.
    __device__ std::uint32_t operator()(const NineRow &other, int column,
                                        const Factors &factors) const
    {
        const std::uint32_t *const from = other.of(column);
        return multiplyAdd(half(from[1], inverted[1]), factors.byte, half(from[0], inverted[0]));
    }

private:
    static constexpr std::uint32_t kNot = 0xfffefffe;
    static_assert(kTooMuch == kNot + (kNot << 8));

    __device__ static std::uint32_t half(std::uint32_t two, std::uint32_t inverted)
    {
#if __CUDACC_VER_MAJOR__ >= 12
        return __viaddmax_u16x2(two, inverted, kNot);
#else
        return __vmaxu2(__vadd2(two, inverted), kNot);
#endif
    }

    std::uint32_t inverted[2];
};

/// The ranks of a row's cells by their place in a window's row, in words of four bytes.
struct Ranks
{
    std::uint32_t middle[3]; ///< where this is the second row of a window, and 3 kTooMuch
    std::uint32_t bottom[3]; ///< where it is the third one, and 6 kTooMuch
    std::uint32_t top;       ///< nibbles, of the second place and, one cell further, of the third
};

__device__ inline Ranks ranksOf(const NineRow &row, const NineRow &above, const NineRow &higher,
                                const Factors &factors)
{
    constexpr std::uint32_t kTooMuch = Equal::kTooMuch;
    const Equal equal(row);
    const std::uint32_t left = equal(row, -1, factors) - kTooMuch;
    const std::uint32_t lefts = equal(row, -2, factors) + (left - kTooMuch);
    Ranks ranks;
    ranks.top = multiplyAdd(__funnelshift_r(lefts, __shfl_down_sync(kAllLanes, lefts, 1), 8),
                            factors.sixteen, left);
    const auto sum = [&](const NineRow &other, std::uint32_t *sums) {
        std::uint32_t at[5];
#pragma unroll
        for (int i = 0; i < 5; ++i) at[i] = equal(other, i - 2, factors);
#pragma unroll
        for (int place = 0; place < 3; ++place)
            sums[place] = at[2 - place] + at[3 - place] + at[4 - place];
    };
    sum(above, ranks.middle);
    ranks.middle[1] += left;
    ranks.middle[2] += lefts;
    sum(higher, ranks.bottom);
#pragma unroll
    for (int place = 0; place < 3; ++place) ranks.bottom[place] += ranks.middle[place];
    return ranks;
}

/// Nibbles of ranks of cells in the third row of a window, and of those above them.
__device__ inline std::uint32_t nibbles(const Ranks &ranks, const Ranks &above, int place,
                                        const Factors &factors)
{
    constexpr std::uint32_t kTooMuch = (6 + 16 * 3) * Equal::kTooMuch;
    return multiplyAdd(above.middle[place], factors.sixteen, ranks.bottom[place] - kTooMuch);
}

/// In four bytes, how many cells of four windows are not `value`.
__device__ inline std::uint32_t others(const NineRow &row, const Negatives &value,
                                       const Factors &factors)
{
    std::uint32_t sum = 0;
#pragma unroll
    for (int k = 0; k < 3; ++k) sum = value.addDiffering(row.of(k), factors, sum);
    return sum;
}

/// Three rows, of which a lane's four windows are.
template <typename Cell>
class NineWindows
{
public:
    __device__ explicit NineWindows(const NineTask<Cell> &task)
        : factors{1, kept(task.strips.factors.sixteen), kept(task.strips.factors.byte)},
          mask(kept(task.strips.plane.mask))
    {
    }

    __device__ Four<Cell> cellsOf(const Loaded<Cell> &row) const { return row.cells(mask); }

    /// A row enters, another leaves: the sums of the weights, but of each window's first cell. By
    /// all lanes.
    __device__ Weights slide(const Four<Cell> &row, const LookUp &lookUp)
    {
        rows[0] = rows[1], rows[1] = rows[2];
        expand<true>(row, rows[2]);
        const Ranks ranks = ranksOf(rows[2], rows[1], rows[0], factors);
        const auto weights = [&](int place) {
            return lookUp(nibbles(ranks, before, place, factors));
        };
        // To the windows' places: the second column's are one cell further, the third's two.
        const Weights first = weights(0), second = weights(1) + lookUp(top), third = weights(2);
        top = before.top;
        before = ranks;
        return {first.first + __funnelshift_r(second.first, second.last, 16) + third.last,
                first.last +
                    __funnelshift_r(second.last, __shfl_down_sync(kAllLanes, second.first, 1), 16) +
                    __shfl_down_sync(kAllLanes, third.first, 1)};
    }

    /// In four bytes, how many cells of the windows are not `value`.
    __device__ std::uint32_t othersThan(std::uint32_t value) const
    {
        const Negatives negatives(value | value << 16, value | value << 16);
        std::uint32_t sum = 0;
#pragma unroll
        for (const NineRow &row : rows) sum += others(row, negatives, factors);
        return sum;
    }

private:
    const Factors factors;
    const std::uint32_t mask;
    NineRow rows[3] = {};
    Ranks before = {};     ///< of the row above
    std::uint32_t top = 0; ///< of the row above that
};

} // namespace local_entropy::equal
