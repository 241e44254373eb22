// The ladder: versions m1 to m10 of the maximum of a matrix, each in a namespace of its own with
// its own findMaximum (contract: core.h), one idea a version. From top to bottom: m1 (CPU); m2 and
// m3 (the tree in global memory); m4 to m8 (on the multiprocessor, launch after launch); m9 (one
// launch); m10 (the toolkit's); the table of versions; the switch that picks the active one. To
// compare two versions, diff two namespaces.
//
// A maximum is a reduction: n elements become one by n - 1 comparisons, in any order. There is one
// comparison for every 4 bytes, so the best a GPU can do is to read the matrix once, at the speed
// of its memory; whatever keeps a version from that is what its neighbours change.

#include "maximum/core.h"

#include "common/devices.h"
#include "maximum/call.h"

#include <algorithm>
#include <climits>
#include <utility>

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/launch.h"

#include <cub/device/device_reduce.cuh>
#endif

using maximum::Call;

// ---- m1: CPU -----------------------------------------------------------------------------------

// Baseline: one thread, one loop over the elements.
namespace m1
{

int findMaximum(std::int64_t rows, std::int64_t columns, const int *matrix)
{
    const Call call("m1", rows, columns, matrix);
    int largest = INT_MIN;
    for (std::int64_t i = 0; i < call.size; ++i)
        if (matrix[i] > largest) largest = matrix[i];
    return largest;
}

} // namespace m1

// ---- m2 and m3: the tree in global memory ------------------------------------------------------

#ifdef __CUDACC__

namespace
{

using common::DeviceArray;
using common::download;
using common::poisoned;
using common::runOnDevice;
using common::submit;
using common::upload;

// m2 and m3 give a row to a block. What the rows leave, one maximum each, is a matrix of one row:
// the same kernel, launched once more with a single block, finishes it. __syncthreads holds back
// the threads of one block only; what all blocks wait for here is the end of a kernel. (A barrier
// for a whole grid exists, grid.sync(), but only where all its blocks run at once.)
constexpr int kBlockThreads = 1024; // the most that a block may have

/// Threads for a row: a power of two, whole warps, no more than the row has use for.
unsigned threadsFor(std::int64_t columns)
{
    unsigned threads = 32;
    while (threads < kBlockThreads && threads < columns) threads *= 2;
    return threads;
}

/// Blocks for that many rows; where a grid cannot hold them all, a block takes several rows.
unsigned blocksFor(std::int64_t rows)
{
    return static_cast<unsigned>(std::min<std::int64_t>(rows, INT_MAX));
}

} // namespace

// One block a row, tree in global memory, with divergent branches. At step k the threads whose
// number is a multiple of 2^(k+1) take the maximum of their element and the one 2^k further on.
// These workers are spread over all warps, and a warp takes as long for one working lane as for 32:
// half of its lanes idle at the first step, all but one at the fifth. The tree overwrites what it
// reduces, so the kernel first copies the row to scratch memory; that copy is part of its time.
namespace m2
{

__global__ void __launch_bounds__(kBlockThreads)
    findMaximumKernel(std::int64_t rows, std::int64_t columns, const int *matrix, int *scratch,
                      int *rowMaxima)
{
    for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        int *cells = scratch + row * columns;
        for (std::int64_t i = threadIdx.x; i < columns; i += blockDim.x)
            cells[i] = matrix[row * columns + i];

        for (std::int64_t stride = 1; stride < columns; stride *= 2) {
            __syncthreads(); // the step before is complete, in the whole row
            for (std::int64_t i = threadIdx.x; i < columns; i += blockDim.x)
                if ((i & (2 * stride - 1)) == 0 && i + stride < columns)
                    cells[i] = max(cells[i], cells[i + stride]);
        }
        if (threadIdx.x == 0) rowMaxima[row] = cells[0]; // written by this very thread
    }
}

