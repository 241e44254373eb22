#include "entropy/library.h"

#include "common/error.h"
#include "common/part_times.h"
#include "common/threads.h"
#include "local_entropy/engine.h"

#include <cstdlib>
#include <string>

namespace entropy
{
namespace
{

using local_entropy::Engine;

/// The library's name of the path; empty for its choice.
std::string pathFromEnvironment()
{
    const char *const setting = std::getenv("ENTROPY_CPU_PATH");
    if (!setting) return "";
    const std::string name = setting;
    for (const char *known : {"avx512", "avx2", "portable"}) {
        if (name != known) continue;
        for (const std::string &path : Engine::paths())
            if (path == name) return name;
        throw common::Error("ENTROPY_CPU_PATH is " + name + ", which this processor cannot run");
    }
    throw common::Error("ENTROPY_CPU_PATH is '" + name + "', expected avx512, avx2 or portable");
}

/// Never destroyed: calls may come from destructors of global objects.
Engine &makeEngine(Machine machine)
{
    local_entropy::EngineOptions options;
    options.threads = 1024; // started when a call wants them
    options.path = pathFromEnvironment();
    options.devices = machine == Machine::Everything;
    return *new Engine(options);
}

Engine &engineFor(Machine machine)
{
    if (machine == Machine::Everything) {
        static Engine &everything = makeEngine(machine);
        return everything;
    }
    static Engine &cpu = makeEngine(machine);
    return cpu;
}

local_entropy::Filter makeFilter()
{
    local_entropy::Filter filter; // 5x5, cut at the edge, base e
    filter.levels.count = 16;
    return filter;
}

} // namespace

void computeByLibrary(Machine machine, std::int64_t width, std::int64_t height,
                      const float *sample, float *result)
try {
    const common::PartScope scope(common::Part::Kernel);
    static const local_entropy::Filter &filter = *new local_entropy::Filter(makeFilter());
    local_entropy::RunOptions options;
    options.threads = common::offeredThreads();
    engineFor(machine).run(filter, local_entropy::View<const float>{sample, width, height},
                           local_entropy::View<float>{result, width, height}, options);
} catch (const local_entropy::Error &error) {
    if (error.status() == local_entropy::Status::Unavailable)
        throw common::Unavailable(error.what());
    throw common::Error(error.what());
}

} // namespace entropy
