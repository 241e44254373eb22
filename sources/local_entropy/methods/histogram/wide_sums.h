// How a warp of the kernel of many levels (wide_walk.h, .cu) adds up what its lanes have.
#pragma once

#include <cstdint>

namespace local_entropy::wide
{

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;

/// Hands over half of what each lane has, kHalf numbers, so that the lanes whose number has the bit
/// kHalf keep the upper half; of what is left each is a sum over two lanes.
template <int kHalf, typename To, typename From>
__device__ void halve(int lane, const From *from, To *to)
{
    const bool upper = lane & kHalf;
#pragma unroll
    for (int i = 0; i < kHalf; ++i) {
        const From kept = upper ? from[i + kHalf] : from[i];
        const From given = upper ? from[i] : from[i + kHalf];
        to[i] = static_cast<To>(kept) + __shfl_xor_sync(kAllLanes, given, kHalf);
    }
}

/// numbers[lane], summed over all lanes. The sums of kNarrow times two lanes' numbers fit 32 bits.
template <int kNarrow>
__device__ std::int64_t sumOfOwn(int lane, const std::int32_t *numbers)
{
    std::int64_t all[8];
    if constexpr (kNarrow == 2) {
        std::int32_t sixteen[16], eight[8];
        halve<16>(lane, numbers, sixteen);
        halve<8>(lane, sixteen, eight);
#pragma unroll
        for (int i = 0; i < 8; ++i) all[i] = eight[i];
    } else {
        std::int32_t sixteen[16];
        halve<16>(lane, numbers, sixteen);
        halve<8>(lane, sixteen, all);
    }
    std::int64_t four[4], two[2], one;
    halve<4>(lane, all, four);
    halve<2>(lane, four, two);
    halve<1>(lane, two, &one);
    return one;
}

} // namespace local_entropy::wide
