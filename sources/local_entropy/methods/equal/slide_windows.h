// The windows of a lane of slide.h (.cu): which rows are compared as one enters and one leaves.
#pragma once

#include "local_entropy/methods/equal/slide_answers.h"
#include "local_entropy/methods/equal/slide_counts.h"
#include "local_entropy/methods/equal/slide_ring.h"
#include "local_entropy/methods/equal/slide_task.h"

#include <cstdint>

namespace local_entropy::equal
{

/// The four windows of a lane; kHeight is 0 where the kernel is for windows of any height.
template <typename Cell, int kWidth, int kHeight, bool kMissing>
class Windows : public FourWindows<Cell, kWidth, kHeight, kMissing>
{
public:
    __device__ Windows(const SlideTask<Cell> &task, bool cutAside, std::uint32_t *ring,
                       std::uint32_t table)
        : Known(task), factors(task.strips.factors),
          height(kHeight ? kHeight : task.strips.windowHeight), cutAside(cutAside), ring(ring),
          table(table), none(task.strips.plane.none | task.strips.plane.none << 16,
                             task.strips.plane.none | task.strips.plane.none << 16)
    {
        for (std::int64_t &one : biased) one = kBitsOfBias + task.sum;
    }

    /// Row `number` of the first windows enters.
    __device__ void fill(int number, const Four<Cell> &row)
    {
        change<false>(row, number, number, table + 4 * kWidth * (height - 1 - number));
    }
    /// A row enters, in whose slot the row is that leaves.
    __device__ void slide(int slot, const Four<Cell> &row)
    {
        change<true>(row, slot, height - 1, table);
    }

    /// Counts the cells of level 0, where that is not known since the first window.
    __device__ void countFirst()
    {
        notFirst = 0;
        for (int slot = 0; slot < height; ++slot) notFirst += others(slot, Negatives(0, 0));
    }

private:
    using Known = FourWindows<Cell, kWidth, kHeight, kMissing>;
    using Known::biased, Known::notFirst, Known::notNone;
    using Row = typename Ring<kWidth>::Row;
    static constexpr int kGroups = Ring<kWidth>::kGroups;

    /// In four bytes, how many cells of the windows' row in that slot are not `value`.
    __device__ std::uint32_t others(int slot, const Negatives &value) const
    {
        const Row row = ring.readAt(slot * kGroups);
        std::uint32_t sum = 0;
#pragma unroll
        for (int k = 0; k < kWidth; ++k) sum = value.addDiffering(row.of(k), factors, sum);
        return sum;
    }
    __device__ void watch(int slot, std::uint32_t sign)
    {
        if (cutAside) notFirst += sign * others(slot, Negatives(0, 0));
        if (kMissing) notNone += sign * others(slot, none);
    }

    template <bool kLeaves>
    __device__ void change(const Four<Cell> &cells, int slot, int above, std::uint32_t table)
    {
        Differing<kWidth> entering, leaving;
        Negatives left;
        if constexpr (kLeaves) {
            watch(slot, 0u - 1u);
            const auto row = ring.readLeft(slot);
            left = Negatives(*row.of(0), *row.of(1));
            leaving.addLeft(row, left, factors);
        }
        Words<0, 4> own;
        expand<false>(cells, own);
        __syncwarp();
        ring.write(slot, own);
        __syncwarp();
        watch(slot, 1);
        const Negatives entered(*own.of(0), *own.of(1));
        entering.addLeft(ring.readLeft(slot), entered, factors);
        int at = slot * kGroups;
        const auto higher = [&] {
            at = (at == 0 ? height * kGroups : at) - kGroups;
            return ring.readAt(at);
        };
#pragma unroll(kLeaves &&kHeight ? kHeight : 1)
        for (int i = 0; i + 1 < above; i += 2) {
            const Row row = higher(), other = higher();
            entering.add(row, other, entered, factors);
            if constexpr (kLeaves) leaving.add(row, other, left, factors);
        }
        if (above % 2) {
            const Row row = higher();
            entering.add(row, entered, factors);
            if constexpr (kLeaves) leaving.add(row, left, factors);
        }
        Changes<kWidth> changes;
        add<-1>(changes, entering, table);
        if constexpr (kLeaves) add<1>(changes, leaving, table);
        changes.addTo(biased, factors.one);
    }

    template <int kSign>
    __device__ static void add(Changes<kWidth> &changes, const Differing<kWidth> &differing,
                               std::uint32_t table)
    {
        differing.forPlaces([&](auto place, std::uint32_t four) {
            constexpr int kPlace = decltype(place)::value;
            unrolled<kCellsALane>([&](auto cell) {
                constexpr int kCell = decltype(cell)::value;
                // Further left, a cell has fewer cells before it.
                const std::uint32_t difference = wordAt<4 * (kWidth - 1 - kPlace)>(
                    __dp4a(four, std::uint32_t(4) << (8 * kCell), table));
                changes.template add<kPlace, kCell>(kSign * static_cast<std::int32_t>(difference));
            });
        });
    }

    const Factors &factors;
    const int height;
    const bool cutAside;
    const Ring<kWidth> ring;
    const std::uint32_t
        table; ///< entry x: the difference for a full window of which x others differ
    const Negatives none;
};

} // namespace local_entropy::equal
