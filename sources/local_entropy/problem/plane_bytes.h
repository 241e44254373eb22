// 16 bytes of an image a thread, whatever address they lie at: for the kernels that load planes and
// that check images. Two aligned reads hold them; shifts bring them out. For .cu files that nvcc
// compiles.
#pragma once

#include <cstdint>
#include <cstring>

namespace local_entropy::plane_bytes
{

constexpr int kLanes = 32, kWarps = 8, kThreads = kLanes * kWarps; ///< of a block
constexpr int kBytes = 16; ///< of the image that a thread reads at once

/// Cells as far apart as they are in memory, which must not be read beyond its ends.
template <typename T>
struct Array
{
    const T *cells, *end;
    std::int64_t stride;
};

template <typename T>
Array<T> arrayOf(const void *data, std::int64_t width, std::int64_t height, std::int64_t stride)
{
    const T *const cells = static_cast<const T *>(data);
    return {cells, cells ? cells + (height - 1) * stride + width : nullptr, stride};
}

/// kSize bytes from any address.
template <int kSize>
struct Bytes
{
    static constexpr int kWords = kSize / 4;
    std::uint32_t words[2 * kWords];

    /// Whether read() keeps to the array.
    template <typename T>
    __device__ static bool canRead(const Array<T> &array, const T *from)
    {
        const auto aligned = reinterpret_cast<std::uintptr_t>(from) / kSize * kSize;
        return aligned >= reinterpret_cast<std::uintptr_t>(array.cells) &&
               aligned + 2 * kSize <= reinterpret_cast<std::uintptr_t>(array.end);
    }

    __device__ void read(const void *from)
    {
        struct alignas(kSize) Aligned
        {
            std::uint32_t words[kWords];
        };
        const auto address = reinterpret_cast<std::uintptr_t>(from);
        const auto offset = static_cast<unsigned>(address % kSize);
        const auto *aligned = reinterpret_cast<const Aligned *>(address - offset);
        // Both at once; the same twice where nothing of the next is needed.
        const Aligned first = aligned[0], second = aligned[offset ? 1 : 0];
#pragma unroll
        for (int i = 0; i < kWords; ++i) {
            words[i] = first.words[i];
            words[kWords + i] = second.words[i];
        }
        // A shift by 8 bytes, by 4, by the rest: registers have no index.
#pragma unroll
        for (int step = kWords / 2; step > 0; step /= 2)
#pragma unroll
            for (int i = 0; i < kWords + step; ++i)
                words[i] = offset & (4 * step) ? words[i + step] : words[i];
#pragma unroll
        for (int i = 0; i < kWords; ++i)
            words[i] = __funnelshift_r(words[i], words[i + 1], offset % 4 * 8);
    }

    /// Whether byte i is not 0.
    __device__ bool has(int i) const { return words[i / 4] & 0xffu << (i % 4 * 8); }

    template <typename T>
    __device__ T at(int i) const
    {
        const std::uint32_t bits =
            words[i * sizeof(T) / 4] >> (i * static_cast<int>(sizeof(T)) % 4 * 8);
        T cell;
        std::memcpy(&cell, &bits, sizeof cell);
        return cell;
    }
};

/// Finds cells that are too large, of 1 or 2 bytes, in words of them.
template <typename Cell>
class Comparison
{
public:
    __device__ explicit Comparison(std::uint32_t most)
        : hasTop(most >= kHalf), toTop((kHalf - 1 - (most & (kHalf - 1))) * kOnes)
    {
    }

    __device__ bool isAnyBeyond(const Bytes<kBytes> &cells) const
    {
        std::uint32_t beyond = 0;
#pragma unroll
        for (int i = 0; i < kBytes / 4; ++i) {
            const std::uint32_t reaches = (cells.words[i] & ~kTops) + toTop;
            beyond |= hasTop ? cells.words[i] & reaches : cells.words[i] | reaches;
        }
        return beyond & kTops;
    }

private:
    static constexpr std::uint32_t kOnes = sizeof(Cell) == 1 ? 0x01010101 : 0x00010001;
    static constexpr std::uint32_t kHalf = 1u << (8 * sizeof(Cell) - 1), kTops = kOnes * kHalf;

    // A cell is beyond if its lower bits plus `toTop` reach its top bit: and it has that bit, if
    // `most` has; or it has that bit, if `most` has not.
    const bool hasTop;
    const std::uint32_t toTop;
};

} // namespace local_entropy::plane_bytes
