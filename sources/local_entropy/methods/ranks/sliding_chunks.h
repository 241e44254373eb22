// Tables of 16 entries for ranks up to 255: which are needed. Included after a path's
// header (bytes.h says how).
#pragma once

#include <algorithm>
#include <cstdint>

namespace local_entropy
{
namespace
{

/// Which ranks above 15 there are: from ... to, as one number, to be compared and united. Where one
/// level fills most of a window, the range is small and far from 0.
struct RankRange
{
    static constexpr std::uint32_t kNone = 0, kAll = 0xffff;

    /// `least`: the largest of 15 - rank modulo 256, which is above 15 for those ranks.
    static constexpr std::uint32_t of(int largest, int least = 255)
    {
        return largest < 16 ? kNone : static_cast<std::uint32_t>(least << 8 | largest);
    }
    static constexpr int from(std::uint32_t range) { return 15 + 256 - (range >> 8); }
    static constexpr int to(std::uint32_t range) { return range & 255; }

    static std::uint32_t both(std::uint32_t a, std::uint32_t b)
    {
        return std::max(a & 255, b & 255) | std::max(a & 0xff00, b & 0xff00);
    }
};

/// The range of ranks. Path has larger(a, b), byte by byte, and largest(v), of all bytes.
template <typename Path>
class SeenRanks
{
public:
    [[gnu::always_inline]] inline SeenRanks() { most = least = Path::zero(); }

    /// The ranks of a cell that enters and of one that leaves.
    [[gnu::always_inline]] inline void add(const std::uint8_t *pair)
    {
        for (int k = 0; k < 2; ++k) {
            const auto rank = Path::load(pair + k * Path::kBytes);
            most = Path::larger(most, rank);
            least = Path::larger(least, Path::sub(Path::all(15), rank));
        }
    }

    [[gnu::always_inline]] inline std::uint32_t tables() const
    {
        return RankRange::of(Path::largest(most), Path::largest(least));
    }

private:
    typename Path::Vector most, least;
};

/// Where the tables for a range begin: at rank 0, and one behind the other from the range's first
/// rank on, or before it, so that none goes beyond 255. None has a rank of another: their deltas
/// are added some tables a call, and a rank in two calls would count twice.
class ChunkList
{
public:
    [[gnu::always_inline]] inline explicit ChunkList(std::uint32_t range)
    {
        if (range == RankRange::kNone) return;
        const int from = RankRange::from(range);
        const int many = (RankRange::to(range) - from) / 16 + 1;
        const int start = from < 256 - 16 * many ? from : 256 - 16 * many;
        for (int i = 0; i < many; ++i) first[length++] = static_cast<std::uint8_t>(start + 16 * i);
    }
    int number() const { return length; }

    /// Those from number i on; those after the last are the last again.
    template <int many>
    [[gnu::always_inline]] inline void get(int i, int (&to)[many]) const
    {
        for (int k = 0; k < many; ++k) to[k] = first[i + k < length ? i + k : length - 1];
    }

private:
    std::uint8_t first[16] = {0};
    int length = 1;
};

} // namespace
} // namespace local_entropy
