// The queue of the second look (second_look_kernel.h): which windows are to be computed.
#pragma once

#include "local_entropy/methods/plain/warp.h"

#include <cstdint>

namespace local_entropy::second_look
{

using warp::kAllLanes;
using warp::kLanes;

constexpr int kWords = 4;    ///< of bits, that a thread reads at a time
constexpr int kQueue = 1024; ///< windows of a block

/// In shared memory. `filled` is 0 at first.
struct Places
{
    std::uint32_t of[kQueue]; ///< number of the word among those of the block, and bit
    int filled;               ///< or more than there is room for
};

/// Words side by side that go to the same block: as many as a sector of memory has; one, where
/// there are so few that each thread has one at most.
inline int runWords(std::int64_t words, std::int64_t threads) { return words <= threads ? 1 : 8; }

/// The windows that are set in the block's words of bits. Few are set, and many lanes want work:
/// windows of many words are gathered before they are computed. Those that are set lie close
/// together: so runs of words that lie side by side go to the blocks in turn, and the warps of a
/// block share what is found in its own. Most are often at the left and right edges of the image,
/// in columns of it: so from round to round of the runs each block's place in the turn is another.
class Queue
{
public:
    /// `run`: words of one, see runWords().
    __device__ Queue(Places &places, const std::uint32_t *undecided, std::int64_t words,
                     int wordsARow, int run)
        : places(places), undecided(undecided), words(words), wordsARow(wordsARow), run(run)
    {
    }

    /// Calls use(number) for up to kQueue windows at a time. By all threads of the block.
    template <typename Use>
    __device__ void forAll(const Use &use) const
    {
        const auto threads = static_cast<std::uint32_t>(blockDim.x);
        for (std::uint32_t begin = 0; wordOf(begin) < words; begin += kWords * threads) {
            std::uint32_t bits[kWords];
#pragma unroll
            for (int i = 0; i < kWords; ++i) {
                const std::int64_t word = wordOf(begin + i * threads + threadIdx.x);
                bits[i] = word < words ? __ldcg(&undecided[word]) : 0;
            }
            while (!gather(begin, bits)) {
                use(kQueue);
                __syncthreads();
                if (threadIdx.x == 0) places.filled = 0;
                __syncthreads();
            }
        }
        if (places.filled) use(places.filled);
    }

    /// Where window i of those is.
    __device__ void find(int i, int &x, int &y) const
    {
        const std::uint32_t place = places.of[i];
        const std::int64_t word = wordOf(place / 32);
        y = static_cast<int>(word / wordsARow);
        x = static_cast<int>(word % wordsARow * 32 + place % 32);
    }

private:
    /// The block's word of that number.
    __device__ std::int64_t wordOf(std::uint32_t number) const
    {
        // A prime next to 2^32 times the golden ratio's fraction: parts of its multiples spread
        // evenly.
        constexpr std::uint32_t kGolden = 0x9E3779B1;
        const std::uint32_t round = number / run;
        const std::uint32_t turn = (blockIdx.x + __umulhi(round * kGolden, gridDim.x)) % gridDim.x;
        return (static_cast<std::int64_t>(round) * gridDim.x + turn) * run + number % run;
    }

    /// Puts the windows of a thread's words behind those that are there, and takes them out of the
    /// bits. False if there is no room for all of the block's: the queue is full then. The same in
    /// all threads.
    __device__ bool gather(std::uint32_t begin, std::uint32_t (&bits)[kWords]) const
    {
        const int lane = threadIdx.x % kLanes;
        int own = 0;
#pragma unroll
        for (int i = 0; i < kWords; ++i) own += __popc(bits[i]);
        bool isRoom = true;
        if (__any_sync(kAllLanes, own)) {
            int end = own; // of the lane's places among those of the warp
            for (int apart = 1; apart < kLanes; apart *= 2) {
                const int others = __shfl_up_sync(kAllLanes, end, apart);
                if (lane >= apart) end += others;
            }
            int first = 0; // of the warp
            if (lane == kLanes - 1) first = atomicAdd(&places.filled, end);
            first = __shfl_sync(kAllLanes, first, kLanes - 1);
            int place = first + end - own;
#pragma unroll
            for (int i = 0; i < kWords; ++i)
                for (; bits[i] && place < kQueue; bits[i] &= bits[i] - 1)
                    places.of[place++] = (begin + i * blockDim.x + threadIdx.x) * 32 +
                                         __ffs(static_cast<int>(bits[i])) - 1;
            isRoom = first + end <= kQueue; // in the last lane, of all
        }
        return __syncthreads_and(lane < kLanes - 1 || isRoom);
    }

    Places &places;
    const std::uint32_t *const undecided;
    const std::int64_t words;
    const int wordsARow, run;
};

} // namespace local_entropy::second_look
