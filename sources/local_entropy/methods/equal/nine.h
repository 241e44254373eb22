// Windows of 3x3 cells, each on its own (.cu): no state but two rows.
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
// That instruction takes the nibble 8 as "the sign of byte 0". So what is looked up is 8 - rank,
// and rank 0 has the weight 0, which is the sign.
#pragma once

#include "local_entropy/methods/equal/strip.h"

namespace local_entropy::equal
{

constexpr int kNineCells = 9, kNineKeys = 128; ///< sums are less
constexpr int kNineThreads = 384;
constexpr std::uint32_t kThrees = 0x03030303;

/// weight[rank]. For at most nine cells, no two ways to have counts of two and more have the same
/// sum (ninePlan checks that). Found by a search among small random weights; of those found it
/// spreads the sums over most of the shared memory's banks.
constexpr std::uint32_t kWeights[kNineCells] = {0, 1, 17, 4, 3, 3, 20, 20, 9};

template <typename Cell>
struct NineTask
{
    Strips<Cell> strips;
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

/// Looks up the weights of eight nibbles, each 8 - rank.
class LookUp
{
public:
    __device__ LookUp()
    {
        // Blocks have one row of threads: nothing is added. So the compiler, which does not know
        // that, keeps the sum in a register, where it would load the constant before each use.
        low = kLow + threadIdx.y;
    }
    __device__ Weights operator()(std::uint32_t nibbles) const
    {
        return {four(nibbles), four(nibbles >> 16)};
    }

private:
    static constexpr std::uint32_t kLow =
        kWeights[8] | kWeights[7] << 8 | kWeights[6] << 16 | kWeights[5] << 24;
    static constexpr std::uint32_t kHigh =
        kWeights[4] | kWeights[3] << 8 | kWeights[2] << 16 | kWeights[1] << 24;

    __device__ std::uint32_t four(std::uint32_t nibbles) const
    {
        std::uint32_t weights; // __byte_perm() would drop the nibbles' highest bit
        asm("prmt.b32 %0, %1, %2, %3;" : "=r"(weights) : "r"(low), "r"(kHigh), "r"(nibbles));
        return weights;
    }

