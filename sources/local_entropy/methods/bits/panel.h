// A panel from top to bottom. Each step has work for other parts of the processor than the next:
// loads of one row's entropies, arithmetic of the next row and packing of the next block of input
// are interleaved by hand.
#pragma once

#include "local_entropy/methods/bits/count.h"
#include "local_entropy/methods/bits/output.h"
#include "local_entropy/methods/bits/pack.h"
#include "local_entropy/methods/bits/sums.h"
#include "local_entropy/methods/bits/transpose.h"

#include <cstdint>
#include <utility>

namespace local_entropy::bits
{
namespace
{

/// Number of cells within reach of `place` on a side of `length` cells.
inline int reached(std::int64_t place, std::int64_t length)
{
    return static_cast<int>(smaller(place + kRadius, length - 1) - larger(place - kRadius, 0) + 1);
}

/// Stream: results are written around the cache; Gather: looked up by the processor's instruction.
template <bool Stream, bool Gather>
struct Panel
{
    const Task &task;
    State &state;
    Packer &next;               ///< packs the next block meanwhile
    const std::uint8_t *packed; ///< the rows of this panel
    std::int64_t left, begin, end;
    int columns = static_cast<int>(smaller(kPanelColumns, task.width - left));
    Lookup lookup{};
    float *target = nullptr; ///< where the row of `lookup` belongs in the result
    Writing writing{};

    using Out = Output<Stream, Gather>;
    static constexpr bool kCollect = Out::kCollect;

    void run()
    {
        reset();
        prepare(begin - kRadius, 0);
        int oldest = 0;
        for (std::int64_t y = begin - kRadius; y < end + kRadius; ++y) {
            const int slot = (y - begin) & 1;
            if (next.busy()) next.step();
            // A row early: a load right behind the stores that it overlaps would have to wait.
            if (y + 1 < end + kRadius) prepare(y + 1, slot ^ 1);
            if (y < begin + kRadius)
                countOnly(slot, oldest, std::make_integer_sequence<int, kLevels>());
            else
                countAndOutput(y - kRadius, slot, oldest);
            oldest = oldest == kWindow - 1 ? 0 : oldest + 1;
        }
        Out::groups(0, kGroups, {lookup, writing, nullptr});
        if (kCollect)
            Out::groups(0, kGroups,
                        {{}, {target, state.entropy[(end - 1) & 1], lookup.groups}, nullptr});
    }

private:
    void reset()
    {
        __builtin_memset(&state.across, 0, sizeof state.across);
        __builtin_memset(&state.count, 0, sizeof state.count);
        for (int byte = 0; byte < kPlane; ++byte) {
            int bits = 0;
            for (int lane = 0; lane < kLanes; ++lane) {
                const std::int64_t x = left + lane * kLane + byte - kRadius;
                bits |= (x >= 0 && x < task.width) << lane;
            }
            state.inside[byte] = static_cast<std::uint8_t>(bits);
        }
    }

    void prepare(std::int64_t y, int slot)
    {
        if (y >= 0 && y < task.height)
            makeIndicators(state, slot, packed + (y - begin + kRadius) * kPackedRow);
        else
            for (int level = 0; level < kLevels; ++level)
                __builtin_memset(state.indicator[slot][level], 0, kPlane);
    }

    template <int Level>
    [[gnu::always_inline]] inline void slideLevel(int slot, int oldest, int part, Word *count)
    {
        slide(state.indicator[slot][Level] + part * sizeof(Word), state.across[oldest][Level][part],
              state.count[Level][part], count);
    }

    template <int... Level>
    void countOnly(int slot, int oldest, std::integer_sequence<int, Level...>)
    {
        Word count[kCountDigits];
        for (int part = 0; part < kParts; ++part)
            (slideLevel<Level>(slot, oldest, part, count), ...);
    }

    /// One level of one row, with its share of the output of earlier rows in between.
    template <int Level>
    [[gnu::always_inline]] inline void level(int slot, int oldest, int part, Sums &sums,
                                             const Meanwhile &meanwhile)
    {
        constexpr int kPerPart = (kGroups + kParts - 1) / kParts;
        constexpr int kFirst = kPerPart * Level / kLevels, kLast = kPerPart * (Level + 1) / kLevels;
        Word count[kCountDigits];
        slideLevel<Level>(slot, oldest, part, count);
        sums.take<Level>(count);
        const int first = part * kPerPart;
        Out::groups(first + kFirst, first + kLast, meanwhile);
        if (part == 0 && Level < kLevels - 1) {
            __builtin_prefetch(meanwhile.ahead + 128 * Level);
            __builtin_prefetch(meanwhile.ahead + 128 * Level + 64);
        }
    }

    template <int... Level>
    [[gnu::always_inline]] inline void levels(int slot, int oldest, int part, Sums &sums,
                                              const Meanwhile &meanwhile,
                                              std::integer_sequence<int, Level...>)
    {
        (level<Level>(slot, oldest, part, sums, meanwhile), ...);
    }

    void countAndOutput(std::int64_t y, int slot, int oldest)
    {
        std::uint16_t *index = state.index[y & 1];
        const Meanwhile meanwhile{lookup, writing, next.ahead};
        for (int part = kParts - 1; part >= 0; --part) { // down: a lane's last 4 bytes are no cells
            Sums sums;
            levels(slot, oldest, part, sums, meanwhile, std::make_integer_sequence<int, kLevels>());
            Word planes[16];
            sums.fold(planes, std::make_integer_sequence<int, kIndexDigits>());
            planes[15] = Word{};
            transpose8(planes);
            transpose8(planes + 8);
            for (int lane = 0; lane < kLanes; ++lane)
                storeIndices(index + lane * kLane + part * sizeof(Word), planes[lane],
                             planes[lane + 8]);
        }
        if (kCollect) writing = {target, lookup.to, lookup.groups};
        startRow(y, index);
    }

    /// The groups of row y are those of whole cache lines of the result, without the columns whose
    /// windows the left or right edge cuts; the few other cells are finished here.
    void startRow(std::int64_t y, const std::uint16_t *index)
    {
        float *row = task.result + (y - task.firstRow) * task.width + left;
        const int down = reached(y, task.height);
        const int cutLeft = left == 0 ? kRadius : 0;
        const int cutRight = static_cast<int>(larger(0, left + columns + kRadius - task.width));
        int first = static_cast<int>(-reinterpret_cast<std::uintptr_t>(row) / sizeof(float) % 16);
        if (first < cutLeft) first += kGroup;
        const int groups = static_cast<int>(larger(0, columns - cutRight - first) / kGroup);
        if (groups == 0) first = 0;
        const int last = first + groups * kGroup;
        for (int x = 0; x < first; ++x) row[x] = single(x, down, index);
        for (int x = last; x < columns; ++x) row[x] = single(x, down, index);

        target = row + first;
        lookup = {kCollect ? state.entropy[y & 1] : target, index + first,
                  task.tables[kWindow * down], groups};
    }

    float single(int x, int down, const std::uint16_t *index) const
    {
        return task.tables[reached(left + x, task.width) * down][index[x]];
    }
};

} // namespace
} // namespace local_entropy::bits
