// The fast study: the way from v7 to v15, one idea a version. Each namespace is one version with
// its own cudaCallback (contract: core.h). From top to bottom: what the versions share; a thread a
// cell (start, packed); a thread walks down its columns (slide, four_columns, lookup); memory works
// ahead (async_rows, teams, overlap); OpenMP; the table of versions; the load-time objects; the
// switch. To see an idea, diff two namespaces that follow each other.
//
// The arithmetic that versions share, how cells are packed, counted and hashed, is in fast_study.h:
// read its first lines before `packed`. What is left to do after `overlap` is in the engine behind
// v15: sources/local_entropy/methods/words/walk.h.

#include "entropy/core.h"

#include "common/devices.h"
#include "common/host_array.h"
#include "common/threads.h"
#include "entropy/benchmark.h"
#include "entropy/call.h"
#include "entropy/log_table.h"
#include "entropy/window.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/grid.h"
#include "common/launch.h"
#include "entropy/cores/fast_study.h"
#include "local_entropy/methods/words/memory.h"
#include "local_entropy/methods/words/tables.h"

#include <cuda_pipeline.h>

namespace words = local_entropy::words;
#endif

// ---- shared by the versions --------------------------------------------------------------------

namespace
{

using common::allocateHost;
using common::HostArray;
using entropy::at;
using entropy::Call;
using entropy::kLevels;
using entropy::kRadius;
using entropy::kWindowCells;
using entropy::LogTable;
using entropy::makeLogTable;

} // namespace

#ifdef __CUDACC__

namespace
{

using common::DeviceArray;
using common::download;
using common::launch;
using common::poisoned;
using common::upload;
using entropy::kWindow;
using fast_study::enter;
using fast_study::FourColumns;
using fast_study::kCells;
using fast_study::kColumns;
using fast_study::kNoCell;
using fast_study::leave;
using fast_study::Parts;
using fast_study::TermTable;
using fast_study::zeroSums;
using words::GpuTables;
using words::Sums;
using words::Word;

// Blocks of the versions with a thread a cell: v7's.
constexpr int kBlockSide = 32;
dim3 block() { return dim3(kBlockSide, kBlockSide); }
dim3 grid(int width, int height)
{
    return common::foldedGridOf(width, height, kBlockSide, kBlockSide);
}

// Blocks of the versions in which a thread walks: four warps side by side.
constexpr int kThreads = 128, kWarp = 32;

/// Blocks of a kernel that the current device has room for at once; sees to it that each of its
/// multiprocessors sets as much memory apart as these share.
template <typename Kernel>
int blocksAtOnce(Kernel kernel)
{
    constexpr std::size_t kReserved = 1024; // bytes a block, by CUDA
    cudaFuncAttributes attributes{};
    int device = 0, multiprocessors = 0, blocks = 0, shared = 0;
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(
        cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, kThreads, 0));
    const std::size_t percent =
        100 * blocks * (attributes.sharedSizeBytes + kReserved) / shared + 1;
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                    static_cast<int>(std::min<std::size_t>(percent, 100))));
    return std::max(blocks, 1) * multiprocessors;
}

/// Fills a table in shared memory; all threads of a block call it.
__device__ void makeTable(TermTable &terms)
{
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    if (thread <= kWindowCells) terms.nLogN[thread] = fast_study::nLogN(thread);
    __syncthreads();
}

/// The same for the engine's tables.
__device__ void copyTables(const GpuTables *from, GpuTables &tables)
{
    static_assert(sizeof(GpuTables) % sizeof(uint4) == 0);
    for (int i = threadIdx.x; i < int(sizeof(GpuTables) / sizeof(uint4)); i += blockDim.x)
        reinterpret_cast<uint4 *>(&tables)[i] = reinterpret_cast<const uint4 *>(from)[i];
    __syncthreads();
}

/// Reads the cells of a row around a thread's four columns, from two columns before x on. kFours:
/// rows begin at multiples of 16 bytes, and what a thread owns lies inside or outside as a whole.
template <bool kFours>
__device__ void readCells(const float *sample, int width, int height, int x, int y,
                          float (&cells)[kCells])
{
    for (float &cell : cells) cell = kNoCell;
    if (y < 0 || y >= height) return;
    const float *const own = sample + at(x, y, width);
    if constexpr (kFours) {
        const float4 four = *reinterpret_cast<const float4 *>(own);
        cells[2] = four.x, cells[3] = four.y, cells[4] = four.z, cells[5] = four.w;
        if (x > 0) {
            const float2 left = *reinterpret_cast<const float2 *>(own - kRadius);
            cells[0] = left.x, cells[1] = left.y;
        }
        if (x + kColumns < width) {
            const float2 right = *reinterpret_cast<const float2 *>(own + kColumns);
            cells[6] = right.x, cells[7] = right.y;
        }
    } else {
        for (int i = 0; i < kCells; ++i)
            if (x + i >= kRadius && x + i - kRadius < width) cells[i] = own[i - kRadius];
    }
}

