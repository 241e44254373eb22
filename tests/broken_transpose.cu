// A core of the transpose lab with one version of each fate; ACTIVE in the environment picks one.
#include "common/error.h"
#include "common/kernel_times.h"
#include "ruins.h"
#include "transpose/core.h"
#include "transpose/matrix.h"

#include <cmath>
#include <cstdlib>

namespace transpose
{

static void right(int rows, int columns, const float *input, float *output, int)
{
    reference(rows, columns, input, output);
}

static void wrong(int rows, int columns, const float *input, float *output, int)
{
    reference(rows, columns, input, output);
    float &last = output[static_cast<std::size_t>(rows) * columns - 1];
    last = std::nextafter(last, 2.0f);
}

static void unwritten(int, int, const float *, float *, int) {}

/// Right until its kernel is timed.
static void late(int rows, int columns, const float *input, float *output, int block)
{
    (common::KernelTimes::active() ? wrong : right)(rows, columns, input, output, block);
}

/// Has kernels, as their times tell.
static void timed(int rows, int columns, const float *input, float *output, int block)
{
    if (common::KernelTimes *times = common::KernelTimes::active()) times->record(0, {5, 4, 3});
    right(rows, columns, input, output, block);
}

static void failing(int, int, const float *, float *, int) { throw common::Error("it broke"); }

static void starved(int, int, const float *, float *, int)
{
    throw common::Unavailable("too little here");
}

/// Right; after it nothing can be measured any more.
static void ruins(int rows, int columns, const float *input, float *output, int)
{
    leaveRuins();
    reference(rows, columns, input, output);
}

static std::vector<Version> madeVersions()
{
    std::vector<Version> table = {
        {"right", Platform::Cpu, "does it", right, ""},
        {"wrong", Platform::Cpu, "another last bit", wrong, ""},
        {"unwritten", Platform::OpenMp, "does nothing", unwritten, ""},
        {"late", Platform::Cuda, "its repeats are wrong", late, ""},
        {"timed", Platform::Cuda, "tells", timed, ""},
        {"failing", Platform::Cpu, "throws", failing, ""},
        {"starved", Platform::Cpu, "has too little memory", starved, ""},
        {"absent", Platform::Cpu, "cannot run here", right, "needs another machine"},
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

void checkBlock(int) {}

void run(const Version &version, int rows, int columns, const float *input, float *output,
         int block)
{
    const common::ErrorScope scope(version.name);
    if (!version.unavailable.empty()) throw common::Unavailable(version.unavailable);
    version.callback(rows, columns, input, output, block);
}

void matrixTranspose(int rows, int columns, const float *input, float *output, int block)
{
    run(activeVersion(), rows, columns, input, output, block);
}

} // namespace transpose
