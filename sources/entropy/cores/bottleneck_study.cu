// The bottleneck study: what does a call spend its time on? Each namespace is one version with its
// own cudaCallback (contract: core.h). From top to bottom: what the versions share; less
// arithmetic (baseline, time_memo, pre_log); other memory (static_memo, share_memo); probes, which
// leave work out on purpose to see what it costs and give no answer; OpenMP; the table of versions;
// the load-time objects; the switch.
//
// Blocks are lines of 1024 threads over the cells of all rows, one after the other. Arithmetic is
// float, H = -sum p ln p. Judge by `make measures CORE=bottleneck_study`: total time over all
// groups of data/data.bin but the first, and time of the slowest one. Verdicts in a lead comment
// are those of an H200, 2560x2560 random cells; the times are in report.md.

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
#include <cstring>
#include <mutex>
#include <set>

#ifdef __CUDACC__
#include "common/device_array.h"
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
using entropy::LogTable;
using entropy::makeLogTable;

constexpr int kBlockThreads = 1024;

/// Blocks for so many cells; throws Unavailable where a grid cannot hold that many.
dim3 grid(std::size_t cells)
{
    constexpr std::size_t kMostBlocks = 2147483647;
    const std::size_t blocks = (cells - 1) / kBlockThreads + 1;
    if (blocks > kMostBlocks)
        throw common::Unavailable(std::to_string(cells) + " cells need " + std::to_string(blocks) +
                                  " blocks, a grid holds " + std::to_string(kMostBlocks));
    return dim3(static_cast<unsigned>(blocks));
}

} // namespace

// ---- less arithmetic ---------------------------------------------------------------------------

