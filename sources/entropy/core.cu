// The ladder: versions v0 to v17 of the 5x5 windowed entropy, each in a namespace of its own with
// its own cudaCallback (contract: core.h). From top to bottom: what the versions share; v0 to v9
// (CUDA); v10 to v13 (OpenMP); v14 (both); v15 to v17 (the engine); the table of versions; the
// objects that run at load time; the switch that picks the active version. To compare two versions,
// diff two namespaces. Verdicts in a lead comment are those of 10240x10240 random cells on an H200:
// the kernel alone for v0 to v9 and v15, end to end for the others. The times are in report.md.
//
// All use the identity  H = -sum p ln p = ln N - (1/N) sum n ln n  with N cells in the window and
// n of them at a level, so that only ln 1 .. ln 25 occur.

#include "entropy/core.h"

#include "common/devices.h"
#include "common/host_array.h"
#include "common/machine.h"
#include "common/threads.h"
#include "entropy/benchmark.h"
#include "entropy/call.h"
#include "entropy/library.h"
#include "entropy/log_table.h"
#include "entropy/result_memory.h"
#include "entropy/window.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <omp.h>

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/device_texture.h"
#include "common/grid.h"
#include "common/launch.h"
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

// ---- v0 to v9: CUDA ----------------------------------------------------------------------------

#ifdef __CUDACC__

namespace
{

using common::DeviceArray;
using common::download;
using common::launch;
using common::poisoned;
using common::upload;

// 32x32 threads, the most that a block may have: 6400 blocks at 2560x2560. A kernel that needs more
// than the 64 registers a thread that such a block leaves compiles, but never launches: hence
// __launch_bounds__. Its second number, one block on a multiprocessor, matters too: left out, the
// compiler squeezes v1 to v5, v7 and v9 into 32 registers: v2 to v5 then run as fast as v0, but v1,
// v7 and v9 spill, and v9 suffers most.
constexpr int kBlockSide = 32;
constexpr int kBlockThreads = kBlockSide * kBlockSide;

dim3 block() { return dim3(kBlockSide, kBlockSide); }

// Folded: CUDA's grids are 65535 blocks high at most, so a block's row has two coordinates, and a
// kernel finds it at blockIdx.z * gridDim.y + blockIdx.y.
dim3 grid(int width, int height)
{
    return common::foldedGridOf(width, height, kBlockSide, kBlockSide);
}

} // namespace

// Baseline. One thread a cell: counts the levels in its window, reading 25 cells from global
// memory, then takes up to 17 logarithms in double precision.
namespace v0
{

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(int width, int height, const float *sample, float *result)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    int count[kLevels] = {};
    int total = 0;
    for (int wy = max(y - kRadius, 0); wy <= min(y + kRadius, height - 1); ++wy)
        for (int wx = max(x - kRadius, 0); wx <= min(x + kRadius, width - 1); ++wx) {
            ++count[static_cast<int>(sample[at(wx, wy, width)])];
            ++total;
        }

