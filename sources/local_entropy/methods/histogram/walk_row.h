// How the cells of a row reach a thread of walk.h (.cu): as words from any address, loaded well
// before they are used, and from there on as addresses of counters.
#pragma once

#include "local_entropy/methods/histogram/counters.h"

#include <cstdint>

namespace local_entropy::walk
{

/// A row of the thread's columns: kCells of them, from any address.
template <typename Cell, int kCells>
struct Row
{
    static constexpr int kCellsAWord = 4 / static_cast<int>(sizeof(Cell));
    static constexpr int kWords = (kCells + kCellsAWord - 1) / kCellsAWord;
    std::uint32_t words[kWords + 1];
    unsigned shift;

    /// kOrdered: the compiler keeps it before and behind the additions that it stands between.
    template <bool kOrdered = false>
    __device__ void load(const Cell *from)
    {
        const auto address = reinterpret_cast<std::uintptr_t>(from);
        const auto *aligned = reinterpret_cast<const std::uint32_t *>(address & ~std::uintptr_t(3));
        shift = static_cast<unsigned>(address) * 8; // of which five bits count
#pragma unroll
        for (int i = 0; i <= kWords; ++i)
            if constexpr (kOrdered)
                asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(words[i]) : "l"(aligned + i));
            else
                words[i] = __ldg(aligned + i);
    }
    /// Before its cells are used; apart from load(), so that nothing waits for memory in between.
    /// `mask`: see Plane.
    __device__ void align(std::uint32_t mask)
    {
#pragma unroll
        for (int i = 0; i < kWords; ++i)
            words[i] = __funnelshift_r(words[i], words[i + 1], shift) & mask;
    }

    /// Where the counters of cell i are, in a histogram that begins there.
    __device__ std::uint32_t counters(int i, std::uint32_t histogram) const
    {
        constexpr unsigned kBytes = 4 * kLanes; // of a level
        const std::uint32_t word = words[i / kCellsAWord];
        if constexpr (sizeof(Cell) == 1)
            return __dp4a(word, kBytes << (8 * (i % 4)), histogram);
        else
            return __dp2a_lo(word, kBytes << (8 * (i % 2)), histogram);
    }
};

} // namespace local_entropy::walk