int findMaximum(std::int64_t rows, std::int64_t columns, const int *matrix)
{
    const Call call("m2", rows, columns, matrix);
    const DeviceArray<int> deviceInput = upload(matrix, call.size);
    DeviceArray<int> scratch = poisoned<int>(call.size);
    DeviceArray<int> rowMaxima = poisoned<int>(rows), deviceOutput = poisoned<int>(1);
    runOnDevice([&] {
        submit(findMaximumKernel, blocksFor(rows), threadsFor(columns), rows, columns,
               deviceInput.data(), scratch.data(), rowMaxima.data());
        submit(findMaximumKernel, 1, threadsFor(rows), std::int64_t(1), rows, rowMaxima.data(),
               scratch.data(), deviceOutput.data());
    });
    return download(deviceOutput)[0];
}

} // namespace m2

// From m2: no divergence. The row is folded in the middle: its first half takes the maximum with
// its second half, then the first quarter with the second. The workers are always the first
// threads, so that warps are busy or done as a whole, and what a warp reads at a step are 128 bytes
// in a row, all of them of use. A multiple of m2's speed wherever there is work for all warps.
namespace m3
{

__global__ void __launch_bounds__(kBlockThreads)
    findMaximumKernel(std::int64_t rows, std::int64_t columns, const int *matrix, int *scratch,
                      int *rowMaxima)
{
    for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        int *cells = scratch + row * columns;
        for (std::int64_t i = threadIdx.x; i < columns; i += blockDim.x)
            cells[i] = matrix[row * columns + i];

        for (std::int64_t left = columns; left > 1;) {
            const std::int64_t half = (left + 1) / 2; // an odd one in the middle stays where it is
            __syncthreads(); // the step before is complete, in the whole row
            for (std::int64_t i = threadIdx.x; i < left - half; i += blockDim.x)
                cells[i] = max(cells[i], cells[i + half]);
            left = half;
        }
        if (threadIdx.x == 0) rowMaxima[row] = cells[0]; // written by this very thread
    }
}

int findMaximum(std::int64_t rows, std::int64_t columns, const int *matrix)
{
    const Call call("m3", rows, columns, matrix);
    const DeviceArray<int> deviceInput = upload(matrix, call.size);
    DeviceArray<int> scratch = poisoned<int>(call.size);
    DeviceArray<int> rowMaxima = poisoned<int>(rows), deviceOutput = poisoned<int>(1);
    runOnDevice([&] {
        submit(findMaximumKernel, blocksFor(rows), threadsFor(columns), rows, columns,
               deviceInput.data(), scratch.data(), rowMaxima.data());
        submit(findMaximumKernel, 1, threadsFor(rows), std::int64_t(1), rows, rowMaxima.data(),
               scratch.data(), deviceOutput.data());
    });
    return download(deviceOutput)[0];
}

} // namespace m3

// ---- m4 to m8: on the multiprocessor, launch after launch --------------------------------------

namespace
{

// From here on the matrix is one long line: to a maximum, rows do not matter. Each block of a
// launch leaves one number, and these are the line of the next launch, until one block is enough.
using Kernel = void (*)(std::int64_t size, const int *input, int *maxima);

/// How a line is shared out among the blocks of a launch.
struct Shares
{
    int threads;       ///< a block
    std::int64_t size; ///< elements that a block takes at a time
    std::int64_t most; ///< blocks; where these are not enough, a block takes several shares

