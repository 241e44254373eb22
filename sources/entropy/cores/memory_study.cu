// The memory study: where to keep what, one factor at a time. Each namespace is one version with
// its own cudaCallback (contract: core.h). From top to bottom: what the versions share; where the
// log table lives; matrix by rows or flat; where its sizes live; types; shape of the blocks;
// managed memory; the winners combined; OpenMP; the table of versions; the load-time objects; the
// switch. A factor is studied on the winner of the factor before, as found on the GPU of the course
// (a V100); managed memory, in which the document had all of them, on the baseline.
//
// All use the identity  H = ln N - (1/N) sum n ln n  of core.cu. Compare the kernel times: end to
// end, every version also pays for turning the caller's floats into cells of its own type.
// Verdicts in a lead comment are those of an H200, the kernel alone on 4096x4096 random cells; the
// times are in report.md. On that GPU few of the winners won: only the types made a difference that
// is larger than noise.

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
#include <mutex>
#include <utility>
#include <vector>

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/grid.h"
#include "common/launch.h"
#include "common/managed_array.h"
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

// 8x8 threads until the shape of the blocks is the factor that is studied.
constexpr int kBlockSide = 8;
constexpr int kBlockThreads = kBlockSide * kBlockSide;

dim3 block() { return dim3(kBlockSide, kBlockSide); }

dim3 grid(int width, int height) { return common::gridOf(width, height, kBlockSide, kBlockSide); }

/// to[i] = from[i] for `size` elements of two types, by all threads.
template <typename To, typename From>
void convert(const From *from, std::size_t size, To *to)
{
#pragma omp parallel for schedule(static) num_threads(common::threadsFor(size))
    for (std::size_t i = 0; i < size; ++i) to[i] = static_cast<To>(from[i]);
}

/// The caller's floats as cells of another type, in device memory.
template <typename Cell>
DeviceArray<Cell> uploadAs(const float *sample, std::size_t size)
{
    const HostArray<Cell> cells = allocateHost<Cell>(size);
    convert(sample, size, &cells[0]);
    return upload(&cells[0], size);
}

/// Results in double as the floats that the caller expects.
HostArray<float> downloadAsFloat(const DeviceArray<double> &array)
{
    const HostArray<double> cells = download(array);
    HostArray<float> floats = allocateHost<float>(array.size());
    convert(&cells[0], array.size(), &floats[0]);
    return floats;
}

/// A matrix as its kernels see it: the sizes, and a pointer to each row.
struct RowMatrix
{
    int width, height;
    double **rows;
};

/// The same, the rows in one array, one after the other.
struct FlatMatrix
{
    int width, height;
    double *cells;
};

struct Sizes
{
    int width, height;
};

/// All that a RowMatrix takes in device memory: cells, pointers to the rows, and itself.
class DeviceRowMatrix
{
public:
    DeviceRowMatrix(DeviceArray<double> &&slab, int width, int height)
        : slab(std::move(slab)), rows(uploadRows(width, height)),
          matrix(uploadMatrix(width, height))
    {
    }
    const RowMatrix *data() const { return matrix.data(); }
    const DeviceArray<double> &cells() const { return slab; }

private:
    DeviceArray<double *> uploadRows(int width, int height)
    {
        std::vector<double *> pointers(height);
        for (int y = 0; y < height; ++y) pointers[y] = slab.data() + at(0, y, width);
        return upload(pointers.data(), pointers.size());
    }
    DeviceArray<RowMatrix> uploadMatrix(int width, int height)
    {
        const RowMatrix host{width, height, rows.data()};
        return upload(&host, 1);
    }

    DeviceArray<double> slab;
    DeviceArray<double *> rows;
    DeviceArray<RowMatrix> matrix;
};

/// All that a FlatMatrix takes in device memory: cells, and itself.
class DeviceFlatMatrix
{
public:
    DeviceFlatMatrix(DeviceArray<double> &&slab, int width, int height)
        : slab(std::move(slab)), matrix(uploadMatrix(width, height))
    {
    }
    const FlatMatrix *data() const { return matrix.data(); }
    const DeviceArray<double> &cells() const { return slab; }

private:
    DeviceArray<FlatMatrix> uploadMatrix(int width, int height)
    {
        const FlatMatrix host{width, height, slab.data()};
        return upload(&host, 1);
    }