    double sum = 0;
    for (int level = 0; level < kLevels; ++level)
        if (count[level] > 0) sum += count[level] * log(static_cast<double>(count[level]));
    result[at(x, y, width)] = static_cast<float>(log(static_cast<double>(total)) - sum / total);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("v0", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(width, height), block(), width, height, deviceInput.data(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace v0

// From v0: a table of ln 0 .. ln 25, private to each thread. A private array that is indexed at run
// time cannot stay in registers: every thread stores its copy to local memory first. Slower than
// v0.
namespace v1
{

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(int width, int height, const float *sample, float *result)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const LogTable<double> logTable = makeLogTable<double>();

    int count[kLevels] = {};
    int total = 0;
    for (int wy = max(y - kRadius, 0); wy <= min(y + kRadius, height - 1); ++wy)
        for (int wx = max(x - kRadius, 0); wx <= min(x + kRadius, width - 1); ++wx) {
            ++count[static_cast<int>(sample[at(wx, wy, width)])];
            ++total;
        }

    double sum = 0;
    for (int level = 0; level < kLevels; ++level) sum += count[level] * logTable.ln[count[level]];
    result[at(x, y, width)] = static_cast<float>(logTable.ln[total] - sum / total);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("v1", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(width, height), block(), width, height, deviceInput.data(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace v1

// From v0: the table in shared memory, one for a block. Shared memory cannot be initialised, so the
// block's first 26 threads fill it, and all wait for them, also those without a cell. Faster than
// v1, but still a little slower than v0.
namespace v2
{

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(int width, int height, const float *sample, float *result)
{
    __shared__ LogTable<double> logTable;
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    if (thread <= kWindowCells)
        logTable.ln[thread] = thread == 0 ? 0 : log(static_cast<double>(thread));
    __syncthreads();

    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
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
    result[at(x, y, width)] = static_cast<float>(logTable.ln[total] - sum / total);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("v2", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(width, height), block(), width, height, deviceInput.data(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace v2

// From v0: the table in constant memory. Its cache serves one address a cycle to a warp, and the
// threads of a warp ask for different ones. No gain over v2.
namespace v3
{

__constant__ LogTable<double> logTable = makeLogTable<double>();

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(int width, int height, const float *sample, float *result)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
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
    result[at(x, y, width)] = static_cast<float>(logTable.ln[total] - sum / total);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("v3", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(width, height), block(), width, height, deviceInput.data(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace v3

// From v0: the table in device (global) memory, left to the caches. No gain over v2 and v3.
namespace v4
{

__device__ LogTable<double> logTable = makeLogTable<double>();

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(int width, int height, const float *sample, float *result)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
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
    result[at(x, y, width)] = static_cast<float>(logTable.ln[total] - sum / total);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("v4", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(width, height), block(), width, height, deviceInput.data(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace v4

// From v4: the table is read through a texture. A texel has no double, so the table is float; the
// arithmetic stays double. A texture must begin at a multiple of 512 bytes: cudaMalloc's arrays do,
// __device__ variables need not. Hardly a gain over v4, still behind v0.
namespace v5
{

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(int width, int height, const float *sample, cudaTextureObject_t logTexture,
                       float *result)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    int count[kLevels] = {};
    int total = 0;
    for (int wy = max(y - kRadius, 0); wy <= min(y + kRadius, height - 1); ++wy)
        for (int wx = max(x - kRadius, 0); wx <= min(x + kRadius, width - 1); ++wx) {
            ++count[static_cast<int>(sample[at(wx, wy, width)])];
            ++total;
        }

    double sum = 0;
    for (int level = 0; level < kLevels; ++level)
        sum += count[level] * static_cast<double>(tex1Dfetch<float>(logTexture, count[level]));
    result[at(x, y, width)] =
        static_cast<float>(tex1Dfetch<float>(logTexture, total) - sum / total);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("v5", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    DeviceArray<float> deviceLogs = upload(makeLogTable<float>().ln, kWindowCells + 1);
    const common::Texture logTexture(common::linearResource(deviceLogs.data(), deviceLogs.size()));
    launch(cudaCallbackKernel, grid(width, height), block(), width, height, deviceInput.data(),
           logTexture.get(), deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace v5

// From v1: counters of one byte instead of four; a count is 25 at most. Local memory is laid out
// word by word: word i of all 32 threads of a warp is one line of cache. When each thread
// increments another counter, sixteen ints are up to sixteen lines to touch, sixteen bytes at most
// four. Much faster than v1, and the first to beat v0.
namespace v6
{

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(int width, int height, const float *sample, float *result)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const LogTable<double> logTable = makeLogTable<double>();

    signed char count[kLevels] = {};
    int total = 0;
    for (int wy = max(y - kRadius, 0); wy <= min(y + kRadius, height - 1); ++wy)
        for (int wx = max(x - kRadius, 0); wx <= min(x + kRadius, width - 1); ++wx) {
            ++count[static_cast<int>(sample[at(wx, wy, width)])];
            ++total;
        }

    double sum = 0;
    for (int level = 0; level < kLevels; ++level) sum += count[level] * logTable.ln[count[level]];
    result[at(x, y, width)] = static_cast<float>(logTable.ln[total] - sum / total);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("v6", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(width, height), block(), width, height, deviceInput.data(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace v6

// From v6: a float table, half the size; the arithmetic stays double (mixed precision). A little
// faster than v6: the fastest kernel of v0 to v9.
namespace v7
{

__global__ void __launch_bounds__(kBlockThreads, 1)
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
    const Call call("v7", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(width, height), block(), width, height, deviceInput.data(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace v7

// From v7: the input is read through a 2-D texture, stored so that neighbours in both directions
// are close in memory; + 0.5f is the centre of a texel. No gain over v7.
namespace v8
{

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(int width, int height, cudaTextureObject_t sample, float *result)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const LogTable<float> logTable = makeLogTable<float>();

    signed char count[kLevels] = {};
    int total = 0;
    for (int wy = max(y - kRadius, 0); wy <= min(y + kRadius, height - 1); ++wy)
        for (int wx = max(x - kRadius, 0); wx <= min(x + kRadius, width - 1); ++wx) {
            ++count[static_cast<int>(tex2D<float>(sample, wx + 0.5f, wy + 0.5f))];
            ++total;
        }

    double sum = 0;
    for (int level = 0; level < kLevels; ++level)
        sum += count[level] * static_cast<double>(logTable.ln[count[level]]);
    result[at(x, y, width)] = static_cast<float>(logTable.ln[total] - sum / total);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("v8", width, height, sample, result);
    const common::TextureArray deviceInput(sample, width, height);
    const common::Texture inputTexture(deviceInput.resource());
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(width, height), block(), width, height, inputTexture.get(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace v8

// From v7: the input tile in shared memory. 32x32 threads load a cell each, the inner 28x28 write:
// 1.3 global reads a cell instead of 25, but 240 threads of 1024 only load, and all wait for the
// slowest. Slower than v7.
namespace v9
{

constexpr int kTileSide = kBlockSide - 2 * kRadius; // cells that a block writes, each way

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(int width, int height, const float *sample, float *result)
{
    __shared__ float tile[kBlockSide][kBlockSide];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = static_cast<int>(blockIdx.x) * kTileSide + tx - kRadius;
    const int y = static_cast<int>(blockIdx.z * gridDim.y + blockIdx.y) * kTileSide + ty - kRadius;
    const bool inside = x >= 0 && x < width && y >= 0 && y < height;
    if (inside) tile[ty][tx] = sample[at(x, y, width)];
    __syncthreads();

    const bool inner = tx >= kRadius && tx < kRadius + kTileSide && //
                       ty >= kRadius && ty < kRadius + kTileSide;
    if (!inside || !inner) return;
    const LogTable<float> logTable = makeLogTable<float>();

    signed char count[kLevels] = {};
    int total = 0;
    for (int wy = max(y - kRadius, 0); wy <= min(y + kRadius, height - 1); ++wy)
        for (int wx = max(x - kRadius, 0); wx <= min(x + kRadius, width - 1); ++wx) {
            ++count[static_cast<int>(tile[wy - y + ty][wx - x + tx])];
            ++total;
        }

    double sum = 0;
    for (int level = 0; level < kLevels; ++level)
        sum += count[level] * static_cast<double>(logTable.ln[count[level]]);
    result[at(x, y, width)] = static_cast<float>(logTable.ln[total] - sum / total);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("v9", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, common::foldedGridOf(width, height, kTileSide, kTileSide), block(),
           width, height, deviceInput.data(), deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace v9

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
namespace v0 { void cudaCallback(int, int, float *, float **) { cannotRun("v0"); } }
namespace v1 { void cudaCallback(int, int, float *, float **) { cannotRun("v1"); } }
namespace v2 { void cudaCallback(int, int, float *, float **) { cannotRun("v2"); } }
namespace v3 { void cudaCallback(int, int, float *, float **) { cannotRun("v3"); } }
namespace v4 { void cudaCallback(int, int, float *, float **) { cannotRun("v4"); } }
namespace v5 { void cudaCallback(int, int, float *, float **) { cannotRun("v5"); } }
namespace v6 { void cudaCallback(int, int, float *, float **) { cannotRun("v6"); } }
namespace v7 { void cudaCallback(int, int, float *, float **) { cannotRun("v7"); } }
namespace v8 { void cudaCallback(int, int, float *, float **) { cannotRun("v8"); } }
namespace v9 { void cudaCallback(int, int, float *, float **) { cannotRun("v9"); } }
// clang-format on

#endif

// ---- v10 to v13: OpenMP ------------------------------------------------------------------------

// Baseline on the CPU, like v0: one iteration a cell. Both loops are shared out as one, so that a
// wide and flat array keeps every thread busy too.
namespace v10
{

static float cudaCallbackKernel(int width, int height, const float *sample, int x, int y)
{
    int count[kLevels] = {};
    int total = 0;
    for (int wy = std::max(y - kRadius, 0); wy <= std::min(y + kRadius, height - 1); ++wy)
        for (int wx = std::max(x - kRadius, 0); wx <= std::min(x + kRadius, width - 1); ++wx) {
            ++count[static_cast<int>(sample[at(wx, wy, width)])];
            ++total;
        }

    double sum = 0;
    for (int level = 0; level < kLevels; ++level)
        if (count[level] > 0) sum += count[level] * std::log(static_cast<double>(count[level]));
    return static_cast<float>(std::log(static_cast<double>(total)) - sum / total);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("v10", width, height, sample, result);
    HostArray<float> output = allocateHost<float>(call.cells);
#pragma omp parallel for collapse(2) schedule(static) num_threads(common::threadsFor(call.cells))
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x)
            output[y * width + x] = cudaCallbackKernel(width, height, sample, x, y);
    *result = output.release();
}

} // namespace v10

// From v10: a table of ln 0 .. ln 25, like v1. Here it is one table for all, in the cache: the step
// that hurt the GPU is the largest gain of v10 to v13.
namespace v11
{

static float cudaCallbackKernel(int width, int height, const float *sample, int x, int y)
{
    static constexpr LogTable<double> logTable = makeLogTable<double>();

    int count[kLevels] = {};
    int total = 0;
    for (int wy = std::max(y - kRadius, 0); wy <= std::min(y + kRadius, height - 1); ++wy)
        for (int wx = std::max(x - kRadius, 0); wx <= std::min(x + kRadius, width - 1); ++wx) {
            ++count[static_cast<int>(sample[at(wx, wy, width)])];
            ++total;
        }

    double sum = 0;
    for (int level = 0; level < kLevels; ++level) sum += count[level] * logTable.ln[count[level]];
    return static_cast<float>(logTable.ln[total] - sum / total);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("v11", width, height, sample, result);
    HostArray<float> output = allocateHost<float>(call.cells);
#pragma omp parallel for collapse(2) schedule(static) num_threads(common::threadsFor(call.cells))
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x)
            output[y * width + x] = cudaCallbackKernel(width, height, sample, x, y);
    *result = output.release();
}

} // namespace v11

// From v11: counters of one byte and a float table, like v7; the arithmetic stays double. No
// gain over v11 that can be told.
namespace v12
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
    const Call call("v12", width, height, sample, result);
    HostArray<float> output = allocateHost<float>(call.cells);
#pragma omp parallel for collapse(2) schedule(static) num_threads(common::threadsFor(call.cells))
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x)
            output[y * width + x] = cudaCallbackKernel(width, height, sample, x, y);
    *result = output.release();
}

} // namespace v12

// From v12: sixteen 2-D prefix sums first, then four reads a level give its count in any window: 64
// reads a cell where v12 has 25, and 64 bytes a cell to write twice first. It could win with larger
// windows or fewer levels. Slower than v11 and v12.
namespace v13
{

// prefix[(y * (width + 1) + x) * kLevels + level]: cells of that level above row y and left of
// column x. The levels of one corner lie side by side, a cache line of counts. Counts may wrap
// around at 2^32: their differences stay right.
using Count = std::uint32_t;

static HostArray<Count> prefixSums(int width, int height, const float *sample, int threads)
{
    const std::int64_t pitch = (static_cast<std::int64_t>(width) + 1) * kLevels;
    std::size_t bytes = 0;
    const bool fits = !__builtin_mul_overflow(pitch * sizeof(Count), height + 1ULL, &bytes);
    const std::size_t available = common::availableMemory();
    if (!fits) throw common::Unavailable("cudaCallback: the prefix sums need more than 2^64 bytes");
    const std::size_t result = at(0, height, width) * sizeof(float); // is taken after them
    if (bytes > available || result > available - bytes)
        throw common::Unavailable("cudaCallback: the prefix sums need " +
                                  std::to_string(bytes >> 20) + " MiB and the result " +
                                  std::to_string(result >> 20) + " MiB, " +
                                  std::to_string(available >> 20) + " MiB are available");
    HostArray<Count> prefix = allocateHost<Count>(bytes / sizeof(Count));
    std::fill_n(&prefix[0], pitch, Count(0));

#pragma omp parallel for schedule(static) num_threads(threads)
    for (int y = 0; y < height; ++y) { // along each row
        Count *sums = &prefix[(y + std::int64_t(1)) * pitch];
        std::fill_n(sums, kLevels, Count(0));
        for (int x = 0; x < width; ++x, sums += kLevels) {
            std::memcpy(sums + kLevels, sums, kLevels * sizeof(Count));
            ++sums[kLevels + static_cast<int>(sample[at(x, y, width)])];
        }
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int part = 0; part < threads; ++part) // down the columns, a range of them a thread
        for (int y = 0; y < height; ++y) {
            const Count *above = &prefix[y * pitch];
            Count *sums = &prefix[(y + std::int64_t(1)) * pitch];
            for (auto i = pitch * part / threads; i < pitch * (part + 1) / threads; ++i)
                sums[i] += above[i];
        }
    return prefix;
}

static float cudaCallbackKernel(int width, int height, const Count *prefix, int x, int y)
{
    static constexpr LogTable<float> logTable = makeLogTable<float>();
    const int left = std::max(x - kRadius, 0), right = std::min(x + kRadius + 1, width);
    const int top = std::max(y - kRadius, 0), bottom = std::min(y + kRadius + 1, height);
    const Count *topLeft = &prefix[at(left, top, width + 1) * kLevels];
    const Count *topRight = &prefix[at(right, top, width + 1) * kLevels];
    const Count *bottomLeft = &prefix[at(left, bottom, width + 1) * kLevels];
    const Count *bottomRight = &prefix[at(right, bottom, width + 1) * kLevels];

    const int total = (right - left) * (bottom - top);
    double sum = 0;
    for (int level = 0; level < kLevels; ++level) {
        const int count = static_cast<int>(bottomRight[level] - bottomLeft[level] -
                                           topRight[level] + topLeft[level]);
        sum += count * static_cast<double>(logTable.ln[count]);
    }
    return static_cast<float>(logTable.ln[total] - sum / total);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("v13", width, height, sample, result);
    const int threads = common::threadsFor(call.cells);
    const HostArray<Count> prefix = prefixSums(width, height, sample, threads);
    HostArray<float> output = allocateHost<float>(call.cells);
#pragma omp parallel for collapse(2) schedule(static) num_threads(threads)
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x)
            output[y * width + x] = cudaCallbackKernel(width, height, prefix.get(), x, y);
    *result = output.release();
}

} // namespace v13

// ---- v14: OpenMP and all GPUs ------------------------------------------------------------------

// From v7 and v12: the rows are split among all GPUs, one host thread and one call of v7 each. A
// part reads kRadius rows more at each inner edge, and throws their results away. With one GPU it
// is v7, the same code; without any, or with fewer cells than a GPU runs threads, v12. That
// threshold of the source document holds beside many cores and fails beside few. Each part is
// copied twice: see rows_back in variants_study.
namespace v14
{

/// The rows in `parts` parts, dealt to the GPUs in turn; fills output[0 .. width * height).
void cudaCallbackParts(int width, int height, float *sample, float *output, int parts)
{
    const int devices = std::max(common::deviceCount(), 1); // without one, GPU 0 fails and says why
    const std::string caller = common::ErrorScope::prefix(); // which other threads do not have
    common::FirstError error;
#pragma omp parallel for schedule(static, 1) num_threads(parts)
    for (int part = 0; part < parts; ++part)
        error.guard([&] {
            const int device = part % devices;
            const common::ErrorScope scope((omp_get_thread_num() ? caller : "") + "GPU " +
                                           std::to_string(device));
            const common::DeviceScope current(device);
            const int begin = static_cast<int>(std::int64_t(height) * part / parts);
            const int end = static_cast<int>(std::int64_t(height) * (part + 1) / parts);
            if (begin == end) return; // more parts than rows
            const int haloBegin = std::max(begin - kRadius, 0);
            const int haloEnd = std::min(end + kRadius, height);
            float *rows = nullptr;
            v7::cudaCallback(width, haloEnd - haloBegin, sample + at(0, haloBegin, width), &rows);
            const HostArray<float> partOutput(rows);
            std::copy_n(rows + at(0, begin - haloBegin, width), at(0, end - begin, width),
                        output + at(0, begin, width));
        });
    error.rethrow();
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("v14", width, height, sample, result);
    const int devices = common::deviceCount();
    if (devices == 0 || static_cast<long long>(call.cells) < common::residentThreads(0))
        return v12::cudaCallback(width, height, sample, result);
    if (devices == 1) return v7::cudaCallback(width, height, sample, result);

    HostArray<float> output = allocateHost<float>(call.cells);
    cudaCallbackParts(width, height, sample, output.get(), devices);
    *result = output.release();
}

} // namespace v14

// ---- v15: the engine on one GPU ----------------------------------------------------------------

// From v7: packed counters, sliding down the columns in registers, and one lookup of the exact
// answer: sources/local_entropy/methods/words/walk.h tells how. The kernel takes little longer than
// a copy of the floats within the device, and a small part of a call. The GPU alone computes; all
// cores pack its cells into bytes, and copy results that have arrived to their place.
namespace v15
{

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("v15", width, height, sample, result);
    HostArray<float> output = entropy::allocateResult(call.cells);
    entropy::computeByLibrary(entropy::Machine::Gpu, width, height, sample, output.get());
    *result = output.release();
}

} // namespace v15

// ---- v16: the engine on the CPU -----------------------------------------------------------------

// From v12: cells become bits. Full adders made of SIMD instructions count 512 cells at once, and
// the counts index a table of exact answers: sources/local_entropy/methods/bits/kernel.h tells how.
// The largest gain of all, end to end.
namespace v16
{

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("v16", width, height, sample, result);
    HostArray<float> output = entropy::allocateResult(call.cells);
    entropy::computeByLibrary(entropy::Machine::Cpu, width, height, sample, output.get());
    *result = output.release();
}

} // namespace v16

// ---- v17: the engine everywhere ----------------------------------------------------------------

// From v15 and v16: tiles for whoever is cheaper. Each thread sends a tile through a GPU, if that
// costs it less time than computing the tile: sources/local_entropy/schedule/everywhere.h tells
// how. Small arrays never leave the CPU; without a GPU it is v16. No faster than v16 where the
// cores are many and fast: then the CPU does almost all of it.
namespace v17
{

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("v17", width, height, sample, result);
    HostArray<float> output = entropy::allocateResult(call.cells);
    entropy::computeByLibrary(entropy::Machine::Everything, width, height, sample, output.get());
    *result = output.release();
}

} // namespace v17

// ---- the table of versions ---------------------------------------------------------------------

const std::vector<entropy::Version> &entropy::versions()
{
    static const std::string none, noGpu = common::whyNoDevice();
    constexpr Platform cuda = Platform::Cuda, openMp = Platform::OpenMp, both = Platform::Both;
    static const std::vector<Version> table = {
        {"v0", cuda, "baseline: a thread a cell, int counters", v0::cudaCallback, noGpu},
        {"v1", cuda, "v0 + log table in each thread", v1::cudaCallback, noGpu},
        {"v2", cuda, "v0 + log table in shared memory", v2::cudaCallback, noGpu},
        {"v3", cuda, "v0 + log table in constant memory", v3::cudaCallback, noGpu},
        {"v4", cuda, "v0 + log table in global memory", v4::cudaCallback, noGpu},
        {"v5", cuda, "v4 + log table through a texture", v5::cudaCallback, noGpu},
        {"v6", cuda, "v1 + counters of one byte", v6::cudaCallback, noGpu},
        {"v7", cuda, "v6 + float table, double arithmetic", v7::cudaCallback, noGpu},
        {"v8", cuda, "v7 + input through a 2-D texture", v8::cudaCallback, noGpu},
        {"v9", cuda, "v7 + input tile in shared memory", v9::cudaCallback, noGpu},
        {"v10", openMp, "baseline on the CPU, like v0", v10::cudaCallback, none},
        {"v11", openMp, "v10 + log table", v11::cudaCallback, none},
        {"v12", openMp, "v11 + byte counters, float table", v12::cudaCallback, none},
        {"v13", openMp, "v12 + sixteen 2-D prefix sums", v13::cudaCallback, none},
        {"v14", both, "v7 on all GPUs, v12 when small", v14::cudaCallback, none},
        {"v15", cuda, "packed counters, exact table", v15::cudaCallback, noGpu},
        {"v16", openMp, "bit-sliced SIMD, exact table", v16::cudaCallback, none},
        {"v17", both, "v15 and v16 share the tiles", v17::cudaCallback, none},
    };
    return table;
}

int entropy::loadTimeFailures() { return benchmarkFailures(); }

// ---- load time ---------------------------------------------------------------------------------

// These run before main. ENTROPY_BENCHMARK=0 in the environment skips them. The
// kernels of the library are known by now (Makefile: REGISTER_EARLY).
static entropy::WarmUP warm_up(1, 1);
static entropy::Benchmark benchmark400(400, 400), benchmark2560(2560, 2560),
    benchmark10240(10240, 10240);

// ---- the switch --------------------------------------------------------------------------------

#ifndef VERSION
#define VERSION v17 // the active version: edit this line, or build with `make VERSION=v3`
#endif
namespace active = VERSION; // an error here: there is no such version

void cudaCallback(int width, int height, float *sample, float **result)
{
    entropy::callVersion(active::cudaCallback, entropy::activeVersion, width, height, sample,
                         result);
}

const char *entropy::activeVersion()
{
    for (const Version &version : versions())
        if (version.callback == active::cudaCallback) return version.name;
    return "a version that is not in the table";
}
