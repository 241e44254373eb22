// One kernel for any array and any content.
//
// A warp walks down a strip of columns. Each lane owns four columns side by side; it keeps the sums
// of the five rows of its windows, adds the row that enters and subtracts the one that leaves,
// which it has kept in registers. Cells outside the array have the word zero: edges need no code of
// their own.
//
//     order rows, five at a time, into shared memory, while those ordered before are computed:
//     4 cells --> 4 bytes --> ask the neighbours for theirs --> 8 words --> 4 sums of five across
//     --> 4 sums of five down --> 4 codes --> 4 lookups --> 4 floats
//
// Counting and codes are told in gpu_hash.h, the lookup in gpu_tables.h.
//
// What makes it fast: rows are ordered ahead into shared memory, which costs no registers
// (cp.async); nothing is spilled inside the loop; strips are full cache lines, and the two cells
// beside them are fetched apart; the next row is fetched and packed while this one is computed;
// there is no branch between rows, so that the compiler overlaps them. What lost: reading ahead
// into registers (they spill), prefetching into the second-level cache, strips that overlap, and
// more than two stages.
#include "engine/gpu.h"

#include "engine/gpu_memory.h"
#include "engine/gpu_plan.h"
#include "engine/partitions.h"

#include <cstddef>
#include <type_traits>

namespace engine
{
namespace
{

constexpr int kWarp = 32, kMostWarps = 16; ///< of a block: with 128 registers a lane, all there are
constexpr int kMostThreads = kMostWarps * kWarp;
constexpr int kColumns = 4;     ///< of a lane
constexpr int kRing = kWindow;  ///< rows that a lane keeps; the loop over rows is unrolled so far
constexpr int kSecondSide = 16; ///< first of the lanes that bring cells right of the strip
constexpr unsigned kAll = ~0u;  ///< lanes

// Two stages of rows for each warp: one is used while the other is on its way. A stage has five
// rows, and eight bytes of each lane for cells beside them.
constexpr int kRowBytes = kWarp * kColumns * sizeof(float);
constexpr int kStageBytes = kRing * kRowBytes + kWarp * 8;
constexpr int kResultsBytes = kRowBytes;
constexpr int kWarpBytes = 2 * kStageBytes + kResultsBytes; ///< of shared memory, for each warp

/// Shared memory, by addresses.
struct Shared
{
    std::uint32_t words;      ///< a multiple of 256
    std::uint32_t shifts;     ///< of the row of code 0, if there were one
    std::uint32_t stages;     ///< of this warp
    std::uint32_t results;    ///< of this warp: a row of them on their way out
    std::uint32_t filled = 0; ///< comes after the tables: what depends on it does too
};

/// A warp on its way down a strip: what a lane carries from row to row.
template <typename Cell, bool kAligned>
struct Walk
{
    static constexpr bool kFloats = std::is_same_v<Cell, float>;
    /// Bits that are let through; bytes may say kNoCell themselves.
    static constexpr std::uint32_t kBits = kFloats ? kCellBits : kCellBits | kNoCell;
    /// Where rows start at any address, the cells of a lane come from two lanes, and the last lane
    /// lacks the second one.
    static constexpr int kOutputLanes = kAligned ? kWarp : kWarp - 1;
    static constexpr int kStripColumns = kOutputLanes * kColumns;

    const Plan &plan;
    const Cell *const sample;
    float *const result;
    const Shared shared;
    const std::uint32_t lane;

    std::int64_t strip = 0;                            ///< its first column
    std::uint32_t inside = 0, outside = 0;             ///< bits of bytes in and out of the array
    std::uint32_t besideInside = 0, besideOutside = 0; ///< the same for cells beside the strip
    int columnsLeft = 0; ///< to be written, from the lane's first result on
    Word ring[kRing][kColumns];
    Sums sums[kColumns];
    Seen seen;

