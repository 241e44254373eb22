// Counts of few levels side by side in words, for kernels (.cu): see launch_boxes.h.
#pragma once

#include "local_entropy/methods/shared_words.h"

#include <cstdint>

namespace local_entropy::boxes
{

using shared_words::addressOf;

constexpr int kLevelsAWord = 4;

/// Of a table that does not change: the compiler may move it.
__device__ inline std::uint32_t entryAt(std::uint32_t address)
{
    std::uint32_t entry;
    asm("ld.shared.u32 %0, [%1];" : "=r"(entry) : "r"(address));
    return entry;
}
/// 1 << bits, and 0 where that is more than a word has.
__device__ inline std::uint32_t oneAt(std::uint32_t bits)
{
    std::uint32_t word;
    asm("shl.b32 %0, 1, %1;" : "=r"(word) : "r"(bits));
    return word;
}
/// The cells of a thread in a row, a byte each.
template <int kOwn>
struct Cells
{
    std::uint32_t words[kOwn / 4];

    /// A one in the byte of cell i's level, if that is among the four of this word.
    __device__ std::uint32_t ones(int i, int word) const
    {
        const auto first = 0u - static_cast<std::uint32_t>(8 * kLevelsAWord * word);
        return oneAt(__dp4a(words[i / 4], 8u << (8 * (i % 4)), first));
    }
};

/// The counts of a window, of 4 kWords levels.
template <int kWords, int kBits>
struct Counts
{
    static constexpr int kLevels = kLevelsAWord * kWords;
    static constexpr int kOwnWords = kWords * kBits / 8;
    std::uint32_t words[kOwnWords];

    __device__ void clear()
    {
#pragma unroll
        for (int i = 0; i < kOwnWords; ++i) words[i] = 0;
    }
    /// The bytes of `change`, those of the four levels of this word, are -128 ... 127.
    __device__ void add(int word, std::uint32_t change)
    {
        if constexpr (kBits == 8) {
            words[word] += change;
        } else {
            const std::uint32_t positive = change + 0x80808080;
            words[2 * word] += (positive & 0x00ff00ff) - 0x00800080;
            words[2 * word + 1] += __byte_perm(positive, 0, 0x4341) - 0x00800080;
        }
    }
    __device__ std::uint32_t of(int level) const
    {
        if constexpr (kBits == 8) return words[level / 4] >> (8 * (level % 4)) & 0xff;
        return words[2 * (level / 4) + level % 2] >> (16 * (level / 2 % 2)) & 0xffff;
    }
    /// `step` times that, plus an address: of the table's entry. One instruction, a product of
    /// vectors: the word's bytes, or halves, by `step`, at most 255, for the level's and 0 for the
    /// others.
    __device__ std::uint32_t entry(int level, std::uint32_t step, std::uint32_t table) const
    {
        if constexpr (kBits == 8)
            return __dp4a(words[level / 4], step << (8 * (level % 4)), table);
        else
            return __dp2a_lo(words[2 * (level / 4) + level % 2], step << (8 * (level / 2 % 2)),
                             table);
    }
    /// The same for a level that is not known before.
    __device__ std::uint32_t ofAny(int wanted) const
    {
        std::uint32_t count = 0;
#pragma unroll
        for (int level = 0; level < kLevels; ++level)
            if (level == wanted) count = of(level);
        return count;
    }
};

} // namespace local_entropy::boxes