    unsigned blocksFor(std::int64_t elements) const
    {
        return static_cast<unsigned>(std::min((elements - 1) / size + 1, most));
    }
};

/// Blocks that the device runs at once, where nothing but their threads limits them.
std::int64_t blocksAtOnce(int threads)
{
    int device = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    return std::max<std::int64_t>(1, common::residentThreads(device) / threads);
}

/// The maximum of the line. No launch writes what it reads, so that the work can be repeated.
int reduceLine(Kernel kernel, Shares shares, std::int64_t size, const int *matrix)
{
    const DeviceArray<int> deviceInput = upload(matrix, size);
    const unsigned most = shares.blocksFor(size);
    DeviceArray<int> maxima = poisoned<int>(most), others = poisoned<int>(shares.blocksFor(most));
    DeviceArray<int> deviceOutput = poisoned<int>(1);
    runOnDevice([&] {
        const int *input = deviceInput.data();
        int *output = maxima.data(), *other = others.data();
        unsigned blocks = 0;
        for (std::int64_t left = size; blocks != 1; left = blocks) {
            blocks = shares.blocksFor(left);
            if (blocks == 1) output = deviceOutput.data();
            submit(kernel, blocks, shares.threads, left, input, output);
            input = output;
            std::swap(output, other);
        }
    });
    return download(deviceOutput)[0];
}

} // namespace

// From m2: the tree in shared memory, which lies on the multiprocessor itself. A block takes the
// next 1024 elements, one a thread, and so a row where that has 1024 columns. The matrix is read
// once, and what is written to global memory is one number a block: no scratch copy. The tree is
// still the divergent one. Much faster than m2 on large matrices, but no faster than m3.
namespace m4
{

__global__ void __launch_bounds__(kBlockThreads)
    findMaximumKernel(std::int64_t size, const int *input, int *maxima)
{
    __shared__ int cells[kBlockThreads];
    const std::int64_t i = std::int64_t(blockIdx.x) * kBlockThreads + threadIdx.x;
    cells[threadIdx.x] = i < size ? input[i] : INT_MIN; // beyond the end: changes no maximum

    for (unsigned stride = 1; stride < kBlockThreads; stride *= 2) {
        __syncthreads(); // the step before is complete, in the whole block
        if ((threadIdx.x & (2 * stride - 1)) == 0)
            cells[threadIdx.x] = max(cells[threadIdx.x], cells[threadIdx.x + stride]);
    }
    if (threadIdx.x == 0) maxima[blockIdx.x] = cells[0]; // written by this very thread
}

int findMaximum(std::int64_t rows, std::int64_t columns, const int *matrix)
{
    const Call call("m4", rows, columns, matrix);
    const Shares shares = {kBlockThreads, kBlockThreads, INT_MAX}; // enough for 8 TiB
    return reduceLine(findMaximumKernel, shares, call.size, matrix);
}

} // namespace m4

// From m4: no divergence, as from m2 to m3. The workers are always the first threads; half of the
// warps never have a step to take, and only wait at the barriers. A little faster only: in shared
// memory divergence costs little.
namespace m5
{

__global__ void __launch_bounds__(kBlockThreads)
    findMaximumKernel(std::int64_t size, const int *input, int *maxima)
{
    __shared__ int cells[kBlockThreads];
    const std::int64_t i = std::int64_t(blockIdx.x) * kBlockThreads + threadIdx.x;
    cells[threadIdx.x] = i < size ? input[i] : INT_MIN; // beyond the end: changes no maximum

    for (unsigned half = kBlockThreads / 2; half > 0; half /= 2) {
        __syncthreads(); // the step before is complete, in the whole block
        if (threadIdx.x < half)
            cells[threadIdx.x] = max(cells[threadIdx.x], cells[threadIdx.x + half]);
    }
    if (threadIdx.x == 0) maxima[blockIdx.x] = cells[0]; // written by this very thread
}

int findMaximum(std::int64_t rows, std::int64_t columns, const int *matrix)
{
    const Call call("m5", rows, columns, matrix);
    const Shares shares = {kBlockThreads, kBlockThreads, INT_MAX}; // enough for 8 TiB
    return reduceLine(findMaximumKernel, shares, call.size, matrix);
}

} // namespace m5