    DeviceArray<double> slab;
    DeviceArray<FlatMatrix> matrix;
};

} // namespace

// ---- the log table: none, or in global, private, shared or constant memory ---------------------

// Baseline. One thread a cell. Sizes and row pointers are fetched from global memory; cells,
// results and arithmetic are double; each thread takes up to 17 logarithms.
namespace log_none
{

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(const RowMatrix *sample, const RowMatrix *result)
{
    const int width = sample->width, height = sample->height;
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    int count[kLevels] = {};
    int total = 0;
    for (int wy = max(y - kRadius, 0); wy <= min(y + kRadius, height - 1); ++wy)
        for (int wx = max(x - kRadius, 0); wx <= min(x + kRadius, width - 1); ++wx) {
            ++count[static_cast<int>(sample->rows[wy][wx])];
            ++total;
        }

    double sum = 0;
    for (int level = 0; level < kLevels; ++level)
        if (count[level] > 0) sum += count[level] * log(static_cast<double>(count[level]));
    result->rows[y][x] = log(static_cast<double>(total)) - sum / total;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("log_none", width, height, sample, result);
    const DeviceRowMatrix deviceInput(uploadAs<double>(sample, call.cells), width, height);
    const DeviceRowMatrix deviceOutput(poisoned<double>(call.cells), width, height);
    launch(cudaCallbackKernel, grid(width, height), block(), deviceInput.data(),
           deviceOutput.data());
    *result = downloadAsFloat(deviceOutput.cells()).release();
}

} // namespace log_none

// From log_none: a table of ln 0 .. ln 25 in global memory, left to the caches. No gain: a little
// slower than without a table.
namespace log_global
{

__device__ LogTable<double> logTable = makeLogTable<double>();

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(const RowMatrix *sample, const RowMatrix *result)
{
    const int width = sample->width, height = sample->height;
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    int count[kLevels] = {};
    int total = 0;
    for (int wy = max(y - kRadius, 0); wy <= min(y + kRadius, height - 1); ++wy)
        for (int wx = max(x - kRadius, 0); wx <= min(x + kRadius, width - 1); ++wx) {
            ++count[static_cast<int>(sample->rows[wy][wx])];
            ++total;
        }

    double sum = 0;
    for (int level = 0; level < kLevels; ++level) sum += count[level] * logTable.ln[count[level]];
    result->rows[y][x] = logTable.ln[total] - sum / total;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("log_global", width, height, sample, result);
    const DeviceRowMatrix deviceInput(uploadAs<double>(sample, call.cells), width, height);
    const DeviceRowMatrix deviceOutput(poisoned<double>(call.cells), width, height);
    launch(cudaCallbackKernel, grid(width, height), block(), deviceInput.data(),
           deviceOutput.data());
    *result = downloadAsFloat(deviceOutput.cells()).release();
}

} // namespace log_global

// From log_none: the table private to each thread. It is indexed by a variable, so it cannot live
// in registers: each thread first writes 26 doubles to its local memory, to read at most 17. The
// slowest place by far.
namespace log_private
{

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(const RowMatrix *sample, const RowMatrix *result)
{
    const int width = sample->width, height = sample->height;
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const LogTable<double> logTable = makeLogTable<double>();

    int count[kLevels] = {};
    int total = 0;
    for (int wy = max(y - kRadius, 0); wy <= min(y + kRadius, height - 1); ++wy)
        for (int wx = max(x - kRadius, 0); wx <= min(x + kRadius, width - 1); ++wx) {
            ++count[static_cast<int>(sample->rows[wy][wx])];
            ++total;
        }

    double sum = 0;
    for (int level = 0; level < kLevels; ++level) sum += count[level] * logTable.ln[count[level]];
    result->rows[y][x] = logTable.ln[total] - sum / total;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("log_private", width, height, sample, result);
    const DeviceRowMatrix deviceInput(uploadAs<double>(sample, call.cells), width, height);
    const DeviceRowMatrix deviceOutput(poisoned<double>(call.cells), width, height);
    launch(cudaCallbackKernel, grid(width, height), block(), deviceInput.data(),
           deviceOutput.data());
    *result = downloadAsFloat(deviceOutput.cells()).release();
}

} // namespace log_private

