// Windows of 3x3 cells, each on its own (.cu): no state but two rows.
//
// The *rank* of a cell in a window is how many cells before it, row by row, are equal to it. A level
// of n cells has the ranks 0 ... n - 1, each once. So the sum of weight[rank] over a window's cells
// depends on its counts alone, and with suitable weights it names them: see kWeights. A table of few
// floats has the answers.
//
// Whether two cells are equal matters to all windows that hold both: twelve comparisons a cell with
// the 5 + 5 + 2 cells before it serve all. A cell is in three windows of its row: as their first,
// middle and last column. For each of these places, and for each row of a window that the cell's row
// can be, a word holds the ranks of four cells, a byte each. Two such words, that lie one row of a
// window apart, make one of eight nibbles, by which the instruction that permutes bytes looks up
// four weights at once, of the eight that it holds.
//
// That instruction takes the nibble 8 as "the sign of byte 0". So what is looked up is 8 - rank, and
// rank 0 has the weight 0, which is the sign.
#pragma once

#include "local_entropy/methods/equal/strip.h"

namespace local_entropy::equal
{

constexpr int kNineCells = 9, kNineKeys = 128; ///< sums are less

/// weight[rank]. For at most nine cells, no two ways to have counts of two and more have the same
/// sum (ninePlan checks that). Found by a search among small random weights; of those found it
/// spreads the sums over most of the shared memory's banks.
constexpr std::uint32_t kWeights[kNineCells] = {0, 1, 17, 4, 3, 3, 20, 20, 9};

template <typename Cell>
struct NineTask
{
    Strips<Cell> strips;
    const float *answers;            ///< [cells that count][sum of weights]
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
};

__device__ inline std::uint32_t weightsAt(std::uint32_t nibbles)
{
    constexpr std::uint32_t kLow =
        kWeights[8] | kWeights[7] << 8 | kWeights[6] << 16 | kWeights[5] << 24;
    constexpr std::uint32_t kHigh =
        kWeights[4] | kWeights[3] << 8 | kWeights[2] << 16 | kWeights[1] << 24;
    std::uint32_t weights; // __byte_perm() would drop the nibbles' highest bit
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(weights) : "r"(kLow), "r"(kHigh), "r"(nibbles));
    return weights;
}
__device__ inline Weights weightsOf(std::uint32_t nibbles)
{
    return {weightsAt(nibbles), weightsAt(nibbles >> 16)};
}

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
    ranks.top = multiplyAdd(
        __funnelshift_r(lefts, __shfl_down_sync(kAllLanes, lefts, 1), 8), factors.sixteen, left);

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

template <typename Cell, bool kMissing>
__global__ void __launch_bounds__(512, 2) nine(const __grid_constant__ NineTask<Cell> task)
{
    constexpr int kWidth = 3, kWarps = 16;
    __shared__ float answersOfNine[2 * kNineKeys]; // lanes without results may look behind
    __shared__ alignas(16) float staged[kWarps][kColumns];
    const Strips<Cell> &strips = task.strips;
    for (int i = threadIdx.x; i < kNineKeys; i += blockDim.x)
        answersOfNine[i] = task.answers[kNineCells * kNineKeys + i];
    __syncthreads();

    const int warp = threadIdx.x / kLanes;
    const std::uint32_t table = addressOf(answersOfNine);
    const Factors &factors = strips.factors;
    const std::uint32_t none = strips.plane.none | strips.plane.none << 16;
    const Negatives ofNone(none, none), ofFirst(0, 0);
    for (int number = warp * gridDim.x + blockIdx.x; number < strips.items;
         number += gridDim.x * kWarps) {
        const Item<Cell> item(strips, number, kWidth);
        NineRow rows[3] = {};
        Ranks before = {}; // of the row above
        std::uint32_t top = 0; // of the row above that
        Four<Cell> next;
        next.load(item.cells(item.first));
        const int last = item.end + kWidth - 2; // row of the plane
#pragma unroll 1
        for (int row = item.first; row <= last; ++row) {
            rows[0] = rows[1], rows[1] = rows[2];
            expand<true>(next, rows[2]);
            next.load(item.cells(min(row + 1, last)));
            const Ranks ranks = ranksOf(rows[2], rows[1], rows[0], factors);
            const auto weights = [&](int place) {
                return weightsOf(
                    multiplyAdd(ranks.bottom[place], factors.sixteen, before.middle[place]));
            };
            // To the windows' places: the second column's are one cell further, the third's two.
            const Weights own = weights(0), second = weights(1) + weightsOf(top), third = weights(2);
            const std::uint32_t firstTwo =
                own.first + __funnelshift_r(second.first, second.last, 16) + third.last;
            const std::uint32_t lastTwo =
                own.last +
                __funnelshift_r(second.last, __shfl_down_sync(kAllLanes, second.first, 1), 16) +
                __shfl_down_sync(kAllLanes, third.first, 1);
            top = before.top;
            before = ranks;
            const int y = row - (kWidth - 1);
            if (y < item.first) continue;

            constexpr std::uint32_t kEven = 0x00000101, kOdd = 0x01010000;
            float answers[kCellsALane];
            if (!kMissing && !item.cut) {
#pragma unroll
                for (int i = 0; i < kCellsALane; ++i)
                    answers[i] = __uint_as_float(wordAt<0>(
                        __dp4a(i < 2 ? firstTwo : lastTwo, 4 * (i % 2 ? kOdd : kEven), table)));
            } else {
                const int existingRows = strips.plane.rowsOf(y, kWidth);
                std::uint32_t notFirst = 0, notNone = 0;
#pragma unroll
                for (int i = 0; i < kWidth; ++i) {
                    notFirst += others(rows[i], ofFirst, factors);
                    if (kMissing) notNone += others(rows[i], ofNone, factors);
                }
#pragma unroll
                for (int i = 0; i < kCellsALane; ++i) {
                    answers[i] = 0;
                    if (!item.isResult(i)) continue; // and no sum of a window
                    const int beyond = kNineCells - item.columns[i] * existingRows;
                    const int ofFirstLevel = kNineCells - byteOf(notFirst, i);
                    const int missing = kMissing ? kNineCells - byteOf(notNone, i) : 0;
                    std::uint32_t sum =
                        __dp4a(i < 2 ? firstTwo : lastTwo, i % 2 ? kOdd : kEven, 0u);
                    if (beyond)
                        sum += task.sums[ofFirstLevel - beyond] - task.sums[ofFirstLevel];
                    if (kMissing) sum -= task.sums[missing];
                    answers[i] =
                        __ldg(&task.answers[(kNineCells - beyond - missing) * kNineKeys + sum]);
                }
            }
            item.write(y, answers, staged[warp]);
        }
    }
}

} // namespace local_entropy::equal
