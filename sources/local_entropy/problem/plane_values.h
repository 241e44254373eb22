// Which value of a plane (plane.h) stands for a cell of the image: by a rule for levels, of bytes
// by a table of it. For .cu files that nvcc compiles.
#pragma once

#include "common/host_device.h"
#include "local_entropy/problem/levels.h"
#include "local_entropy/problem/plane_bytes.h"

#include <cstdint>
#include <cstring>

namespace local_entropy::plane_load
{

using plane_bytes::Bytes, plane_bytes::kBytes;

constexpr std::uint32_t kBad = 0x80000000; ///< in the place of a value: the cell is no level

/// A bool of anybody's: all bytes but 0 are true.
struct Truth
{
    std::uint8_t byte;
    HOST_DEVICE operator std::int32_t() const { return byte != 0; }
};

/// The value of the plane's cells that a level stands for.
__device__ inline std::uint32_t valueOf(std::int32_t level, std::uint32_t none)
{
    return level >= 0 ? static_cast<std::uint32_t>(level) : level == kAbsent ? none : kBad;
}

/// The values of cells by a rule.
template <typename Source, typename Rule>
struct ValuesByRule
{
    const Rule &rule;
    std::uint32_t none;

    __device__ std::uint32_t of(Source cell) const { return valueOf(rule(cell), none); }
    __device__ std::uint32_t at(const Bytes<kBytes> &cells, int i) const
    {
        return of(cells.template at<Source>(i));
    }
};

/// The same of bytes by a table.
template <typename Source>
struct ValuesOfBytes
{
    const std::uint32_t *values; ///< 256, in shared memory

    __device__ std::uint32_t of(Source cell) const
    {
        std::uint8_t byte;
        std::memcpy(&byte, &cell, 1);
        return values[byte];
    }
    __device__ std::uint32_t at(const Bytes<kBytes> &cells, int i) const
    {
        // An address of 32 bits, in one instruction.
        const auto table = static_cast<std::uint32_t>(__cvta_generic_to_shared(values));
        std::uint32_t value;
        asm("ld.shared.u32 %0, [%1];"
            : "=r"(value)
            : "r"(__dp4a(cells.words[i / 4], 4u << (i % 4 * 8), table)));
        return value;
    }
};

} // namespace local_entropy::plane_load