// From log_none: the table in shared memory, one for a block. One thread writes the 26 constants,
// and all wait for it. Here no gain over log_none; on the GPU of the course it was the best place.
namespace log_shared
{

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(const RowMatrix *sample, const RowMatrix *result)
{
    __shared__ LogTable<double> logTable;
    if (threadIdx.x == 0 && threadIdx.y == 0) logTable = makeLogTable<double>();
    __syncthreads();

    const int width = sample->width, height = sample->height;
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    int count[kLevels] = {};
    int total = 0;
    for (int wy = max(y - kRadius, 0); wy <= min(y + kRadius, height - 1); ++wy)
        for (int wx = max(x - kRadius, 0); wx <= min(x + kRadius, width - 1); ++wx) {
            ++count[static_cast<int>(sample->rows[wy][wx])];
            ++total;
        }

    double sum = 0;
    for (int level = 0; level < kLevels; ++level) sum += count[level] * logTable.ln[count[level]];
    result->rows[y][x] = logTable.ln[total] - sum / total;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("log_shared", width, height, sample, result);
    const DeviceRowMatrix deviceInput(uploadAs<double>(sample, call.cells), width, height);
    const DeviceRowMatrix deviceOutput(poisoned<double>(call.cells), width, height);
    launch(cudaCallbackKernel, grid(width, height), block(), deviceInput.data(),
           deviceOutput.data());
    *result = downloadAsFloat(deviceOutput.cells()).release();
}

} // namespace log_shared

// From log_none: the table in constant memory. Its cache serves one address a cycle to a warp, and
// the threads of a warp ask for different ones. Still the fastest place here, by a little: as fast
// as without a table.
namespace log_constant
{

__constant__ LogTable<double> logTable = makeLogTable<double>();

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(const RowMatrix *sample, const RowMatrix *result)
{
    const int width = sample->width, height = sample->height;
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    int count[kLevels] = {};
    int total = 0;
    for (int wy = max(y - kRadius, 0); wy <= min(y + kRadius, height - 1); ++wy)
        for (int wx = max(x - kRadius, 0); wx <= min(x + kRadius, width - 1); ++wx) {
            ++count[static_cast<int>(sample->rows[wy][wx])];
            ++total;
        }

    double sum = 0;
    for (int level = 0; level < kLevels; ++level) sum += count[level] * logTable.ln[count[level]];
    result->rows[y][x] = logTable.ln[total] - sum / total;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("log_constant", width, height, sample, result);
    const DeviceRowMatrix deviceInput(uploadAs<double>(sample, call.cells), width, height);
    const DeviceRowMatrix deviceOutput(poisoned<double>(call.cells), width, height);
    launch(cudaCallbackKernel, grid(width, height), block(), deviceInput.data(),
           deviceOutput.data());
    *result = downloadAsFloat(deviceOutput.cells()).release();
}

} // namespace log_constant

// ---- the matrix: pointers to rows (log_shared), or flat ----------------------------------------

// From log_shared: all rows in one array. The place of a cell is computed, where the row layout
// waits for a pointer from memory first. Hardly a gain over log_shared.
namespace matrix_flat
{

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(const FlatMatrix *sample, const FlatMatrix *result)
{
    __shared__ LogTable<double> logTable;
    if (threadIdx.x == 0 && threadIdx.y == 0) logTable = makeLogTable<double>();
    __syncthreads();

    const int width = sample->width, height = sample->height;
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    int count[kLevels] = {};
    int total = 0;
    for (int wy = max(y - kRadius, 0); wy <= min(y + kRadius, height - 1); ++wy)
        for (int wx = max(x - kRadius, 0); wx <= min(x + kRadius, width - 1); ++wx) {
            ++count[static_cast<int>(sample->cells[at(wx, wy, width)])];
            ++total;
        }

    double sum = 0;
    for (int level = 0; level < kLevels; ++level) sum += count[level] * logTable.ln[count[level]];
    result->cells[at(x, y, width)] = logTable.ln[total] - sum / total;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("matrix_flat", width, height, sample, result);
    const DeviceFlatMatrix deviceInput(uploadAs<double>(sample, call.cells), width, height);
    const DeviceFlatMatrix deviceOutput(poisoned<double>(call.cells), width, height);
    launch(cudaCallbackKernel, grid(width, height), block(), deviceInput.data(),
           deviceOutput.data());
    *result = downloadAsFloat(deviceOutput.cells()).release();
}

} // namespace matrix_flat

// ---- the sizes: in the matrix (matrix_flat), or apart, in global or constant memory ------------

