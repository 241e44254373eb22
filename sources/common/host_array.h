// malloc memory owned by a C++ object; release() hands it to a caller who will call free().
#pragma once

#include "common/error.h"
#include "common/part_times.h"

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>

namespace common
{

struct Free
{
    void operator()(void *memory) const
    {
        const PartScope scope(Part::Free);
        std::free(memory);
    }
};

template <typename T>
using HostArray = std::unique_ptr<T[], Free>;

/// `size` elements, not initialised. Throws Unavailable where there is no memory for them.
template <typename T>
HostArray<T> allocateHost(std::size_t size)
{
    const PartScope scope(Part::Allocate);
    void *memory = nullptr;
    if (size <= std::numeric_limits<std::size_t>::max() / sizeof(T))
        memory = std::malloc(size * sizeof(T));
    if (!memory)
        throw Unavailable("no host memory for " + std::to_string(size) + " elements of " +
                          std::to_string(sizeof(T)) + " bytes");
    return HostArray<T>(static_cast<T *>(memory));
}

} // namespace common
