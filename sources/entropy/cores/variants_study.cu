// The variants study: what the document behind the ladder claims of its best kernel, v7, or leaves
// for later. Each namespace is one version with its own cudaCallback (contract: core.h). From top
// to bottom: what the versions share; v7 as it is; its table elsewhere; its arithmetic in float;
// its array in parts; OpenMP; the table of versions; the load-time objects; the switch.
//
// Every version but the last differs from start, or from rows, in one thing. All use the identity
// H = ln N - (1/N) sum n ln n  of core.cu. The times are in report.md.

#include "entropy/core.h"

#include "common/devices.h"
#include "common/host_array.h"
#include "common/threads.h"
#include "entropy/benchmark.h"
#include "entropy/call.h"
#include "entropy/log_table.h"
#include "entropy/split.h"
#include "entropy/window.h"

#include <algorithm>
#include <cstdint>
#include <mutex>

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
using entropy::kWindowCells;
using entropy::Part;
using entropy::Range;

// The blocks and the folded grid of core.cu.
constexpr int kBlockSide = 32;
constexpr int kBlockThreads = kBlockSide * kBlockSide;

dim3 block() { return dim3(kBlockSide, kBlockSide); }

dim3 grid(int width, int height)
{
    return common::foldedGridOf(width, height, kBlockSide, kBlockSide);
}

/// Parts that an array is split into: one for each GPU, but two on a single one.
int partCount() { return std::max(2, common::deviceCount()); }

std::mutex turns; // of the parts, while kernels are timed

/// Calls work(part) for every part: each on a host thread of its own, the GPUs in turn. While
/// kernels are timed, one part at a time: two on one GPU would each count the other's work too.
template <typename Work>
void forEachPart(int parts, Work work)
{
    const int devices = common::deviceCount();
    if (devices == 0) throw common::Unavailable("cudaCallback " + common::whyNoDevice());
    const std::string caller = common::ErrorScope::prefix();
    common::FirstError error;
#pragma omp parallel for schedule(static, 1) num_threads(parts)
    for (int part = 0; part < parts; ++part)
        error.guard([&] {
            const int device = part % devices;
            const common::ErrorScope scope((omp_get_thread_num() ? caller : "") + "GPU " +
                                           std::to_string(device));
            const common::DeviceScope current(device);
            std::unique_lock<std::mutex> turn(turns, std::defer_lock);
            if (common::KernelTimes::active()) turn.lock();
            work(part);
        });
    error.rethrow();
}

} // namespace

// ---- v7 as it is -------------------------------------------------------------------------------

