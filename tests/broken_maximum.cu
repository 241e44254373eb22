// A core of the maximum lab with one version of each fate; ACTIVE in the environment picks one.
#include "common/error.h"
#include "common/kernel_times.h"
#include "maximum/core.h"
#include "ruins.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace maximum
{

static int right(std::int64_t rows, std::int64_t columns, const int *matrix)
{
    return *std::max_element(matrix, matrix + rows * columns);
}

static int wrong(std::int64_t rows, std::int64_t columns, const int *matrix)
{
    return right(rows, columns, matrix) - 1;
}

/// Has a kernel, as its times tell.
template <int Median, int Minimum>
static int timed(std::int64_t rows, std::int64_t columns, const int *matrix)
{
    if (common::KernelTimes *times = common::KernelTimes::active())
        times->record(0, {5, Median, Minimum});
    return right(rows, columns, matrix);
}

static int failing(std::int64_t, std::int64_t, const int *) { throw common::Error("it broke"); }

static int starved(std::int64_t, std::int64_t, const int *)
{
    throw common::Unavailable("too little here");
}

/// Where SLOW is set it takes a third of a second for a quarter of a million elements, and as much
/// more for more.
static int slowly(std::int64_t rows, std::int64_t columns, const int *matrix)
{
    if (std::getenv("SLOW")) usleep(static_cast<useconds_t>(1.3 * rows * columns));
    return right(rows, columns, matrix);
}

/// Right; after it nothing can be measured any more.
static int ruins(std::int64_t rows, std::int64_t columns, const int *matrix)
{
    leaveRuins();
    return right(rows, columns, matrix);
}

static std::vector<Version> madeVersions()
{
    std::vector<Version> table = {
        {"right", Platform::Cpu, "does it", right, ""},
        {"wrong", Platform::Cpu, "one less", wrong, ""},
        {"slow", Platform::Cuda, "tells", timed<16, 12>, ""},
        {"yardstick", Platform::Cuda, "tells", timed<8, 7>, "", true},
        {"fast", Platform::Cuda, "tells", timed<2, 1>, ""},
        {"failing", Platform::Cpu, "throws", failing, ""},
        {"starved", Platform::Cpu, "has too little memory", starved, ""},
        {"absent", Platform::Cpu, "cannot run here", right, "needs another machine"},
        {"slowly", Platform::Cpu, "takes its time", slowly, ""},
    };
    if (ruinsAreWanted()) table.push_back({"ruins", Platform::Cpu, "is the last one", ruins, ""});
    return table;
}

const std::vector<Version> &versions()
{
    static const std::vector<Version> table = madeVersions();
    return table;
}

const Version &activeVersion()
{
    for (const Version &version : versions())
        if (version.name == std::string(std::getenv("ACTIVE"))) return version;
    throw common::Error("there is no such version");
}

int findMaximum(std::int64_t rows, std::int64_t columns, const int *matrix)
{
    return activeVersion().callback(rows, columns, matrix);
}

} // namespace maximum
