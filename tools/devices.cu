// What do more GPUs bring? Times versions with 1, 2, 4, ... GPUs, each number in a process of its
// own that sees no others.

#include "bench/cells.h"
#include "bench/first_devices.h"
#include "bench/process.h"
#include "bench/program.h"
#include "common/devices.h"
#include "common/integer.h"
#include "common/kernel_times.h"
#include "common/machine.h"
#include "entropy/run.h"
#include "entropy/shared_sample.h"

#include <cmath>
#include <cstdio>
#include <memory>
#include <sstream>

namespace
{

constexpr const char *kWhat =
    R"(Times versions with 1, 2, 4, ... GPUs and with all, on random cells: end to end and, where it can be
told apart, the kernel on the slowest GPU. Answers are checked before they are timed. With
CUDA_VISIBLE_DEVICES in the environment the GPUs are the first ones of its list.
)";

// ---- in a child --------------------------------------------------------------------------------

/// Arguments: the version, the sample. Prints runs, total median and minimum, kernel median.
void child(const std::vector<std::string> &arguments)
{
    const entropy::Version &version = entropy::versionNamed(arguments.at(0));
    const entropy::SharedSample shared({arguments.begin() + 1, arguments.end()});
    std::vector<float> cells = shared.copy();
    if (!version.unavailable.empty()) throw common::Unavailable(version.unavailable);
    const auto call = [&] {
        return entropy::run(version.callback, shared.width, shared.height, cells.data());
    };
    const common::Timing total = common::measure(
        call, [&](const common::HostArray<float> &result) { shared.check(result.get()); });
    common::KernelTimes kernels;
    shared.check(call().get());
    std::printf("%zu %.6g %.6g %.6g\n", total.repeats, total.median, total.minimum,
                kernels.slowestDevice().median);
}

// ---- in the parent -----------------------------------------------------------------------------

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

using Sample = std::shared_ptr<std::unique_ptr<const entropy::SharedSample>>;

bench::Work workOf(const std::string &name, int devices, const entropy::SharedSample &shared)
{
    const auto kernel = std::make_shared<double>();
    bench::Work work;
    work.time = [=, &shared] {
        std::vector<std::string> arguments = {name};
        for (const std::string &argument : shared.arguments()) arguments.push_back(argument);
        std::istringstream answer(bench::ask(arguments, bench::onlyFirstDevices(devices)));
        common::Timing total;
        answer >> total.repeats >> total.median >> total.minimum >> *kernel;
        if (!answer) throw bench::WrongAnswer("its process gave no times");
        if (*kernel == 0) *kernel = NAN; // it starts its kernels itself
        return total;
    };
    work.beside = [=] { return std::vector<double>{*kernel}; };
    return work;
}

std::vector<bench::Row> rowsOf(const std::string &name, int side, const Sample &sample)
{
    if (!*sample) *sample = std::make_unique<const entropy::SharedSample>(side, side);
    std::vector<bench::Row> rows;
    for (const int devices : deviceCounts(common::deviceCount())) {
        bench::Row row;
        row.keys = {name, std::to_string(side), std::to_string(side), std::to_string(devices)};
        row.results = static_cast<double>(side) * side;
        row.open = [=] { return workOf(name, devices, **sample); };
        row.mayLack = true;
        rows.push_back(row);
    }
    return rows;
}

std::string facts()
{
    if (common::deviceCount() == 0) throw common::Unavailable(common::whyNoDevice());
    return common::machineFacts();
}

} // namespace

/// Nothing is timed at load time: this program calls the core for purposes of its own.
bool entropy::runIsRefused() { return true; }

int main(int argc, char **argv)
{
    int side = 10240;
    std::vector<std::string> names;
    const auto cases = [&] {
        if (names.empty()) names = usualVersions();
        const auto sample = std::make_shared<std::unique_ptr<const entropy::SharedSample>>();
        std::vector<bench::Case> cases;
        for (const std::string &name : names)
            cases.push_back({name + " " + bench::sizeOf(side, side),
                             entropy::versionNamed(name).idea, 2 * sizeof(float),
                             [=] { return rowsOf(name, side, sample); }});
        return cases;
    };
    const std::vector<bench::Option> options = {
        {"side", "N", "arrays of N x N cells (default: 10240)",
         [&](const std::string &text) {
             side = static_cast<int>(common::parseInteger("--side", text, 1, 40000));
         }},
        {"versions", "LIST",
         "names with commas between (default: all that use both platforms, v14 and v17, and v15)",
         [&](const std::string &text) { names = bench::wordsOf("--versions", text); }}};
    const bench::Layout layout{{{"version"}, {"width"}, {"height"}, {"gpus"}},
                               {bench::runs(), bench::median(), bench::minimum(),
                                bench::beside(0, "kernel_median_ms", "ms the kernel")}};
    return bench::runProgram({"devices", kWhat, layout, options, cases, facts, child}, argc, argv);
}
