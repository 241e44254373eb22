// How a thread's windows share the words of a histogram (.cu and .cpp): see foot.h.
#pragma once

#include "common/host_device.h"

#include <cstdint>

namespace local_entropy::footprint
{

/// A counter of kBits for each of so many windows side by side: kSharing warps share the words of a
/// histogram, each has its part of them. More warps wait less, fewer windows to a word take more
/// additions.
template <int kBits_, int kWindows_ = 32 / kBits_>
struct Counters
{
    static constexpr int kBits = kBits_, kWindows = kWindows_, kSharing = 32 / (kBits * kWindows);

    /// What a cell that those windows have, a bit each, adds to the word.
    HOST_DEVICE static constexpr std::uint32_t code(unsigned windows, int = 0, int = 0)
    {
        std::uint32_t word = 0;
        for (int window = 0; window < kWindows; ++window)
            if (windows >> window & 1) word |= 1u << (kBits * window);
        return word;
    }
    /// For column `i` of a piece that begins in each window's own first column.
    HOST_DEVICE static constexpr std::uint32_t ones(int i, int length)
    {
        unsigned windows = 0;
        for (int window = 0; window < kWindows; ++window)
            if (i >= window && i < window + length) windows |= 1u << window;
        return code(windows);
    }
    /// The same, for four windows, without a loop: a product puts each bit where it belongs.
    HOST_DEVICE static constexpr std::uint32_t spread(unsigned windows, int, int)
    {
        static_assert(kBits == 8 && kWindows == 4, "four bytes");
        return windows * 0x00204081u & 0x01010101u;
    }
    HOST_DEVICE static constexpr int count(std::uint32_t word, int window)
    {
        return static_cast<int>(word >> (kBits * window) & ((1u << kBits) - 1));
    }
#ifdef __CUDACC__
    /// Four times a window's counter, plus the address of a table. One instruction, a product of
    /// four bytes or of two halves. `shift`: of the warp's part of words.
    __device__ static std::uint32_t entry(std::uint32_t word, int window, std::uint32_t table,
                                          int shift)
    {
        const std::uint32_t four = 4u << (8 * window);
        return kBits == 8 ? __dp4a(word, four << shift, table)
                          : __dp2a_lo(word, four << shift / 2, table);
    }
#endif
};

/// Counters of four windows of 317 cells each, the disks of radius 10, which four bytes cannot
/// hold. But neighbours have most of their cells in common: a cell of all four windows is counted
/// once, in 8 bits, and any other one in 6 bits of each window that has it. A window's count is the
/// sum of the two. All four have 258 cells in common. Three of these are counted as the others are:
/// so the first counter is never above 255, and the second never above 62, or 63 between a cell
/// that leaves and the one that enters for it.
struct CoreCounters
{
    static constexpr int kRadius = 10, kBits = 8, kWindows = 4, kSharing = 1;

    /// `row` is counted from the windows' middle, `column` from the first window's first one.
    HOST_DEVICE static constexpr std::uint32_t code(unsigned windows, int row, int column)
    {
        std::uint32_t word = 0;
        for (int window = 0; window < kWindows; ++window)
            if (windows >> window & 1) word |= 1u << firstBit(window);
        return isCommon(windows, row, column) ? 1 : word;
    }
    HOST_DEVICE static constexpr std::uint32_t spread(unsigned windows, int row, int column)
    {
        return isCommon(windows, row, column) ? 1 : windows * 0x00842100u & 0x04104100u;
    }
    HOST_DEVICE static constexpr int count(std::uint32_t word, int window)
    {
        return static_cast<int>((word & 255) + (word >> firstBit(window) & 63));
    }
#ifdef __CUDACC__
    /// As Counters::entry. The first and the last of the 6 bits lie in one byte: what else is in it
    /// is masked. The others are shifted.
    __device__ static std::uint32_t entry(std::uint32_t word, int window, std::uint32_t table, int)
    {
        if (window == 0) return __dp4a(word & 0x00003fffu, 0x00000404u, table);
        if (window == 3) return __dp4a(word & 0xfc0000ffu, 0x01000004u, table);
        const std::uint32_t common = __dp4a(word, 4u, table);
        return common + ((word & 63u << firstBit(window)) >> (firstBit(window) - 2));
    }
#endif

private:
    HOST_DEVICE static constexpr bool isCommon(unsigned windows, int row, int column)
    {
        // The columns that begin and end what is common have one cell of it each.
        return windows == 15 && column != kWindows - 1 && column != 2 * kRadius &&
               !(column == kRadius - 1 && row == kRadius - 1);
    }
    HOST_DEVICE static constexpr int firstBit(int window) { return 8 + 6 * window; }
};

} // namespace local_entropy::footprint