    __device__ void start(std::int64_t column)
    {
        strip = column;
        columnsLeft = static_cast<int>(min(plan.width - column, std::int64_t(kStripColumns))) -
                      static_cast<int>(lane) * (kAligned ? kColumns : 1);
        inside = outside = besideInside = besideOutside = 0;
#pragma unroll
        for (int i = 0; i < kColumns; ++i) {
            const bool in = column + lane * kColumns + i < plan.width;
            inside |= (in ? kBits : 0) << 8 * i;
            outside |= (in ? 0 : kNoCell) << 8 * i;
            const std::int64_t beside = besideColumn() + i % kRadius;
            const bool besideIn = beside >= 0 && beside < plan.width;
            besideInside |= (besideIn ? kBits : 0) << 8 * i;
            besideOutside |= (besideIn ? 0 : kNoCell) << 8 * i;
            sums[i] = Sums();
#pragma unroll
            for (int row = 0; row < kRing; ++row) ring[row][i] = {0, 0};
        }
    }

    // ---- rows of cells -------------------------------------------------------------------------

    /// Bytes of a row around a lane's columns: 8 * level, or kNoCell.
    struct Row
    {
        std::uint32_t left, own, right;
    };

    __device__ const Cell *cellsOf(std::int64_t row) const
    {
        return sample + (row * plan.width + strip + lane * kColumns);
    }

    /// Four cells as they lie in memory, from the last aligned address on.
    using Four = std::conditional_t<kFloats, float4, std::uint32_t>;
    static __device__ const Four *alignedFour(const Cell *from)
    {
        constexpr std::uintptr_t kMask = kAligned ? ~std::uintptr_t(0) : ~(sizeof(Four) - 1);
        return reinterpret_cast<const Four *>(reinterpret_cast<std::uintptr_t>(from) & kMask);
    }

    /// The bytes of this lane; `from` tells where its cells were read.
    __device__ std::uint32_t pack(float4 cells, const Cell *from)
    {
        const std::uint32_t a = scaledCell(cells.x), b = scaledCell(cells.y);
        const std::uint32_t c = scaledCell(cells.z), d = scaledCell(cells.w);
        seen.scaled |= a | b;
        seen.scaled |= c | d;
        seen.raw |= bitsOf(cells.x) | bitsOf(cells.y);
        seen.raw |= bitsOf(cells.z) | bitsOf(cells.w);
        const std::uint32_t own = packed(a, b, c, d);
        if (kAligned) return (own >> 1 & inside) | outside;
        const std::uint32_t next = __shfl_down_sync(kAll, own, 1);
        const auto skipped =
            static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(from)) & 12;
        return (__funnelshift_r(own, next, 2 * skipped + 1) & inside) | outside;
    }
    __device__ std::uint32_t pack(std::uint32_t cells, const Cell *) const
    {
        return (cells & inside) | outside;
    }

    /// Reads and packs cell by cell, from any row: outside the array there are no cells.
    __device__ std::uint32_t readAndPack(std::int64_t row)
    {
        std::uint32_t bytes = 0;
#pragma unroll
        for (int i = 0; i < kColumns; ++i) {
            std::uint32_t byte = kNoCell;
            if (row >= 0 && row < plan.height && (inside >> 8 * i & kCellBits)) {
                const Cell cell = cellsOf(row)[i];
                if constexpr (kFloats) {
                    seen.raw |= bitsOf(cell);
                    seen.scaled |= scaledCell(cell);
                    byte = scaledCell(cell) >> 1 & kCellBits;
                } else {
                    byte = cell & kBits;
                }
            }
            bytes |= byte << 8 * i;
        }
        return bytes;
    }

    // ---- cells beside the strip ----------------------------------------------------------------

    // Two on each side of five rows: lane i brings those on the left of row i, lane 16 + i those on
    // the right. They are not checked here: the strips that they belong to do that.

    __device__ std::int64_t besideColumn() const
    {
        return strip + (lane < kSecondSide ? -kRadius : kStripColumns);
    }
    __device__ const Cell *besidesOf(std::int64_t firstRow) const
    {
        return sample + ((firstRow + lane % kSecondSide) * plan.width + besideColumn());
    }

    /// The two bytes of such a pair, twice: for the left side and for the right.
    __device__ std::uint32_t packBeside(std::uint32_t a, std::uint32_t b) const
    {
        return ((a | b << 8) * 0x10001 & besideInside) | besideOutside;
    }
    static __device__ std::uint32_t byteOf(float cell) { return scaledCell(cell) >> 1 & kCellBits; }
    static __device__ std::uint32_t byteOf(std::uint8_t cell) { return cell; }