// From matrix_flat: no struct. The cells come as plain pointers, the sizes from global memory. No
// gain over matrix_flat.
namespace sizes_global
{

__device__ Sizes sizes;
static std::mutex sizesInUse; // one pair of sizes for all host threads

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(const double *sample, double *result)
{
    __shared__ LogTable<double> logTable;
    if (threadIdx.x == 0 && threadIdx.y == 0) logTable = makeLogTable<double>();
    __syncthreads();

    const int width = sizes.width, height = sizes.height;
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    int count[kLevels] = {};
    int total = 0;
    for (int wy = max(y - kRadius, 0); wy <= min(y + kRadius, height - 1); ++wy)
        for (int wx = max(x - kRadius, 0); wx <= min(x + kRadius, width - 1); ++wx) {
            ++count[static_cast<int>(sample[at(wx, wy, width)])];
            ++total;
        }

    double sum = 0;
    for (int level = 0; level < kLevels; ++level) sum += count[level] * logTable.ln[count[level]];
    result[at(x, y, width)] = logTable.ln[total] - sum / total;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("sizes_global", width, height, sample, result);
    const DeviceArray<double> deviceInput = uploadAs<double>(sample, call.cells);
    DeviceArray<double> deviceOutput = poisoned<double>(call.cells);
    const Sizes hostSizes{width, height};
    {
        const std::lock_guard<std::mutex> lock(sizesInUse);
        CUDA_CHECK(cudaMemcpyToSymbol(sizes, &hostSizes, sizeof hostSizes));
        launch(cudaCallbackKernel, grid(width, height), block(), deviceInput.data(),
               deviceOutput.data());
    }
    *result = downloadAsFloat(deviceOutput).release();
}

} // namespace sizes_global

// From sizes_global: the sizes in constant memory. All threads ask for the same address, which is
// what its cache is made for. Hardly a gain over sizes_global.
namespace sizes_constant
{

__constant__ Sizes sizes;
static std::mutex sizesInUse; // one pair of sizes for all host threads

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(const double *sample, double *result)
{
    __shared__ LogTable<double> logTable;
    if (threadIdx.x == 0 && threadIdx.y == 0) logTable = makeLogTable<double>();
    __syncthreads();

    const int width = sizes.width, height = sizes.height;
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    int count[kLevels] = {};
    int total = 0;
    for (int wy = max(y - kRadius, 0); wy <= min(y + kRadius, height - 1); ++wy)
        for (int wx = max(x - kRadius, 0); wx <= min(x + kRadius, width - 1); ++wx) {
            ++count[static_cast<int>(sample[at(wx, wy, width)])];
            ++total;
        }

    double sum = 0;
    for (int level = 0; level < kLevels; ++level) sum += count[level] * logTable.ln[count[level]];
    result[at(x, y, width)] = logTable.ln[total] - sum / total;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("sizes_constant", width, height, sample, result);
    const DeviceArray<double> deviceInput = uploadAs<double>(sample, call.cells);
    DeviceArray<double> deviceOutput = poisoned<double>(call.cells);
    const Sizes hostSizes{width, height};
    {
        const std::lock_guard<std::mutex> lock(sizesInUse);
        CUDA_CHECK(cudaMemcpyToSymbol(sizes, &hostSizes, sizeof hostSizes));
        launch(cudaCallbackKernel, grid(width, height), block(), deviceInput.data(),
               deviceOutput.data());
    }
    *result = downloadAsFloat(deviceOutput).release();
}

} // namespace sizes_constant

// ---- the types: int and double (sizes_constant), or short and float ----------------------------

