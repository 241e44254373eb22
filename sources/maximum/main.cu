// The fixed main: makes the matrix, asks the active version, checks and times every version.
// It knows the core by core.h alone; core.cu is what you change.

#include "maximum/core.h"

#include "common/clock.h"
#include "common/machine.h"
#include "common/output_file.h"
#include "maximum/benchmark.h"
#include "maximum/matrix.h"
#include "maximum/options.h"

#include <cstdio>
#include <optional>

using namespace maximum;

namespace
{

constexpr int kPassed = 0, kFailed = 1, kCannotRun = 2;

/// What the switch at the end of core.cu is set to, and its answer.
void askActiveVersion(const Matrix &matrix)
{
    const Version &active = activeVersion();
    if (!active.unavailable.empty()) {
        std::printf("active version %s: %s\n\n", active.name, active.unavailable.c_str());
        return;
    }
    try {
        const common::WallClock clock;
        const int largest = findMaximum(matrix.rows, matrix.columns, matrix.elements.get());
        std::printf("active version %s: the maximum is %d, first call %.3f ms\n\n", active.name,
                    largest, clock.milliseconds());
    } catch (const common::Unavailable &reason) { // its row in the table will say so again
        std::printf("active version %s\n\n", reason.what());
    }
}

void checkOneMatrix(const Options &options, Benchmark &benchmark)
{
    const Matrix matrix = randomMatrix(options.rows, options.columns);
    askActiveVersion(matrix);
    benchmark.run(matrix);
}

/// The assignment's matrix, then squares of 2^24, 2^28 and 2^30 elements.
void checkFourSizes(Benchmark &benchmark)
{
    benchmark.run(hashedMatrix(256, 1024));
    for (const std::int64_t side : {1 << 12, 1 << 14, 1 << 15}) {
        const double bytes = sizeof(int) * static_cast<double>(side) * side;
        const double available = static_cast<double>(common::availableMemory());
        if (available > 0 && bytes > 0.8 * available)
            std::printf("matrix of %lld x %lld: skipped, it needs %.1f GiB of memory, %.1f GiB "
                        "are available\n\n",
                        static_cast<long long>(side), static_cast<long long>(side),
                        bytes / (1 << 30), available / (1 << 30));
        else
            benchmark.run(hashedMatrix(side, side));
    }
}

int run(const Options &options)
{
    std::printf("%s\n", common::machineFacts().c_str());
    std::optional<common::OutputFile> csv; // refused now rather than after minutes
    if (!options.csv.empty()) csv.emplace(options.csv);
    Benchmark benchmark;
    if (options.benchmark)
        checkFourSizes(benchmark);
    else
        checkOneMatrix(options, benchmark);
    if (csv) {
        csv->write(benchmark.times().str());
        csv->commit();
    }

    int canRun = 0, known = 0;
    for (const Version &version : versions()) ++known, canRun += version.unavailable.empty();
    if (benchmark.failures() > 0)
        std::printf("FAILED: %d rows above are wrong or ended in an error\n", benchmark.failures());
    else
        std::printf("passed: %d of %d versions can run here, no answer was wrong\n", canRun, known);
    return benchmark.failures() > 0 ? kFailed : kPassed;
}

} // namespace

int main(int argc, char **argv)
{
    try {
        const Options options = parseOptions(argc, argv);
        if (options.help) return std::fputs(kHelp, stdout), kPassed;
        return run(options);
    } catch (const std::exception &error) {
        std::fflush(stdout);
        std::fprintf(stderr, "maximum: %s\n", error.what());
        return kCannotRun;
    }
}