// Baseline. One thread a cell. Reads its window again for each level: 16 x 25 reads.
namespace baseline
{

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(int width, int height, const float *sample, float *result)
{
    const std::size_t cell = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (cell >= at(0, height, width)) return;
    const int x = static_cast<int>(cell % width), y = static_cast<int>(cell / width);
    const int left = max(x - kRadius, 0), right = min(x + kRadius, width - 1);
    const int top = max(y - kRadius, 0), bottom = min(y + kRadius, height - 1);

    const int total = (right - left + 1) * (bottom - top + 1);
    float sum = 0;
    for (int level = 0; level < kLevels; ++level) {
        int count = 0;
        for (int wy = top; wy <= bottom; ++wy)
            for (int wx = left; wx <= right; ++wx) count += sample[at(wx, wy, width)] == level;
        if (count == 0) continue;
        const float p = static_cast<float>(count) / total;
        sum -= p * logf(p);
    }
    result[cell] = sum;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("baseline", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(call.cells), kBlockThreads, width, height, deviceInput.data(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace baseline

// From baseline: memory for time. Sixteen counters of one byte, so that the window is read once: 25
// reads. The kernel takes half the time, the call little less than before.
namespace time_memo
{

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(int width, int height, const float *sample, float *result)
{
    const std::size_t cell = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (cell >= at(0, height, width)) return;
    const int x = static_cast<int>(cell % width), y = static_cast<int>(cell / width);
    const int left = max(x - kRadius, 0), right = min(x + kRadius, width - 1);
    const int top = max(y - kRadius, 0), bottom = min(y + kRadius, height - 1);

    signed char count[kLevels] = {};
    for (int wy = top; wy <= bottom; ++wy)
        for (int wx = left; wx <= right; ++wx) ++count[static_cast<int>(sample[at(wx, wy, width)])];

    const int total = (right - left + 1) * (bottom - top + 1);
    float sum = 0;
    for (int level = 0; level < kLevels; ++level) {
        if (count[level] == 0) continue;
        const float p = static_cast<float>(count[level]) / total;
        sum -= p * logf(p);
    }
    result[cell] = sum;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("time_memo", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(call.cells), kBlockThreads, width, height, deviceInput.data(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace time_memo

// From time_memo: ln p = ln n - ln N from a table in static device memory, filled by the first call
// on a device, so before the ones that count. No gain: the logarithms were not the bottleneck.
namespace pre_log
{

__device__ LogTable<float> logTable;

/// Fills the table on the current device, unless it is filled already.
static void prepareLogTable()
{
    static std::mutex mutex;
    static std::set<int> preparedDevices;
    int device = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    const std::lock_guard<std::mutex> lock(mutex);
    if (preparedDevices.count(device)) return;
    const LogTable<float> hostTable = makeLogTable<float>();
    CUDA_CHECK(cudaMemcpyToSymbol(logTable, &hostTable, sizeof hostTable));
    preparedDevices.insert(device);
}

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(int width, int height, const float *sample, float *result)
{
    const std::size_t cell = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (cell >= at(0, height, width)) return;
    const int x = static_cast<int>(cell % width), y = static_cast<int>(cell / width);
    const int left = max(x - kRadius, 0), right = min(x + kRadius, width - 1);
    const int top = max(y - kRadius, 0), bottom = min(y + kRadius, height - 1);

    signed char count[kLevels] = {};
    for (int wy = top; wy <= bottom; ++wy)
        for (int wx = left; wx <= right; ++wx) ++count[static_cast<int>(sample[at(wx, wy, width)])];

    const int total = (right - left + 1) * (bottom - top + 1);
    float sum = 0;
    for (int level = 0; level < kLevels; ++level) {
        if (count[level] == 0) continue;
        const float p = static_cast<float>(count[level]) / total;
        sum -= p * (logTable.ln[count[level]] - logTable.ln[total]);
    }
    result[cell] = sum;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("pre_log", width, height, sample, result);
    prepareLogTable();
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(call.cells), kBlockThreads, width, height, deviceInput.data(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace pre_log

// ---- other memory ------------------------------------------------------------------------------

// From pre_log: input and output in static device arrays, there from the start of the program: no
// cudaMalloc and no cudaFree in a call, but a limit to the size, and one call at a time. The same
// kernel time. At this size the call is faster; over all groups of data.bin it is slower.
namespace static_memo
{

constexpr std::size_t kCapacity = 7000010; // the largest group of data.bin has 6553600 cells
__device__ float deviceInput[kCapacity], deviceOutput[kCapacity];

/// The static arrays in the hands of one call: uploads its input, poisons the output.
class StaticArrays
{
public:
    StaticArrays(const float *sample, std::size_t cells) : bytes(cells * sizeof(float))
    {
        if (cells > kCapacity)
            throw common::Unavailable("cudaCallback: the array has " + std::to_string(cells) +
                                      " cells, the static device arrays hold " +
                                      std::to_string(kCapacity));
        lock = std::unique_lock<std::mutex>(inUse());
        CUDA_CHECK(cudaMemcpyToSymbol(deviceInput, sample, bytes));
        void *output = nullptr;
        CUDA_CHECK(cudaGetSymbolAddress(&output, deviceOutput));
        CUDA_CHECK(cudaMemset(output, 0xFF, bytes)); // NaN, like poisoned()
    }

    HostArray<float> download() const
    {
        HostArray<float> host = allocateHost<float>(bytes / sizeof(float));
        CUDA_CHECK(cudaMemcpyFromSymbol(host.get(), deviceOutput, bytes));
        return host;
    }

private:
    static std::mutex &inUse()
    {
        static std::mutex mutex;
        return mutex;
    }

    std::size_t bytes;
    std::unique_lock<std::mutex> lock;
};

__global__ void __launch_bounds__(kBlockThreads, 1) cudaCallbackKernel(int width, int height)
{
    const std::size_t cell = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (cell >= at(0, height, width)) return;
    const int x = static_cast<int>(cell % width), y = static_cast<int>(cell / width);
    const int left = max(x - kRadius, 0), right = min(x + kRadius, width - 1);
    const int top = max(y - kRadius, 0), bottom = min(y + kRadius, height - 1);

    signed char count[kLevels] = {};
    for (int wy = top; wy <= bottom; ++wy)
        for (int wx = left; wx <= right; ++wx)
            ++count[static_cast<int>(deviceInput[at(wx, wy, width)])];

    const int total = (right - left + 1) * (bottom - top + 1);
    float sum = 0;
    for (int level = 0; level < kLevels; ++level) {
        if (count[level] == 0) continue;
        const float p = static_cast<float>(count[level]) / total;
        sum -= p * (pre_log::logTable.ln[count[level]] - pre_log::logTable.ln[total]);
    }
    deviceOutput[cell] = sum;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("static_memo", width, height, sample, result);
    pre_log::prepareLogTable();
    const StaticArrays arrays(sample, call.cells);
    launch(cudaCallbackKernel, grid(call.cells), kBlockThreads, width, height);
    *result = arrays.download().release();
}

} // namespace static_memo

// From pre_log: a block loads what its windows need into shared memory once: the line of its cells
// and the lines one and two rows above and below, each with kRadius cells more at both ends. Rows
// follow one another in memory, so this is right wherever a block begins and rows end. The kernel
// is no faster.
namespace share_memo
{

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(int width, int height, const float *sample, float *result)
{
    constexpr int kLine = kBlockThreads + 2 * kRadius;
    __shared__ float tile[kWindow][kLine];
    const std::int64_t cells = static_cast<std::int64_t>(width) * height;
    const std::int64_t blockBegin = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads;
    for (int row = 0; row < kWindow; ++row) {
        const std::int64_t lineBegin =
            blockBegin + (row - kRadius) * static_cast<std::int64_t>(width) - kRadius;
        for (int i = threadIdx.x; i < kLine; i += kBlockThreads) {
            const std::int64_t from = lineBegin + i;
            if (from >= 0 && from < cells) tile[row][i] = sample[from];
        }
    }
    __syncthreads();

    const std::int64_t cell = blockBegin + threadIdx.x;
    if (cell >= cells) return;
    const int x = static_cast<int>(cell % width), y = static_cast<int>(cell / width);
    const int left = max(x - kRadius, 0), right = min(x + kRadius, width - 1);
    const int top = max(y - kRadius, 0), bottom = min(y + kRadius, height - 1);

    signed char count[kLevels] = {};
    for (int wy = top; wy <= bottom; ++wy)
        for (int wx = left; wx <= right; ++wx)
            ++count[static_cast<int>(tile[wy - y + kRadius][threadIdx.x + kRadius + wx - x])];

    const int total = (right - left + 1) * (bottom - top + 1);
    float sum = 0;
    for (int level = 0; level < kLevels; ++level) {
        if (count[level] == 0) continue;
        const float p = static_cast<float>(count[level]) / total;
        sum -= p * (pre_log::logTable.ln[count[level]] - pre_log::logTable.ln[total]);
    }
    result[cell] = sum;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("share_memo", width, height, sample, result);
    pre_log::prepareLogTable();
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(call.cells), kBlockThreads, width, height, deviceInput.data(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace share_memo

// ---- probes: no answer, but a time -------------------------------------------------------------

// From time_memo: counts, but no entropy. All counters go into the result, four at a time: were one
// not used, the compiler would be free to leave its part of the counting out too. Nearly the time
// of time_memo: counting is what its kernel does.
namespace no_calc
{

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(int width, int height, const float *sample, float *result)
{
    const std::size_t cell = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (cell >= at(0, height, width)) return;
    const int x = static_cast<int>(cell % width), y = static_cast<int>(cell / width);
    const int left = max(x - kRadius, 0), right = min(x + kRadius, width - 1);
    const int top = max(y - kRadius, 0), bottom = min(y + kRadius, height - 1);

    signed char count[kLevels] = {};
    for (int wy = top; wy <= bottom; ++wy)
        for (int wx = left; wx <= right; ++wx) ++count[static_cast<int>(sample[at(wx, wy, width)])];

    std::int32_t words[kLevels / 4];
    memcpy(words, count, sizeof words);
    result[cell] = static_cast<float>(words[0] ^ words[1] ^ words[2] ^ words[3]);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("no_calc", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(call.cells), kBlockThreads, width, height, deviceInput.data(),
           deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace no_calc

// From no_calc: no counting either, so nothing reads the input. What remains are the allocations,
// both transfers, the poison in the output and a kernel that writes every result. Still most of the
// time of a call: it is not the kernel's.
namespace no_scan
{

__global__ void __launch_bounds__(kBlockThreads, 1)
    cudaCallbackKernel(int width, int height, float *result)
{
    const std::size_t cell = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (cell < at(0, height, width)) result[cell] = 0;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("no_scan", width, height, sample, result);
    const DeviceArray<float> deviceInput = upload(sample, call.cells);
    DeviceArray<float> deviceOutput = poisoned<float>(call.cells);
    launch(cudaCallbackKernel, grid(call.cells), kBlockThreads, width, height, deviceOutput.data());
    *result = download(deviceOutput).release();
}

} // namespace no_scan

// From no_scan: the static arrays of static_memo, so no allocation on the device either. What
// remains beside the kernel are the transfers, the poison, and the host's array for the result. The
// call takes little less time than no_scan's.
namespace no_scan_no_malloc
{

__global__ void __launch_bounds__(kBlockThreads, 1) cudaCallbackKernel(int width, int height)
{
    const std::size_t cell = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (cell < at(0, height, width)) static_memo::deviceOutput[cell] = 0;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("no_scan_no_malloc", width, height, sample, result);
    const static_memo::StaticArrays arrays(sample, call.cells);
    launch(cudaCallbackKernel, grid(call.cells), kBlockThreads, width, height);
    *result = arrays.download().release();
}

} // namespace no_scan_no_malloc

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
namespace baseline
{ void cudaCallback(int, int, float *, float **) { cannotRun("baseline"); } }
namespace time_memo
{ void cudaCallback(int, int, float *, float **) { cannotRun("time_memo"); } }
namespace pre_log
{ void cudaCallback(int, int, float *, float **) { cannotRun("pre_log"); } }
namespace static_memo
{ void cudaCallback(int, int, float *, float **) { cannotRun("static_memo"); } }
namespace share_memo
{ void cudaCallback(int, int, float *, float **) { cannotRun("share_memo"); } }
namespace no_calc
{ void cudaCallback(int, int, float *, float **) { cannotRun("no_calc"); } }
namespace no_scan
{ void cudaCallback(int, int, float *, float **) { cannotRun("no_scan"); } }
namespace no_scan_no_malloc
{ void cudaCallback(int, int, float *, float **) { cannotRun("no_scan_no_malloc"); } }
// clang-format on

#endif

// ---- OpenMP ------------------------------------------------------------------------------------

// Like time_memo, on the CPU: the cells of all rows in 1000 chunks that differ by one cell at most,
// shared out among all threads. Far behind the CUDA versions, end to end too.
namespace openmp
{

static float cudaCallbackKernel(int width, int height, const float *sample, int x, int y)
{
    const int left = std::max(x - kRadius, 0), right = std::min(x + kRadius, width - 1);
    const int top = std::max(y - kRadius, 0), bottom = std::min(y + kRadius, height - 1);

    signed char count[kLevels] = {};
    for (int wy = top; wy <= bottom; ++wy)
        for (int wx = left; wx <= right; ++wx) ++count[static_cast<int>(sample[at(wx, wy, width)])];

    const int total = (right - left + 1) * (bottom - top + 1);
    float sum = 0;
    for (int level = 0; level < kLevels; ++level) {
        if (count[level] == 0) continue;
        const float p = static_cast<float>(count[level]) / total;
        sum -= p * std::log(p);
    }
    return sum;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const Call call("openmp", width, height, sample, result);
    HostArray<float> output = allocateHost<float>(call.cells);
    constexpr std::int64_t kMostChunks = 1000;
    const std::int64_t cells = call.cells, chunks = std::min(cells, kMostChunks);
#pragma omp parallel for schedule(static) num_threads(common::threadsFor(call.cells))
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
        for (auto cell = cells * chunk / chunks; cell < cells * (chunk + 1) / chunks; ++cell)
            output[cell] = cudaCallbackKernel(width, height, sample, cell % width, cell / width);
    *result = output.release();
}

} // namespace openmp

// ---- the table of versions ---------------------------------------------------------------------

const std::vector<entropy::Version> &entropy::versions()
{
    static const std::string none, noGpu = common::whyNoDevice();
    constexpr Platform cuda = Platform::Cuda, openMp = Platform::OpenMp;
    constexpr bool probe = true;
    static const std::vector<Version> table = {
        {"baseline", cuda, "a scan of the window for each level", baseline::cudaCallback, noGpu},
        {"time_memo", cuda, "baseline + counters, one scan", time_memo::cudaCallback, noGpu},
        {"pre_log", cuda, "time_memo + log table, prepared", pre_log::cudaCallback, noGpu},
        {"static_memo", cuda, "pre_log + static device arrays", static_memo::cudaCallback, noGpu},
        {"share_memo", cuda, "pre_log + lines in shared memory", share_memo::cudaCallback, noGpu},
        {"no_calc", cuda, "time_memo - entropy", no_calc::cudaCallback, noGpu, probe},
        {"no_scan", cuda, "no_calc - counting", no_scan::cudaCallback, noGpu, probe},
        {"no_scan_no_malloc", cuda, "no_scan - allocation", no_scan_no_malloc::cudaCallback, noGpu,
         probe},
        {"openmp", openMp, "time_memo on the CPU, 1000 chunks", openmp::cudaCallback, none},
    };
    return table;
}

int entropy::loadTimeFailures() { return benchmarkFailures(); }

// ---- load time ---------------------------------------------------------------------------------

// These run before main. ENTROPY_BENCHMARK=0 in the environment skips them. Sizes of data.bin.
static entropy::WarmUP warm_up(1, 1);
static entropy::Benchmark benchmark128(128, 128), benchmark1024(1024, 1024),
    benchmark2560(2560, 2560);

// ---- the switch --------------------------------------------------------------------------------

#ifndef VERSION
#define VERSION share_memo // the active version: edit this line, or `make CORE=... VERSION=openmp`
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
