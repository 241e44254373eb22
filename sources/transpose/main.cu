// The fixed main: makes a random matrix, transposes it by every version that can run here, checks
// each against the CPU's answer, times it, reports. It knows a core by core.h alone; core.cu is
// what you change.

#include "transpose/benchmark.h"
#include "transpose/core.h"
#include "transpose/options.h"

#include <cstdio>
#include <optional>
#include <vector>

using namespace transpose;

namespace
{

constexpr int kPassed = 0, kFailed = 1, kCannotRun = 2;
constexpr int kSizes[] = {512, 1024, 2048, 8096, 8192, 16192, 16384};
constexpr int kSmall = 8; // printed without being asked

/// Every version on one matrix; the number that failed.
int measureAll(Benchmark &benchmark, const std::vector<int> &blocks, common::Csv &csv)
{
    int failures = 0;
    for (const Version &version : versions())
        if (version.blocks)
            for (const int block : blocks) failures += !benchmark.row(version, block, csv);
        else
            failures += !benchmark.row(version, 0, csv);
    return failures;
}

int runOne(const Options &options, common::Csv &csv)
{
    Benchmark benchmark(options.rows, options.columns);
    const int failures = measureAll(benchmark, {options.block}, csv);
    if (options.print || (options.rows <= kSmall && options.columns <= kSmall)) benchmark.print();
    return failures;
}

/// A size that does not fit in memory is left out, and says so.
int runSizes(const Options &options, common::Csv &csv)
{
    std::vector<std::pair<int, int>> shapes(1, {options.rows, options.columns});
    if (!options.shapeGiven) {
        shapes.clear();
        for (const int size : kSizes) shapes.emplace_back(size, size);
    }
    int failures = 0;
    for (const auto &[rows, columns] : shapes) try {
            Benchmark benchmark(rows, columns);
            failures += measureAll(benchmark, kBlocks, csv);
        } catch (const common::Unavailable &error) {
            if (options.shapeGiven) throw;
            std::printf("\n%d x %d left out: %s\n", rows, columns, error.what());
        }
    return failures;
}

int run(const Options &options)
{
    std::optional<common::OutputFile> file;
    if (!options.csv.empty()) file.emplace(options.csv);
    std::printf("%s", common::machineFacts().c_str());
    common::Csv csv = Benchmark::csv();
    const int failures = options.benchmark ? runSizes(options, csv) : runOne(options, csv);
    if (file) {
        file->write(csv.str());
        file->commit();
    }

    const Version &active = activeVersion();
    std::printf("\nactive version: %s, %s%s%s\n", active.name.c_str(), active.idea.c_str(),
                active.unavailable.empty() ? "" : "; here it ", active.unavailable.c_str());
    if (failures > 0)
        std::printf("FAILED: %d rows above\n", failures);
    else
        std::printf("passed: all that can run here give the CPU's answer, bit for bit\n");
    return failures > 0 ? kFailed : kPassed;
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
        std::fprintf(stderr, "transpose: %s\n", error.what());
        return kCannotRun;
    }
}
