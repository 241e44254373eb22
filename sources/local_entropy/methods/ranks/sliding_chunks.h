// Tables of 16 entries for ranks up to 255: which of the 16 are needed. Included after a path's
// header (bytes.h says how).
#pragma once

#include <cstdint>
#include <cstring>

namespace local_entropy
{
namespace
{

/// The chunks of 16 ranks that ranks are in: a bit a chunk. Path::upperNibbles(v): every byte
/// divided by 16.
template <typename Path>
class SeenChunks
{
public:
    [[gnu::always_inline]] inline SeenChunks()
    {
        std::uint8_t bits[32] = {};
        for (int k = 0; k < 8; ++k) bits[k] = bits[24 + k] = static_cast<std::uint8_t>(1 << k);
        lowBits = Path::table(bits);
        highBits = Path::table(bits + 16);
        low = high = Path::zero();
    }

    /// The ranks of a cell that enters and of one that leaves.
    [[gnu::always_inline]] inline void add(const std::uint8_t *pair)
    {
        for (int k = 0; k < 2; ++k) {
            const Vector chunk = Path::upperNibbles(Path::load(pair + k * Path::kBytes));
            low |= Path::lookUp(lowBits, chunk);
            high |= Path::lookUp(highBits, chunk);
        }
    }

    [[gnu::always_inline]] inline std::uint32_t tables() const
    {
        return anyBits(low) | anyBits(high) << 8;
    }

private:
    using Vector = typename Path::Vector;

    [[gnu::always_inline]] static inline std::uint32_t anyBits(Vector v)
    {
        std::uint64_t words[Path::kBytes / 8], any = 0;
        std::memcpy(words, &v, sizeof words);
        for (const std::uint64_t word : words) any |= word;
        any |= any >> 32;
        any |= any >> 16;
        return static_cast<std::uint32_t>((any | any >> 8) & 255);
    }

    Vector lowBits, highBits, low, high;
};

/// A set of chunks as a list, the smallest first.
class ChunkList
{
public:
    [[gnu::always_inline]] inline explicit ChunkList(std::uint32_t set)
    {
        for (; set; set &= set - 1)
            chunks[length++] = static_cast<std::uint8_t>(__builtin_ctz(set));
    }
    int number() const { return length; }

    /// Those from number i on; those after the last are the last again.
    template <int many>
    [[gnu::always_inline]] inline void get(int i, int (&to)[many]) const
    {
        for (int k = 0; k < many; ++k) to[k] = chunks[i + k < length ? i + k : length - 1];
    }

private:
    std::uint8_t chunks[16];
    int length = 0;
};

} // namespace
} // namespace local_entropy
