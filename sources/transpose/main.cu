// The fixed main: makes a random matrix, asks the active version, checks every version that can run
// here against the right answer, times it, reports. It knows a core by core.h alone; core.cu is
// what you change.

#include "common/active.h"
#include "common/standard_output.h"
#include "common/standard_streams.h"
#include "transpose/benchmark.h"
#include "transpose/core.h"
#include "transpose/options.h"

#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

namespace transpose
{

namespace
{

constexpr int kPassed = 0, kFailed = 1, kCannotRun = 2;
constexpr int kSizes[] = {512, 513, 1024, 2047, 2048, 4095, 8096, 8191, 8192, 16192, 16384};
constexpr int kSmall = 8; // printed without being asked

int checkOneMatrix(const Options &options, common::Csv &csv)
{
    Benchmark benchmark(options.rows, options.columns);
    const bool small = options.rows <= kSmall && options.columns <= kSmall;
    const bool right = benchmark.askActiveVersion(options.block, options.print || small);
    return !right + benchmark.run({options.block}, csv);
}

/// A size that does not fit in memory is left out, and says so.
int checkSizes(const Options &options, common::Csv &csv)
{
    std::vector<std::pair<int, int>> shapes(1, {options.rows, options.columns});
    if (!options.shapeGiven) {
        shapes.clear();
        for (const int size : kSizes) shapes.emplace_back(size, size);
    }
    int failures = 0;
    for (const auto &[rows, columns] : shapes) try {
            failures += Benchmark(rows, columns).run(kBlocks, csv);
        } catch (const common::Unavailable &error) {
            if (options.shapeGiven) throw;
            std::printf("\n%d x %d left out: %s\n", rows, columns, error.what());
        } catch (const std::exception &error) {
            if (failures == 0) throw; // a version that failed may have left the device in ruins
            std::printf("\n%d x %d FAILED: %s\n", rows, columns, error.what());
            ++failures;
        }
    return failures;
}

/// The others have been checked; it has not, and whoever asks for it should know by the status.
void requireThatTheActiveVersionRuns()
{
    const Version &active = activeVersion();
    if (active.unavailable.empty()) return;
    throw common::Error(common::cannotRunHere("make run-transpose", active, versions()));
}

int runProgram(const Options &options)
{
    std::optional<common::OutputFile> file;
    if (!options.csv.empty()) file.emplace(options.csv);
    std::printf("%s", common::machineFacts().c_str());
    common::Csv csv = Benchmark::csv();
    const int failures =
        options.benchmark ? checkSizes(options, csv) : checkOneMatrix(options, csv);
    if (file) {
        file->write(csv.str());
        file->commit();
    }

    if (failures > 0)
        std::printf("\nFAILED: %d of the above were wrong or ended in an error\n", failures);
    else
        std::printf("\npassed: all that can run here give the right answer, bit for bit\n");
    common::requireOutput();
    if (failures > 0) return kFailed;
    if (!options.benchmark) requireThatTheActiveVersionRuns();
    return kPassed;
}

} // namespace

} // namespace transpose

int main(int argc, char **argv)
{
    try {
        common::occupyClosedStandardStreams();
        const transpose::Options options = transpose::parseOptions(argc, argv);
        if (options.help)
            return std::fputs(transpose::kHelp, stdout), common::afterOutput(transpose::kPassed);
        return transpose::runProgram(options);
    } catch (const std::exception &error) {
        std::fflush(stdout);
        std::fprintf(stderr, "transpose: %s\n", error.what());
        return transpose::kCannotRun;
    }
}
