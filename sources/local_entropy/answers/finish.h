// The last steps from a sum to a float, for kernels that finish in registers what they have summed:
//   double value = toDouble(sums()[cells] - sum) * scales()[cells];
//   undecided |= nearBoundary(value, band());
//   out = float(value);
// Internal linkage on purpose: files compiled for several instruction sets include this, and the
// linker must not hand one's code to another.
#pragma once

#include <cstdint>
#include <cstring>

#include "common/host_device.h"

namespace local_entropy
{

/// The double nearest to an integer below 2^63. Two halves, each put under the exponent of a power
/// of two: compilers vectorise this everywhere, unlike the conversion, and only the sum rounds.
static inline double toDouble(std::int64_t value)
{
    const std::uint64_t unsignedValue = static_cast<std::uint64_t>(value);
    const std::uint64_t highBits = unsignedValue >> 32 | 0x4530000000000000; // 2^84 + high 2^32
    const std::uint64_t lowBits = (unsignedValue & 0xFFFFFFFF) | 0x4330000000000000; // 2^52 + low
    double high, low;
    std::memcpy(&high, &highBits, sizeof high);
    std::memcpy(&low, &lowBits, sizeof low);
    return (high - (0x1p84 + 0x1p52)) + low;
}

/// Whether a double that is off by up to `band` units of its last place leaves two floats: 29 bits
/// more than a float has, and the boundary is their half.
HOST_DEVICE static inline bool nearBoundary(double value, std::uint32_t band)
{
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    const std::uint32_t low = static_cast<std::uint32_t>(bits);
    return ((low - (1u << 28) + band) & ((1u << 29) - 1)) <= 2 * band;
}

} // namespace local_entropy