/// Writes a row's results of a thread, of those columns that there are; past the caches, since
/// nobody reads them here.
template <bool kFours>
__device__ void writeFour(float *result, int width, int x, int y, float4 four)
{
    float *const own = result + at(x, y, width);
    if constexpr (kFours) {
        if (x < width) __stcs(reinterpret_cast<float4 *>(own), four);
    } else {
        if (x < width) __stcs(own, four.x);
        if (x + 1 < width) __stcs(own + 1, four.y);
        if (x + 2 < width) __stcs(own + 2, four.z);
        if (x + 3 < width) __stcs(own + 3, four.w);
    }
}

/// Orders four cells of row y, from column x on, into shared memory, without waiting for them. They
/// are at `from`, if there are such a row and column.
template <bool kFours>
__device__ void orderFour(float4 *to, const float *from, int width, int height, int x, int y)
{
    const bool hasRow = y >= 0 && y < height;
    if constexpr (kFours) {
        if (hasRow && x >= 0 && x < width)
            words::copyAsync<16>(words::sharedAddress(to), from);
        else
            *to = make_float4(kNoCell, kNoCell, kNoCell, kNoCell);
    } else {
        for (int i = 0; i < kColumns; ++i) {
            float *const cell = reinterpret_cast<float *>(to) + i;
            if (hasRow && x + i >= 0 && x + i < width)
                words::copyAsync<4>(words::sharedAddress(cell), from + i);
            else
                *cell = kNoCell;
        }
    }
}

} // namespace

// ---- a thread a cell ---------------------------------------------------------------------------

// v7 of core.cu: sixteen counters of a byte each. An array that is indexed at run time is in local
// memory: every cell of a window is a load, an addition and a store there.
namespace start
{

__global__ void __launch_bounds__(kBlockSide *kBlockSide, 1)
    cudaCallbackKernel(int width, int height, const float *sample, float *result)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const LogTable<float> logTable = makeLogTable<float>();

    signed char count[kLevels] = {};
    int total = 0;
    for (int wy = max(y - kRadius, 0); wy <= min(y + kRadius, height - 1); ++wy)
        for (int wx = max(x - kRadius, 0); wx <= min(x + kRadius, width - 1); ++wx) {
            ++count[static_cast<int>(sample[at(wx, wy, width)])];
            ++total;
        }