    /// Reads and packs them; in any rows.
    __device__ std::uint32_t readBesides(std::int64_t firstRow) const
    {
        const std::int64_t row = firstRow + lane % kSecondSide;
        if (row < 0 || row >= plan.height) return kNoCell * kBytes;
        const Cell *from = besidesOf(firstRow);
        return packBeside(besideInside & 0xFF ? byteOf(from[0]) : 0,
                          besideInside & 0xFF00 ? byteOf(from[1]) : 0);
    }

    /// Of the pairs that the lanes have: that of a row, for the first lane those on the left, for
    /// the others those on the right.
    __device__ std::uint32_t besideOf(std::uint32_t pairs, int row) const
    {
        return __shfl_sync(kAll, pairs, (lane == 0 ? 0 : kSecondSide) + row);
    }

    /// Asks the neighbours.
    __device__ Row around(std::uint32_t own, std::uint32_t beside) const
    {
        const std::uint32_t left = __shfl_up_sync(kAll, own, 1);
        const std::uint32_t right = __shfl_down_sync(kAll, own, 1);
        return {lane == 0 ? beside : left, own, lane == kOutputLanes - 1 ? beside : right};
    }

    // ---- stages --------------------------------------------------------------------------------

    __device__ std::uint32_t pairAt(std::uint32_t stage) const
    {
        return stage + kRing * kRowBytes + 8 * lane;
    }

    /// Orders five rows from there on, and what lies beside them, into a stage.
    __device__ void order(const Cell *from, const Cell *besides, std::uint32_t stage) const
    {
        const auto pitch = static_cast<unsigned>(plan.width);
#pragma unroll
        for (int i = 0; i < kRing; ++i)
            copyAsync<sizeof(Four)>(stage + i * kRowBytes + sizeof(Four) * lane,
                                    alignedFour(from + std::uint64_t(pitch) * i));
        if (lane % kSecondSide < kRing) {
            if constexpr (!kFloats) { // four bytes: left of the strip, the last two of them count
                copyAsync<4>(pairAt(stage), besides - (lane < kSecondSide ? kRadius : 0));
            } else if constexpr (kAligned) {
                copyAsync<8>(pairAt(stage), besides);
            } else {
                copyAsync<4>(pairAt(stage), besides);
                copyAsync<4>(pairAt(stage) + 4, besides + 1);
            }
        }
        endGroup();
    }

    /// Packs the pairs of a stage that has arrived; returns where this lane's are.
    __device__ std::uint32_t packBesides(std::uint32_t stage) const
    {
        if constexpr (kFloats) {
            const float2 pair = loadTwo(pairAt(stage));
            store(pairAt(stage), packBeside(byteOf(pair.x), byteOf(pair.y)));
        } else {
            const std::uint32_t four = load(pairAt(stage)) >> (lane < kSecondSide ? 16 : 0);
            store(pairAt(stage), packBeside(four & 0xFF, four >> 8 & 0xFF));
        }
        __syncwarp();
        return stage + kRing * kRowBytes + (lane == 0 ? 0 : 8 * kSecondSide);
    }

    /// A row of a stage; `from` and `beside` belong to its first row.
    __device__ Row fetch(std::uint32_t stage, std::uint32_t beside, const Cell *from, int row)
    {
        const std::uint32_t at = stage + row * kRowBytes + sizeof(Four) * lane;
        Four cells;
        if constexpr (kFloats)
            cells = loadFour(at);
        else
            cells = load(at);
        from += std::uint64_t(static_cast<unsigned>(plan.width)) * row;
        return around(pack(cells, from), load(beside + 8 * row));
    }

    // ---- counting ------------------------------------------------------------------------------

    /// The word of a byte of `bytes`: that byte becomes the lowest one of an address.
    __device__ Word word(std::uint32_t bytes, int byte) const
    {
        return loadWord(__byte_perm(bytes, shared.words, 0x7650 + byte), shared.filled);
    }

    /// Lets a row enter the windows, and the one five rows before it leave.
    __device__ void enter(const Row &row, int slot)
    {
        const Word a = word(row.left, 2), b = word(row.left, 3);
        const Word c = word(row.own, 0), d = word(row.own, 1), e = word(row.own, 2);
        const Word f = word(row.own, 3), g = word(row.right, 0), h = word(row.right, 1);
        Word across[kColumns];
        across[0] = a + b + c + d + e;
        across[1] = across[0] - a + f;
        across[2] = across[1] - b + g;
        across[3] = across[2] - c + h;
#pragma unroll
        for (int i = 0; i < kColumns; ++i) {
            Word &leaving = ring[slot][i];
            sums[i].all = sums[i].all + across[i] - leaving;
            sums[i].even = sums[i].even + even(across[i]) - even(leaving);
            leaving = across[i];
        }
    }

