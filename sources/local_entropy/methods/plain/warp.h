// Steps of a warp that counts windows. For .cu files that nvcc compiles.
#pragma once

#include "local_entropy/answers/answer_tables.h"

#include <cstdint>

namespace local_entropy::warp
{

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;

/// The sum of the values of kNumber neighbouring lanes, a power of two, in each of them.
template <int kNumber, typename T>
__device__ T sumOf(T value)
{
#pragma unroll
    for (int apart = kNumber / 2; apart > 0; apart /= 2)
        value += __shfl_xor_sync(kAllLanes, value, apart);
    return value;
}
inline __device__ UInt128 sumOfAll(UInt128 value)
{
    for (int apart = kLanes / 2; apart > 0; apart /= 2) {
        const auto low = static_cast<std::uint64_t>(value);
        const auto high = static_cast<std::uint64_t>(value >> 64);
        value +=
            wide(__shfl_xor_sync(kAllLanes, high, apart), __shfl_xor_sync(kAllLanes, low, apart));
    }
    return value;
}

/// Ascending; by one thread, of what is rarely asked for: a heap.
inline __device__ void sort(int *numbers, int count)
{
    const auto sink = [numbers](int at, int end) {
        for (int child; (child = 2 * at + 1) < end; at = child) {
            if (child + 1 < end && numbers[child] < numbers[child + 1]) ++child;
            if (numbers[at] >= numbers[child]) return;
            const int larger = numbers[child];
            numbers[child] = numbers[at];
            numbers[at] = larger;
        }
    };
    for (int at = count / 2 - 1; at >= 0; --at) sink(at, count);
    for (int end = count - 1; end > 0; --end) {
        const int largest = numbers[0];
        numbers[0] = numbers[end];
        numbers[end] = largest;
        sink(0, end);
    }
}

} // namespace local_entropy::warp