    double sum = 0;
    for (int level = 0; level < kLevels; ++level)
        sum += count[level] * static_cast<double>(logTable.ln[count[level]]);
    result[at(x, y, width)] = static_cast<float>(logTable.ln[total] - sum / total);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("start", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(width, height), block(), width, height, deviceInput.data(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace start

// From start: no array of a thread's own. The counters are fields of four registers, and a cell
// adds a word with a one in the field of its level: shifts choose the field, no address does. The
// table of logarithms, too, leaves local memory, for shared memory. The largest step of all, at
// nearly the same number of instructions: start waited for its stores to local memory.
namespace packed
{

__global__ void __launch_bounds__(kBlockSide *kBlockSide, 1)
    cudaCallbackKernel(int width, int height, const float *sample, float *result)
{
    __shared__ TermTable terms;
    makeTable(terms);
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    Sums sums = zeroSums();
    int total = 0;
    for (int wy = max(y - kRadius, 0); wy <= min(y + kRadius, height - 1); ++wy) {
        Word row = {0, 0};
        for (int wx = max(x - kRadius, 0); wx <= min(x + kRadius, width - 1); ++wx) {
            row = row + fast_study::wordOfLevel(static_cast<int>(sample[at(wx, wy, width)]));
            ++total;
        }
        enter(sums, row);
    }
    result[at(x, y, width)] = fast_study::entropyByLogs(sums, terms, total);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("packed", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(width, height), block(), width, height, deviceInput.data(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace packed

// ---- a thread walks down its columns -----------------------------------------------------------

// From packed: neighbours one below the other share 20 of 25 cells. A thread walks down a column
// and keeps the sums of the last five rows: five cells enter, and the row that leaves is known. The
// place in the ring is known at compile time, as five rows are unrolled. A multiple of packed's
// speed: far fewer instructions, and so far less time.
namespace slide
{

__global__ void __launch_bounds__(kThreads)
    cudaCallbackKernel(int width, int height, int rows, const float *sample, float *result)
{
    __shared__ TermTable terms;
    makeTable(terms);
    const int x = blockIdx.x * kThreads + threadIdx.x;
    if (x >= width) return;
    const int begin = blockIdx.y * rows, end = min(begin + rows, height);

    Word ring[kWindow] = {};
    Sums sums = zeroSums();
    for (int first = begin - kRadius; first < end + kRadius; first += kWindow)
#pragma unroll
        for (int i = 0; i < kWindow; ++i) {
            const int y = first + i, center = y - kRadius;
            Word row = {0, 0};
            if (y >= 0 && y < height)
                for (int wx = x - kRadius; wx <= x + kRadius; ++wx)
                    if (wx >= 0 && wx < width)
                        row = row + fast_study::wordOfLevel(int(sample[at(wx, y, width)]));
            leave(sums, ring[i]);
            enter(sums, row);
            ring[i] = row;
            if (center < begin || center >= end) continue;
            const int total = fast_study::reach(x, width) * fast_study::reach(center, height);
            result[at(x, center, width)] = fast_study::entropyByLogs(sums, terms, total);
        }
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("slide", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    const Parts parts =
        fast_study::partsOf(width, height, kThreads, blocksAtOnce(cudaCallbackKernel));
    launch(cudaCallbackKernel, dim3(parts.strips, parts.parts), kThreads, width, height, parts.rows,
           deviceInput.data(), deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace slide

// From slide: four columns a thread. Neighbours beside each other share four of their five columns:
// eight cells are read and turned to words, not twenty, and 16 bytes are read or written at once.
// Faster on large arrays. A small one loses: it has a quarter of slide's threads, each with more
// work.
namespace four_columns
{

template <bool kFours>
__global__ void __launch_bounds__(kThreads)
    cudaCallbackKernel(int width, int height, int rows, const float *sample, float *result)
{
    __shared__ TermTable terms;
    makeTable(terms);
    const int x = (blockIdx.x * kThreads + threadIdx.x) * kColumns;
    if (x >= width) return;
    const int begin = blockIdx.y * rows, end = min(begin + rows, height);

    FourColumns columns(zeroSums());
    for (int first = begin - kRadius; first < end + kRadius; first += kWindow)
#pragma unroll
        for (int i = 0; i < kWindow; ++i) {
            const int y = first + i, center = y - kRadius;
            float cells[kCells];
            readCells<kFours>(sample, width, height, x, y, cells);
            Word words[kCells];
            for (int j = 0; j < kCells; ++j) words[j] = fast_study::wordOfLevel(int(cells[j]));
            columns.enter(i, words);
            if (center < begin || center >= end) continue;
            const auto entropy = [&](int j) {
                const int total =
                    fast_study::reach(x + j, width) * fast_study::reach(center, height);
                return fast_study::entropyByLogs(columns.sums[j], terms, total);
            };
            writeFour<kFours>(result, width, x, center,
                              make_float4(entropy(0), entropy(1), entropy(2), entropy(3)));
        }
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("four_columns", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    const auto kernel =
        width % kColumns == 0 ? cudaCallbackKernel<true> : cudaCallbackKernel<false>;
    const Parts parts =
        fast_study::partsOf(width, height, kThreads * kColumns, blocksAtOnce(kernel));
    launch(kernel, dim3(parts.strips, parts.parts), kThreads, width, height, parts.rows,
           deviceInput.data(), deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace four_columns

// From four_columns: nothing is computed that can be looked up. The counts are hashed, all sixteen
// at once, to a code that no other window has unless it has the same entropy; tables in shared
// memory hold the exact entropy of each code, and the words of the levels, also for the windows of
// fewer cells at the edges. Faster at every size, and more exact; from here on warps wait for rows.
namespace lookup
{

template <bool kFours>
__global__ void __launch_bounds__(kThreads)
    cudaCallbackKernel(int width, int height, int rows, const float *sample, float *result,
                       const GpuTables *deviceTables)
{
    __shared__ GpuTables tables;
    copyTables(deviceTables, tables);
    const int x = (blockIdx.x * kThreads + threadIdx.x) * kColumns;
    if (x >= width) return;
    const int begin = blockIdx.y * rows, end = min(begin + rows, height);

    FourColumns columns{Sums()};
    for (int first = begin - kRadius; first < end + kRadius; first += kWindow)
#pragma unroll
        for (int i = 0; i < kWindow; ++i) {
            const int y = first + i, center = y - kRadius;
            float cells[kCells];
            readCells<kFours>(sample, width, height, x, y, cells);
            Word words[kCells];
            for (int j = 0; j < kCells; ++j) words[j] = fast_study::wordOfCell(tables, cells[j]);
            columns.enter(i, words);
            if (center < begin || center >= end) continue;
            const auto entropy = [&](int j) {
                return fast_study::entropyByTable(columns.sums[j], tables);
            };
            writeFour<kFours>(result, width, x, center,
                              make_float4(entropy(0), entropy(1), entropy(2), entropy(3)));
        }
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("lookup", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    const DeviceArray<GpuTables> deviceTables = upload(&words::gpuTables(), 1);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    const auto kernel =
        width % kColumns == 0 ? cudaCallbackKernel<true> : cudaCallbackKernel<false>;
    const Parts parts =
        fast_study::partsOf(width, height, kThreads * kColumns, blocksAtOnce(kernel));
    launch(kernel, dim3(parts.strips, parts.parts), kThreads, width, height, parts.rows,
           deviceInput.data(), deviceOutput.data(), deviceTables.data());
    *result = download(deviceOutput).release();
}

} // namespace lookup

// ---- memory works ahead ------------------------------------------------------------------------

// From lookup: while a warp computes five rows, the next five are on their way, from global to
// shared memory without a detour through registers (cp.async). Each warp has a stage of its own for
// twice five rows, and waits for no other. The waits for memory become short: faster at every size.
namespace async_rows
{

constexpr int kFoursOfRow = kWarp + 2; // of a warp: the lanes', one before them and one behind
using Batch = float4[kWindow][kFoursOfRow];

/// Orders five rows, from y on, of the strip of a warp that begins at `left`: each lane its own
/// four of each row, and ten lanes one on either side of it.
template <bool kFours>
__device__ void order(Batch &batch, const float *sample, int width, int height, int left, int y)
{
    const int lane = threadIdx.x % kWarp;
    const float *const corner = sample + static_cast<std::int64_t>(y) * width + left;
    const auto orderOne = [&](int row, int four) {
        const int column = (four - 1) * kColumns;
        orderFour<kFours>(&batch[row][four],
                          corner + static_cast<std::int64_t>(row) * width + column, width, height,
                          left + column, y + row);
    };
    for (int i = 0; i < kWindow; ++i) orderOne(i, 1 + lane);
    if (lane < 2 * kWindow) orderOne(lane / 2, lane % 2 * (kFoursOfRow - 1));
    __pipeline_commit(); // all that this thread has ordered since the last time
}

template <bool kFours>
__global__ void __launch_bounds__(kThreads)
    cudaCallbackKernel(int width, int height, int rows, const float *sample, float *result,
                       const GpuTables *deviceTables)
{
    __shared__ GpuTables tables;
    __shared__ Batch stage[kThreads / kWarp][2];
    copyTables(deviceTables, tables);
    const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
    const int left = (blockIdx.x * kThreads + warp * kWarp) * kColumns, x = left + lane * kColumns;
    if (left >= width) return; // the whole warp: its lanes need each other
    const int begin = blockIdx.y * rows, end = min(begin + rows, height);
    const int bottom = min(end + kRadius, height); // no row from there on is needed

    FourColumns columns{Sums()};
    int now = 0;
    order<kFours>(stage[warp][now], sample, width, bottom, left, begin - kRadius);
    for (int first = begin - kRadius; first < end + kRadius; first += kWindow, now ^= 1) {
        order<kFours>(stage[warp][now ^ 1], sample, width, bottom, left, first + kWindow);
        __pipeline_wait_prior(1); // all that this thread ordered but the last time
        __syncwarp();             // and what the other lanes did
#pragma unroll
        for (int i = 0; i < kWindow; ++i) {
            const int center = first + i - kRadius;
            const float4 *const fours = &stage[warp][now][i][lane];
            const float4 before = fours[0], own = fours[1], behind = fours[2];
            const float cells[kCells] = {before.z, before.w, own.x,    own.y,
                                         own.z,    own.w,    behind.x, behind.y};
            Word words[kCells];
            for (int j = 0; j < kCells; ++j) words[j] = fast_study::wordOfCell(tables, cells[j]);
            columns.enter(i, words);
            if (center < begin || center >= end) continue;
            const auto entropy = [&](int j) {
                return fast_study::entropyByTable(columns.sums[j], tables);
            };
            writeFour<kFours>(result, width, x, center,
                              make_float4(entropy(0), entropy(1), entropy(2), entropy(3)));
        }
        __syncwarp(); // before the stage is overwritten
    }
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("async_rows", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    const DeviceArray<GpuTables> deviceTables = upload(&words::gpuTables(), 1);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    const auto kernel =
        width % kColumns == 0 ? cudaCallbackKernel<true> : cudaCallbackKernel<false>;
    const Parts parts =
        fast_study::partsOf(width, height, kThreads * kColumns, blocksAtOnce(kernel));
    launch(kernel, dim3(parts.strips, parts.parts), kThreads, width, height, parts.rows,
           deviceInput.data(), deviceOutput.data(), deviceTables.data());
    *result = download(deviceOutput).release();
}

} // namespace async_rows

// From async_rows: the four warps of a block are a team, which walks in step. A thread packs its
// four cells to four bytes once, and its neighbours read these, also those in the next warp: so
// only the team has cells to order beside its strip, and no cell is turned to an address twice. On
// large arrays the fastest of all here; smaller ones gain nothing, and the smallest loses.
namespace teams
{

constexpr int kFoursOfRow = kThreads + 2; // of a team: the threads', one before and one behind

/// What a team has in shared memory: five rows where cells arrive, and twice five packed rows, so
/// that one barrier is enough: who is ahead packs into the others.
struct Rows
{
    float4 stage[kWindow][kFoursOfRow];
    std::uint32_t packed[2][kWindow][kFoursOfRow];
};

/// Calls work(row, four) for what this thread orders and packs of five rows: its own fours and, in
/// ten threads, one beside the strip. What it has ordered itself it may read without a barrier.
template <typename Work>
__device__ void forOwnFours(Work work)
{
    for (int i = 0; i < kWindow; ++i) work(i, 1 + static_cast<int>(threadIdx.x));
    if (threadIdx.x < 2 * kWindow) work(threadIdx.x / 2, threadIdx.x % 2 * (kFoursOfRow - 1));
}

/// Computes rows [begin, end) of a strip. All threads of the team call it.
template <bool kFours>
__device__ void walk(int width, int height, int strip, int begin, int end, const float *sample,
                     float *result, const GpuTables &tables, Rows &rows)
{
    const int left = strip * kThreads * kColumns, x = left + threadIdx.x * kColumns;
    const int bottom = min(end + kRadius, height); // no row from there on is needed
    const auto order = [&](int y) {
        const float *const corner = sample + static_cast<std::int64_t>(y) * width + left;
        forOwnFours([&](int row, int four) {
            const int column = (four - 1) * kColumns;
            orderFour<kFours>(&rows.stage[row][four],
                              corner + static_cast<std::int64_t>(row) * width + column, width,
                              bottom, left + column, y + row);
        });
    };

    FourColumns columns{Sums()};
    int now = 0;
    order(begin - kRadius);
    for (int first = begin - kRadius; first < end + kRadius; first += kWindow, now ^= 1) {
        words::waitForCopies();
        forOwnFours([&](int row, int four) {
            const float4 cells = rows.stage[row][four];
            rows.packed[now][row][four] = fast_study::packFour(cells.x, cells.y, cells.z, cells.w);
        });
        __syncthreads();
        order(first + kWindow);
#pragma unroll
        for (int i = 0; i < kWindow; ++i) {
            const int center = first + i - kRadius;
            const std::uint32_t *const fours = &rows.packed[now][i][threadIdx.x];
            const std::uint32_t before = fours[0], own = fours[1], behind = fours[2];
            Word words[kCells];
            for (int j = 0; j < 2; ++j) {
                words[j] = fast_study::wordOfByte(tables, before, 2 + j);
                words[2 + j] = fast_study::wordOfByte(tables, own, j);
                words[4 + j] = fast_study::wordOfByte(tables, own, 2 + j);
                words[6 + j] = fast_study::wordOfByte(tables, behind, j);
            }
            columns.enter(i, words);
            if (center < begin || center >= end) continue;
            const auto entropy = [&](int j) {
                return fast_study::entropyByTable(columns.sums[j], tables);
            };
            writeFour<kFours>(result, width, x, center,
                              make_float4(entropy(0), entropy(1), entropy(2), entropy(3)));
        }
    }
}

template <bool kFours>
__global__ void __launch_bounds__(kThreads)
    cudaCallbackKernel(int width, int height, int rows, const float *sample, float *result,
                       const GpuTables *deviceTables)
{
    __shared__ GpuTables tables;
    __shared__ Rows rowsOfTeam;
    copyTables(deviceTables, tables);
    const int begin = blockIdx.y * rows, end = min(begin + rows, height);
    walk<kFours>(width, height, blockIdx.x, begin, end, sample, result, tables, rowsOfTeam);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("teams", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    const DeviceArray<GpuTables> deviceTables = upload(&words::gpuTables(), 1);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    const auto kernel =
        width % kColumns == 0 ? cudaCallbackKernel<true> : cudaCallbackKernel<false>;
    const Parts parts =
        fast_study::partsOf(width, height, kThreads * kColumns, blocksAtOnce(kernel));
    launch(kernel, dim3(parts.strips, parts.parts), kThreads, width, height, parts.rows,
           deviceInput.data(), deviceOutput.data(), deviceTables.data());
    *result = download(deviceOutput).release();
}

} // namespace teams

// From teams, whose walk it is: no team waits for the last one. Each has a little less to do, and
// takes small parts of the rest from a queue until there is none. And a launch may begin while the
// one before it ends (programmatic dependent launch): its tables are there when its turn comes.
// Small arrays gain much, since launches follow each other. The largest is slightly slower than
// with teams: the queue does not pay there.
namespace overlap
{

using fast_study::Item;
using fast_study::Items;

template <bool kFours>
__global__ void __launch_bounds__(kThreads)
    cudaCallbackKernel(int width, int height, Items items, const float *sample, float *result,
                       const GpuTables *deviceTables, unsigned *queue)
{
    __shared__ GpuTables tables;
    __shared__ teams::Rows rowsOfTeam;
    __shared__ unsigned next;
    words::letNextKernelStart();
    copyTables(deviceTables, tables);
    words::waitForLastKernel(); // which may still write results, and ask its queue
    for (unsigned number = blockIdx.x; number < items.items; number = next) {
        const Item item = itemOf(items, number);
        teams::walk<kFours>(width, height, item.strip, item.begin, item.end, sample, result, tables,
                            rowsOfTeam);
        if (threadIdx.x == 0) {
            const unsigned asked = atomicAdd(queue, 1u);
            if (asked == items.items - 1) *queue = 0; // once for each item: this was the last
            next = gridDim.x + asked;
        }
        __syncthreads(); // read by all before it is written again: a walk has barriers
    }
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("overlap", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    const DeviceArray<GpuTables> deviceTables = upload(&words::gpuTables(), 1);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    DeviceArray<unsigned> queue(1);
    CUDA_CHECK(cudaMemset(queue.data(), 0, queue.bytes()));
    const auto kernel =
        width % kColumns == 0 ? cudaCallbackKernel<true> : cudaCallbackKernel<false>;
    const int blocks = blocksAtOnce(kernel);
    const Items items = fast_study::itemsOf(width, height, kThreads * kColumns, blocks);

    // Compiled for less than Hopper, it cannot wait for the launch before it.
    cudaFuncAttributes attributes{};
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    cudaLaunchAttribute mayOverlap{};
    mayOverlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    mayOverlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = std::min(items.items, static_cast<unsigned>(blocks));
    config.blockDim = kThreads;
    config.attrs = &mayOverlap;
    config.numAttrs = attributes.ptxVersion >= 90 ? 1 : 0;
    common::runOnDevice([&] {
        CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, width, height, items, deviceInput.data(),
                                      deviceOutput.data(), deviceTables.data(), queue.data()));
    });
    if (common::KernelTimes *times = common::KernelTimes::active())
        times->describe(common::resourcesOf(kernel, kThreads));
    *result = download(deviceOutput).release();
}

} // namespace overlap

#else // without nvcc the CUDA versions keep their places in the table, and say why they cannot run

namespace
{

[[noreturn]] void cannotRun(const char *version)
{
    const common::ErrorScope scope(version);
    throw common::Unavailable("cudaCallback " + common::whyNoDevice());
}

} // namespace

// clang-format off
namespace start
{ void cudaCallback(int, int, float *, float **) { cannotRun("start"); } }
namespace packed
{ void cudaCallback(int, int, float *, float **) { cannotRun("packed"); } }
namespace slide
{ void cudaCallback(int, int, float *, float **) { cannotRun("slide"); } }
namespace four_columns
{ void cudaCallback(int, int, float *, float **) { cannotRun("four_columns"); } }
namespace lookup
{ void cudaCallback(int, int, float *, float **) { cannotRun("lookup"); } }
namespace async_rows
{ void cudaCallback(int, int, float *, float **) { cannotRun("async_rows"); } }
namespace teams
{ void cudaCallback(int, int, float *, float **) { cannotRun("teams"); } }
namespace overlap
{ void cudaCallback(int, int, float *, float **) { cannotRun("overlap"); } }
// clang-format on

#endif

// ---- OpenMP ------------------------------------------------------------------------------------

// Like start, on the CPU, where an array of counters costs little: one iteration a cell.
namespace openmp
{

static float cudaCallbackKernel(int width, int height, const float *sample, int x, int y)
{
    static constexpr LogTable<float> logTable = makeLogTable<float>();

    signed char count[kLevels] = {};
    int total = 0;
    for (int wy = std::max(y - kRadius, 0); wy <= std::min(y + kRadius, height - 1); ++wy)
        for (int wx = std::max(x - kRadius, 0); wx <= std::min(x + kRadius, width - 1); ++wx) {
            ++count[static_cast<int>(sample[at(wx, wy, width)])];
            ++total;
        }

    double sum = 0;
    for (int level = 0; level < kLevels; ++level)
        sum += count[level] * static_cast<double>(logTable.ln[count[level]]);
    return static_cast<float>(logTable.ln[total] - sum / total);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("openmp", width, height, sample, result);
    HostArray<float> output = allocateHost<float>(call.cells);
#pragma omp parallel for collapse(2) schedule(static) num_threads(common::threadsFor(call.cells))
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x)
            output[y * width + x] = cudaCallbackKernel(width, height, sample, x, y);
    *result = output.release();
}

} // namespace openmp

// ---- the table of versions ---------------------------------------------------------------------

const std::vector<entropy::Version> &entropy::versions()
{
    static const std::string none, noGpu = common::whyNoDevice();
    constexpr Platform cuda = Platform::Cuda, openMp = Platform::OpenMp;
    static const std::vector<Version> table = {
        {"start", cuda, "v7: counters in local memory", start::cudaCallback, noGpu},
        {"packed", cuda, "start + counters packed in registers", packed::cudaCallback, noGpu},
        {"slide", cuda, "packed + threads walk down", slide::cudaCallback, noGpu},
        {"four_columns", cuda, "slide + four columns a thread", four_columns::cudaCallback, noGpu},
        {"lookup", cuda, "four_columns + the answer looked up", lookup::cudaCallback, noGpu},
        {"async_rows", cuda, "lookup + rows ordered ahead", async_rows::cudaCallback, noGpu},
        {"teams", cuda, "async_rows + warps share packed rows", teams::cudaCallback, noGpu},
        {"overlap", cuda, "teams + a queue, launches overlap", overlap::cudaCallback, noGpu},
        {"openmp", openMp, "start on the CPU", openmp::cudaCallback, none},
    };
    return table;
}

int entropy::loadTimeFailures() { return benchmarkFailures(); }

// ---- load time ---------------------------------------------------------------------------------

// These run before main. ENTROPY_BENCHMARK=0 in the environment skips them. Sizes of core.cu.
static entropy::WarmUP warm_up(1, 1);
static entropy::Benchmark benchmark400(400, 400), benchmark2560(2560, 2560),
    benchmark10240(10240, 10240);

// ---- the switch --------------------------------------------------------------------------------

#ifndef VERSION
#define VERSION overlap // the active version: edit this line, or `make CORE=... VERSION=openmp`
#endif

void cudaCallback(int width, int height, float *sample, float **result)
{
    entropy::callVersion(VERSION::cudaCallback, entropy::activeVersion, width, height, sample,
                         result);
}

const char *entropy::activeVersion()
{
    for (const Version &version : versions())
        if (version.callback == VERSION::cudaCallback) return version.name;
    return "a version that is not in the table";
}