    // ---- results -------------------------------------------------------------------------------

    /// The bits of the entropy of a column's window.
    __device__ std::uint32_t entropy(int column) const
    {
        const std::uint32_t code = codeOf(sums[column], plan.eight);
        std::uint32_t row = code >> GpuTables::kRowBits;
        asm("" : "+r"(row)); // else: (code >> 8 & ~3) + ..., an operation more
        return __float_as_uint(loadEntropy(4 * code + loadShift(4 * row + shared.shifts)));
    }

    __device__ float *resultsOf(std::int64_t row) const
    {
        return result + (row * plan.width + strip + lane * (kAligned ? kColumns : 1));
    }

    __device__ void write(float *to) const
    {
        const float4 four = make_float4(__uint_as_float(entropy(0)), __uint_as_float(entropy(1)),
                                        __uint_as_float(entropy(2)), __uint_as_float(entropy(3)));
        if (kAligned) return writeIf<0>(columnsLeft, to, four);
        __syncwarp(); // through shared memory, so that lanes side by side write side by side
        store(shared.results + 16 * lane, four);
        __syncwarp();
        const std::uint32_t from = shared.results + 4 * lane;
        writeIf<0>(columnsLeft, to, load(from));
        writeIf<32>(columnsLeft, to + 32, load(from + 4 * 32));
        writeIf<64>(columnsLeft, to + 64, load(from + 4 * 64));
        writeIf<96>(columnsLeft, to + 96, load(from + 4 * 96));
    }

    // ---- walking down --------------------------------------------------------------------------

    __device__ void walk(std::int64_t column, std::int64_t begin, std::int64_t end)
    {
        start(column);
        // Rows that the warp can read in fours, with what is beside, and not leave the array.
        const std::int64_t before = 2 * kColumns - strip; // cells in front of a row, if any
        const std::int64_t after = strip + (kWarp + 1) * kColumns;
        const std::int64_t safeBegin = before <= 0 ? 0 : (before + plan.width - 1) / plan.width;
        const std::int64_t room = plan.width * plan.height - after;
        const std::int64_t safeEnd = room < 0 ? 0 : room / plan.width + 1;

        const std::int64_t fastEnd = min(end, safeEnd - kRadius);
        const auto fivesFrom = [&](std::int64_t y) {
            const bool fast = y + kRadius >= safeBegin && y + kRing <= fastEnd;
            return fast ? static_cast<int>((fastEnd - y) / kRing) : 0;
        };

        std::int64_t y = begin;
        int fives = fivesFrom(y);
        if (fives > 0) order(cellsOf(y + kRadius), besidesOf(y + kRadius), shared.stages);
        const std::uint32_t besides = readBesides(y - kRadius);
        std::uint32_t bytes[kRing - 1];
        if (y - kRadius >= safeBegin && y + kRadius <= safeEnd) {
            Four cells[kRing - 1];
#pragma unroll
            for (int i = 0; i < kRing - 1; ++i)
                cells[i] = __ldg(alignedFour(cellsOf(y - kRadius + i)));
#pragma unroll
            for (int i = 0; i < kRing - 1; ++i) bytes[i] = pack(cells[i], cellsOf(y - kRadius + i));
        } else {
#pragma unroll
            for (int i = 0; i < kRing - 1; ++i) bytes[i] = readAndPack(y - kRadius + i);
        }
#pragma unroll
        for (int i = 0; i < kRing - 1; ++i) enter(around(bytes[i], besideOf(besides, i)), i);

        while (y < end) {
            if (fives > 0) {
                walkFives(y, fives);
                y += std::int64_t(fives) * kRing;
            } else {
                y = walkSlowly(y, end);
            }
            fives = fivesFrom(y);
            if (fives > 0) order(cellsOf(y + kRadius), besidesOf(y + kRadius), shared.stages);
        }
    }

    /// Up to five rows, any.
    __device__ std::int64_t walkSlowly(std::int64_t y, std::int64_t end)
    {
        const std::uint32_t besides = readBesides(y + kRadius);
#pragma unroll
        for (int i = 0; i < kRing; ++i, ++y) {
            if (y >= end) break;
            enter(around(readAndPack(y + kRadius), besideOf(besides, i)), (i + kRing - 1) % kRing);
            write(resultsOf(y));
        }
        return y;
    }

