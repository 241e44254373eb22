// A core with one version of each fate. Its benchmark must time the right one, refuse to time the
// wrong one, and count what failed.
#include "common/error.h"
#include "common/kernel_times.h"
#include "entropy/benchmark.h"
#include "entropy/core.h"
#include "entropy/reference.h"
#include "ruins.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <unistd.h>

static void right(int width, int height, float *sample, float **result)
{
    const std::vector<float> gold = entropy::reference(width, height, sample);
    *result = static_cast<float *>(std::malloc(gold.size() * sizeof(float)));
    std::copy(gold.begin(), gold.end(), *result);
}

static void wrong(int width, int height, float *sample, float **result)
{
    right(width, height, sample, result);
    (*result)[width * height - 1] += 1e-5f;
}

/// Writes the first cells, which the allocator may have used. In the others the answer of the
/// version before it may still stand.
static void beginning(int width, int height, float *sample, float **result)
{
    const std::vector<float> gold = entropy::reference(width, height, sample);
    *result = static_cast<float *>(std::malloc(gold.size() * sizeof(float)));
    std::copy_n(gold.begin(), 8, *result);
}

static void unwritten(int width, int height, float *, float **result)
{
    *result = static_cast<float *>(std::malloc(sizeof(float) * width * height));
}

/// Has a kernel, as its times tell; quick, as the answer is kept.
static void kernel(int width, int height, float *sample, float **result)
{
    if (common::KernelTimes *times = common::KernelTimes::active()) {
        times->record(0, {5, 4, 3});
        times->describe({40, 16, 0.5});
    }
    static std::vector<float> asked, gold;
    const std::vector<float> cells(sample, sample + width * height);
    if (asked != cells) gold = entropy::reference(width, height, sample);
    asked = cells;
    *result = static_cast<float *>(std::malloc(gold.size() * sizeof(float)));
    std::copy(gold.begin(), gold.end(), *result);
}

/// Right, until its kernel is to be timed.
static void late(int width, int height, float *sample, float **result)
{
    if (common::KernelTimes::active()) throw common::Error("it broke late");
    right(width, height, sample, result);
}

/// Right; slow for arrays of five columns.
static void slow(int width, int height, float *sample, float **result)
{
    right(width, height, sample, result);
    if (width == 5) usleep(100000);
}

static void failing(int, int, float *, float **) { throw common::Error("it broke"); }
static void starved(int, int, float *, float **) { throw common::Unavailable("too little here"); }
static void hungry(int, int, float *, float **) { throw std::bad_alloc(); }

/// Right; after it nothing can be measured any more: of arrays of seven columns, so that the
/// warm-up does no harm.
static void ruins(int width, int height, float *sample, float **result)
{
    right(width, height, sample, result);
    if (width == 7) leaveRuins();
}

static std::vector<entropy::Version> madeVersions()
{
    using entropy::Platform;
    constexpr Platform openMp = Platform::OpenMp;
    std::vector<entropy::Version> table = {
        {"right", openMp, "does it", right, ""},
        {"beginning", openMp, "leaves out most cells", beginning, ""},
        {"wrong", openMp, "one cell is off", wrong, ""},
        {"unwritten", openMp, "leaves what was there", unwritten, ""},
        {"failing", openMp, "throws", failing, ""},
        {"starved", openMp, "has too little memory", starved, ""},
        {"hungry", openMp, "finds no memory", hungry, ""},
        {"absent", openMp, "cannot run here", right, "needs another machine"},
        {"kernel", Platform::Cuda, "tells", kernel, ""},
        {"late", Platform::Cuda, "its kernel throws", late, ""},
        {"slow", openMp, "takes its time", slow, ""},
        {"probe", openMp, "leaves work out", unwritten, "", true},
    };
    if (ruinsAreWanted()) table.push_back({"ruins", openMp, "is the last one", ruins, ""});
    return table;
}

const std::vector<entropy::Version> &entropy::versions()
{
    static const std::vector<Version> table = madeVersions();
    return table;
}

int entropy::loadTimeFailures() { return benchmarkFailures(); }
const char *entropy::activeVersion()
{
    const char *const other = std::getenv("ACTIVE");
    return other ? other : "right";
}

static entropy::WarmUP warmUp(20, 10);
static entropy::Benchmark benchmark(20, 10);
[[maybe_unused]] static const auto another =
    std::getenv("TWO_SIZES") ? std::make_unique<entropy::Benchmark>(7, 3) : nullptr;
// The program around it measures with what it was given, or refuses it.
[[maybe_unused]] static const int mended = ruinsAreWanted() ? unsetenv("BENCHMARK_SECONDS") : 0;

void cudaCallback(int width, int height, float *sample, float **result)
{
    right(width, height, sample, result);
}
