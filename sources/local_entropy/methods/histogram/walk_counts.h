// How a thread of walk.h counts (.cu): its histogram, the sums of its windows, and the steps that
// change both as a row leaves and another enters.
#pragma once

#include "local_entropy/methods/histogram/counters.h"
#include "local_entropy/methods/histogram/walk_row.h"

#include <cstdint>
#include <type_traits>

namespace local_entropy::walk
{

/// The sums of a thread's windows: of 32 bits, if all that a window can have fits them, or of 64.
/// To these, a difference that comes and one that goes are two instructions, additions of three
/// numbers, the second with what the first carries.
template <int kWindows, bool kShort>
class Totals
{
public:
    using Sum = std::conditional_t<kShort, std::uint32_t, std::int64_t>;

    __device__ void clear()
    {
#pragma unroll
        for (int window = 0; window < kWindows; ++window) sums[window] = 0;
    }
    __device__ void add(int window, std::uint32_t comes) { sums[window] += comes; }
    __device__ void add(int window, std::uint32_t comes, std::uint32_t goes)
    {
        sums[window] += comes;
        sums[window] -= goes;
    }
    __device__ Sum of(int window) const { return sums[window]; }

private:
    Sum sums[kWindows];
};

/// One thread's histogram and sums. kWidth is the window's width.
template <typename Cell, int kWidth, int kBits, bool kShort>
class Walker
{
public:
    using In = Counters<kBits>;
    static constexpr int kWindows = In::kWindows, kCells = kWidth + kWindows - 1;
    using CellsOfRow = Row<Cell, kCells>;
    using Sum = typename Totals<kWindows, kShort>::Sum;

    /// What a step finds in the histogram.
    struct Step
    {
        std::uint32_t left[kCells], entered[kCells];
        std::uint32_t none; ///< the word of the cells that do not count
    };

    __device__ Walker(std::uint32_t histogram, std::uint32_t table, std::uint32_t mask)
        : histogram(histogram), table(table), mask(mask)
    {
    }

    __device__ void clear(int values)
    {
        for (int value = 0; value < values; ++value)
            asm volatile("st.shared.u32 [%0], %1;" ::"r"(histogram + value * 4 * kLanes), "r"(0));
        sums.clear();
    }

    __device__ void enter(CellsOfRow row)
    {
        row.align(mask);
        std::uint32_t before[kCells];
#pragma unroll
        for (int i = 0; i < kCells; ++i)
            before[i] = addTo(row.counters(i, histogram), In::ones(i, kWidth));
#pragma unroll
        for (int i = 0; i < kCells; ++i)
#pragma unroll
            for (int window = 0; window < kWindows; ++window)
                if (In::holds(i, window, kWidth))
                    sums.add(window, differenceAt<0>(In::entry(before[i], window, table)));
    }

    /// Changes the counters.
    template <bool kMissing>
    __device__ Step change(CellsOfRow leaving, CellsOfRow entering, std::uint32_t none)
    {
        leaving.align(mask);
        entering.align(mask);
        Step step;
#pragma unroll
        for (int i = 0; i < kCells; ++i) changeColumn(i, leaving, entering, step);
        if constexpr (kMissing) step.none = word(none);
        return step;
    }

    /// Changes the sums as the counters were changed.
    __device__ void settle(const Step &step)
    {
#pragma unroll
        for (int i = 0; i < kCells; ++i) settleColumn(i, step);
    }

    /// settle(), and the next change() besides, column by column: nothing is looked up before a row
    /// of other work has passed since it was asked for.
    template <bool kMissing>
    __device__ void advance(Step &step, CellsOfRow leaving, CellsOfRow entering, std::uint32_t none)
    {
        leaving.align(mask);
        entering.align(mask);
#pragma unroll
        for (int i = 0; i < kCells; ++i) {
            const Step before = step; // of which only this column is used
            changeColumn(i, leaving, entering, step);
            settleColumn(i, before);
        }
        if constexpr (kMissing) step.none = word(none);
    }

    __device__ Sum sum(int window) const { return sums.of(window); }
    __device__ std::uint32_t word(std::uint32_t value) const
    {
        return wordAt(histogram + value * 4 * kLanes);
    }
    __device__ int count(std::uint32_t word, int window) const { return In::count(word, window); }

private:
    __device__ void changeColumn(int i, const CellsOfRow &leaving, const CellsOfRow &entering,
                                 Step &step)
    {
        step.left[i] = addTo(leaving.counters(i, histogram), 0u - In::ones(i, kWidth));
        step.entered[i] = addTo(entering.counters(i, histogram), In::ones(i, kWidth));
    }
    __device__ void settleColumn(int i, const Step &step)
    {
#pragma unroll
        for (int window = 0; window < kWindows; ++window)
            if (In::holds(i, window, kWidth)) // from n to n - 1: the difference before n's
                sums.add(window, differenceAt<0>(In::entry(step.entered[i], window, table)),
                         differenceAt<-4>(In::entry(step.left[i], window, table)));
    }

    const std::uint32_t histogram, table, mask;
    Totals<kWindows, kShort> sums;
};

} // namespace local_entropy::walk