// From m5: first maximum on load. There are only as many blocks as run at once, and each thread
// takes the maximum of many elements, a grid's width apart, in a register, before the tree begins.
// m5 has a tree of ten barriers for every 1024 elements, m6 one for each block; and two launches
// are enough. The largest step in shared memory: near the speed of reading, on large matrices.
namespace m6
{

__global__ void __launch_bounds__(kBlockThreads)
    findMaximumKernel(std::int64_t size, const int *input, int *maxima)
{
    __shared__ int cells[kBlockThreads];
    const std::int64_t step = std::int64_t(gridDim.x) * kBlockThreads;
    int largest = INT_MIN; // also what a thread without an element contributes
    for (std::int64_t i = std::int64_t(blockIdx.x) * kBlockThreads + threadIdx.x; i < size;
         i += step)
        largest = max(largest, input[i]);
    cells[threadIdx.x] = largest;

    for (unsigned half = kBlockThreads / 2; half > 0; half /= 2) {
        __syncthreads(); // the step before is complete, in the whole block
        if (threadIdx.x < half)
            cells[threadIdx.x] = max(cells[threadIdx.x], cells[threadIdx.x + half]);
    }
    if (threadIdx.x == 0) maxima[blockIdx.x] = cells[0]; // written by this very thread
}

int findMaximum(std::int64_t rows, std::int64_t columns, const int *matrix)
{
    const Call call("m6", rows, columns, matrix);
    const Shares shares = {kBlockThreads, kBlockThreads, blocksAtOnce(kBlockThreads)};
    return reduceLine(findMaximumKernel, shares, call.size, matrix);
}

} // namespace m6

// From m6: warp shuffles. The lanes of a warp read each other's registers: five steps without
// shared memory and without a barrier, for a warp's lanes go together. The warps leave one number
// each in shared memory, and after the only barrier the first warp does the same with these. Hardly
// faster than m6, which has few trees left to shorten.
namespace m7
{

constexpr unsigned kWholeWarp = 0xFFFFFFFF;

/// Largest of the values of a warp's 32 lanes, in all of them.
__device__ int warpMaximum(int value)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value = max(value, __shfl_xor_sync(kWholeWarp, value, distance));
    return value;
}

__global__ void __launch_bounds__(kBlockThreads)
    findMaximumKernel(std::int64_t size, const int *input, int *maxima)
{
    const std::int64_t step = std::int64_t(gridDim.x) * kBlockThreads;
    int largest = INT_MIN; // also what a thread without an element contributes
    for (std::int64_t i = std::int64_t(blockIdx.x) * kBlockThreads + threadIdx.x; i < size;
         i += step)
        largest = max(largest, input[i]);

    __shared__ int warpMaxima[kBlockThreads / 32];
    static_assert(kBlockThreads / 32 == 32, "a warp for each lane of the first");
    largest = warpMaximum(largest);
    if (threadIdx.x % 32 == 0) warpMaxima[threadIdx.x / 32] = largest;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    largest = warpMaximum(warpMaxima[threadIdx.x]);
    if (threadIdx.x == 0) maxima[blockIdx.x] = largest;
}

int findMaximum(std::int64_t rows, std::int64_t columns, const int *matrix)
{
    const Call call("m7", rows, columns, matrix);
    const Shares shares = {kBlockThreads, kBlockThreads, blocksAtOnce(kBlockThreads)};
    return reduceLine(findMaximumKernel, shares, call.size, matrix);
}

} // namespace m7