// From sizes_constant: cells and counters short, table, arithmetic and results float: 6 bytes a
// cell in device memory where there were 16. Coordinates stay int: a side may exceed 32767. Float
// is enough: tests/test_memory_study.cpp adds up every possible window in every order. The one
// large gain: counters of half the size, cells of fewer bytes and float arithmetic together.
namespace types_short_float
{

__constant__ Sizes sizes;
static std::mutex sizesInUse; // one pair of sizes for all host threads

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(const short *sample, float *result)
{
    __shared__ LogTable<float> logTable;
    if (threadIdx.x == 0 && threadIdx.y == 0) logTable = makeLogTable<float>();
    __syncthreads();

    const int width = sizes.width, height = sizes.height;
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    short count[kLevels] = {};
    short total = 0;
    for (int wy = max(y - kRadius, 0); wy <= min(y + kRadius, height - 1); ++wy)
        for (int wx = max(x - kRadius, 0); wx <= min(x + kRadius, width - 1); ++wx) {
            ++count[sample[at(wx, wy, width)]];
            ++total;
        }

    float sum = 0;
    for (int level = 0; level < kLevels; ++level) sum += count[level] * logTable.ln[count[level]];
    result[at(x, y, width)] = logTable.ln[total] - sum / total;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("types_short_float", width, height, sample, result);
    const DeviceArray<short> deviceInput = uploadAs<short>(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    const Sizes hostSizes{width, height};
    {
        const std::lock_guard<std::mutex> lock(sizesInUse);
        CUDA_CHECK(cudaMemcpyToSymbol(sizes, &hostSizes, sizeof hostSizes));
        launch(cudaCallbackKernel, grid(width, height), block(), deviceInput.data(),
               deviceOutput.data());
    }
    *result = download(deviceOutput).release();
}

} // namespace types_short_float

// ---- the shape of the blocks -------------------------------------------------------------------

// From types_short_float: blocks of kAcross x kDown threads. The one kernel that versions share:
// nothing in it changes but the two numbers.
namespace
{

__constant__ Sizes sizes;
std::mutex sizesInUse; // one pair of sizes for all host threads

template <int kAcross, int kDown>
__global__ void __launch_bounds__(kAcross *kDown, 1)
    cudaCallbackKernel(const short *sample, float *result)
{
    __shared__ LogTable<float> logTable;
    if (threadIdx.x == 0 && threadIdx.y == 0) logTable = makeLogTable<float>();
    __syncthreads();

    const int width = sizes.width, height = sizes.height;
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    short count[kLevels] = {};
    short total = 0;
    for (int wy = max(y - kRadius, 0); wy <= min(y + kRadius, height - 1); ++wy)
        for (int wx = max(x - kRadius, 0); wx <= min(x + kRadius, width - 1); ++wx) {
            ++count[sample[at(wx, wy, width)]];
            ++total;
        }

    float sum = 0;
    for (int level = 0; level < kLevels; ++level) sum += count[level] * logTable.ln[count[level]];
    result[at(x, y, width)] = logTable.ln[total] - sum / total;
}

template <int kAcross, int kDown>
void callbackInBlocks(const char *version, int width, int height, float *sample, float **result)
{
    const Call call(version, width, height, sample, result);
    const DeviceArray<short> deviceInput = uploadAs<short>(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    const Sizes hostSizes{width, height};
    {
        const std::lock_guard<std::mutex> lock(sizesInUse);
        CUDA_CHECK(cudaMemcpyToSymbol(sizes, &hostSizes, sizeof hostSizes));
        launch(cudaCallbackKernel<kAcross, kDown>, common::gridOf(width, height, kAcross, kDown),
               dim3(kAcross, kDown), deviceInput.data(), deviceOutput.data());
    }
    *result = download(deviceOutput).release();
}

} // namespace

// The same block as types_short_float: what these two differ by is noise.
namespace block_8x8
{

void cudaCallback(int width, int height, float *sample, float **result)
{
    callbackInBlocks<8, 8>("block_8x8", width, height, sample, result);
}

} // namespace block_8x8

// Four times the threads share one filling of the table. No gain over block_8x8.
namespace block_16x16
{

void cudaCallback(int width, int height, float *sample, float **result)
{
    callbackInBlocks<16, 16>("block_16x16", width, height, sample, result);
}

} // namespace block_16x16

// As many threads as a block may have; a warp reads from a single row. Slightly slower than
// block_8x8: with more than 32 registers a thread, a multiprocessor has room for one such block,
// half the threads that it could run.
namespace block_32x32
{

void cudaCallback(int width, int height, float *sample, float **result)
{
    callbackInBlocks<32, 32>("block_32x32", width, height, sample, result);
}

} // namespace block_32x32

// From here on the 1024 threads stand in ever wider and flatter blocks: more warps side by side,
// but always four rows that only the windows reach into: 20 are read here to write 16. No
// difference from block_32x32.
namespace block_64x16
{

void cudaCallback(int width, int height, float *sample, float **result)
{
    callbackInBlocks<64, 16>("block_64x16", width, height, sample, result);
}

} // namespace block_64x16

// Eight rows of 128. No difference.
namespace block_128x8
{

void cudaCallback(int width, int height, float *sample, float **result)
{
    callbackInBlocks<128, 8>("block_128x8", width, height, sample, result);
}

} // namespace block_128x8

// Four rows of 256: the fastest on the GPU of the course. Here no difference.
namespace block_256x4
{

void cudaCallback(int width, int height, float *sample, float **result)
{
    callbackInBlocks<256, 4>("block_256x4", width, height, sample, result);
}

} // namespace block_256x4

// Two rows of 512: each block reads six rows to write two. No difference.
namespace block_512x2
{

void cudaCallback(int width, int height, float *sample, float **result)
{
    callbackInBlocks<512, 2>("block_512x2", width, height, sample, result);
}

} // namespace block_512x2

// ---- the matrices: in device memory (log_none), or in managed memory ---------------------------

namespace
{

using common::ManagedArray;

/// A RowMatrix in managed memory: host and kernels use it by the same pointers.
class ManagedRowMatrix
{
public:
    ManagedRowMatrix(int width, int height)
        : width(width), height(height), slab(at(0, height, width)), rows(height), matrix(1)
    {
        for (int y = 0; y < height; ++y) rows.data()[y] = slab.data() + at(0, y, width);
        *matrix.data() = {width, height, rows.data()};
    }
    const RowMatrix *data() const { return matrix.data(); }
    void fill(const float *sample) { convert(sample, at(0, height, width), slab.data()); }
    void poison() { slab.poison(); }
    void prefetch() const
    {
        slab.prefetch();
        rows.prefetch();
        matrix.prefetch();
    }
    HostArray<float> asFloats() const
    {
        HostArray<float> floats = allocateHost<float>(at(0, height, width));
        convert(slab.data(), at(0, height, width), &floats[0]);
        return floats;
    }

private:
    int width, height;
    ManagedArray<double> slab;
    ManagedArray<double *> rows;
    ManagedArray<RowMatrix> matrix;
};

/// Runs log_none's kernel on matrices that the host has filled; it moves their pages as it touches
/// them. The kernel alone is timed on new matrices each time: elsewhere a repeat finds the pages
/// where the run before has moved them.
template <typename Matrix>
HostArray<float> runOnFirstTouch(int width, int height, const float *sample)
{
    const auto submit = [&](const Matrix &input, const Matrix &output) {
        common::submit(log_none::cudaCallbackKernel, grid(width, height), block(), input.data(),
                       output.data());
    };
    if (common::KernelTimes *times = common::KernelTimes::active()) {
        int device = 0;
        CUDA_CHECK(cudaGetDevice(&device));
        times->record(device, common::repeat([&] {
                          Matrix input(width, height);
                          const Matrix output(width, height);
                          input.fill(sample);
                          common::DeviceClock clock;
                          clock.start();
                          submit(input, output);
                          return clock.stop();
                      }));
        times->describe(common::resourcesOf(log_none::cudaCallbackKernel, block()));
    }
    Matrix input(width, height), output(width, height);
    input.fill(sample);
    output.poison();
    submit(input, output);
    CUDA_CHECK(cudaDeviceSynchronize());
    return output.asFloats();
}

/// Throws where managed memory cannot be used.
void requireManagedMemory()
{
    const std::string why = common::whyNoManagedMemory();
    if (!why.empty()) throw common::Unavailable("cudaCallback " + why);
}

} // namespace

// From log_none: the matrices in managed memory, as the document had all of its versions. Nothing
// is copied by hand: the kernel, the same one, stops at each page that it touches first, until the
// driver has moved it. The kernel takes a multiple of log_none's time for that.
namespace managed
{

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("managed", width, height, sample, result);
    requireManagedMemory();
    *result = runOnFirstTouch<ManagedRowMatrix>(width, height, sample).release();
}

} // namespace managed

// From managed: the pages are moved before the kernel asks for them. What is left of the kernel's
// time is that of log_none.
namespace managed_prefetch
{

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("managed_prefetch", width, height, sample, result);
    requireManagedMemory();
    ManagedRowMatrix input(width, height), output(width, height);
    input.fill(sample);
    output.poison();
    input.prefetch();
    output.prefetch();
    launch(log_none::cudaCallbackKernel, grid(width, height), block(), input.data(), output.data());
    *result = output.asFloats().release();
}

} // namespace managed_prefetch

