// The counters of the second look (second_look_kernel.h), and what its kernel reads and writes.
#pragma once

#include "local_entropy/answers/answer_tables.h"
#include "local_entropy/answers/exceptions.h"
#include "local_entropy/methods/plain/warp.h"
#include "local_entropy/methods/shared_words.h"
#include "local_entropy/problem/plane_view.h"

namespace local_entropy::second_look
{

using shared_words::addressOf, shared_words::addTo;
using warp::kAllLanes;
using warp::kLanes;

constexpr int kFewLanes = 8; ///< of a group, where a warp computes several windows at a time
constexpr int kMostWarps = 8, kMostThreads = kMostWarps * kLanes;
constexpr int kBlocks = 5;        ///< that a multiprocessor has registers for
constexpr int kMostShared = 1024; ///< differences in shared memory
constexpr int kBytes = 256;       ///< values of a byte, and slots of their table
constexpr int kKeyShift = 16;     ///< of a level in a hash table's word

/// Cells of a window side by side, at most as many as a word holds.
struct Chunk
{
    std::uint8_t row, column, cells, unused;
};

/// What the kernel reads and writes.
template <typename Cell, typename Value>
struct Task
{
    PlaneView<Cell> plane;
    const Chunk *chunks;
    int chunksOfWindow;
    int windowWidth, windowHeight, windowCells;
    Value *result;
    std::int64_t resultStride;
    const std::uint32_t *undecided;
    std::int64_t words; ///< of bits
    int wordsARow;
    int runWords;                    ///< see Queue
    const std::int64_t *differences; ///< F(n + 1) - F(n), n = 0 ... windowCells - 1; and 0
    int sharedDifferences;           ///< how many are copied into shared memory: all or none
    int packedChunks;                ///< how many are made in shared memory: all or none
    const Exception *exceptions;     ///< of whole windows, see undecidedShares()
    int exceptionCount;
    int slots;             ///< of a window's table: a multiple of 32
    std::uint32_t *tables; ///< of all warps; null: in shared memory
    AnswerTables answers;
};

/// The word at an address that the size of a cell divides. It, or the words it lies in, may be
/// read.
template <typename Cell>
__device__ std::uint32_t wordAt(const Cell *from)
{
    const auto address = reinterpret_cast<std::uintptr_t>(from);
    const auto *aligned = reinterpret_cast<const std::uint32_t *>(address & ~std::uintptr_t(3));
    if constexpr (sizeof(Cell) == 4) return __ldg(aligned);
    return __funnelshift_r(__ldg(aligned), __ldg(aligned + 1),
                           static_cast<unsigned>(address % 4 * 8));
}
template <typename Cell>
__device__ std::uint32_t cellOf(std::uint32_t word, int i)
{
    return word >> (8 * sizeof(Cell) * i) & static_cast<Cell>(~Cell{0});
}

/// The counters of one window; those of several may lie side by side, kApart words from one of this
/// window's to the next. All are 0 between windows.
template <typename Cell, int kApart>
class Counters
{
public:
    __device__ Counters(std::uint32_t *words, int slots) : words(words), mask(slots - 1) {}

    /// Raises a level's counter; what it was.
    __device__ int enter(std::uint32_t level) const
    {
        if constexpr (sizeof(Cell) == 1) return atomicAdd(&words[level * kApart], 1);
        constexpr std::uint32_t kGolden = 0x9E3779B1; // 2^32 times the golden ratio
        for (unsigned slot = level * kGolden >> 12;; ++slot) {
            std::uint32_t *const word = &words[(slot & mask) * kApart];
            std::uint32_t there = *static_cast<volatile std::uint32_t *>(word);
            if (there == 0) {
                there = atomicCAS(word, 0, level << kKeyShift | 1);
                if (there == 0) return 0;
            }
            if (there >> kKeyShift == level) return countOf(atomicAdd(word, 1));
        }
    }
    __device__ static int countOf(std::uint32_t word)
    {
        return static_cast<int>(sizeof(Cell) == 1 ? word : word & ((1u << kKeyShift) - 1));
    }

private:
    std::uint32_t *const words;
    const unsigned mask;
};

/// Of a table in shared memory, by its own 32-bit address there.
__device__ inline std::int64_t differenceAt(std::uint32_t address)
{
    std::int64_t difference;
    asm("ld.shared.s64 %0, [%1];" : "=l"(difference) : "r"(address));
    return difference;
}

/// A chunk of the middle piece of a plane: 8 times where it begins, from the window's first cell;
/// plus its cells.
using PackedChunk = std::uint32_t;
constexpr std::int64_t kMostOffset = 1 << 28;

/// One lane's part of the sum over a window of bytes in the middle piece that all exist and count,
/// the fast way: words are read ahead, and counters go up by 8, which makes them places in the
/// table of differences. All tables are in shared memory; `counters`: see Counters<std::uint8_t,
/// kGroups>; `own`: the lane of kGroup; `none`: the place of a difference that is 0.
template <int kGroup>
__device__ std::int64_t sumOfBytes(const std::uint8_t *corner, const PackedChunk *chunks,
                                   int number, int own, std::uint32_t counters,
                                   std::uint32_t differences, std::uint32_t none)
{
    constexpr int kAhead = 4, kBytesApart = 4 * kLanes / kGroup;
    std::int64_t sum = 0;
    for (int begin = 0; begin < number; begin += kAhead * kGroup) {
        PackedChunk chunk[kAhead];
        std::uint32_t words[kAhead];
#pragma unroll
        for (int i = 0; i < kAhead; ++i) {
            const int index = begin + i * kGroup + own;
            chunk[i] = index < number ? chunks[index] : 0;
            words[i] = wordAt(corner + chunk[i] / 8);
        }
#pragma unroll
        for (int i = 0; i < kAhead; ++i) {
            if (begin + i * kGroup >= number) break; // the same in all lanes
            std::uint32_t before[4]; // first all additions, then all that depends on them
#pragma unroll
            for (int cell = 0; cell < 4; ++cell) {
                // No branch: the compiler would wait at its end.
                const bool counts = cell < static_cast<int>(chunk[i] % 8);
                const std::uint32_t was = addTo(
                    __dp4a(words[i], static_cast<unsigned>(kBytesApart) << (8 * cell), counters),
                    counts ? 8 : 0);
                before[cell] = counts ? was : none;
            }
#pragma unroll
            for (int cell = 0; cell < 4; ++cell) sum += differenceAt(differences + before[cell]);
        }
    }
    return sum;
}

} // namespace local_entropy::second_look
