#include "local_entropy/methods/bits/bits.h"

#include "common/clock.h"
#include "common/error.h"
#include "common/part_times.h"
#include "common/threads.h"
#include "local_entropy/memory/thread_scratch.h"
#include "local_entropy/methods/bits/cells.h"
#include "local_entropy/methods/bits/job.h"
#include "local_entropy/methods/bits/narrow.h"
#include "local_entropy/methods/bits/run.h"
#include "local_entropy/methods/bits/tables.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <malloc.h>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace local_entropy::bits
{
namespace
{

const Kernel &kernelOf(Path path)
{
    switch (path) {
    case Path::Avx512: return kAvx512;
    case Path::Avx2: return kAvx2;
    default: return kPortable;
    }
}

std::int64_t ceilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// ---- choices -----------------------------------------------------------------------------------

Path chooseKernel()
{
    const char *setting = std::getenv("ENTROPY_CPU_PATH");
    for (const Path path : {Path::Avx512, Path::Avx2, Path::Portable}) {
        if (!setting && pathWorksHere(path)) return path;
        if (!setting || std::string(setting) != pathName(path)) continue;
        if (!pathWorksHere(path))
            throw common::Error("ENTROPY_CPU_PATH is " + std::string(setting) +
                                ", which this processor cannot run");
        return path;
    }
    throw common::Error("ENTROPY_CPU_PATH is '" + std::string(setting) +
                        "', expected avx512, avx2 or portable");
}

/// Gather instructions look up faster than single loads on some processors and slower on others
/// of the same kind, depending on their microcode and on what else there is to do meanwhile: the
/// only way to know is to try, on a small array of random levels whose results stay in the cache.
bool measureGather(const Kernel &kernel)
{
    constexpr int kWidth = 2 * kPanelColumns, kHeight = 32, kTries = 5;
    std::vector<float> sample(kWidth * kHeight), result(kWidth * kHeight);
    std::uint32_t random = 1;
    for (float &cell : sample) {
        random = random * 1664525 + 1013904223;
        cell = static_cast<float>(random >> 28);
    }
    Job job;
    job.sample = sample.data();
    job.result = result.data();
    job.width = kWidth;
    job.height = job.end = job.rowsPerBlock = kHeight;
    job.panels = job.panelsPerBlock = kWidth / kPanelColumns;
    job.blocks = 1;
    job.tables = (kernel.ternary ? ternaryTables() : binaryTables()).ofCells.data();
    void *const memory = scratch(kernel.stateBytes + 2 * job.packedBytes());
    double seconds[2] = {1, 1};
    for (int i = 0; i < 2 * kTries; ++i) {
        job.gather = i % 2;
        job.nextBlock = 0;
        const common::WallClock clock;
        kernel.run(job, memory);
        seconds[job.gather] = std::min(seconds[job.gather], clock.seconds());
    }
    return seconds[true] < seconds[false];
}

bool gatherIsFaster(const Kernel &kernel)
{
    if (&kernel == &kPortable) return false; // it has none
    if (&kernel == &kAvx512) {
        static const bool faster = measureGather(kAvx512);
        return faster;
    }
    static const bool faster = measureGather(kAvx2);
    return faster;
}

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
    const std::int64_t panelRows = ceilDiv(width, kPanelColumns) * (rows + 2 * kRadius);
    return width <= kMostCells && width * rows <= kMostCells &&
           width * rows < kCellsPerPanelRow * panelRows;
}

// ---- dividing the work -------------------------------------------------------------------------

/// Blocks as large as fit twice into a second-level cache, since every block reads four rows more
/// than it writes, but several for each thread, so that none waits long for the last one. Wide
/// blocks are split before high ones: that costs nothing but shorter runs of memory.
void divide(Job &job, int threads)
{
    constexpr std::int64_t kMostPanels = 24, kFewestPanels = 6, kMostRows = 192;
    constexpr std::int64_t kEnoughRows = 48, kFewestRows = 8, kBlocksPerThread = 4;
    constexpr std::int64_t kPackedBytes = 400 << 10;
    const std::int64_t rows = job.end - job.begin;
    job.panels = ceilDiv(job.width, kPanelColumns);

    std::int64_t across = ceilDiv(job.panels, kMostPanels), mostRows = 0;
    const auto blocks = [&] { return across * ceilDiv(rows, mostRows); };
    const auto split = [&](std::int64_t columns) {
        job.panelsPerBlock = ceilDiv(job.panels, columns);
        across = ceilDiv(job.panels, job.panelsPerBlock);
        mostRows =
            std::min(kPackedBytes / (kPackedRow * job.panelsPerBlock) - 2 * kRadius, kMostRows);
    };
    split(across);
    const std::int64_t wanted = threads == 1 ? 1 : kBlocksPerThread * threads;
    while (blocks() < wanted && job.panelsPerBlock >= 2 * kFewestPanels) split(2 * across);
    if (blocks() < wanted) // lower blocks, but not so low that the rows read twice matter
        mostRows = std::min(mostRows, std::max(kEnoughRows, rows * across / wanted));
    if (blocks() < threads) // unless there were threads without any
        mostRows = std::min(mostRows, std::max(kFewestRows, rows * across / threads));
    job.rowsPerBlock = ceilDiv(rows, ceilDiv(rows, mostRows)); // as even as it can be
    job.blocks = across * ceilDiv(rows, job.rowsPerBlock);
}

/// Threads that have something to do, counting cells that fill up panels as cells.
int threadsFor(std::int64_t width, std::int64_t rows, int most)
{
    constexpr std::int64_t kCellsPerThread = 1 << 17; // many times the work of starting one
    const std::int64_t cells = ceilDiv(width, kPanelColumns) * kPanelColumns * rows;
    const int offered = most > 0 ? std::min(most, omp_get_max_threads()) : omp_get_max_threads();
    return static_cast<int>(std::clamp<std::int64_t>(cells / kCellsPerThread, 1, offered));
}

bool chosen(CpuOptions::Choice choice, bool best)
{
    return choice == CpuOptions::Choice::Best ? best : choice == CpuOptions::Choice::Yes;
}

void runKernel(const Kernel &kernel, Job &job, const CpuOptions &options, const Worker &worker)
{
    const std::int64_t rows = job.end - job.begin;
    job.tables = (kernel.ternary ? ternaryTables() : binaryTables()).ofCells.data();
    job.gather = options.gather == CpuOptions::Choice::Best ? gatherIsFaster(kernel)
                                                            : chosen(options.gather, false);
    job.stream = chosen(options.stream, job.width > lastLevelCache() / 8 / rows);
    const common::PartScope scope(common::Part::Kernel);
    const int threads = threadsFor(job.width, rows, options.threads);
    if (isNarrow(job.width, rows)) return runNarrow(kernel, job, threads);
    divide(job, threads);
    const std::size_t bytes = kernel.stateBytes + 2 * job.packedBytes();
    if (threads == 1) return worker(kernel, job, scratch(bytes));
    common::FirstError error;
#pragma omp parallel num_threads(threads)
    error.guard([&] { worker(kernel, job, scratch(bytes)); });
    error.rethrow();
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
    static const Path path = chooseKernel();
    return path;
}

void entropyOnCpu(std::int64_t width, std::int64_t height, const float *sample, float *result,
                  std::int64_t begin, std::int64_t end, const CpuOptions &options)
{
    runOnCpu(width, height, sample, result, begin, end, options,
             [](const Kernel &kernel, Job &job, void *scratch) { kernel.run(job, scratch); });
}

Job jobOf(const Job &job, std::int64_t block)
{
    Job one;
    one.sample = job.sample;
    one.result = job.result;
    one.width = job.width;
    one.height = job.height;
    one.begin = job.begin;
    one.end = job.end;
    one.tables = job.tables;
    one.panels = job.panels;
    one.panelsPerBlock = job.panelsPerBlock;
    one.rowsPerBlock = job.rowsPerBlock;
    one.stream = job.stream;
    one.gather = job.gather;
    one.nextBlock = block;
    one.blocks = block + 1;
    return one;
}

Tile tileOf(const Job &job, std::int64_t block)
{
    const std::int64_t across = ceilDiv(job.panels, job.panelsPerBlock);
    const std::int64_t left = block % across * job.panelsPerBlock * kPanelColumns;
    const std::int64_t top = job.begin + block / across * job.rowsPerBlock;
    return {left, std::min(left + job.panelsPerBlock * kPanelColumns, job.width), top,
            std::min(top + job.rowsPerBlock, job.end)};
}

void runOnCpu(std::int64_t width, std::int64_t height, const float *sample, float *result,
              std::int64_t begin, std::int64_t end, const CpuOptions &options, const Worker &worker)
{
    if (width < 1 || height < 1 || begin < 0 || begin > end || end > height)
        throw common::Error("entropyOnCpu: rows " + std::to_string(begin) + " to " +
                            std::to_string(end) + " of an array of " + std::to_string(width) +
                            " x " + std::to_string(height));
    if (!pathWorksHere(options.path))
        throw common::Unavailable("entropyOnCpu: this processor cannot run path " +
                                  std::string(pathName(options.path)));
    if (options.path == Path::Best) bestKernel(); // says what is wrong with ENTROPY_CPU_PATH
    if (begin == end) return;

    const std::int64_t firstRead = std::max<std::int64_t>(begin - kRadius, 0);
    const std::int64_t endRead = std::min(end + kRadius, height);
    const bool plain =
        options.path == Path::Plain || (options.path == Path::Best && isSmall(width, end - begin));
    if (plain) {
        const common::PartScope scope(common::Part::Kernel);
        checkCells(width, sample, firstRead, endRead);
        return entropyPlain(width, height, sample, result, begin, end);
    }
    Job job;
    job.sample = sample;
    job.result = result;
    job.width = width;
    job.height = height;
    job.begin = begin;
    job.end = end;
    runKernel(kernelOf(options.path == Path::Best ? bestKernel() : options.path), job, options,
              worker);
    if (job.suspicious) checkCells(width, sample, firstRead, endRead);
}

static constexpr std::size_t kLargeResult = std::size_t(16) << 20; ///< bytes

/// malloc that takes even large memory from the heap, which free() leaves mapped, pages and all:
/// the next result of that size costs no page faults. (By default, a large array is a mapping of
/// its own and each one is handed back to the system.) The two thresholds stay set for the process.
static common::HostArray<float> allocateFromHeap(std::size_t cells)
{
#ifdef __GLIBC__
    static constexpr int kAsEver = 65536; // glibc's default
    constexpr int kLargest = 32 << 20, kNever = INT_MAX;
    static std::mutex settings;
    const std::lock_guard<std::mutex> lock(settings);
    mallopt(M_MMAP_THRESHOLD, kLargest); // what glibc would come to by itself
    mallopt(M_TRIM_THRESHOLD, kNever);
    struct OnlyHere
    {
        OnlyHere() { mallopt(M_MMAP_MAX, 0); }
        ~OnlyHere() { mallopt(M_MMAP_MAX, kAsEver); }
    } const onlyHere;
#endif
    return common::allocateHost<float>(cells);
}

void populatePages(void *memory, std::size_t bytes)
{
    const common::PartScope scope(common::Part::Faults);
    constexpr std::size_t kHugePage = std::size_t(2) << 20;
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t first = (address + kHugePage - 1) / kHugePage * kHugePage;
    const std::uintptr_t last = (address + bytes) / kHugePage * kHugePage;
    if (first >= last) return;
#ifdef MADV_HUGEPAGE // may be refused: then pages are small
    madvise(reinterpret_cast<void *>(first), last - first, MADV_HUGEPAGE);
#endif
#ifdef MADV_POPULATE_WRITE            // may be refused: then pages come when they are written to
    if (bytes < kLargeResult) return; // starting threads would cost more
#pragma omp parallel for schedule(static)
    for (std::uintptr_t at = first; at < last; at += kHugePage) {
        void *const page = reinterpret_cast<void *>(at);
        unsigned char there = 0; // kept from the last result; asking is cheaper than populating
        if (mincore(page, 1, &there) == 0 && (there & 1)) continue;
        madvise(page, kHugePage, MADV_POPULATE_WRITE);
    }
#endif
}

common::HostArray<float> allocateResult(std::size_t cells)
{
    const std::size_t bytes = cells * sizeof(float);
    const char *keep = std::getenv("ENTROPY_KEEP_MEMORY");
    const bool kept = bytes >= kLargeResult && !(keep && std::string(keep) == "0");
    common::HostArray<float> result =
        kept ? allocateFromHeap(cells) : common::allocateHost<float>(cells);
    populatePages(result.get(), bytes);
    return result;
}

} // namespace local_entropy::bits