    std::uint32_t low;
};

using NineRow = Words<-2, 4>;

/// The words of 8 - rank of a row's cells, by their place in a window's row.
struct Ranks
{
    std::uint32_t middle[3], bottom[3]; ///< where this is the second row of a window, the third one
    std::uint32_t top; ///< nibbles, of the second place and, one cell further, of the third
};

__device__ inline Ranks ranksOf(const NineRow &row, const NineRow &above, const NineRow &higher,
                                const Factors &factors)
{
    constexpr std::uint32_t kOnes = 0x01010101;
    const Negatives cells(*row.of(0), *row.of(1));
    const auto differing = [&](const NineRow &other, int column) {
        return cells.differing(other.of(column), factors);
    };
    // Differing ones, of n, are n - rank: 8 - n more make 8 - rank.
    const std::uint32_t left = differing(row, -1) + 7 * kOnes;
    const std::uint32_t lefts = left + differing(row, -2) - kOnes;
    Ranks ranks;
    ranks.top = multiplyAdd(__funnelshift_r(lefts, __shfl_down_sync(kAllLanes, lefts, 1), 8),
                            factors.sixteen, left);

    const auto add = [&](const NineRow &other, const std::uint32_t *to, std::uint32_t *sums,
                         std::uint32_t less) {
        std::uint32_t at[5];
#pragma unroll
        for (int i = 0; i < 5; ++i) at[i] = differing(other, i - 2);
        sums[0] = at[2] + at[3] + at[4] + (to[0] - less);
        sums[1] = at[1] + at[2] + at[3] + (to[1] - less);
        sums[2] = at[0] + at[1] + at[2] + (to[2] - less);
    };
    const std::uint32_t before[3] = {8 * kOnes, left, lefts};
    add(above, before, ranks.middle, 3 * kOnes);
    add(higher, ranks.middle, ranks.bottom, 3 * kOnes);
    return ranks;
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

/// In shared memory: answers, [cells that count][sum of weights], and the sums of the weights of a
/// level of so many cells.
struct NineTables
{
    float answers[kNineCells + 1][kNineKeys];
    float behind[kNineKeys]; ///< lanes without results may look there
    std::uint32_t sums[kNineCells + 1];
};

/// The lane's answers where windows may have less than nine cells. `notFirst` and `notNone` say, in
/// four bytes, how many cells are not of level 0 and not `none`.
template <typename Cell>
__device__ __noinline__ float4 answersOfFewer(const PlaneView<Cell> &plane,
                                              const NineTables &tables, int x, int y, Weights sums,
                                              std::uint32_t notFirst, std::uint32_t notNone)
{
    const int rows = plane.rowsOf(y, 3);
    float answers[kCellsALane];
#pragma unroll
    for (int i = 0; i < kCellsALane; ++i) {
        const int existing = plane.columnsOf(x + i, 3) * rows;
        const int ofFirst = kNineCells - byteOf(notFirst, i);
        const int missing = kNineCells - byteOf(notNone, i);
        // Lanes without results may not have counts of any window: they stay within the tables.
        const int ofFirstLevel = max(ofFirst - (kNineCells - existing), 0);
        const std::uint32_t sum = __dp4a(sums.ofWindow(i), Weights::ones(i), 0u) -
                                  tables.sums[ofFirst] + tables.sums[ofFirstLevel] -
                                  tables.sums[missing];
        answers[i] = tables.answers[max(existing - missing, 0)][sum % kNineKeys];
    }
    return make_float4(answers[0], answers[1], answers[2], answers[3]);
}

template <typename Cell, bool kMissing>
__global__ void __launch_bounds__(kNineThreads, 2) nine(const __grid_constant__ NineTask<Cell> task)
{
    constexpr int kWidth = 3, kWarps = kNineThreads / kLanes;
    __shared__ NineTables tables;
    __shared__ Desk<Cell> desks[kWarps];
    const Strips<Cell> &strips = task.strips;
    for (int i = threadIdx.x; i < (kNineCells + 1) * kNineKeys; i += blockDim.x)
        tables.answers[i / kNineKeys][i % kNineKeys] = task.answers[i];
    if (threadIdx.x <= kNineCells) tables.sums[threadIdx.x] = task.sums[threadIdx.x];
    __syncthreads();

    const int warp = threadIdx.x / kLanes;
    const std::uint32_t table = addressOf(tables.answers[kNineCells]);
    const Factors &factors = strips.factors;
    const std::uint32_t none = strips.plane.none | strips.plane.none << 16;
    const LookUp lookUp;
    for (int number = warp * gridDim.x + blockIdx.x; number < strips.items;
         number += gridDim.x * kWarps) {
        Item<Cell> item(strips, number, kWidth, desks[warp]);
        NineRow rows[3] = {};
        Ranks before = {};     // of the row above
        std::uint32_t top = 0; // of the row above that
#pragma unroll 3
        for (int y = item.first - (kWidth - 1); y < item.end; ++y) {
            rows[0] = rows[1], rows[1] = rows[2];
            expand<true>(item.take(), rows[2]);
            const Ranks ranks = ranksOf(rows[2], rows[1], rows[0], factors);
            const auto weights = [&](int place) {
                return lookUp(
                    multiplyAdd(ranks.bottom[place], factors.sixteen, before.middle[place]));
            };
            // To the windows' places: the second column's are one cell further, the third's two.
            const Weights own = weights(0), second = weights(1) + lookUp(top), third = weights(2);
            const Weights sums = {
                own.first + __funnelshift_r(second.first, second.last, 16) + third.last,
                own.last +
                    __funnelshift_r(second.last, __shfl_down_sync(kAllLanes, second.first, 1), 16) +
                    __shfl_down_sync(kAllLanes, third.first, 1)};
            top = before.top;
            before = ranks;
            if (y < item.first) continue; // no window ends here
            if (kMissing || item.isCut(y)) {
                std::uint32_t notFirst = 0, notNone = 0;
#pragma unroll
                for (const NineRow &row : rows) {
                    notFirst += others(row, Negatives(0, 0), factors);
                    notNone += kMissing ? others(row, Negatives(none, none), factors) : kThrees;
                }
                item.write(
                    answersOfFewer(strips.plane, tables, item.column, y, sums, notFirst, notNone));
            } else {
                const auto answer = [&](int i) {
                    return __uint_as_float(
                        wordAt<0>(__dp4a(sums.ofWindow(i), 4 * Weights::ones(i), table)));
                };
                item.write(make_float4(answer(0), answer(1), answer(2), answer(3)));
            }
        }
    }
}

} // namespace local_entropy::equal
