// Do more warps in flight help? v7's kernel, compiled for several numbers of registers, in blocks
// of several sizes and with shared memory that it does not use: each leaves room for another number
// of warps on a multiprocessor. How many are there, and how fast is it?

#include "common/csv.h"
#include "common/devices.h"
#include "common/file_program.h"
#include "common/machine.h"
#include "common/progress.h"
#include "entropy/call.h"
#include "entropy/contents.h"
#include "entropy/log_table.h"
#include "entropy/reference.h"

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/grid.h"
#include "common/launch.h"
#endif

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace
{

constexpr const char *kHelp =
    R"(usage: occupancy [FILE.csv]

Times the kernel of v7 on 2560x2560 random cells, compiled for at most 24, 32, 40, 48, 64 and 128
registers a thread, in blocks of 64 to 1024 threads, with 0 to 96 KiB of shared memory a block,
which it does not use: as far as a multiprocessor has room for a block. Every answer is checked
first. Prints a table and writes it to FILE.csv:

  predicted  warps on a multiprocessor, of those it has room for, as the CUDA runtime says
  measured   the same while the kernel runs: a run apart from those that are timed, in which each
             warp adds up how long it lived. Its clock costs the kernel some registers.

Shared memory is taken from the first-level cache: blocks with more of it leave the kernel less.
Exit status 1 if an answer was wrong, 2 without a GPU.
)";

} // namespace

// __maxnreg__ is of CUDA 12.4.
#if defined(__CUDACC__) && CUDART_VERSION >= 12040

