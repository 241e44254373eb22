// The second look, for second_look.cu.
//
// A block reads some words of bits for each thread at a time, and writes the places of those that
// are set into a queue in shared memory. When that is full, or there are no more, its warps share
// the windows of the queue: several at a time, each by a group of lanes, or one by all lanes. Each
// lane of a group takes words of a window's cells. A cell raises its level's counter; the old count
// n names F(n + 1) - F(n), which goes into the sum. These are atomic additions in shared memory, so
// that lanes may meet the same level. The F here have up to 48 bits of fraction (answers.h), where
// in a method's kernel a difference has 32 bits in all: one double decides most of what a kernel
// has left. What it does not goes to a step of its own, in which all lanes compute with 128 bits,
// and some of that with as many as it takes (answer_tables.h). These are few windows, since the
// ways to share few cells that a double leaves open are in a list, with their answers
// (exceptions.h): some of 49 cells are common. Measures that need the counts go to that step, too,
// and doubles.
//
// Counters: a table with one for each level where cells are bytes; else a hash table of twice as
// many slots as the window has cells, open addressing, whose word is level * 2^16 + count.
#pragma once

#include "common/dependent_launch.h"
#include "local_entropy/answers/finish.h"
#include "local_entropy/methods/second_look_counters.h"
#include "local_entropy/methods/second_look_queue.h"

#include <type_traits>

namespace local_entropy::second_look
{

/// By all lanes, from all bits. `table`: slots words that are 0, and are again afterwards.
template <typename Cell, typename Value>
__device__ __noinline__ void lookClosely(const Task<Cell, Value> &task, std::uint32_t *table, int x,
                                         int y)
{
    const int lane = threadIdx.x % kLanes;
    const PlaneView<Cell> &plane = task.plane;
    const PieceView<Cell> &piece = plane.pieceOf(x, x + task.windowWidth);
    const Counters<Cell, 1> counters(table, task.slots);
    for (int i = lane; i < task.chunksOfWindow; i += kLanes) {
        const Chunk chunk = task.chunks[i];
        const Cell *const cells = piece.row(y + chunk.row) + x + chunk.column;
        for (int cell = 0; cell < chunk.cells; ++cell)
            if (plane.exists(x + chunk.column + cell, y + chunk.row) &&
                !(plane.missing && cells[cell] == plane.none))
                counters.enter(cells[cell]);
    }
    __syncwarp();
    Value *const to = &task.result[y * task.resultStride + x];
    bool decided = false;
    if (isFromSums(task.answers.kind)) {
        int cells = 0;
        UInt128 sum = 0;
        for (int i = lane; i < task.slots; i += kLanes) {
            const int n = counters.countOf(table[i]);
            cells += n;
            sum += task.answers.wideSums[n];
        }
        Value answer;
        decided = decideWide(task.answers, warp::sumOfAll(sum), warp::sumOf<kLanes>(cells), answer);
        if (decided && lane == 0) *to = answer;
    }
    if (!decided) { // the same in all lanes
        int levels = 0;
        for (int i = lane; i < task.slots; i += kLanes) { // counts go to the beginning of the table
            const std::uint32_t word = table[i];
            const unsigned present = __ballot_sync(kAllLanes, word != 0);
            if (word) table[levels + __popc(present & ((1u << lane) - 1))] = counters.countOf(word);
            levels += __popc(present);
            __syncwarp();
        }
        if (lane == 0) {
            int *const counts = reinterpret_cast<int *>(table);
            warp::sort(counts, levels);
            *to = answerOf<Value>(task.answers, counts, levels);
        }
    }
    __syncwarp();
    for (int i = lane; i < task.slots; i += kLanes) table[i] = 0;
    __syncwarp();
}

/// One lane's part of a window, of any kind: its cells that count, and their sum. Apart from the
/// kernel, whose registers are few.
template <typename Cell, int kGroup>
__device__ __noinline__ void addAny(const Task<Cell, float> &task, const std::int64_t *differences,
                                    std::uint32_t *table, int x, int y, int &cells,
                                    std::int64_t &sum)
{
    constexpr int kCells = 4 / static_cast<int>(sizeof(Cell)); // of a word
    const PlaneView<Cell> &plane = task.plane;
    const PieceView<Cell> &piece = plane.pieceOf(x, x + task.windowWidth);
    const Counters<Cell, kLanes / kGroup> counters(table, task.slots);
    for (int i = threadIdx.x % kGroup; i < task.chunksOfWindow; i += kGroup) {
        const Chunk chunk = task.chunks[i];
        const int row = y + chunk.row, first = x + chunk.column;
        const std::uint32_t word = wordAt(piece.row(row) + first);
        const bool exists = row >= plane.top && row < plane.bottom;
        const int begin = plane.left - first;
        const int end = exists ? min(static_cast<int>(chunk.cells), plane.right - first) : 0;
        int before[kCells]; // first all additions, then all that depends on them
#pragma unroll
        for (int cell = 0; cell < kCells; ++cell) {
            const std::uint32_t level = cellOf<Cell>(word, cell);
            const bool counts =
                cell >= begin && cell < end && !(plane.missing && level == plane.none);
            before[cell] = counts ? counters.enter(level) : task.windowCells;
            cells += counts;
        }
#pragma unroll
        for (int cell = 0; cell < kCells; ++cell) sum += differences[before[cell]];
    }
}

/// Whether the list has the answer for a sum over the levels of so many cells, which then becomes
/// result (x, y). By all lanes of a group. Apart from the kernel, as addAny() is.
template <typename Cell, int kGroup>
__device__ __noinline__ bool isListed(const Task<Cell, float> &task, int cells, std::int64_t sum,
                                      int x, int y)
{
    float answer;
    if (cells != task.windowCells || !lookUp(task.exceptions, task.exceptionCount, sum, answer))
        return false;
    if (threadIdx.x % kGroup == 0) task.result[y * task.resultStride + x] = answer;
    return true;
}

/// A warp's windows, kGroup lanes each. `tables`: one for each group, see Counters.
template <typename Cell, int kGroup>
class Group
{
public:
    static constexpr int kGroups = kLanes / kGroup;

