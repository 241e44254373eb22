// How slide.h counts equal cells (.cu): one comparison for all windows that hold both cells, sums
// of them for each place of a cell in its windows, and what these change in the sums of F.
#pragma once

#include "local_entropy/methods/equal/strip.h"

#include <cstdint>
#include <type_traits>
#include <utility>

namespace local_entropy::equal
{

/// f(0), f(1), ... f(kCount - 1), each as a constant.
template <typename Function, int... kNumbers>
__device__ void unrolledOver(Function &f, std::integer_sequence<int, kNumbers...>)
{
    (f(std::integral_constant<int, kNumbers>()), ...);
}
template <int kCount, typename Function>
__device__ void unrolled(Function &&f)
{
    unrolledOver(f, std::make_integer_sequence<int, kCount>());
}

/// For each displacement from -(kWidth - 1) to kWidth - 1, in four bytes, how many cells there
/// differ from each of a lane's four.
template <int kWidth>
class Differing
{
public:
    template <int kFirst, int kEnd>
    __device__ void add(const Words<kFirst, kEnd> &row, const Negatives &cells,
                        const Factors &factors)
    {
#pragma unroll
        for (int k = -kMost; k <= kMost; ++k) at(k) = cells.addDiffering(row.of(k), factors, at(k));
    }
    /// Two rows at once take an addition less: one has three terms.
    template <int kFirst, int kEnd>
    __device__ void add(const Words<kFirst, kEnd> &row, const Words<kFirst, kEnd> &other,
                        const Negatives &cells, const Factors &factors)
    {
#pragma unroll
        for (int k = -kMost; k <= kMost; ++k)
            at(k) = cells.addDiffering(row.of(k), other.of(k), factors, at(k));
    }
    /// Of their own row.
    template <int kFirst, int kEnd>
    __device__ void addLeft(const Words<kFirst, kEnd> &row, const Negatives &cells,
                            const Factors &factors)
    {
#pragma unroll
        for (int k = -kMost; k < 0; ++k) at(k) += cells.differing(row.of(k), factors);
    }

    /// use(place, sum of the displacements that a window covers in which the cells have that place)
    template <typename Use>
    __device__ void forPlaces(Use &&use) const
    {
        std::uint32_t sum = 0;
#pragma unroll
        for (int k = 0; k < kWidth; ++k) sum += at(k);
        unrolled<kWidth>([&](auto place) {
            constexpr int kPlace = decltype(place)::value;
            if constexpr (kPlace > 0) sum += at(-kPlace) - at(kWidth - kPlace);
            use(place, sum);
        });
    }

private:
    static constexpr int kMost = kWidth - 1;
    __device__ std::uint32_t &at(int k) { return sums[k + kMost]; }
    __device__ std::uint32_t at(int k) const { return sums[k + kMost]; }

    std::uint32_t sums[2 * kMost + 1] = {};
};

/// What a step adds to the sums of four windows, by the lane whose windows they are: this one, or
/// one so many to the left.
template <int kWidth>
class Changes
{
public:
    /// Of a lane's cell i in its windows' column `place`: at most four a window come and four go.
    template <int kPlace, int kCell>
    __device__ void add(std::int32_t change)
    {
        constexpr int kLane = (kPlace - kCell + 3) / 4;
        changes[kLane][kCell - kPlace + 4 * kLane] += change;
    }

    __device__ void addTo(std::int64_t *sums, std::uint32_t one) const
    {
#pragma unroll
        for (int i = 0; i < kCellsALane; ++i) addOne(changes[0][i], one, sums[i]);
#pragma unroll
        for (int lane = 1; lane <= kLanesLeft; ++lane)
#pragma unroll
            for (int i = 0; i < kCellsALane; ++i)
                if (4 * lane - i < kWidth)
                    addOne(__shfl_down_sync(kAllLanes, changes[lane][i], lane), one, sums[i]);
    }

private:
    static constexpr int kLanesLeft = (kWidth + 2) / 4;

    __device__ static void addOne(std::int32_t change, std::uint32_t one, std::int64_t &sum)
    {
        asm("mad.wide.s32 %0, %1, %2, %0;" : "+l"(sum) : "r"(change), "r"(one));
    }

    std::int32_t changes[kLanesLeft + 1][kCellsALane] = {};
};

} // namespace local_entropy::equal