// From m7: wide loads. A load takes 16 bytes instead of 4, and four of them are on the way to every
// thread at once, so that memory never waits to be asked. A block's share grows with that; it has
// 256 threads instead of 1024, or small matrices would make too few blocks. A small gain on large
// matrices: m7 was near the speed of reading already.
namespace m8
{

using m7::warpMaximum;

constexpr int kThreads = 256; // eight blocks fill a multiprocessor of 2048 threads
constexpr int kLoads = 4;     // of 16 bytes, in flight in each thread: 128 KiB a multiprocessor
constexpr int kTile = kThreads * kLoads; // int4 that a block reads in one go

__device__ int largestOf(int4 v) { return max(max(v.x, v.y), max(v.z, v.w)); }

__global__ void __launch_bounds__(kThreads)
    findMaximumKernel(std::int64_t size, const int *input, int *maxima)
{
    const int4 *quads = reinterpret_cast<const int4 *>(input); // cudaMalloc aligns to 256 bytes
    const std::int64_t quadCount = size / 4;
    int largest = INT_MIN; // also what a thread without an element contributes
    for (std::int64_t tile = std::int64_t(blockIdx.x) * kTile; tile < quadCount;
         tile += std::int64_t(gridDim.x) * kTile) {
        int4 values[kLoads]; // all loads first, then the maxima: a use waits, a load does not
        if (tile + kTile <= quadCount) {
#pragma unroll
            for (int k = 0; k < kLoads; ++k)
                values[k] = __ldcs(&quads[tile + k * kThreads + threadIdx.x]); // cs: read only once
        } else { // the last tile: what lies beyond the end is replaced by its first quad
#pragma unroll
            for (int k = 0; k < kLoads; ++k) {
                const std::int64_t i = tile + k * kThreads + threadIdx.x;
                values[k] = __ldcs(&quads[i < quadCount ? i : tile]);
            }
        }
#pragma unroll
        for (int k = 0; k < kLoads; ++k) largest = max(largest, largestOf(values[k]));
    }
    if (blockIdx.x == 0 && threadIdx.x < size % 4) // up to three elements that fill no quad
        largest = max(largest, input[quadCount * 4 + threadIdx.x]);

    __shared__ int warpMaxima[kThreads / 32];
    largest = warpMaximum(largest);
    if (threadIdx.x % 32 == 0) warpMaxima[threadIdx.x / 32] = largest;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    largest = warpMaximum(threadIdx.x < kThreads / 32 ? warpMaxima[threadIdx.x] : INT_MIN);
    if (threadIdx.x == 0) maxima[blockIdx.x] = largest;
}

int findMaximum(std::int64_t rows, std::int64_t columns, const int *matrix)
{
    const Call call("m8", rows, columns, matrix);
    const Shares shares = {kThreads, 4 * kTile, blocksAtOnce(kThreads)};
    return reduceLine(findMaximumKernel, shares, call.size, matrix);
}

} // namespace m8

// ---- m9: one launch ----------------------------------------------------------------------------

