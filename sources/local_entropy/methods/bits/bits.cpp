#include "local_entropy/methods/bits/bits.h"

#include "common/error.h"
#include "common/integer.h"
#include "common/part_times.h"
#include "common/threads.h"
#include "local_entropy/answers/default_rounding.h"
#include "local_entropy/memory/thread_scratch.h"
#include "local_entropy/methods/bits/cells.h"
#include "local_entropy/methods/bits/cut.h"
#include "local_entropy/methods/bits/gather.h"
#include "local_entropy/methods/bits/narrow.h"
#include "local_entropy/methods/bits/run.h"
#include "local_entropy/methods/bits/task.h"

#include <algorithm>
#include <string>
#include <unistd.h>

namespace local_entropy::bits
{
namespace
{

/// The bit-sliced ones, the fastest first.
constexpr struct
{
    Path path;
    const Kernel *kernel;
} kKernels[] = {{Path::Avx512, &kAvx512}, {Path::Avx2, &kAvx2}, {Path::Portable, &kPortable}};

const Kernel &kernelOf(Path path)
{
    for (const auto &known : kKernels)
        if (known.path == path) return *known.kernel;
    return kPortable;
}

// ---- choices -----------------------------------------------------------------------------------

std::int64_t lastLevelCache()
{
    static const std::int64_t bytes = [] {
        long size = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
        size = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
        return size > 0 ? static_cast<std::int64_t>(size) : std::int64_t(32) << 20;
    }();
    return bytes;
}

/// Cell by cell is faster where the panels would be almost empty.
bool isSmall(std::int64_t width, std::int64_t rows)
{
    constexpr int kMostCells = 4096, kCellsPerPanelRow = 12; // measured
    const std::int64_t panelRows = common::ceilDiv(width, kPanelColumns) * (rows + 2 * kRadius);
    return width <= kMostCells && width * rows <= kMostCells &&
           width * rows < kCellsPerPanelRow * panelRows;
}

/// Threads that have something to do, counting cells that fill up panels as cells.
int threadsFor(std::int64_t width, std::int64_t rows, int most)
{
    constexpr std::int64_t kCellsPerThread = 1 << 17; // many times the work of starting one
    const std::int64_t cells = common::ceilDiv(width, kPanelColumns) * kPanelColumns * rows;
    const int offered =
        most > 0 ? std::min(most, common::offeredThreads()) : common::offeredThreads();
    return static_cast<int>(std::clamp<std::int64_t>(cells / kCellsPerThread, 1, offered));
}

bool chosen(CpuOptions::Choice choice, bool best)
{
    return choice == CpuOptions::Choice::Best ? best : choice == CpuOptions::Choice::Yes;
}

/// Stores around the cache have to be aligned to their size: not possible between two floats.
bool canStream(const float *result)
{
    return reinterpret_cast<std::uintptr_t>(result) % sizeof(float) == 0;
}

// ---- all threads -------------------------------------------------------------------------------

/// Returns whether cells that were read are suspicious.
bool runKernel(const Kernel &kernel, Task &task, const CpuOptions &options, const Worker &worker)
{
    const std::int64_t rows = task.end - task.begin;
    task.tables = tablesOf(kernel).ofCells.data();
    task.gather = options.gather == CpuOptions::Choice::Best ? gatherIsFaster(kernel)
                                                             : chosen(options.gather, false);
    task.stream =
        canStream(task.result) && chosen(options.stream, task.width > lastLevelCache() / 8 / rows);
    const common::PartScope scope(common::Part::Kernel);
    const int threads = threadsFor(task.width, rows, options.threads);
    Progress progress;
    if (isNarrow(task.width, rows)) {
        runNarrow(kernel, task, progress, threads);
        return progress.suspicious;
    }
    divide(task, threads);
    progress.endBlock = task.blocks;
    const auto work = [&] { worker(kernel, task, progress, scratch(scratchBytes(kernel, task))); };
    if (threads == 1) {
        work();
        return progress.suspicious;
    }
    common::FirstError error;
#pragma omp parallel num_threads(threads)
    error.guard([&] {
        const DefaultRounding rounding;
        work();
    });
    error.rethrow();
    return progress.suspicious;
}

} // namespace

// ---- interface ---------------------------------------------------------------------------------

const char *pathName(Path path)
{
    switch (path) {
    case Path::Best: return "best";
    case Path::Plain: return "plain";
    default: return kernelOf(path).name;
    }
}

bool pathWorksHere(Path path)
{
    return path == Path::Best || path == Path::Plain || kernelOf(path).worksHere();
}

Path bestKernel()
{
    for (const auto &known : kKernels)
        if (known.kernel->worksHere()) return known.path;
    return Path::Portable;
}

void entropyOnCpu(std::int64_t width, std::int64_t height, const float *sample, float *result,
                  std::int64_t begin, std::int64_t end, const CpuOptions &options)
{
    runOnCpu(width, height, sample, result, begin, end, options,
             [](const Kernel &kernel, const Task &task, Progress &progress, void *scratch) {
                 kernel.run(task, progress, scratch);
             });
}

Tile tileOf(const Task &task, const Block &block)
{
    const std::int64_t left = block.firstPanel * kPanelColumns;
    return {left, std::min(left + block.panels * kPanelColumns, task.width), block.begin,
            block.end};
}

void runOnCpu(std::int64_t width, std::int64_t height, const float *sample, float *result,
              std::int64_t begin, std::int64_t end, const CpuOptions &options, const Worker &worker)
{
    const DefaultRounding rounding;
    if (width < 1 || height < 1 || begin < 0 || begin > end || end > height)
        throw common::Error("entropyOnCpu: rows " + std::to_string(begin) + " to " +
                            std::to_string(end) + " of an array of " + std::to_string(width) +
                            " x " + std::to_string(height));
    if (!pathWorksHere(options.path))
        throw common::Unavailable("entropyOnCpu: this processor cannot run path " +
                                  std::string(pathName(options.path)));
    if (begin == end) return;

    const std::int64_t firstRead = std::max<std::int64_t>(begin - kRadius, 0);
    const std::int64_t endRead = std::min(end + kRadius, height);
    const bool best = options.path == Path::Best;
    if (options.path == Path::Plain || (best && isSmall(width, end - begin))) {
        const common::PartScope scope(common::Part::Kernel);
        checkCells(width, sample, firstRead, endRead);
        return entropyPlain(width, height, sample, result, begin, end);
    }
    Task task;
    task.sample = sample;
    task.result = result;
    task.width = width;
    task.height = height;
    task.begin = begin;
    task.end = end;
    if (runKernel(kernelOf(best ? bestKernel() : options.path), task, options, worker))
        checkCells(width, sample, firstRead, endRead);
}

} // namespace local_entropy::bits
