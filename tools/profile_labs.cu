// For a profiler to watch: calls versions of the labs once each. tools/profile.sh runs it under
// ncu.

#include "common/devices.h"
#include "common/profiler_range.h"
#include "common/standard_output.h"
#include "common/standard_streams.h"
#include "maximum/core.h"
#include "maximum/matrix.h"
#include "transpose/core.h"
#include "transpose/matrix.h"

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace
{

constexpr const char *kHelp =
    R"(usage: profile_labs [--list] [LAB/VERSION ...]

Calls the versions of the labs that are named ("maximum/m4", "transpose/t6"), or all that need CUDA
and can run here, once each on a matrix of 2560 x 2560 elements and checks their answers. Each call
is an NVTX range "version=LAB/VERSION;": by it ncu --nvtx tells whose kernel it is.

  --list  prints the names of the versions that it would call

exit status: 0 all right; 1 an answer was wrong; 2 bad usage or cannot run
)";

constexpr int kSide = 2560, kBlock = 32;

struct Task
{
    std::string name, unavailable;
    std::function<bool()> isRight; ///< calls it
};

/// Every version on CUDA. The arrays are made when the first one is called, and live until the end.
std::vector<Task> allTasks()
{
    constexpr std::size_t kCells = std::size_t(kSide) * kSide;
    std::vector<Task> tasks;
    for (const maximum::Version &version : maximum::versions()) {
        if (version.platform != maximum::Platform::Cuda) continue;
        tasks.push_back({std::string("maximum/") + version.name, version.unavailable, [&version] {
                             static const maximum::Matrix matrix =
                                 maximum::hashedMatrix(kSide, kSide);
                             static const int answer = maximum::reference(matrix);
                             return version.callback(kSide, kSide, matrix.elements.get()) == answer;
                         }});
    }
    for (const transpose::Version &version : transpose::versions()) {
        if (version.platform != transpose::Platform::Cuda) continue;
        tasks.push_back({std::string("transpose/") + version.name, version.unavailable, [&version] {
                             static const std::vector<float> input = [] {
                                 std::vector<float> cells(kCells);
                                 transpose::fillRandom(cells.data(), kCells);
                                 return cells;
                             }();
                             static const std::vector<float> gold = [] {
                                 std::vector<float> cells(kCells);
                                 transpose::reference(kSide, kSide, input.data(), cells.data());
                                 return cells;
                             }();
                             std::vector<float> output(kCells);
                             transpose::poison(output.data(), kCells);
                             transpose::run(version, kSide, kSide, input.data(), output.data(),
                                            kBlock);
                             return output == gold; // of numbers: fillRandom makes no NaN
                         }});
    }
    return tasks;
}

std::vector<Task> chosen(const std::vector<std::string> &names)
{
    const std::vector<Task> all = allTasks();
    if (names.empty()) return all;
    std::vector<Task> tasks;
    for (const std::string &name : names) {
        const std::size_t before = tasks.size();
        for (const Task &task : all)
            if (task.name == name) tasks.push_back(task);
        if (tasks.size() == before) throw common::Error("there is no version '" + name + "'");
    }
    return tasks;
}

/// Returns whether its answer was right. A version that cannot run here says so.
bool callOnce(const Task &task)
{
    bool right = true;
    std::string verdict;
    try {
        if (!task.unavailable.empty()) throw common::Unavailable(task.unavailable);
        const common::ProfilerRange range("version=" + task.name + ";");
        right = task.isRight();
        verdict = right ? "right" : "WRONG";
    } catch (const common::Unavailable &reason) {
        verdict = reason.what();
    }
    std::printf("%-18s %s\n", task.name.c_str(), verdict.c_str());
    std::fflush(stdout);
    return right;
}

int run(const std::vector<std::string> &words)
{
    const bool list = !words.empty() && words[0] == "--list";
    const std::vector<Task> tasks = chosen({words.begin() + list, words.end()});
    if (list) {
        for (const Task &task : tasks)
            if (task.unavailable.empty()) std::printf("%s\n", task.name.c_str());
        return 0;
    }
    if (common::deviceCount() == 0) throw common::Unavailable(common::whyNoDevice());
    bool right = true;
    for (const Task &task : tasks) right &= callOnce(task);
    return right ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
try {
    common::occupyClosedStandardStreams();
    const std::string first = argc > 1 ? argv[1] : "";
    if (first == "--help" || first == "-h")
        return std::fputs(kHelp, stdout), common::afterOutput(0);
    if (!first.empty() && first[0] == '-' && first != "--list") return std::fputs(kHelp, stderr), 2;
    return common::afterOutput(run({argv + 1, argv + argc}));
} catch (const std::exception &error) {
    std::fflush(stdout);
    std::fprintf(stderr, "profile_labs: %s\n", error.what());
    return 2;
}
