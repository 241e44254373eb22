// Judges every version of a core by two measures over the groups of a data file: the total time of
// all groups but the first, and the time of the slowest of these.

#include "common/clock.h"
#include "common/csv.h"
#include "common/host_array.h"
#include "common/machine.h"
#include "common/measure.h"
#include "common/output_file.h"
#include "common/progress.h"
#include "common/standard_output.h"
#include "common/standard_streams.h"
#include "entropy/core.h"
#include "entropy/reference.h"
#include "entropy/run.h"
#include "entropy/samples.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace
{

constexpr const char *kHelp =
    R"(usage: PROGRAM_measures FILE [CSV [VERSION ...]]

Times every version of the core, or those that are named, end to end on each group of FILE, and
prints the total over all groups but the first and the slowest of these, as medians and minima of
several rounds. Answers are checked before they are timed, except those of probes, which give none.
CSV: a file for the same numbers.
With ENTROPY_BENCHMARK=0 in the environment the core's own benchmark does not run before.

exit status: 0 all that could run was right; 1 a version failed; 2 bad usage or bad input
)";

/// In milliseconds.
struct Measures
{
    common::Timing total, slowest;
};

common::HostArray<float> call(const entropy::Version &version, entropy::Sample &sample)
{
    return entropy::run(version.callback, sample.width, sample.height, sample.cells.data());
}

void check(const entropy::Version &version, std::vector<entropy::Sample> &samples,
           const std::vector<std::vector<float>> &gold)
{
    for (std::size_t group = 0; group < samples.size(); ++group) {
        entropy::Sample &sample = samples[group];
        const auto result = call(version, sample);
        if (version.probe) continue;
        const auto verdict =
            entropy::compare(sample.width, sample.height, result.get(), gold[group].data());
        if (!verdict.passed)
            throw common::Error("WRONG: group " + std::to_string(group + 1) + ", error " +
                                common::number(verdict.largestError) + " at x " +
                                std::to_string(verdict.x) + ", y " + std::to_string(verdict.y));
    }
}

Measures measure(const entropy::Version &version, std::vector<entropy::Sample> &samples)
{
    std::vector<double> totals, slowests;
    const common::WallClock clock;
    do {
        double total = 0, slowest = 0;
        for (std::size_t group = 0; group < samples.size(); ++group) {
            const common::WallClock groupClock;
            const auto result = call(version, samples[group]);
            const double milliseconds = groupClock.milliseconds();
            if (group == 0) continue;
            total += milliseconds;
            slowest = std::max(slowest, milliseconds);
        }
        totals.push_back(total);
        slowests.push_back(slowest);
    } while (!common::enoughRepeats(totals.size(), clock.seconds()));
    return {common::summarize(totals), common::summarize(slowests)};
}

/// A line on standard output and a row of the CSV. Returns whether the version was right, or could
/// not run here.
bool report(const entropy::Version &version, std::vector<entropy::Sample> &samples,
            const std::vector<std::vector<float>> &gold, common::Progress &progress,
            common::Csv &csv)
{
    progress.show(version.name);
    Measures measures;
    std::string note = version.unavailable;
    bool right = true;
    try {
        if (note.empty()) {
            check(version, samples, gold);
            measures = measure(version, samples);
        }
    } catch (const common::Unavailable &error) {
        note = error.what();
    } catch (const std::exception &error) {
        note = error.what();
        right = false;
    }
    const auto milliseconds = [&](double value) {
        char text[32];
        std::snprintf(text, sizeof text, "%.3f", value);
        return std::string(measures.total.repeats ? text : "");
    };
    const std::string total = milliseconds(measures.total.median),
                      totalMinimum = milliseconds(measures.total.minimum),
                      slowest = milliseconds(measures.slowest.median),
                      slowestMinimum = milliseconds(measures.slowest.minimum);
    progress.wipe();
    std::printf("%-18s %-11s %13s %10s %13s %10s %6zu  %s%s\n", version.name,
                entropy::platformName(version.platform), total.c_str(), totalMinimum.c_str(),
                slowest.c_str(), slowestMinimum.c_str(), measures.total.repeats,
                version.probe ? "probe, no answer. " : "", note.c_str());
    std::fflush(stdout);
    csv.add({version.name, entropy::platformName(version.platform), version.probe ? "yes" : "no",
             std::to_string(measures.total.repeats), total, totalMinimum, slowest, slowestMinimum,
             note});
    return right;
}

/// The versions with these names, in the order of the core's table; all if there are no names.
std::vector<entropy::Version> chosen(const std::vector<std::string> &names)
{
    const std::vector<entropy::Version> &all = entropy::versions();
    const auto isNamed = [](const std::string &name) {
        return [&name](const entropy::Version &version) { return version.name == name; };
    };
    for (const std::string &name : names)
        if (std::none_of(all.begin(), all.end(), isNamed(name)))
            throw common::Error("there is no version '" + name + "'");
    std::vector<entropy::Version> versions;
    for (const entropy::Version &version : all)
        if (names.empty() || std::count(names.begin(), names.end(), version.name))
            versions.push_back(version);
    return versions;
}

int run(const std::string &file, const std::string &csvFile, const std::vector<std::string> &names)
{
    common::mostSeconds(); // refused now: each version would seem to fail by it
    const std::vector<entropy::Version> versions = chosen(names);
    std::optional<common::OutputFile> output; // refused now rather than after minutes
    if (!csvFile.empty()) output.emplace(csvFile);
    std::vector<entropy::Sample> samples = entropy::readSamples(file).samples;
    if (samples.size() < 2)
        throw common::Error(file + " has one group, at least two are needed: the first does not "
                                   "count");
    std::printf("%s\n", common::machineFacts().c_str());
    std::fflush(stdout);

    common::Progress progress("measures");
    std::vector<std::vector<float>> gold;
    for (const entropy::Sample &sample : samples) {
        progress.show("computing the reference of group " + std::to_string(gold.size() + 1));
        gold.push_back(entropy::reference(sample.width, sample.height, sample.cells.data()));
    }
    progress.wipe();

    common::Csv csv({"version", "platform", "probe", "rounds", "total_median_ms", "total_min_ms",
                     "slowest_group_median_ms", "slowest_group_min_ms", "note"});
    std::printf("%s, %zu groups; median and minimum of all rounds, in ms\n", file.c_str(),
                samples.size());
    std::printf("%-18s %-11s %13s %10s %13s %10s %6s\n", "", "platform", "all but first", "minimum",
                "slowest group", "minimum", "rounds");
    std::fflush(stdout);
    bool right = true;
    for (const entropy::Version &version : versions)
        right &= report(version, samples, gold, progress, csv);
    if (output) {
        output->write(csv.str());
        output->commit();
    }
    return common::afterOutput(right ? 0 : 1);
}

/// Before the core, at load time, opens anything.
__attribute__((constructor(101))) void lookAfterStandardStreams()
{
    common::occupyClosedStandardStreams();
}

} // namespace

int main(int argc, char **argv)
{
    try {
        const std::string first = argc > 1 ? argv[1] : "";
        if (first == "--help" || first == "-h")
            return std::fputs(kHelp, stdout), common::afterOutput(0);
        if (argc < 2 || first[0] == '-') return std::fputs(kHelp, stderr), 2;
        return run(first, argc > 2 ? argv[2] : "", {argv + std::min(argc, 3), argv + argc});
    } catch (const std::exception &error) {
        std::fflush(stdout);
        std::fprintf(stderr, "measures: %s\n", error.what());
        return 2;
    }
}