// From m8: one pass. An atomic maximum in global memory, one a block, replaces the second launch.
// Packed says how that needs no cell to be cleared beforehand. With no list of block maxima to be
// read again, there may be more blocks than run at once, and quick multiprocessors take over work
// from slow ones. And a warp's five shuffles become one instruction (compute capability 8.0 and
// later). As fast as merely reading: no kernel can be faster.
namespace m9
{

using m8::kLoads, m8::kThreads, m8::kTile, m8::largestOf;

constexpr int kTilesPerBlock = 8; // where there are more tiles than blocks run at a time

// A round and a result in one 64-bit word: the round above, below it the maximum so far with its
// sign bit flipped, which makes the order of unsigned numbers that of the signed ones. Each launch
// has a number higher than the one before. The atomic maximum of such words therefore forgets all
// earlier rounds by itself: nothing to clear, and no word of this round means nothing was written.
using Packed = unsigned long long;

__device__ Packed pack(unsigned round, int value)
{
    return (Packed(round) << 32) | (static_cast<unsigned>(value) ^ 0x80000000u);
}

int unpack(Packed word) { return static_cast<int>(static_cast<unsigned>(word) ^ 0x80000000u); }

/// Largest of the values of a warp's 32 lanes, in all of them.
__device__ int warpMaximum(int value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(m7::kWholeWarp, value);
#else
    return m7::warpMaximum(value);
#endif
}

__global__ void __launch_bounds__(kThreads)
    findMaximumKernel(std::int64_t size, const int *input, unsigned round, Packed *result)
{
    const int4 *quads = reinterpret_cast<const int4 *>(input); // cudaMalloc aligns to 256 bytes
    const std::int64_t quadCount = size / 4;
    int largest = INT_MIN; // also what a thread without an element contributes
    for (std::int64_t tile = std::int64_t(blockIdx.x) * kTile; tile < quadCount;
         tile += std::int64_t(gridDim.x) * kTile) {
        int4 values[kLoads]; // all loads first, then the maxima: a use waits, a load does not
        if (tile + kTile <= quadCount) {
#pragma unroll
            for (int k = 0; k < kLoads; ++k)
                values[k] = __ldcs(&quads[tile + k * kThreads + threadIdx.x]); // cs: read only once
        } else { // the last tile: what lies beyond the end is replaced by its first quad
#pragma unroll
            for (int k = 0; k < kLoads; ++k) {
                const std::int64_t i = tile + k * kThreads + threadIdx.x;
                values[k] = __ldcs(&quads[i < quadCount ? i : tile]);
            }
        }
#pragma unroll
        for (int k = 0; k < kLoads; ++k) largest = max(largest, largestOf(values[k]));
    }
    if (blockIdx.x == 0 && threadIdx.x < size % 4) // up to three elements that fill no quad
        largest = max(largest, input[quadCount * 4 + threadIdx.x]);

    __shared__ int warpMaxima[kThreads / 32];
    largest = warpMaximum(largest);
    if (threadIdx.x % 32 == 0) warpMaxima[threadIdx.x / 32] = largest;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    largest = warpMaximum(threadIdx.x < kThreads / 32 ? warpMaxima[threadIdx.x] : INT_MIN);
    if (threadIdx.x == 0) atomicMax(result, pack(round, largest));
}

/// A block a tile while they all run at once; beyond that, several tiles for each: enough blocks
/// are left for the quick multiprocessors to take over work from the slow ones.
unsigned blocksFor(std::int64_t size)
{
    const std::int64_t tiles = std::max<std::int64_t>(1, (size / 4 + kTile - 1) / kTile);
    const std::int64_t blocks =
        std::min(tiles, std::max(blocksAtOnce(kThreads), tiles / kTilesPerBlock));
    return static_cast<unsigned>(std::min<std::int64_t>(blocks, INT_MAX));
}

int findMaximum(std::int64_t rows, std::int64_t columns, const int *matrix)
{
    const Call call("m9", rows, columns, matrix);
    const DeviceArray<int> deviceInput = upload(matrix, call.size);
    const Packed none = 0; // lower than every word of round 1 and later
    DeviceArray<Packed> deviceOutput = upload(&none, 1);
    const unsigned blocks = blocksFor(call.size);
    unsigned round = 0;
    runOnDevice([&] {
        submit(findMaximumKernel, blocks, kThreads, call.size, deviceInput.data(), ++round,
               deviceOutput.data());
    });
    const Packed word = download(deviceOutput)[0];
    if (word >> 32 != round) throw common::Error("findMaximum: the kernel wrote no result");
    return unpack(word);
}

} // namespace m9

// ---- m10: the toolkit's ------------------------------------------------------------------------

// The yardstick: the same by the library that comes with the CUDA toolkit. It launches one kernel
// for small inputs and two for larger ones, and wants its temporary memory from the caller. Near
// the speed of memory on large matrices, behind m9 on small ones.
namespace m10
{

int findMaximum(std::int64_t rows, std::int64_t columns, const int *matrix)
{
    const Call call("m10", rows, columns, matrix);
    if (call.size > INT_MAX) // older toolkits count in int, and would count wrong
        throw common::Unavailable("findMaximum: cub::DeviceReduce is asked for at most 2^31 - 1 "
                                  "elements, the matrix has " +
                                  std::to_string(call.size));
    const int size = static_cast<int>(call.size);
    const DeviceArray<int> deviceInput = upload(matrix, call.size);
    DeviceArray<int> deviceOutput = poisoned<int>(1);
    std::size_t bytes = 0;
    CUDA_CHECK(
        cub::DeviceReduce::Max(nullptr, bytes, deviceInput.data(), deviceOutput.data(), size));
    DeviceArray<unsigned char> temporary(std::max<std::size_t>(1, bytes));
    runOnDevice([&] {
        CUDA_CHECK(cub::DeviceReduce::Max(temporary.data(), bytes, deviceInput.data(),
                                          deviceOutput.data(), size));
    });
    return download(deviceOutput)[0];
}

} // namespace m10

