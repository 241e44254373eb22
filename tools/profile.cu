// For a profiler to watch: calls versions of a core once each. tools/profile.sh runs it under ncu.

#include "common/devices.h"
#include "common/host_poison.h"
#include "common/kernel_times.h"
#include "common/profiler_range.h"
#include "common/standard_output.h"
#include "entropy/contents.h"
#include "entropy/reference.h"
#include "entropy/run.h"

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace
{

constexpr const char *kHelp =
    R"(usage: CORE_profile [--list] [VERSION ...]

Calls the versions of the core that are named, or all that need CUDA and can run here, once each on
2560x2560 random cells and checks their answers. Each call is an NVTX range "version=NAME;": by it
ncu --nvtx tells whose kernel it is.

  --list  prints the names of the versions that it would call

exit status: 0 all right; 1 an answer was wrong; 2 bad usage or cannot run
)";

constexpr int kSide = 2560;

std::vector<entropy::Version> chosen(const std::vector<std::string> &names)
{
    std::vector<entropy::Version> versions;
    for (const std::string &name : names) versions.push_back(entropy::versionNamed(name));
    if (names.empty())
        for (const entropy::Version &version : entropy::versions())
            if (version.platform == entropy::Platform::Cuda) versions.push_back(version);
    return versions;
}

/// Returns whether its answer was right. A version that cannot run here says so.
bool callOnce(const entropy::Version &version, std::vector<float> &cells,
              const std::vector<float> &gold)
{
    const auto say = [&](const std::string &what) {
        std::printf("%-18s %s\n", version.name, what.c_str());
        std::fflush(stdout);
    };
    try {
        if (!version.unavailable.empty()) throw common::Unavailable(version.unavailable);
        std::optional<common::HostPoison> poison(std::in_place, cells.size() * sizeof(float));
        const common::KernelTimes timed; // engines then compute an image as a whole, not by tiles
        const common::ProfilerRange range("version=" + std::string(version.name) + ";");
        const auto result = entropy::run(version.callback, kSide, kSide, cells.data());
        poison.reset();
        if (version.probe) return say("called; a probe gives no answer"), true;
        const auto verdict = entropy::compare(kSide, kSide, result.get(), gold.data());
        say(verdict.passed ? "right" : "WRONG");
        return verdict.passed;
    } catch (const common::Unavailable &reason) {
        return say(reason.what()), true;
    }
}

int run(const std::vector<std::string> &words)
{
    const bool list = !words.empty() && words[0] == "--list";
    const auto versions = chosen({words.begin() + list, words.end()});
    if (list) {
        for (const entropy::Version &version : versions) std::printf("%s\n", version.name);
        return 0;
    }
    if (common::deviceCount() == 0) throw common::Unavailable(common::whyNoDevice());
    const auto levels = entropy::makeContent({}, kSide, kSide, 20200702);
    std::vector<float> cells(levels.begin(), levels.end());
    const std::vector<float> gold = entropy::reference(kSide, kSide, cells.data());
    bool right = true;
    for (const entropy::Version &version : versions) right &= callOnce(version, cells, gold);
    return right ? 0 : 1;
}

} // namespace

/// Nothing is timed at load time: this program calls the core for purposes of its own.
bool entropy::runIsRefused() { return true; }

int main(int argc, char **argv)
try {
    const std::string first = argc > 1 ? argv[1] : "";
    if (first == "--help" || first == "-h")
        return std::fputs(kHelp, stdout), common::afterOutput(0);
    if (!first.empty() && first[0] == '-' && first != "--list") return std::fputs(kHelp, stderr), 2;
    return common::afterOutput(run({argv + 1, argv + argc}));
} catch (const std::exception &error) {
    std::fflush(stdout);
    std::fprintf(stderr, "profile: %s\n", error.what());
    return 2;
}
