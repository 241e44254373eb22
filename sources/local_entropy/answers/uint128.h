// Unsigned integers of 128 bits, a GCC and clang type that -Wpedantic wants marked.
#pragma once

#include <cstdint>

#include "common/host_device.h"

namespace local_entropy
{

__extension__ typedef unsigned __int128 UInt128;

/// Position of the highest bit that is set, plus one; 0 for 0.
HOST_DEVICE inline int bitLength(std::uint64_t value)
{
#ifdef __CUDA_ARCH__
    return 64 - __clzll(static_cast<long long>(value));
#else
    return value ? 64 - __builtin_clzll(value) : 0;
#endif
}

HOST_DEVICE inline int bitLength(UInt128 value)
{
    const std::uint64_t high = static_cast<std::uint64_t>(value >> 64);
    return high ? 64 + bitLength(high) : bitLength(static_cast<std::uint64_t>(value));
}

/// The upper 128 bits of the product, rounded down.
HOST_DEVICE inline UInt128 multiplyHigh(UInt128 a, UInt128 b)
{
    const std::uint64_t aLow = static_cast<std::uint64_t>(a), bLow = static_cast<std::uint64_t>(b);
    const std::uint64_t aHigh = static_cast<std::uint64_t>(a >> 64);
    const std::uint64_t bHigh = static_cast<std::uint64_t>(b >> 64);
    const UInt128 first = static_cast<UInt128>(aHigh) * bLow;
    const UInt128 second = static_cast<UInt128>(aLow) * bHigh;
    const UInt128 carry = (static_cast<UInt128>(aLow) * bLow >> 64) +
                          static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(second);
    return static_cast<UInt128>(aHigh) * bHigh + (first >> 64) + (second >> 64) + (carry >> 64);
}

} // namespace local_entropy
