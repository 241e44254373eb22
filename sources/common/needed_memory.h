// Is there memory for it? Asked before it is taken: a system that promises more than it has ends
// the program, and what it has measured is lost.
#pragma once

#include "common/cpu_facts.h"
#include "common/error.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace common
{

/// Throws Unavailable where this process cannot take so many bytes. A double, since a product of
/// sides may be beyond 2^64.
inline void requireMemory(double bytes)
{
    const std::size_t available = availableMemory();
    if (bytes > static_cast<double>(available))
        throw Unavailable("needs " + std::to_string(static_cast<std::uint64_t>(bytes / (1 << 20))) +
                          " MiB, " + std::to_string(available >> 20) + " MiB are available");
}

} // namespace common