#else // without nvcc the CUDA versions keep their places in the table, and say why they cannot run

namespace
{

[[noreturn]] int cannotRun(const char *version)
{
    const common::ErrorScope scope(version);
    throw common::Unavailable("findMaximum " + common::whyNoDevice());
}

} // namespace

// clang-format off
namespace m2 { int findMaximum(std::int64_t, std::int64_t, const int *) { cannotRun("m2"); } }
namespace m3 { int findMaximum(std::int64_t, std::int64_t, const int *) { cannotRun("m3"); } }
namespace m4 { int findMaximum(std::int64_t, std::int64_t, const int *) { cannotRun("m4"); } }
namespace m5 { int findMaximum(std::int64_t, std::int64_t, const int *) { cannotRun("m5"); } }
namespace m6 { int findMaximum(std::int64_t, std::int64_t, const int *) { cannotRun("m6"); } }
namespace m7 { int findMaximum(std::int64_t, std::int64_t, const int *) { cannotRun("m7"); } }
namespace m8 { int findMaximum(std::int64_t, std::int64_t, const int *) { cannotRun("m8"); } }
namespace m9 { int findMaximum(std::int64_t, std::int64_t, const int *) { cannotRun("m9"); } }
namespace m10 { int findMaximum(std::int64_t, std::int64_t, const int *) { cannotRun("m10"); } }
// clang-format on

#endif

// ---- the table of versions ---------------------------------------------------------------------

const std::vector<maximum::Version> &maximum::versions()
{
    static const std::string none, noGpu = common::whyNoDevice();
    constexpr Platform cpu = Platform::Cpu, cuda = Platform::Cuda;
    static const std::vector<Version> table = {
        {"m1", cpu, "baseline: one loop on one core", m1::findMaximum, none},
        {"m2", cuda, "tree in global memory, divergent", m2::findMaximum, noGpu},
        {"m3", cuda, "m2 without divergence", m3::findMaximum, noGpu},
        {"m4", cuda, "m2 in shared memory, divergent", m4::findMaximum, noGpu},
        {"m5", cuda, "m4 without divergence", m5::findMaximum, noGpu},
        {"m6", cuda, "m5 + first maximum on load", m6::findMaximum, noGpu},
        {"m7", cuda, "m6 + warp shuffles", m7::findMaximum, noGpu},
        {"m8", cuda, "m7 + loads of 16 bytes, four in flight", m8::findMaximum, noGpu},
        {"m9", cuda, "m8 in one launch: atomic maximum", m9::findMaximum, noGpu},
        {"m10", cuda, "the toolkit's cub::DeviceReduce::Max", m10::findMaximum, noGpu, true},
    };
    return table;
}

// ---- the switch --------------------------------------------------------------------------------

#ifndef VERSION
#define VERSION m9 // the active version: edit this line, or build with `make VERSION=m3`
#endif

int maximum::findMaximum(std::int64_t rows, std::int64_t columns, const int *matrix)
{
    return VERSION::findMaximum(rows, columns, matrix);
}

const maximum::Version &maximum::activeVersion()
{
    for (const Version &version : versions())
        if (version.callback == VERSION::findMaximum) return version;
    throw common::Error("the active version is not in the table");
}
