// The fixed main: loads the groups, calls cudaCallback on each, checks every answer, reports.
// It knows a core by core.h alone; core.cu is what you change.

#include "entropy/core.h"

#include "common/clock.h"
#include "common/devices.h"
#include "common/progress.h"
#include "common/standard_output.h"
#include "entropy/crash_guard.h"
#include "entropy/output.h"
#include "entropy/prepared.h"
#include "entropy/reference.h"
#include "entropy/run.h"
#include "entropy/score.h"
#include "entropy/settings.h"

#include <cstdio>
#include <exception>
#include <new>

// A core that brings cudaCallback alone has no benchmark either.
__attribute__((weak)) int entropy::loadTimeFailures() { return 0; }

namespace entropy
{
namespace
{

constexpr int kPassed = 0, kFailed = 1, kCannotRun = 2;

/// The core's answer, or none and why: what a core throws is its group's failure, not the end.
common::HostArray<float> answer(const Sample &sample, std::vector<float> &input, std::string &why)
try {
    return run(cudaCallback, sample.width, sample.height, input.data());
} catch (const std::bad_alloc &) {
    return why = "there is not enough memory", common::HostArray<float>();
} catch (const std::exception &error) {
    return why = error.what(), common::HostArray<float>();
} catch (...) {
    return why = "the core threw something that is no std::exception", common::HostArray<float>();
}

void grade(Prepared &prepared, std::size_t group, common::Progress &progress, Score &score)
{
    const Sample &sample = prepared.data.samples[group];
    const int width = sample.width, height = sample.height;
    const std::string name = "group " + std::to_string(group + 1);
    const std::string title = name + " of " + std::to_string(score.groups) + ": " +
                              std::to_string(width) + " x " + std::to_string(height);
    std::vector<float> computed; // the right answers, where no file has them
    if (!prepared.gold) {
        progress.show(title + ", computing the reference");
        computed = reference(width, height, sample.cells.data());
    }
    const std::vector<float> &right = prepared.gold ? (*prepared.gold)[group] : computed;

    progress.wipe();
    std::printf("\n%s (width x height)\n", title.c_str());
    std::fflush(stdout);
    progress.show(title);
    std::vector<float> input = sample.cells; // a copy: the core cannot change the question
    std::string why;
    common::HostArray<float> result;
    double milliseconds = 0;
    {
        const CrashGuard guard("FAILED: " + name + ": ",
                               "; the groups after it were not tried\n" + summary(score));
        const common::WallClock clock;
        result = answer(sample, input, why);
        milliseconds = clock.milliseconds();
    }
    progress.wipe();
    if (!result) {
        std::printf("FAILED: %s: %s\n", name.c_str(), why.c_str());
        return;
    }
    const Comparison comparison = compare(width, height, result.get(), right.data());
    const bool changed = input != sample.cells;
    score.add(group, milliseconds, comparison.passed && !changed);
    if (prepared.csv) prepared.csv->write(csvLine(sample, result.get()));
    printAnswer(sample, result.get(), prepared.options.print);
    if (prepared.data.format == Format::Text) std::printf("Time: %.4fs\n", milliseconds / 1e3);
    printVerdict(sample, result.get(), right.data(), comparison, changed, milliseconds);
    std::fflush(stdout);
}

int gradeAll(Prepared &prepared)
{
    std::printf("reference: %s\n", prepared.goldSource.c_str());
    const std::string noGpu = common::whyNoDevice();
    if (versions().empty() && !noGpu.empty())
        std::printf("no GPU here (%s): a core that uses one gives wrong answers, if it checks "
                    "nothing\n",
                    noGpu.c_str());

    if (versions().empty() && resultsDirectory())
        std::printf("ENTROPY_RESULTS is of no use here: this core has no table of versions "
                    "(core.h), so there is nothing to time\n");

    common::Progress progress(prepared.options.program);
    Score score;
    score.groups = prepared.data.samples.size();
    for (std::size_t group = 0; group < score.groups; ++group)
        grade(prepared, group, progress, score);
    progress.wipe();
    if (prepared.csv && score.answered == score.groups) prepared.csv->commit();
    if (prepared.csv && score.answered != score.groups)
        std::printf("\n%s %s: %zu group%s no result\n", prepared.options.csv.c_str(),
                    prepared.csv->isStream() ? "is not whole" : "was not written",
                    score.groups - score.answered,
                    score.groups - score.answered == 1 ? " has" : "s have");

    std::fputs(summary(score).c_str(), stdout);
    if (loadTimeFailures() > 0)
        std::printf("FAILED: %d failures before main, in the benchmark above\n",
                    loadTimeFailures());
    return score.passed == score.groups && loadTimeFailures() == 0 ? kPassed : kFailed;
}

int runOrHelp()
{
    Prepared &prepared = preparedRun();
    const int status = prepared.options.help ? kPassed : gradeAll(prepared);
    if (prepared.options.help) std::fputs(help(prepared.options.program).c_str(), stdout);
    return common::afterOutput(status);
}

} // namespace
} // namespace entropy

int main(int, char **argv)
try {
    return entropy::runOrHelp();
} catch (const std::exception &error) {
    const bool memory = dynamic_cast<const std::bad_alloc *>(&error) != nullptr;
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s\n", entropy::programName(argv[0]).c_str(),
                 memory ? "there is not enough memory for these arrays" : error.what());
    return entropy::kCannotRun;
}