    /// Five times `fives` rows, without a branch within five. The first five are in order.
    __device__ void walkFives(std::int64_t y, int fives)
    {
        const auto pitch = static_cast<unsigned>(plan.width);
        const std::uint64_t five = std::uint64_t(pitch) * kRing;
        const Cell *from = cellsOf(y + kRadius), *besides = besidesOf(y + kRadius);
        float *to = resultsOf(y);
        std::uint32_t stage = shared.stages, other = shared.stages + kStageBytes;
        waitForGroups<0>();
        std::uint32_t beside = packBesides(stage);
        Row next = fetch(stage, beside, from, 0);
#pragma unroll 1
        do {
            const bool more = fives > 1;
            if (more) order(from + five, besides + five, other);
#pragma unroll
            for (int i = 0; i < kRing; ++i) {
                const Row row = next; // the next one is fetched while this one is computed
                if (i + 1 < kRing) {
                    next = fetch(stage, beside, from, i + 1);
                } else { // after the last five, what is fetched is not used
                    waitForGroups<0>();
                    const std::uint32_t used = stage;
                    stage = more ? other : stage;
                    other = used;
                    from += more ? five : 0;
                    besides += five;
                    beside = packBesides(stage);
                    next = fetch(stage, beside, from, 0);
                }
                enter(row, (i + kRing - 1) % kRing);
                write(to + std::uint64_t(pitch) * i);
            }
            to += five;
        } while (--fives > 0);
    }
};

template <typename Cell, bool kAligned>
__global__ void __launch_bounds__(kMostThreads, 1)
    entropyKernel(const Cell *sample, float *result, const GpuTables *tables, unsigned *nextItem,
                  int *badCell, const __grid_constant__ Plan plan)
{
    extern __shared__ __align__(16) char ofWarps[];
    __shared__ __align__(256) GpuTables own;
    static_assert(offsetof(GpuTables, words) == 0); // aligned to 256
    static_assert(offsetof(GpuTables, entropies) % sizeof(float4) == 0 &&
                  GpuTables::kEntries % 4 == 0);
    for (int i = threadIdx.x; i < GpuTables::kEntries / 4; i += blockDim.x)
        reinterpret_cast<float4 *>(own.entropies)[i] =
            reinterpret_cast<const float4 *>(tables->entropies)[i];
    for (int i = threadIdx.x; i < GpuTables::kRows; i += blockDim.x) // now they lead to addresses
        own.shifts[i] = tables->shifts[i] + sharedAddress(own.entropies);
    if (threadIdx.x < GpuTables::kWords) own.words[threadIdx.x] = tables->words[threadIdx.x];
    __syncthreads();

    const unsigned warp = __shfl_sync(kAll, threadIdx.x / kWarp, 0); // the compiler sees: uniform
    Shared shared = {sharedAddress(own.words), sharedAddress(own.shifts) - 4 * GpuTables::kFirstRow,
                     sharedAddress(ofWarps) + warp * kWarpBytes,
                     sharedAddress(ofWarps) + warp * kWarpBytes + 2 * kStageBytes, 0};
    asm volatile("mov.u32 %0, 0;" : "=r"(shared.filled)::"memory"); // not before the barrier
    Walk<Cell, kAligned> walk{plan, sample, result, shared, threadIdx.x % kWarp};
    // Neighbours to neighbours, which share cache lines; but few items are spread over all blocks.
    const unsigned warps = gridDim.x * (blockDim.x / kWarp);
    unsigned number = plan.items * 2 < warps ? warp * gridDim.x + blockIdx.x
                                             : blockIdx.x * (blockDim.x / kWarp) + warp;
    while (number < plan.items) {
        const bool big = number < plan.bigItems;
        const unsigned index = big ? number : number - plan.bigItems;
        const std::int64_t rows = big ? plan.bigRows : plan.smallRows;
        const std::int64_t begin =
            (big ? plan.begin : plan.bigEnd) + std::int64_t(index / plan.strips) * rows;
        walk.walk(index % plan.strips * std::int64_t(walk.kStripColumns), begin,
                  min(begin + rows, big ? plan.bigEnd : plan.end));
        if (plan.items <= warps) break; // one each
        unsigned next = 0;
        if (walk.lane == 0) {
            next = atomicAdd(nextItem, 1u);
            if (next == plan.items - 1) *nextItem = 0; // each item asks once; this was the last
        }
        number = __shfl_sync(kAll, next, 0) + warps;
    }
    if (!cellsAreValid(walk.seen)) *badCell = 1;
}

bool isAligned(const void *pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0; }

} // namespace