// From managed: an allocation for each row, as the document had its matrices before it made them
// flat. The kernel takes about as long as managed's, the call a multiple: it is the slowest of all.
namespace rows_alloc
{

class RowByRow
{
public:
    RowByRow(int width, int height) : width(width), rows(height), matrix(1)
    {
        slabs.reserve(height);
        for (int y = 0; y < height; ++y) {
            slabs.emplace_back(width);
            rows.data()[y] = slabs.back().data();
        }
        *matrix.data() = {width, height, rows.data()};
    }
    const RowMatrix *data() const { return matrix.data(); }
    void fill(const float *sample)
    {
        for (ManagedArray<double> &row : slabs) {
            convert(sample, width, row.data());
            sample += width;
        }
    }
    void poison()
    {
        for (ManagedArray<double> &row : slabs) row.poison();
    }
    HostArray<float> asFloats() const
    {
        HostArray<float> floats = allocateHost<float>(slabs.size() * width);
        for (std::size_t y = 0; y < slabs.size(); ++y)
            convert(slabs[y].data(), width, &floats[y * width]);
        return floats;
    }

private:
    std::size_t width;
    std::vector<ManagedArray<double>> slabs;
    ManagedArray<double *> rows;
    ManagedArray<RowMatrix> matrix;
};

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("rows_alloc", width, height, sample, result);
    requireManagedMemory();
    constexpr int kMostRows = 16384; // each is a call of the driver, for each matrix
    if (height > kMostRows)
        throw common::Unavailable("cudaCallback: the array has " + std::to_string(height) +
                                  " rows, at most " + std::to_string(kMostRows) +
                                  " are allocated one by one");
    *result = runOnFirstTouch<RowByRow>(width, height, sample).release();
}

} // namespace rows_alloc

