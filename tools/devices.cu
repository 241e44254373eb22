// What do more GPUs bring? Times versions with 1, 2, 4, ... GPUs, each number in a process of its
// own that sees no others.

#include "common/arguments.h"
#include "common/child.h"
#include "common/csv.h"
#include "common/devices.h"
#include "common/kernel_times.h"
#include "common/machine.h"
#include "common/measure.h"
#include "common/progress.h"
#include "common/standard_output.h"
#include "entropy/run.h"
#include "entropy/shared_sample.h"

#include <cstdio>
#include <cstdlib>
#include <getopt.h>
#include <optional>
#include <sstream>

namespace
{

constexpr const char *kHelp =
    R"(usage: CORE_devices [--side N] [FILE.csv [VERSION ...]]

Times the versions that are named, or all that use both platforms (v14, v17) and v15, with 1, 2, 4,
... GPUs and with all, on 10240x10240 random cells: end to end and, where it can be told apart, the
kernel on the slowest GPU. Answers are checked before they are timed. Prints a table and writes it
to FILE.csv. With CUDA_VISIBLE_DEVICES in the environment the GPUs are the first ones of its list.

  --side N  arrays of N x N cells
  --help    this text

exit status: 0 all that could run was right; 1 a version failed; 2 bad usage or no GPU
)";

// ---- in a child --------------------------------------------------------------------------------

/// Arguments: the version, the sample. Prints runs, total and kernel median and minimum, or
/// "unavailable: " and the reason.
int child(const std::vector<std::string> &arguments)
{
    const entropy::Version &version = entropy::versionNamed(arguments.at(0));
    const entropy::SharedSample shared({arguments.begin() + 1, arguments.end()});
    std::vector<float> cells = shared.copy();
    if (!version.unavailable.empty())
        return std::printf("unavailable: %s\n", version.unavailable.c_str()), 0;
    try {
        const auto call = [&] {
            return entropy::run(version.callback, shared.width, shared.height, cells.data());
        };
        const common::Timing total = common::measure(
            call, [&](const common::HostArray<float> &result) { shared.check(result.get()); });
        common::Timing kernel;
        {
            common::KernelTimes kernels;
            shared.check(call().get());
            kernel = kernels.slowestDevice();
        }
        std::printf("%zu %.6g %.6g %.6g %.6g\n", total.repeats, total.median, total.minimum,
                    kernel.median, kernel.minimum);
    } catch (const common::Unavailable &reason) {
        std::printf("unavailable: %s\n", reason.what());
    }
    return 0;
}

// ---- in the parent -----------------------------------------------------------------------------

/// The first `count` GPUs, for CUDA_VISIBLE_DEVICES.
std::string firstDevices(int count)
{
    std::string list;
    if (const char *visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
        std::istringstream names(visible);
        std::string name;
        for (int i = 0; i < count && std::getline(names, name, ','); ++i)
            list += (i ? "," : "") + name;
        return list;
    }
    for (int i = 0; i < count; ++i) list += (i ? "," : "") + std::to_string(i);
    return list;
}

/// 1, 2, 4, ... and all.
std::vector<int> deviceCounts(int all)
{
    std::vector<int> counts;
    for (int count = 1; count < all; count *= 2) counts.push_back(count);
    counts.push_back(all);
    return counts;
}

std::vector<std::string> usualVersions()
{
    std::vector<std::string> names;
    for (const entropy::Version &version : entropy::versions())
        if (version.platform == entropy::Platform::Both || std::string(version.name) == "v15")
            names.push_back(version.name);
    return names;
}

/// A line on standard output and, where it was timed, a row of the CSV. Returns whether the version
/// was right, or cannot run here.
bool report(const std::string &name, int devices, const entropy::SharedSample &shared,
            common::Csv &csv, common::Progress &progress)
{
    progress.show(name + ", " + std::to_string(devices) + " GPUs");
    std::vector<std::string> arguments = {"--child", name};
    for (const std::string &argument : shared.arguments()) arguments.push_back(argument);
    const common::ChildOutcome outcome =
        common::runChild(arguments, {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"},
                                     {"CUDA_VISIBLE_DEVICES", firstDevices(devices)}});
    progress.wipe();
    std::istringstream words(outcome.output);
    std::string runs, median, minimum, kernel, kernelMinimum;
    words >> runs >> median >> minimum >> kernel >> kernelMinimum;
    std::printf("%-18s %4d | ", name.c_str(), devices);
    const bool timed = outcome.status == 0 && runs != "unavailable:";
    if (!timed) {
        std::printf("%s", outcome.status == 0 ? outcome.output.c_str() : "FAILED\n");
        return outcome.status == 0;
    }
    if (kernel == "0") kernel.clear(); // it starts its kernels itself
    std::printf("%10s %10s %5s | %10s\n", median.c_str(), minimum.c_str(), runs.c_str(),
                kernel.empty() ? "-" : kernel.c_str());
    std::fflush(stdout);
    csv.add({name, std::to_string(shared.width), std::to_string(shared.height),
             std::to_string(devices), runs, median, minimum, kernel});
    return true;
}

int devices(int side, const std::string &file, const std::vector<std::string> &names)
{
    const int all = common::deviceCount();
    if (all == 0) throw common::Unavailable(common::whyNoDevice());
    for (const std::string &name : names) entropy::versionNamed(name);
    std::optional<common::OutputFile> output; // refused now rather than after minutes
    if (!file.empty()) output.emplace(file);
    std::printf("%s\n", common::machineFacts().c_str());
    common::Progress progress("devices");
    progress.show("computing the reference");
    const entropy::SharedSample shared(side, side);
    progress.wipe();
    std::printf("%dx%d; median and minimum in ms\n%-18s %4s | %10s %10s %5s | %10s\n", side, side,
                "", "GPUs", "end to end", "minimum", "runs", "kernel");
    common::Csv csv(
        {"version", "width", "height", "gpus", "runs", "median_ms", "min_ms", "kernel_median_ms"});
    bool right = true;
    for (const std::string &name : names)
        for (const int count : deviceCounts(all))
            right &= report(name, count, shared, csv, progress);
    if (output) {
        output->write(csv.str());
        output->commit();
    }
    return right ? 0 : 1;
}

int run(int argc, char **argv)
{
    static const option kOptions[] = {{"side", required_argument, nullptr, 's'},
                                      {"help", no_argument, nullptr, 'h'},
                                      {nullptr, 0, nullptr, 0}};
    int side = 10240;
    opterr = 0; // one sentence, ours
    for (int letter; (letter = getopt_long(argc, argv, "+h", kOptions, nullptr)) != -1;)
        switch (letter) {
        case 's': side = static_cast<int>(common::parseInteger("--side", optarg, 1, 40000)); break;
        case 'h': return std::fputs(kHelp, stdout), 0;
        default: throw common::badOption(argv);
        }
    const std::vector<std::string> words(argv + optind, argv + argc);
    const auto names = words.size() > 1 ? std::vector<std::string>(words.begin() + 1, words.end())
                                        : usualVersions();
    return devices(side, words.empty() ? "" : words[0], names);
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
    std::fprintf(stderr, "devices: %s\n", error.what());
    return 2;
}
