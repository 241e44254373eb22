#include "entropy/library.h"

#include "common/error.h"
#include "common/part_times.h"
#include "common/threads.h"
#include "local_entropy/engine.h"

#include <cstdlib>
#include <optional>
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
    if (machine != Machine::Gpu) options.path = pathFromEnvironment();
    options.devices = machine == Machine::Everything;
    options.method = machine == Machine::Gpu ? "words" : "bits";
    return *new Engine(options);
}

Engine &engineFor(Machine machine)
{
    switch (machine) {
    case Machine::Gpu: {
        static Engine &gpu = makeEngine(machine);
        return gpu;
    }
    case Machine::Cpu: {
        static Engine &cpu = makeEngine(machine);
        return cpu;
    }
    case Machine::Everything: break;
    }
    static Engine &everything = makeEngine(machine);
    return everything;
}

/// What CUDA refused is led by the names of the work in progress already.
std::string withoutPrefix(const std::string &sentence)
{
    const std::string prefix = common::ErrorScope::prefix();
    return sentence.rfind(prefix, 0) == 0 ? sentence.substr(prefix.size()) : sentence;
}

local_entropy::Filter makeFilter()
{
    local_entropy::Filter filter; // 5x5, cut at the edge, base e
    filter.levels.count = 16;
    filter.nanIsError = true;
    return filter;
}

} // namespace

void requireCpuPath() { pathFromEnvironment(); }

void computeByLibrary(Machine machine, std::int64_t width, std::int64_t height, const float *sample,
                      float *result)
try {
    std::optional<common::PartScope> scope; // what goes up and down tells its own times
    if (machine != Machine::Gpu) scope.emplace(common::Part::Kernel);
    static const local_entropy::Filter &filter = *new local_entropy::Filter(makeFilter());
    local_entropy::RunOptions options;
    options.threads = common::offeredThreads();
    engineFor(machine).run(filter, local_entropy::View<const float>{sample, width, height},
                           local_entropy::View<float>{result, width, height}, options);
} catch (const local_entropy::Error &error) {
    const std::string sentence = withoutPrefix(error.what());
    if (error.status() == local_entropy::Status::Unavailable) throw common::Unavailable(sentence);
    throw common::Error(sentence);
}

} // namespace entropy
