// The fixed main: makes the matrix, asks the active version, checks and times every version.
// It knows the core by core.h alone; core.cu is what you change.

#include "maximum/core.h"

#include "common/active.h"
#include "common/clock.h"
#include "common/error.h"
#include "common/machine.h"
#include "common/needed_memory.h"
#include "common/output_file.h"
#include "common/standard_output.h"
#include "common/standard_streams.h"
#include "maximum/benchmark.h"
#include "maximum/matrix.h"
#include "maximum/options.h"

#include <cstdio>
#include <optional>
#include <string>

namespace maximum
{
namespace
{

constexpr int kPassed = 0, kFailed = 1, kCannotRun = 2;

/// What the switch at the end of core.cu is set to, and its answer, checked. Returns the failures:
/// one or none; that a version cannot run here is none, and its row in the table says so again.
int askActiveVersion(const Matrix &matrix)
{
    const Version &active = activeVersion();
    if (!active.unavailable.empty()) {
        std::printf("active version %s: %s\n\n", active.name, active.unavailable.c_str());
        return 0;
    }
    try {
        const common::WallClock clock;
        const int largest = findMaximum(matrix.rows, matrix.columns, matrix.elements.get());
        const double milliseconds = clock.milliseconds();
        if (const int answer = reference(matrix); largest != answer)
            throw common::Error(std::string(active.name) + ": WRONG: found " +
                                std::to_string(largest) + ", right is " + std::to_string(answer));
        std::printf("active version %s: right, the maximum is %d, first call %.3f ms\n\n",
                    active.name, largest, milliseconds);
    } catch (const common::Unavailable &reason) {
        std::printf("active version %s\n\n", reason.what());
    } catch (const std::exception &error) {
        std::printf("active version FAILED: %s\n\n", error.what());
        return 1;
    }
    return 0;
}

/// Returns the failures.
int checkOneMatrix(const Options &options, Benchmark &benchmark)
{
    common::requireMemory(Benchmark::neededMemory(options.rows * options.columns));
    const Matrix matrix = randomMatrix(options.rows, options.columns);
    const int failures = askActiveVersion(matrix);
    return failures + benchmark.run(matrix);
}

/// Returns the failures. A size that cannot be checked does not take the times of those before with
/// it: there is too little memory, or a version that failed has left the device in ruins.
int checkSize(std::int64_t side, Benchmark &benchmark, bool failedBefore)
{
    const auto length = static_cast<long long>(side);
    try {
        common::requireMemory(Benchmark::neededMemory(side * side));
        return benchmark.run(hashedMatrix(side, side));
    } catch (const common::Unavailable &error) {
        std::printf("matrix of %lld x %lld: skipped, %s\n\n", length, length, error.what());
        return 0;
    } catch (const std::exception &error) {
        if (!failedBefore) throw;
        std::printf("matrix of %lld x %lld FAILED: %s\n\n", length, length, error.what());
        return 1;
    }
}

/// The assignment's matrix, then squares of 2^24, 2^28 and 2^30 elements. Returns the failures.
int checkFourSizes(Benchmark &benchmark)
{
    int failures = benchmark.run(hashedMatrix(256, 1024));
    for (const std::int64_t side : {1 << 12, 1 << 14, 1 << 15})
        failures += checkSize(side, benchmark, failures > 0);
    return failures;
}

/// The others have been checked; it has not, and whoever asks for it should know by the status.
void requireThatTheActiveVersionRuns()
{
    const Version &active = activeVersion();
    if (active.unavailable.empty()) return;
    throw common::Error(common::cannotRunHere("make run-maximum", active, versions()));
}

int run(const Options &options)
{
    std::optional<common::OutputFile> csv; // refused now rather than after minutes
    if (!options.csv.empty()) csv.emplace(options.csv);
    std::printf("%s\n", common::machineFacts().c_str());
    Benchmark benchmark;
    const int failures =
        options.benchmark ? checkFourSizes(benchmark) : checkOneMatrix(options, benchmark);
    if (csv) {
        csv->write(benchmark.times().str());
        csv->commit();
    }

    int canRun = 0, known = 0;
    for (const Version &version : versions()) ++known, canRun += version.unavailable.empty();
    if (failures > 0)
        std::printf("FAILED: %d wrong answers and errors above\n", failures);
    else
        std::printf("passed: %d of %d versions can run here, no answer was wrong\n", canRun, known);
    common::requireOutput();
    if (failures > 0) return kFailed;
    if (!options.benchmark) requireThatTheActiveVersionRuns();
    return kPassed;
}

} // namespace
} // namespace maximum

int main(int argc, char **argv)
try {
    common::occupyClosedStandardStreams();
    const maximum::Options options = maximum::parseOptions(argc, argv);
    if (!options.help) return maximum::run(options);
    std::fputs(maximum::kHelp, stdout);
    return common::afterOutput(maximum::kPassed);
} catch (const std::exception &error) {
    std::fflush(stdout);
    std::fprintf(stderr, "maximum: %s\n", error.what());
    return maximum::kCannotRun;
}