    __device__ Group(const Task<Cell, float> &task, const std::int64_t *differences,
                     const PackedChunk *chunks, std::uint32_t *tables)
        : task(task), differences(differences), chunks(chunks), tables(tables)
    {
    }

    /// Result (x, y) in each group, if there is one. By all lanes; true in those of a group that
    /// must look closely.
    __device__ bool compute(bool isThere, int x, int y) const
    {
        const int own = threadIdx.x % kGroup;
        int cells = 0;
        std::int64_t sum = 0;
        if (isThere) add(x, y, own, cells, sum);
        cells = warp::sumOf<kGroup>(cells);
        sum = warp::sumOf<kGroup>(sum);
        clear();
        if (!isThere) return false;
        const double value =
            entropyOf(__ldg(&task.answers.sums[cells]) - sum, __ldg(&task.answers.scales[cells]));
        const bool near = cells && nearBoundary(value, task.answers.band);
        if (own == 0 && !near)
            task.result[y * task.resultStride + x] =
                cells ? static_cast<float>(value) : task.answers.emptyFloat;
        return near && !isListed<Cell, kGroup>(task, cells, sum, x, y);
    }

private:
    /// A lane's part of a window.
    __device__ void add(int x, int y, int own, int &cells, std::int64_t &sum) const
    {
        const PlaneView<Cell> &plane = task.plane;
        std::uint32_t *const table = tables + threadIdx.x % kLanes / kGroup;
        if constexpr (sizeof(Cell) == 1) {
            const PieceView<Cell> &piece = plane.middle;
            const bool isWhole = x >= max(plane.left, plane.innerBegin) &&
                                 x + task.windowWidth <= min(plane.right, plane.innerEnd) &&
                                 y >= max(plane.top, piece.top) &&
                                 y + task.windowHeight <= min(plane.bottom, piece.top + piece.rows);
            if (isWhole && !plane.missing && task.packedChunks) {
                sum = sumOfBytes<kGroup>(piece.cells + y * piece.stride + x, chunks,
                                         task.packedChunks, own, addressOf(table),
                                         addressOf(differences), 8 * task.windowCells);
                cells = own ? 0 : task.windowCells;
                return;
            }
        }
        addAny<Cell, kGroup>(task, differences, table, x, y, cells, sum);
    }