// ---- combined ----------------------------------------------------------------------------------

// From log_none by way of every winner: table in shared memory (log_shared), flat (matrix_flat),
// sizes in constant memory (sizes_constant), short and float, blocks of 256x4. Each was studied on
// the one before, so this is block_256x4 by another name: what the two differ by is noise.
namespace combined
{

void cudaCallback(int width, int height, float *sample, float **result)
{
    callbackInBlocks<256, 4>("combined", width, height, sample, result);
}

} // namespace combined

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
namespace log_none
{ void cudaCallback(int, int, float *, float **) { cannotRun("log_none"); } }
namespace log_global
{ void cudaCallback(int, int, float *, float **) { cannotRun("log_global"); } }
namespace log_private
{ void cudaCallback(int, int, float *, float **) { cannotRun("log_private"); } }
namespace log_shared
{ void cudaCallback(int, int, float *, float **) { cannotRun("log_shared"); } }
namespace log_constant
{ void cudaCallback(int, int, float *, float **) { cannotRun("log_constant"); } }
namespace matrix_flat
{ void cudaCallback(int, int, float *, float **) { cannotRun("matrix_flat"); } }
namespace sizes_global
{ void cudaCallback(int, int, float *, float **) { cannotRun("sizes_global"); } }
namespace sizes_constant
{ void cudaCallback(int, int, float *, float **) { cannotRun("sizes_constant"); } }
namespace types_short_float
{ void cudaCallback(int, int, float *, float **) { cannotRun("types_short_float"); } }
namespace block_8x8
{ void cudaCallback(int, int, float *, float **) { cannotRun("block_8x8"); } }
namespace block_16x16
{ void cudaCallback(int, int, float *, float **) { cannotRun("block_16x16"); } }
namespace block_32x32
{ void cudaCallback(int, int, float *, float **) { cannotRun("block_32x32"); } }
namespace block_64x16
{ void cudaCallback(int, int, float *, float **) { cannotRun("block_64x16"); } }
namespace block_128x8
{ void cudaCallback(int, int, float *, float **) { cannotRun("block_128x8"); } }
namespace block_256x4
{ void cudaCallback(int, int, float *, float **) { cannotRun("block_256x4"); } }
namespace block_512x2
{ void cudaCallback(int, int, float *, float **) { cannotRun("block_512x2"); } }
namespace managed
{ void cudaCallback(int, int, float *, float **) { cannotRun("managed"); } }
namespace managed_prefetch
{ void cudaCallback(int, int, float *, float **) { cannotRun("managed_prefetch"); } }
namespace rows_alloc
{ void cudaCallback(int, int, float *, float **) { cannotRun("rows_alloc"); } }
namespace combined
{ void cudaCallback(int, int, float *, float **) { cannotRun("combined"); } }
// clang-format on

