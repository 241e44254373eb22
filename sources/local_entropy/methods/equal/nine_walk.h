// The walk of a warp down a strip of windows of 3x3 cells (.cu), see nine.h.
#pragma once

#include "common/dependent_launch.h"
#include "local_entropy/methods/equal/nine.h"
#include "local_entropy/methods/equal/nine_rows.h"

namespace local_entropy::equal
{

/// In shared memory: answers, [cells that count][sum of weights], and the sums of the weights of a
/// level of so many cells.
struct NineTables
{
    float answers[kNineCells + 1][kNineKeys];
    float behind[4 * kNineKeys]; ///< lanes without results, and rows above the first, look there
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
        const std::uint32_t sum = __dp4a(sums.ofWindow(i), Weights::ones(i), kFirstWeight) -
                                  tables.sums[ofFirst] + tables.sums[ofFirstLevel] -
                                  tables.sums[missing];
        answers[i] = tables.answers[max(existing - missing, 0)][sum % kNineKeys];
    }
    return make_float4(answers[0], answers[1], answers[2], answers[3]);
}

/// What a warp works on: rows first ... end - 1 of the results of a strip.
struct NinePlace
{
    int strip, first, end;
    bool isWithin; ///< no edge cuts the windows above or below
};

template <bool kAnywhere, typename Cell>
__device__ NinePlace placeOf(const NineTask<Cell> &task, int item)
{
    const Strips<Cell> &all = task.strips;
    const NineWithin &within = task.within;
    const int inner = all.strips - 2;
    const auto rows = [&](int first, int number, int end) {
        return NinePlace{0, first, min(first + number, end), false};
    };
    NinePlace place;
    if (item < all.itemsAtEnds) {
        const int ends = min(all.strips, 2);
        place = rows(item / ends * all.rowsAtEnds, all.rowsAtEnds, all.height);
        place.strip = item % ends ? all.strips - 1 : 0;
    } else if (item < all.itemsAtEnds + within.items) {
        const int number = item - all.itemsAtEnds;
        place = rows(within.top + number / inner * all.rows, all.rows, within.bottom);
        place.strip = 1 + number % inner;
        place.isWithin = true;
    } else {
        const int number = item - all.itemsAtEnds - within.items;
        const bool above = within.top > 0 && number < inner;
        place =
            above ? rows(0, within.top, within.top) : rows(within.bottom, all.height, all.height);
        place.strip = 1 + number % inner;
    }
    place.strip *= nineColumns(kAnywhere);
    return place;
}

/// One item. kWhole: all windows of it have nine cells, and no row ends in it. kAnywhere: see
/// nine_rows.h. `table`: the address of what is behind the sum of a window of one cell of rank 0.
template <typename Cell, bool kWhole, bool kMissing, bool kAnywhere>
__device__ void walk(const NineTask<Cell> &task, const NineTables &tables, const NinePlace &place,
                     const LookUp &lookUp, std::uint32_t table)
{
    constexpr int kSide = 3;
    const Strips<Cell> &strips = task.strips;
    const int column = place.strip + threadIdx.x % kLanes * kCellsALane;
    // Lanes behind the plane's last column read it, and what they find is not asked for.
    const int lastColumn = (strips.width + kSide - 2) / kCellsALane * kCellsALane;
    const bool mine = storesQuads<kAnywhere>(place.strip);
    Feed<Cell> feed(strips.plane, place.strip, place.strip + kColumns, min(column, lastColumn),
                    place.first, place.end + kSide - 2);
    Loaded<Cell> ahead[kSide]; // the rows that come next
    for (Loaded<Cell> &row : ahead) feed.next(row);
    float *to = strips.result + place.first * strips.resultStride + column;
    NineWindows<Cell> windows(task);
    for (int y = place.first - (kSide - 1); y < place.end;) {
        const bool hasResults = y >= place.first;
        const int rows = min(feed.ready(), (hasResults ? place.end : place.first) - y);
        const std::int64_t step = hasResults ? strips.resultStride : 0;
        const auto take = [&](Loaded<Cell> &loaded) { // and ask for another one
            const Four<Cell> row = windows.cellsOf(loaded);
            feed.load(loaded);
            return row;
        };
        const auto go = [&](int i, const Four<Cell> &row) {
            const Turn<kAnywhere> turn(to);
            const Weights sums = turn(windows.slide(row, lookUp));
            if constexpr (kWhole) {
                const auto answer = [&](int window) {
                    return __uint_as_float(
                        wordAt<0>(__dp4a(sums.ofWindow(window), 4 * Weights::ones(window), table)));
                };
                const float4 answers = make_float4(answer(0), answer(1), answer(2), answer(3));
                if (mine && hasResults) __stcs(turn.quad(), answers);
            } else {
                const int x = column - turn.columns();
                const float4 answers = answersOfFewer(
                    strips.plane, tables, x, y + i, sums, turn(windows.othersThan(0)),
                    kMissing ? turn(windows.othersThan(strips.plane.none)) : kSide * kThrees);
                if (mine && hasResults) storeWithin(turn.quad(), answers, x, strips.width);
            }
            to += step;
        };
        int i = 0;
        // Three rows at once, so that what a row is to the next moves to no other register. By
        // hand: a compiler was seen to leave out what follows for the rows that three do not
        // divide; and in braces, or it leaves out the loop that follows. All three are taken first,
        // and the next three asked for: else the compiler shifts the third row to its columns
        // early, and waits for what has just been asked for.
        if constexpr (kWhole) {
#pragma unroll 1
            for (; i + 3 <= rows; i += 3) {
                const Four<Cell> first = take(ahead[0]), second = take(ahead[1]),
                                 third = take(ahead[2]);
                go(i, first), go(i + 1, second), go(i + 2, third);
            }
        }
#pragma unroll 1
        for (; i < rows; ++i) {
            go(i, take(ahead[0]));
            const Loaded<Cell> last = ahead[0];
            ahead[0] = ahead[1], ahead[1] = ahead[2], ahead[2] = last;
        }
        y += rows;
        feed.passed(rows);
    }
}

template <typename Cell, bool kMissing, bool kAnywhere>
__global__ void __launch_bounds__(kNineThreads, 2) nine(const __grid_constant__ NineTask<Cell> task)
{
    __shared__ NineTables tables;
    common::letNextKernelStart();
    const PlaneView<Cell> &plane = task.strips.plane;
    for (int i = threadIdx.x; i < (kNineCells + 1) * kNineKeys; i += blockDim.x)
        tables.answers[i / kNineKeys][i % kNineKeys] = task.answers[i];
    if (threadIdx.x <= kNineCells) tables.sums[threadIdx.x] = task.sums[threadIdx.x];
    common::waitForLastKernel();
    __syncthreads();

    const int warp = threadIdx.x / kLanes;
    const std::uint32_t table = kept(addressOf(&tables.answers[kNineCells][kFirstWeight]));
    const LookUp lookUp;
    // Neighbouring strips in a block: they read and write the same rows. Of few items, each block
    // has as many as others.
    if (warp >= task.warps) return;
    for (int item = blockIdx.x * task.warps + warp; item < task.strips.items;
         item += gridDim.x * task.warps) {
        const NinePlace place = placeOf<kAnywhere>(task, item);
        const bool isWhole = !kMissing && place.isWithin && place.strip >= plane.left &&
                             place.strip + kColumns <= plane.right;
        if (isWhole)
            walk<Cell, !kMissing, kMissing, kAnywhere>(task, tables, place, lookUp, table);
        else
            walk<Cell, false, kMissing, kAnywhere>(task, tables, place, lookUp, table);
    }
}

} // namespace local_entropy::equal