/// As many warps a block as shared memory has room for; a kernel may have more of that than it has
/// without asking.
template <typename Cell, bool kAligned>
static int warpsOfBlock(int device)
{
    const auto kernel = entropyKernel<Cell, kAligned>;
    cudaFuncAttributes attributes{};
    int limit = 0;
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    CUDA_CHECK(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    const int room = limit - static_cast<int>(attributes.sharedSizeBytes);
    const int warps = std::min(room / kWarpBytes, kMostWarps);
    if (warps < 1)
        throw common::Unavailable("needs a GPU with more shared memory: a block has " +
                                  std::to_string(limit) + " bytes here");
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    warps * kWarpBytes));
    return warps;
}

Gpu::Gpu() : tables(common::upload(&gpuTables(), 1)), nextItem(1), badCell(1)
{
    int device = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaMemset(badCell.data(), 0, badCell.bytes()));
    CUDA_CHECK(cudaMemset(nextItem.data(), 0, nextItem.bytes()));
    warps = std::min({warpsOfBlock<float, true>(device), warpsOfBlock<float, false>(device),
                      warpsOfBlock<std::uint8_t, true>(device)});
    // Before launches in streams that do not wait for the default one.
    CUDA_CHECK(cudaStreamSynchronize(nullptr));
}

template <typename Cell, bool kAligned>
void Gpu::launchKernel(std::int64_t width, std::int64_t height, const Cell *sample, float *result,
                       std::int64_t begin, std::int64_t end, cudaStream_t stream)
{
    const Plan plan = makePlan(width, height, begin, end, Walk<Cell, kAligned>::kStripColumns,
                               std::int64_t(multiprocessors) * warps);
    const unsigned blocks = std::min(plan.items, static_cast<unsigned>(multiprocessors));
    entropyKernel<Cell, kAligned><<<blocks, warps * kWarp, warps * kWarpBytes, stream>>>(
        sample, result, tables.data(), nextItem.data(), badCell.data(), plan);
    CUDA_CHECK(cudaGetLastError());
}

static void checkRows(std::int64_t width, std::int64_t height, std::int64_t begin, std::int64_t end)
{
    constexpr std::int64_t kWidest = (std::int64_t(1) << 32) - 1;
    if (width < 1 || width > kWidest || height < 1 || begin < 0 || begin > end || end > height)
        throw common::Error("Gpu::launch: rows " + std::to_string(begin) + " to " +
                            std::to_string(end) + " of an array of " + std::to_string(width) +
                            " x " + std::to_string(height));
}

void Gpu::launch(std::int64_t width, std::int64_t height, const float *sample, float *result,
                 std::int64_t begin, std::int64_t end, cudaStream_t stream)
{
    checkRows(width, height, begin, end);
    if (begin == end) return;
    if (width % kColumns == 0 && isAligned(sample) && isAligned(result))
        launchKernel<float, true>(width, height, sample, result, begin, end, stream);
    else
        launchKernel<float, false>(width, height, sample, result, begin, end, stream);
}

void Gpu::launch(std::int64_t width, std::int64_t height, const std::uint8_t *sample, float *result,
                 std::int64_t begin, std::int64_t end, cudaStream_t stream)
{
    checkRows(width, height, begin, end);
    if (width % kColumns != 0)
        throw common::Error("Gpu::launch: rows of " + std::to_string(width) +
                            " bytes, expected a multiple of 4");
    if (begin == end) return;
    launchKernel<std::uint8_t, true>(width, height, sample, result, begin, end, stream);
}

bool Gpu::sawBadCell()
{
    int seen = 0;
    common::download(badCell, &seen);
    if (seen) {
        CUDA_CHECK(cudaMemset(badCell.data(), 0, badCell.bytes()));
        CUDA_CHECK(cudaStreamSynchronize(nullptr)); // as above
    }
    return seen != 0;
}

} // namespace engine