// v7 of core.cu, the same code: one thread a cell, counters of one byte, a float table private to
// each thread, arithmetic in double.
namespace start
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
    const Call call("start", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(width, height), block(), width, height, deviceInput.data(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace start

// ---- the log table: private to each thread (start), or elsewhere -------------------------------

// From start: the table in shared memory, one for a block, filled by the block's first 26 threads.
// Claim of the document: on v7 this loses, other than v2 on v0. It wins here, at every size: no
// thread has a table of its own to store to local memory.
namespace table_shared
{

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(int width, int height, const float *sample, float *result)
{
    __shared__ LogTable<float> logTable;
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    if (thread <= kWindowCells)
        logTable.ln[thread] =
            thread == 0 ? 0 : static_cast<float>(log(static_cast<double>(thread)));
    __syncthreads();

    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

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
    const Call call("table_shared", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(width, height), block(), width, height, deviceInput.data(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace table_shared

// From start: the table in constant memory. Its cache serves one address a cycle to a warp, and the
// threads of a warp ask for different ones. Claim of the document: a loss. Here it is a gain, about
// as large as that of table_shared.
namespace table_constant
{

__constant__ LogTable<float> logTable = makeLogTable<float>();

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(int width, int height, const float *sample, float *result)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

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
    const Call call("table_constant", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(width, height), block(), width, height, deviceInput.data(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace table_constant

// From start: the table in device (global) memory, left to the caches. Gains as much as
// table_shared: what counts is that the table leaves local memory, hardly where it goes.
namespace table_global
{

__device__ LogTable<float> logTable = makeLogTable<float>();

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(int width, int height, const float *sample, float *result)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

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
    const Call call("table_global", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(width, height), block(), width, height, deviceInput.data(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace table_global

// From table_global: the table is read through a texture, like v5. Claim of the document: what won
// for v5 loses here, so that it was never the mixed precision that won there. Here it gains as much
// as the other places.
namespace table_texture
{

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(int width, int height, const float *sample, cudaTextureObject_t logTexture,
                       float *result)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    signed char count[kLevels] = {};
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
    const Call call("table_texture", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    DeviceArray<float> deviceLogs = upload(makeLogTable<float>().ln, kWindowCells + 1);
    const common::Texture logTexture(common::linearResource(deviceLogs.data(), deviceLogs.size()));
    launch(cudaCallbackKernel, grid(width, height), block(), width, height, deviceInput.data(),
           logTexture.get(), deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace table_texture

// ---- the arithmetic: double (start), or float --------------------------------------------------

// From start: the arithmetic in float too. Claim of the document: hardly faster, and wrong from the
// fourth decimal on. It is a little faster at every size. The second half does not hold:
// tests/test_variants_study.cpp adds up every possible window in every order, and five decimals
// stay right.
namespace float_only
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

    float sum = 0;
    for (int level = 0; level < kLevels; ++level) sum += count[level] * logTable.ln[count[level]];
    result[at(x, y, width)] = logTable.ln[total] - sum / total;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("float_only", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(width, height), block(), width, height, deviceInput.data(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace float_only

// From float_only: the one division by __fdividef, which the document recommends: within two units
// in the last place instead of exactly rounded, in two instructions instead of a routine. No faster
// than float_only: one division a cell is not what the kernel waits for.
namespace float_fdividef
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

    float sum = 0;
    for (int level = 0; level < kLevels; ++level) sum += count[level] * logTable.ln[count[level]];
    result[at(x, y, width)] = logTable.ln[total] - __fdividef(sum, total);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("float_fdividef", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(width, height), block(), width, height, deviceInput.data(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace float_fdividef

// ---- the array: whole (start), or in parts -----------------------------------------------------

// From start: the split of v14. The rows in parts, a call of start for each, kRadius rows more at
// each inner edge, whose results are thrown away. Each part's result is copied a second time, from
// an array of its own into the one that the caller gets. On one GPU the square arrays only lose.
namespace rows
{

/// Fills output[0 .. width * height), in any number of parts.
void cudaCallbackParts(int width, int height, float *sample, float *output, int parts)
{
    forEachPart(parts, [&](int part) {
        const Range rows = entropy::partOf(height, part, parts);
        if (rows.empty()) return; // more parts than rows
        const Range read = withHalo(rows, height);
        float *cells = nullptr;
        start::cudaCallback(width, read.size(), sample + at(0, read.begin, width), &cells);
        const HostArray<float> partOutput(cells);
        std::copy_n(cells + at(0, rows.begin - read.begin, width), at(0, rows.size(), width),
                    output + at(0, rows.begin, width));
    });
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("rows", width, height, sample, result);
    HostArray<float> output = allocateHost<float>(call.cells);
    cudaCallbackParts(width, height, sample, output.get(), partCount());
    *result = output.release();
}

} // namespace rows

// From rows: the parts' input through a 2-D texture, v8 where rows has v7. Claim of the document:
// on one GPU v8 is the fastest of all, on several it is slower than v7. On one GPU it is slower
// than rows too; several were not measured.
namespace texture_devices
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

static HostArray<float> onOneDevice(int width, int height, const float *sample)
{
    const common::TextureArray deviceInput(sample, width, height);
    const common::Texture inputTexture(deviceInput.resource());
    DeviceArray<float> deviceOutput = poisoned<float>(at(0, height, width));
    launch(cudaCallbackKernel, grid(width, height), block(), width, height, inputTexture.get(),
           deviceOutput.data());
    return download(deviceOutput);
}

void cudaCallbackParts(int width, int height, float *sample, float *output, int parts)
{
    forEachPart(parts, [&](int part) {
        const Range rows = entropy::partOf(height, part, parts);
        if (rows.empty()) return; // more parts than rows
        const Range read = withHalo(rows, height);
        const HostArray<float> cells =
            onOneDevice(width, read.size(), sample + at(0, read.begin, width));
        std::copy_n(&cells[at(0, rows.begin - read.begin, width)], at(0, rows.size(), width),
                    output + at(0, rows.begin, width));
    });
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("texture_devices", width, height, sample, result);
    HostArray<float> output = allocateHost<float>(call.cells);
    cudaCallbackParts(width, height, sample, output.get(), partCount());
    *result = output.release();
}

} // namespace texture_devices

// From rows: the rows that count go from the device straight to their place in the result: no array
// in between, no second copy, and all parts copy at once. The document left a parallel copy-back
// for later. The square arrays gain, the two long and narrow ones lose.
namespace rows_back
{

void cudaCallbackParts(int width, int height, float *sample, float *output, int parts)
{
    forEachPart(parts, [&](int part) {
        const Range rows = entropy::partOf(height, part, parts);
        if (rows.empty()) return; // more parts than rows
        const Range read = withHalo(rows, height);
        const std::size_t cells = at(0, read.size(), width);
        const DeviceArray<float> deviceInput = upload(sample + at(0, read.begin, width), cells);
        DeviceArray<float> deviceOutput = poisoned<float>(cells);
        launch(start::cudaCallbackKernel, grid(width, read.size()), block(), width, read.size(),
               deviceInput.data(), deviceOutput.data());
        CUDA_CHECK(cudaMemcpy(output + at(0, rows.begin, width),
                              deviceOutput.data() + at(0, rows.begin - read.begin, width),
                              at(0, rows.size(), width) * sizeof(float), cudaMemcpyDeviceToHost));
    });
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("rows_back", width, height, sample, result);
    HostArray<float> output = allocateHost<float>(call.cells);
    cudaCallbackParts(width, height, sample, output.get(), partCount());
    *result = output.release();
}

} // namespace rows_back

// From rows_back: split along the longer side. Split by rows, a part of a low and wide array reads
// more rows than it writes; split by columns, hardly more. Such a part does not lie in one piece in
// host memory: cudaMemcpy2D gathers it, and puts the results in their places. The kernels of a low
// and wide array become as fast as unsplit ones; the call hardly gains.
namespace longer_side
{

void cudaCallbackParts(int width, int height, float *sample, float *output, int parts)
{
    forEachPart(parts, [&](int number) {
        const Part part = entropy::partOfLongerSide(width, height, number, parts);
        if (part.empty()) return; // more parts than rows or columns
        const Part read = withHalo(part, width, height);
        const int across = read.columns.size(), down = read.rows.size();
        const std::size_t hostPitch = entropy::pitchOf(width), pitch = entropy::pitchOf(across);
        DeviceArray<float> deviceInput(at(0, down, across));
        CUDA_CHECK(cudaMemcpy2D(deviceInput.data(), pitch,
                                sample + at(read.columns.begin, read.rows.begin, width), hostPitch,
                                pitch, down, cudaMemcpyHostToDevice));
        DeviceArray<float> deviceOutput = poisoned<float>(at(0, down, across));
        launch(start::cudaCallbackKernel, grid(across, down), block(), across, down,
               deviceInput.data(), deviceOutput.data());
        const float *first = deviceOutput.data() + at(part.columns.begin - read.columns.begin,
                                                      part.rows.begin - read.rows.begin, across);
        CUDA_CHECK(cudaMemcpy2D(output + at(part.columns.begin, part.rows.begin, width), hostPitch,
                                first, pitch, part.columns.size() * sizeof(float), part.rows.size(),
                                cudaMemcpyDeviceToHost));
    });
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("longer_side", width, height, sample, result);
    HostArray<float> output = allocateHost<float>(call.cells);
    cudaCallbackParts(width, height, sample, output.get(), partCount());
    *result = output.release();
}

} // namespace longer_side

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
namespace table_shared
{ void cudaCallback(int, int, float *, float **) { cannotRun("table_shared"); } }
namespace table_constant
{ void cudaCallback(int, int, float *, float **) { cannotRun("table_constant"); } }
namespace table_global
{ void cudaCallback(int, int, float *, float **) { cannotRun("table_global"); } }
namespace table_texture
{ void cudaCallback(int, int, float *, float **) { cannotRun("table_texture"); } }
namespace float_only
{ void cudaCallback(int, int, float *, float **) { cannotRun("float_only"); } }
namespace float_fdividef
{ void cudaCallback(int, int, float *, float **) { cannotRun("float_fdividef"); } }
namespace rows
{ void cudaCallback(int, int, float *, float **) { cannotRun("rows"); }
  void cudaCallbackParts(int, int, float *, float *, int) { cannotRun("rows"); } }
namespace texture_devices
{ void cudaCallback(int, int, float *, float **) { cannotRun("texture_devices"); }
  void cudaCallbackParts(int, int, float *, float *, int) { cannotRun("texture_devices"); } }
namespace rows_back
{ void cudaCallback(int, int, float *, float **) { cannotRun("rows_back"); }
  void cudaCallbackParts(int, int, float *, float *, int) { cannotRun("rows_back"); } }
namespace longer_side
{ void cudaCallback(int, int, float *, float **) { cannotRun("longer_side"); }
  void cudaCallbackParts(int, int, float *, float *, int) { cannotRun("longer_side"); } }
// clang-format on

#endif

// ---- OpenMP ------------------------------------------------------------------------------------

// start on the CPU: v12 of core.cu, the same code.
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
        {"start", cuda, "v7 of the ladder", start::cudaCallback, noGpu},
        {"table_shared", cuda, "start + table in shared memory", table_shared::cudaCallback, noGpu},
        {"table_constant", cuda, "start + table in constant memory", table_constant::cudaCallback,
         noGpu},
        {"table_global", cuda, "start + table in global memory", table_global::cudaCallback, noGpu},
        {"table_texture", cuda, "table_global + through a texture", table_texture::cudaCallback,
         noGpu},
        {"float_only", cuda, "start + float arithmetic", float_only::cudaCallback, noGpu},
        {"float_fdividef", cuda, "float_only + __fdividef", float_fdividef::cudaCallback, noGpu},
        {"rows", cuda, "start in parts, by rows, like v14", rows::cudaCallback, noGpu},
        {"texture_devices", cuda, "rows + input through a 2-D texture",
         texture_devices::cudaCallback, noGpu},
        {"rows_back", cuda, "rows + straight to their place", rows_back::cudaCallback, noGpu},
        {"longer_side", cuda, "rows_back + along the longer side", longer_side::cudaCallback,
         noGpu},
        {"openmp", openMp, "start on the CPU, like v12", openmp::cudaCallback, none},
    };
    return table;
}

int entropy::loadTimeFailures() { return benchmarkFailures(); }

// ---- load time ---------------------------------------------------------------------------------

// These run before main. ENTROPY_BENCHMARK=0 in the environment skips them. The last two are what a
// split by rows, and one by columns, is worst at.
static entropy::WarmUP warm_up(1, 1);
static entropy::Benchmark benchmark400(400, 400), benchmark2560(2560, 2560),
    benchmark10240(10240, 10240), benchmarkWide(1000000, 10), benchmarkHigh(10, 1000000);

// ---- the switch --------------------------------------------------------------------------------

#ifndef VERSION
#define VERSION longer_side // the active version: edit this line, or `make CORE=... VERSION=openmp`
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
