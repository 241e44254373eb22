// Where does the time of a call go? Takes calls of several versions apart: the first call of a
// process, and later ones. Each version runs in processes of its own, in which nothing was warmed
// and no other version has left memory behind. And: from what size on does the GPU win?

#include "common/arguments.h"
#include "common/child.h"
#include "common/csv.h"
#include "common/devices.h"
#include "common/machine.h"
#include "common/measure.h"
#include "common/part_times.h"
#include "common/progress.h"
#include "common/standard_output.h"
#include "entropy/run.h"
#include "entropy/shared_sample.h"

#include <cstdio>
#include <getopt.h>
#include <map>
#include <optional>
#include <sstream>

namespace
{

constexpr const char *kHelp =
    R"(usage: parts [--side N] [FILE.csv [VERSION ...]]
       parts --threshold [FILE.csv]

Takes calls of v0, v7, v14, v15, v16 and v17, or of the versions that are named, apart, on arrays of
2560x2560 and 10240x10240 random cells. Every answer is checked. Prints the parts in ms and writes
them to FILE.csv:

  context   the driver is started, the context made, the code of kernels loaded
  allocate  memory for arrays, on the device and the host
  up, down  copies to and from the device; for v17 also packing tiles and putting them in place
  kernel    computing, on the device or the CPU
  faults    pages of the result, touched for the first time
  free      memory given back, the result's too
  other     the rest
  total     the call, and giving back its result

They are times of the thread that calls. "first" is the first call of a process, of three processes
the one with the median total; "later" the call with the median total of several that follow.

  --side N     arrays of N x N cells only
  --threshold  instead: v12 against v7 end to end, from 64x64 to 2560x2560, medians in ms
  --help       this text

exit status: 0 all that could run was right; 1 a version failed; 2 bad usage or cannot run
)";

const std::vector<std::string> kVersions = {"v0", "v7", "v14", "v15", "v16", "v17"};
constexpr int kProcesses = 3;

/// Milliseconds of a call by the name of the part.
using Parts = std::map<std::string, double>;
const std::vector<std::string> kNames = {"context", "allocate", "up",    "kernel", "down",
                                         "faults",  "free",     "other", "total"};

/// The one with the median total: its parts add up, which medians of each part would not.
Parts median(std::vector<Parts> calls)
{
    const auto middle = calls.begin() + calls.size() / 2;
    std::nth_element(calls.begin(), middle, calls.end(),
                     [](const Parts &a, const Parts &b) { return a.at("total") < b.at("total"); });
    return *middle;
}

// ---- in a child --------------------------------------------------------------------------------

/// One call. `lookup`: milliseconds that it took to find the version, in which the driver started.
Parts takeApart(const entropy::Version &version, const entropy::SharedSample &shared,
                std::vector<float> &cells, double lookup)
{
    Parts parts;
    common::PartTimes times;
    const common::WallClock clock;
    auto result = entropy::run(version.callback, shared.width, shared.height, cells.data());
    double total = clock.milliseconds();
    shared.check(result.get());
    const common::WallClock freeing;
    result.reset();
    total += freeing.milliseconds();
    for (const common::Part part : common::kParts)
        parts[common::partName(part)] = times.milliseconds(part);
    parts["other"] = total - times.sum();
    if (parts["context"] > 0) { // it needs the driver
        parts["context"] += lookup;
        total += lookup;
    }
    parts["total"] = total;
    return parts;
}

void print(const char *call, const Parts &parts)
{
    for (const auto &[part, milliseconds] : parts)
        std::printf("%s %s %.6g\n", call, part.c_str(), milliseconds);
}

/// Arguments: the version, whether later calls are wanted, the sample. Prints "first kernel 1.2"
/// and the like, or "unavailable: " and the reason.
int child(const std::vector<std::string> &arguments)
{
    const std::string &name = arguments.at(0);
    const bool later = arguments.at(1) == "later";
    const entropy::SharedSample shared({arguments.begin() + 2, arguments.end()});
    std::vector<float> cells = shared.copy();
    const common::WallClock clock;
    const entropy::Version &version = entropy::versionNamed(name);
    const double lookup = clock.milliseconds();
    if (!version.unavailable.empty())
        return std::printf("unavailable: %s\n", version.unavailable.c_str()), 0;
    try {
        print("first", takeApart(version, shared, cells, lookup));
        if (!later) return 0;
        std::vector<Parts> calls;
        double seconds = 0;
        do {
            calls.push_back(takeApart(version, shared, cells, 0));
            seconds += 1e-3 * calls.back()["total"];
        } while (!common::enoughRepeats(calls.size(), seconds));
        print("later", median(std::move(calls)));
    } catch (const common::Unavailable &reason) {
        std::printf("unavailable: %s\n", reason.what());
    }
    return 0;
}

// ---- in the parent -----------------------------------------------------------------------------

/// What children say of one version at one size.
struct Answer
{
    std::map<std::string, std::vector<Parts>> calls; ///< by "first" and "later"
    std::string unavailable;
};

Answer ask(const std::string &name, const entropy::SharedSample &shared)
{
    Answer answer;
    for (int process = 0; process < kProcesses && answer.unavailable.empty(); ++process) {
        std::vector<std::string> arguments = {"--child", name, process == 0 ? "later" : "first"};
        for (const std::string &argument : shared.arguments()) arguments.push_back(argument);
        const common::ChildOutcome outcome = common::runChild(arguments);
        if (outcome.status != 0) throw common::Error(name + " failed");
        std::istringstream lines(outcome.output);
        std::map<std::string, Parts> calls;
        for (std::string line; std::getline(lines, line);) {
            const std::string unavailable = "unavailable: ";
            if (line.compare(0, unavailable.size(), unavailable) == 0)
                answer.unavailable = line.substr(unavailable.size());
            std::istringstream words(line);
            std::string call, part;
            double milliseconds = 0;
            if (words >> call >> part >> milliseconds) calls[call][part] = milliseconds;
        }
        for (auto &[call, parts] : calls) answer.calls[call].push_back(parts);
    }
    return answer;
}

