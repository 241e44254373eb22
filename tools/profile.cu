// For a profiler to watch: calls versions of a core once each. tools/profile.sh runs it under ncu.

#include "common/devices.h"
#include "common/host_poison.h"
#include "common/kernel_times.h"
#include "common/profiler_range.h"
#include "common/size.h"
#include "common/standard_output.h"
#include "common/standard_streams.h"
#include "entropy/contents.h"
#include "entropy/reference.h"
#include "entropy/run.h"

#include <cstdio>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace
{

constexpr const char *kHelp =
    R"(usage: CORE_profile [--list] [--size WIDTHxHEIGHT] [VERSION ...]

Calls the versions of the core that are named, or all that need CUDA and can run here, once each on
2560x2560 random cells, or on another size, and checks their answers. Each call is an NVTX range
"version=NAME;": by it ncu --nvtx tells whose kernel it is.

  --list               prints the names of the versions that it would call
  --size WIDTHxHEIGHT  so many columns and rows

exit status: 0 all right; 1 an answer was wrong; 2 bad usage or cannot run
)";

/// What is asked for.
struct Wishes
{
    bool help = false, list = false;
    int width = 2560, height = 2560;
    std::vector<std::string> versions;
};

Wishes wishesFrom(const std::vector<std::string> &words)
{
    Wishes wishes;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--help" || words[i] == "-h") {
            wishes.help = true;
        } else if (words[i] == "--list") {
            wishes.list = true;
        } else if (words[i] == "--size") {
            const std::string size = i + 1 < words.size() ? words[++i] : "";
            std::tie(wishes.width, wishes.height) = common::parseSize("--size", size);
        } else if (!words[i].empty() && words[i][0] == '-') {
            throw common::Error("there is no option '" + words[i] + "'; --help names them");
        } else {
            wishes.versions.push_back(words[i]);
        }
    }
    return wishes;
}

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
bool callOnce(const entropy::Version &version, const Wishes &wishes, std::vector<float> &cells,
              const std::vector<float> &gold)
{
    const int width = wishes.width, height = wishes.height;
    const auto say = [&](const std::string &what) {
        std::printf("%-18s %s\n", version.name, what.c_str());
        std::fflush(stdout);
    };
    try {
        if (!version.unavailable.empty()) throw common::Unavailable(version.unavailable);
        std::optional<common::HostPoison> poison(std::in_place, cells.size() * sizeof(float));
        const common::KernelTimes timed; // engines then compute an image as a whole, not by tiles
        const common::ProfilerRange range("version=" + std::string(version.name) + ";");
        const auto result = entropy::run(version.callback, width, height, cells.data());
        poison.reset();
        if (version.probe) return say("called; a probe gives no answer"), true;
        const auto verdict = entropy::compare(width, height, result.get(), gold.data());
        say(verdict.passed ? "right" : "WRONG");
        return verdict.passed;
    } catch (const common::Unavailable &reason) {
        return say(reason.what()), true;
    }
}

int run(const Wishes &wishes)
{
    if (wishes.help) return std::fputs(kHelp, stdout), 0;
    const auto versions = chosen(wishes.versions);
    if (wishes.list) {
        for (const entropy::Version &version : versions)
            if (version.unavailable.empty()) std::printf("%s\n", version.name);
        return 0;
    }
    if (common::deviceCount() == 0) throw common::Unavailable(common::whyNoDevice());
    const auto levels = entropy::makeContent({}, wishes.width, wishes.height, 20200702);
    std::vector<float> cells(levels.begin(), levels.end());
    const std::vector<float> gold = entropy::reference(wishes.width, wishes.height, cells.data());
    bool right = true;
    for (const entropy::Version &version : versions)
        right &= callOnce(version, wishes, cells, gold);
    return right ? 0 : 1;
}

} // namespace

/// Nothing is timed at load time: this program calls the core for purposes of its own.
bool entropy::runIsRefused() { return true; }

int main(int argc, char **argv)
try {
    common::occupyClosedStandardStreams();
    return common::afterOutput(run(wishesFrom({argv + 1, argv + argc})));
} catch (const std::exception &error) {
    std::fflush(stdout);
    std::fprintf(stderr, "profile: %s\n", error.what());
    return 2;
}