#endif

// ---- OpenMP ------------------------------------------------------------------------------------

// From combined: one iteration a cell where the GPU has a thread, on all threads there are (the
// document's machine had 12). The table is private to the code, as constants. End to end, where
// there are many threads, ahead of all of the above: no cell travels to a GPU.
namespace openmp
{

static float cudaCallbackKernel(int width, int height, const float *sample, int x, int y)
{
    static constexpr LogTable<float> logTable = makeLogTable<float>();

    short count[kLevels] = {};
    short total = 0;
    for (int wy = std::max(y - kRadius, 0); wy <= std::min(y + kRadius, height - 1); ++wy)
        for (int wx = std::max(x - kRadius, 0); wx <= std::min(x + kRadius, width - 1); ++wx) {
            ++count[static_cast<int>(sample[at(wx, wy, width)])];
            ++total;
        }

    float sum = 0;
    for (int level = 0; level < kLevels; ++level) sum += count[level] * logTable.ln[count[level]];
    return logTable.ln[total] - sum / total;
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
    static const std::string noManaged = common::whyNoManagedMemory();
    constexpr Platform cuda = Platform::Cuda, openMp = Platform::OpenMp;
    static const std::vector<Version> table = {
        {"log_none", cuda, "baseline: row pointers, double, 8x8", log_none::cudaCallback, noGpu},
        {"log_global", cuda, "log_none + table in global memory", log_global::cudaCallback, noGpu},
        {"log_private", cuda, "log_none + table in each thread", log_private::cudaCallback, noGpu},
        {"log_shared", cuda, "log_none + table in shared memory", log_shared::cudaCallback, noGpu},
        {"log_constant", cuda, "log_none + table in constant memory", log_constant::cudaCallback,
         noGpu},
        {"matrix_flat", cuda, "log_shared + one flat array", matrix_flat::cudaCallback, noGpu},
        {"sizes_global", cuda, "matrix_flat + sizes in global memory", sizes_global::cudaCallback,
         noGpu},
        {"sizes_constant", cuda, "matrix_flat + sizes in constant memory",
         sizes_constant::cudaCallback, noGpu},
        {"types_short_float", cuda, "sizes_constant + short and float",
         types_short_float::cudaCallback, noGpu},
        {"block_8x8", cuda, "types_short_float, the same again", block_8x8::cudaCallback, noGpu},
        {"block_16x16", cuda, "types_short_float + 16x16", block_16x16::cudaCallback, noGpu},
        {"block_32x32", cuda, "types_short_float + 32x32", block_32x32::cudaCallback, noGpu},
        {"block_64x16", cuda, "types_short_float + 64x16", block_64x16::cudaCallback, noGpu},
        {"block_128x8", cuda, "types_short_float + 128x8", block_128x8::cudaCallback, noGpu},
        {"block_256x4", cuda, "types_short_float + 256x4", block_256x4::cudaCallback, noGpu},
        {"block_512x2", cuda, "types_short_float + 512x2", block_512x2::cudaCallback, noGpu},
        {"managed", cuda, "log_none + managed memory", managed::cudaCallback, noManaged},
        {"managed_prefetch", cuda, "managed + pages moved before", managed_prefetch::cudaCallback,
         noManaged},
        {"rows_alloc", cuda, "managed + an allocation a row", rows_alloc::cudaCallback, noManaged},
        {"combined", cuda, "all winners: block_256x4 again", combined::cudaCallback, noGpu},
        {"openmp", openMp, "combined on the CPU", openmp::cudaCallback, none},
    };
    return table;
}

int entropy::loadTimeFailures() { return benchmarkFailures(); }

// ---- load time ---------------------------------------------------------------------------------

// These run before main. ENTROPY_BENCHMARK=0 in the environment skips them.
static entropy::WarmUP warm_up(1, 1);
static entropy::Benchmark benchmark1024(1024, 1024), benchmark4096(4096, 4096),
    benchmark8192(8192, 512);

// ---- the switch --------------------------------------------------------------------------------

#ifndef VERSION
#define VERSION combined // the active version: edit this line, or `make CORE=... VERSION=openmp`
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
