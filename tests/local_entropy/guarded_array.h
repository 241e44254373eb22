// Arrays whose end cannot be overlooked.
#pragma once

#include "local_entropy/filter.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

/// An array that ends where memory cannot be touched, and begins at any address that its type
/// allows; `gap` elements lie between rows.
template <typename T>
class GuardedArray
{
public:
    GuardedArray(std::int64_t width, std::int64_t height, std::int64_t gap)
        : width(width), height(height), stride(width + gap)
    {
        const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const std::size_t used = ((height - 1) * stride + width) * sizeof(T);
        pages = (used + page - 1) / page * page;
        memory = static_cast<char *>(
            mmap(nullptr, pages + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        if (memory == MAP_FAILED) throw std::runtime_error("no memory for a guarded array");
        whole = pages + 2 * page;
        if (mprotect(memory + page, pages, PROT_READ | PROT_WRITE) != 0)
            throw std::runtime_error("memory of a guarded array cannot be used");
        first = reinterpret_cast<T *>(memory + page + pages - used);
    }
    ~GuardedArray()
    {
        if (memory) munmap(memory, whole);
    }
    GuardedArray(const GuardedArray &) = delete;
    GuardedArray &operator=(const GuardedArray &) = delete;

    T &at(std::int64_t x, std::int64_t y) const { return first[y * stride + x]; }
    local_entropy::View<T> view() const { return {first, width, height, stride}; }

    void poison() const
    {
        for (std::int64_t i = 0; i < (height - 1) * stride + width; ++i)
            first[i] = std::numeric_limits<T>::quiet_NaN();
    }
    bool gapsArePoisoned() const
    {
        for (std::int64_t y = 0; y + 1 < height; ++y)
            for (std::int64_t x = width; x < stride; ++x)
                if (!std::isnan(at(x, y))) return false;
        return true;
    }

private:
    std::int64_t width, height, stride;
    std::size_t pages = 0, whole = 0;
    char *memory = nullptr;
    T *first = nullptr;
};