namespace
{

using entropy::at;
using entropy::kLevels;
using entropy::kRadius;

constexpr int kSide = 2560;
constexpr int kAcross = 32; // of a block: a warp
constexpr int kBlocks[] = {64, 128, 256, 512, 1024};
constexpr int kSharedBytes[] = {0, 24 << 10, 48 << 10, 96 << 10};

/// What the warps of one multiprocessor did, in its clocks.
struct Residence
{
    unsigned long long lived, first, last;
};

__device__ unsigned multiprocessor()
{
    unsigned number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

/// The kernel of v7. kMeasured: each warp also says how long it lived.
template <int kRegisters, bool kMeasured>
__global__ void __maxnreg__(kRegisters)
    entropyKernel(int width, int height, const float *sample, float *result, Residence *residence)
{
    unsigned long long begin = 0;
    if constexpr (kMeasured) begin = clock64();
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        const entropy::LogTable<float> logTable = entropy::makeLogTable<float>();

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
    if constexpr (kMeasured) {
        __syncwarp();
        if (threadIdx.x == 0) {
            const unsigned long long end = clock64();
            Residence &here = residence[multiprocessor()];
            atomicAdd(&here.lived, end - begin);
            atomicMin(&here.first, begin);
            atomicMax(&here.last, end);
        }
    }
}

/// One of them by its number of registers.
struct Variant
{
    using Kernel = void (*)(int, int, const float *, float *, Residence *);
    int registers;
    Kernel timed, measured;
};

template <int kRegisters>
constexpr Variant variant()
{
    return {kRegisters, entropyKernel<kRegisters, false>, entropyKernel<kRegisters, true>};
}

const Variant kVariants[] = {variant<24>(), variant<32>(), variant<40>(),
                             variant<48>(), variant<64>(), variant<128>()};

class Study
{
public:
    Study()
        : cells(makeCells()), gold(entropy::reference(kSide, kSide, cells.data())),
          input(common::upload(cells.data(), cells.size()))
    {
        int device = 0;
        CUDA_CHECK(cudaGetDevice(&device));
        CUDA_CHECK(
            cudaDeviceGetAttribute(&mostShared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
        CUDA_CHECK(
            cudaDeviceGetAttribute(&mostThreads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
        std::printf("%5s %9s %7s %7s %6s | %9s %9s | %10s %10s\n", "asked", "registers", "threads",
                    "shared", "local", "predicted", "measured", "median, ms", "minimum");
    }

    /// Returns whether its answer was right; what does not fit is left out.
    bool run(const Variant &variant, int threads, int sharedBytes)
    {
        cudaFuncAttributes attributes{};
        CUDA_CHECK(cudaFuncGetAttributes(&attributes, variant.timed));
        if (threads > attributes.maxThreadsPerBlock || sharedBytes > mostShared) return true;
        allowShared(variant.timed, sharedBytes);
        allowShared(variant.measured, sharedBytes);
        int blocks = 0;
        CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, variant.timed, threads,
                                                                 sharedBytes));
        if (blocks == 0) return true;
        const double predicted = double(blocks) * threads / mostThreads;
        const dim3 block(kAcross, threads / kAcross);
        const dim3 grid = common::gridOf(kSide, kSide, block.x, block.y);
        auto output = common::poisoned<float>(cells.size());
        const auto submit = [&] {
            variant.timed<<<grid, block, sharedBytes>>>(kSide, kSide, input.data(), output.data(),
                                                        nullptr);
            CUDA_CHECK(cudaGetLastError());
        };
        submit();
        CUDA_CHECK(cudaDeviceSynchronize());
        const auto result = common::download(output);
        const auto verdict = entropy::compare(kSide, kSide, result.get(), gold.data());
        if (!verdict.passed) {
            std::printf("%5d %9d %7d %7d: WRONG at x %d, y %d\n", variant.registers,
                        attributes.numRegs, threads, sharedBytes, verdict.x, verdict.y);
            return false;
        }
        const common::Timing time = common::measureOnDevice(submit);
        const double measured = measuredOccupancy(variant, grid, block, sharedBytes, output);
        std::printf("%5d %9d %7d %7d %6zu | %9.3f %9.3f | %10.4f %10.4f\n", variant.registers,
                    attributes.numRegs, threads, sharedBytes, attributes.localSizeBytes, predicted,
                    measured, time.median, time.minimum);
        std::fflush(stdout);
        csv.add({std::to_string(variant.registers), std::to_string(attributes.numRegs),
                 std::to_string(threads), std::to_string(sharedBytes),
                 std::to_string(attributes.localSizeBytes), common::number(predicted),
                 common::number(measured), common::number(time.median),
                 common::number(time.minimum)});
        return true;
    }

    void save(common::OutputFile &file) const
    {
        file.write(csv.str());
        file.commit();
    }

private:
    static std::vector<float> makeCells()
    {
        const auto levels = entropy::makeContent({}, kSide, kSide, 20200702);
        return {levels.begin(), levels.end()};
    }

    static void allowShared(Variant::Kernel kernel, int bytes)
    {
        CUDA_CHECK(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    }

    /// Warps that lived at once on the multiprocessors that had any, of those there is room for.
    double measuredOccupancy(const Variant &variant, dim3 grid, dim3 block, int sharedBytes,
                             common::DeviceArray<float> &output) const
    {
        constexpr int kMostNumbers = 1024; // of multiprocessors: they may have gaps
        const std::vector<Residence> nobody(kMostNumbers, {0, ~0ull, 0});
        auto residence = common::upload(nobody.data(), nobody.size());
        variant.measured<<<grid, block, sharedBytes>>>(kSide, kSide, input.data(), output.data(),
                                                       residence.data());
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaDeviceSynchronize());
        const auto all = common::download(residence);
        double lived = 0, elapsed = 0;
        for (int i = 0; i < kMostNumbers; ++i) {
            if (all[i].lived == 0) continue;
            lived += static_cast<double>(all[i].lived);
            elapsed += static_cast<double>(all[i].last - all[i].first);
        }
        return elapsed > 0 ? lived / elapsed / (mostThreads / kAcross) : 0;
    }

    std::vector<float> cells, gold;
    common::DeviceArray<float> input;
    int mostShared = 0, mostThreads = 0;
    common::Csv csv{{"registers_asked", "registers", "block_threads", "shared_bytes", "local_bytes",
                     "predicted", "measured", "median_ms", "min_ms"}};
};

int run(const char *file)
{
    const std::string none = common::whyNoDevice();
    if (!none.empty()) throw common::Unavailable(none);
    std::optional<common::OutputFile> output; // refused now rather than after minutes
    if (file) output.emplace(file);
    std::printf("%s\n", common::machineFacts().c_str());
    Study study;
    bool right = true;
    for (const Variant &variant : kVariants)
        for (const int threads : kBlocks)
            for (const int sharedBytes : kSharedBytes)
                right &= study.run(variant, threads, sharedBytes);
    if (output) study.save(*output);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace

#else

static int run(const char *)
{
    const std::string none = common::whyNoDevice();
    throw common::Unavailable(none.empty() ? "needs a compiler of CUDA 12.4 or newer" : none);
}

#endif

int main(int argc, char **argv) { return common::fileProgram("occupancy", kHelp, argc, argv, run); }