/// Returns whether the version was right, or cannot run here.
bool report(const std::string &name, const entropy::SharedSample &shared, common::Csv &csv,
            common::Progress &progress)
{
    progress.show(name);
    Answer answer;
    try {
        answer = ask(name, shared);
    } catch (const std::exception &error) {
        progress.wipe();
        std::printf("%-18s FAILED: %s\n", name.c_str(), error.what());
        return false;
    }
    progress.wipe();
    if (!answer.unavailable.empty()) {
        std::printf("%-18s %s\n", name.c_str(), answer.unavailable.c_str());
        return true;
    }
    for (const auto &[call, calls] : answer.calls) {
        const Parts parts = median(calls);
        std::printf("%-18s %-6s", name.c_str(), call.c_str());
        for (const std::string &part : kNames) {
            std::printf(" %9.3f", parts.at(part));
            csv.add({name, std::to_string(shared.width), std::to_string(shared.height), call, part,
                     common::number(parts.at(part))});
        }
        std::printf("\n");
    }
    std::fflush(stdout);
    return true;
}

int parts(const std::vector<int> &sides, const std::string &file,
          const std::vector<std::string> &names)
{
    std::optional<common::OutputFile> output; // refused now rather than after minutes
    if (!file.empty()) output.emplace(file);
    for (const std::string &name : names) entropy::versionNamed(name);
    std::printf("%s\n", common::machineFacts().c_str());
    common::Csv csv({"version", "width", "height", "call", "part", "ms"});
    common::Progress progress("parts");
    bool right = true;
    for (const int side : sides) {
        progress.show("computing the reference");
        const entropy::SharedSample shared(side, side);
        progress.wipe();
        std::printf("%dx%d, ms\n%-18s %-6s", side, side, "", "call");
        for (const std::string &part : kNames) std::printf(" %9s", part.c_str());
        std::printf("\n");
        for (const std::string &name : names) right &= report(name, shared, csv, progress);
        std::printf("\n");
    }
    if (output) {
        output->write(csv.str());
        output->commit();
    }
    return right ? 0 : 1;
}

// ---- from what size on the GPU wins ------------------------------------------------------------

int threshold(const std::string &file)
{
    const entropy::Version &cpu = entropy::versionNamed("v12"), &gpu = entropy::versionNamed("v7");
    if (!gpu.unavailable.empty()) throw common::Unavailable("v7 " + gpu.unavailable);
    std::optional<common::OutputFile> output;
    if (!file.empty()) output.emplace(file);
    std::printf("%s\nend to end, median in ms; v14 leaves arrays of less than %lld cells to v12\n"
                "%11s %9s %10s %10s\n",
                common::machineFacts().c_str(), common::residentThreads(0), "", "cells", "v12 CPU",
                "v7 GPU");
    common::Csv csv({"width", "height", "cells", "cpu_ms", "gpu_ms"});
    for (const int side : {64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 2560}) {
        const entropy::SharedSample shared(side, side);
        std::vector<float> cells = shared.copy();
        const auto time = [&](const entropy::Version &version) {
            return common::measure(
                       [&] { return entropy::run(version.callback, side, side, cells.data()); },
                       [&](const common::HostArray<float> &result) { shared.check(result.get()); })
                .median;
        };
        const double cpuTime = time(cpu), gpuTime = time(gpu);
        std::printf("%5dx%-5d %9d %10.4f %10.4f\n", side, side, side * side, cpuTime, gpuTime);
        std::fflush(stdout);
        csv.add({std::to_string(side), std::to_string(side), std::to_string(side * side),
                 common::number(cpuTime), common::number(gpuTime)});
    }
    if (output) {
        output->write(csv.str());
        output->commit();
    }
    return 0;
}

int run(int argc, char **argv)
{
    static const option kOptions[] = {{"side", required_argument, nullptr, 's'},
                                      {"threshold", no_argument, nullptr, 't'},
                                      {"help", no_argument, nullptr, 'h'},
                                      {nullptr, 0, nullptr, 0}};
    std::vector<int> sides = {2560, 10240};
    bool wantsThreshold = false;
    opterr = 0; // one sentence, ours
    for (int letter; (letter = getopt_long(argc, argv, "+h", kOptions, nullptr)) != -1;)
        switch (letter) {
        case 's':
            sides = {static_cast<int>(common::parseInteger("--side", optarg, 1, 40000))};
            break;
        case 't': wantsThreshold = true; break;
        case 'h': return std::fputs(kHelp, stdout), 0;
        default: throw common::badOption(argv);
        }
    const std::vector<std::string> words(argv + optind, argv + argc);
    const std::string file = words.empty() ? "" : words[0];
    if (wantsThreshold) {
        if (words.size() > 1) throw common::Error("--threshold takes one file; see --help");
        return threshold(file);
    }
    const auto names =
        words.size() > 1 ? std::vector<std::string>(words.begin() + 1, words.end()) : kVersions;
    return parts(sides, file, names);
}

} // namespace

/// Nothing is timed at load time: this program calls the core for purposes of its own.
bool entropy::runIsRefused() { return true; }

int main(int argc, char **argv)
try {
    if (argc > 1 && std::string(argv[1]) == "--child") return child({argv + 2, argv + argc});
    return common::afterOutput(run(argc, argv));
} catch (const std::exception &error) {
    std::fflush(stdout);
    std::fprintf(stderr, "parts: %s\n", error.what());
    return 2;
}