    __device__ void clear() const
    {
        __syncwarp();
        auto *const fours = reinterpret_cast<uint4 *>(tables);
        const int slots = sizeof(Cell) == 1 ? kBytes : task.slots;
#pragma unroll 8
        for (int i = threadIdx.x % kLanes; i < slots * kGroups / 4; i += kLanes)
            fours[i] = make_uint4(0, 0, 0, 0);
        __syncwarp();
    }

    const Task<Cell, float> &task;
    const std::int64_t *const differences;
    const PackedChunk *const chunks;
    std::uint32_t *const tables;
};

template <typename Cell, typename Value, int kGroup>
__global__ void __launch_bounds__(kMostThreads, kBlocks)
    look(const __grid_constant__ Task<Cell, Value> task)
{
    constexpr int kGroups = kLanes / kGroup;
    extern __shared__ uint4 shared[]; // tables, if they are here; differences; chunks
    __shared__ Places places;
    common::letNextKernelStart();
    const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const int warps = blockDim.x / kLanes, wordsOfWarp = task.slots * kGroups;
    std::uint32_t *const inShared = reinterpret_cast<std::uint32_t *>(shared);
    std::uint32_t *const tables =
        sizeof(Cell) == 1 || !task.tables
            ? inShared + warp * wordsOfWarp
            : task.tables + (static_cast<std::int64_t>(blockIdx.x) * warps + warp) * wordsOfWarp;
    auto *const copied = reinterpret_cast<std::int64_t *>(
        inShared + (sizeof(Cell) == 1 || !task.tables ? warps * wordsOfWarp : 0));
    for (int i = threadIdx.x; i < task.sharedDifferences; i += blockDim.x)
        copied[i] = task.differences[i];
    auto *const packed = reinterpret_cast<PackedChunk *>(copied + task.sharedDifferences);
    for (int i = threadIdx.x; i < task.packedChunks; i += blockDim.x) {
        const Chunk chunk = task.chunks[i];
        const auto offset = chunk.row * task.plane.middle.stride + chunk.column;
        packed[i] = static_cast<PackedChunk>(8 * offset + chunk.cells);
    }
    if (threadIdx.x == 0) places.filled = 0;
    common::waitForLastKernel(); // it may use the memory of the tables
    for (int i = lane; i < wordsOfWarp; i += kLanes) tables[i] = 0;
    __syncthreads();

    const Queue queue(places, task.undecided, task.words, task.wordsARow, task.runWords);
    const auto closely = [&](int i) {
        int x, y;
        queue.find(i, x, y);
        lookClosely(task, tables, x, y);
    };
    queue.forAll([&](int number) {
        if constexpr (std::is_same_v<Value, float>)
            if (task.answers.kind == AnswerKind::Entropy) {
                const Group<Cell, kGroup> group(
                    task, task.sharedDifferences ? copied : task.differences, packed, tables);
                // Of few windows, each warp has as many as the others.
                for (int first = warp; first < number; first += warps * kGroups) {
                    const int i = first + lane / kGroup * warps;
                    int x, y;
                    queue.find(min(i, number - 1), x, y);
                    unsigned left = __ballot_sync(kAllLanes, group.compute(i < number, x, y) &&
                                                                 lane % kGroup == 0);
#pragma unroll 1
                    for (; left; left &= left - 1)
                        closely(first + (__ffs(static_cast<int>(left)) - 1) / kGroup * warps);
                }
                return;
            }
#pragma unroll 1
        for (int i = warp; i < number; i += warps) closely(i);
    });
}

} // namespace local_entropy::second_look
