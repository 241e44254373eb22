// The queue of the second look (second_look_kernel.h): which windows are to be computed.
#pragma once

#include "local_entropy/methods/plain/warp.h"

#include <cstdint>

namespace local_entropy::second_look
{

using warp::kAllLanes;
using warp::kLanes;

constexpr int kLines = 4;   ///< of bits, a word of each lane, at a time
constexpr int kQueue = 128; ///< windows of a warp

/// Words of a line: one for each lane; but of few words for so many warps, as many as a sector of
/// memory has. Else most warps would have no line, and others the windows of a whole one.
inline int lineWords(std::int64_t words, std::int64_t warps)
{
    return words < 4 * kLanes * warps ? 8 : kLanes;
}

/// The windows that are set in a warp's words of bits, of which every so many lines are its own, a
/// word for each lane that reads. Few are set, and many lanes want work: windows of many words are
/// gathered before they are computed. Those that are set lie close together: so what a warp reads
/// at a time are lines from far apart.
class Queue
{
public:
    /// `warp` of `warps` in all. A line has `width` words, see lineWords().
    __device__ Queue(std::uint32_t *places, const std::uint32_t *undecided, std::int64_t words,
                     int wordsARow, std::int64_t warp, std::int64_t warps, int width)
        : places(places), undecided(undecided), words(words), width(width), first(warp * width),
          step(warps * width), wordsARow(wordsARow)
    {
    }

    /// Calls use(number) for up to kQueue windows at a time. By all lanes.
    template <typename Use>
    __device__ void forAll(const Use &use) const
    {
        int filled = 0;
        std::uint32_t line = 0;
        for (std::int64_t word = first; word < words; word += kLines * step, line += kLines) {
            std::uint32_t bits[kLines];
            read(word, bits);
            fetch(word + kLines * step);
            gather(line, bits, filled, use);
        }
        if (filled) finish(filled, use);
    }

    /// Where window i of those is.
    __device__ void find(int i, int &x, int &y) const
    {
        const std::uint32_t place = places[i], bit = place % kBitsOfALine;
        const std::int64_t word = first + place / kBitsOfALine * step + bit / 32;
        y = static_cast<int>(word / wordsARow);
        x = static_cast<int>(word % wordsARow * 32 + bit % 32);
    }

private:
    static constexpr unsigned kBitsOfALine = 32 * kLanes;

    __device__ void read(std::int64_t from, std::uint32_t *bits) const
    {
#pragma unroll
        for (int i = 0; i < kLines; ++i) {
            const int lane = threadIdx.x % kLanes;
            const std::int64_t word = from + i * step + lane;
            bits[i] = lane < width && word < words ? __ldg(&undecided[word]) : 0;
        }
    }

    /// What will be read next, into the second-level cache: registers are short.
    __device__ void fetch(std::int64_t from) const
    {
        const std::int64_t word = from + threadIdx.x % kLines * step;
        if (word < words) asm volatile("prefetch.global.L2 [%0];" ::"l"(&undecided[word]));
    }

    template <typename Use>
    __device__ static void finish(int filled, const Use &use)
    {
        __syncwarp();
        use(filled);
        __syncwarp();
    }

    /// Puts the windows of some lines behind those that are there.
    template <typename Use>
    __device__ void gather(std::uint32_t line, std::uint32_t *bits, int &filled,
                           const Use &use) const
    {
        const int lane = threadIdx.x % kLanes;
        int own = 0;
#pragma unroll
        for (int i = 0; i < kLines; ++i) own += __popc(bits[i]);
        if (!__any_sync(kAllLanes, own)) return;
        int end = own; // of the lane's places among those of these lines
        for (int apart = 1; apart < kLanes; apart *= 2) {
            const int others = __shfl_up_sync(kAllLanes, end, apart);
            if (lane >= apart) end += others;
        }
        int place = filled + end - own; // where the lane's next one goes
        int total = filled + __shfl_sync(kAllLanes, end, kLanes - 1);
        for (;;) {
#pragma unroll
            for (int i = 0; i < kLines; ++i)
                for (; bits[i] && place < kQueue; bits[i] &= bits[i] - 1)
                    places[place++] = (line + i) * kBitsOfALine + lane * 32 +
                                      __ffs(static_cast<int>(bits[i])) - 1;
            if (total < kQueue) break;
            finish(kQueue, use);
            total -= kQueue;
            place -= kQueue;
        }
        filled = total;
    }

    std::uint32_t *const places; ///< line and bit
    const std::uint32_t *const undecided;
    const std::int64_t words;
    const int width; ///< of a line
    const std::int64_t first, step;
    const int wordsARow;
};

} // namespace local_entropy::second_look
