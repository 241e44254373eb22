// The fixed main: loads the groups, calls cudaCallback on each, checks every answer, reports.
// It knows a core by core.h alone; core.cu is what you change.

#include "entropy/core.h"

#include "common/clock.h"
#include "common/host_array.h"
#include "common/output_file.h"
#include "common/progress.h"
#include "entropy/options.h"
#include "entropy/reference.h"
#include "entropy/reference_file.h"
#include "entropy/samples.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <unistd.h>

namespace entropy
{
namespace
{

constexpr int kPassed = 0, kFailed = 1, kCannotRun = 2;

using Gold = std::vector<std::vector<float>>; // one array a group

/// The right answers from a file, or nothing where they must be computed. Says which.
std::optional<Gold> loadGold(const Options &options, const SampleFile &data)
{
    std::string path = options.reference;
    const std::size_t slash = options.file.rfind('/');
    const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
    const bool beside = path.empty() && options.file.substr(name) == "data.bin";
    if (beside) path = options.file.substr(0, name) + "reference.bin";
    if (!path.empty() && !(beside && access(path.c_str(), F_OK) != 0)) {
        std::printf("reference: %s\n", path.c_str());
        return readReference(path, data);
    }
    std::printf("reference: computed here, no file given\n");
    return std::nullopt;
}

/// Rows y0.. and columns x0.. of both arrays, as far as they reach.
void printCells(const Sample &sample, const float *result, int x0, int y0)
{
    const auto print = [&](const char *title, const float *cells) {
        std::printf("%s\n", title);
        for (int y = y0; y < sample.height; ++y) {
            for (int x = x0; x < sample.width; ++x) {
                const double cell = cells[static_cast<std::size_t>(y) * sample.width + x];
                std::printf("%12.5f", std::fabs(cell) < kTolerance ? 0.0 : cell); // never -0.00000
            }
            std::printf("\n");
        }
    };
    print("sample:", sample.cells.data());
    print("result:", result);
}

std::string csvLine(const Sample &sample, const float *result)
{
    std::string line = std::to_string(sample.width) + "," + std::to_string(sample.height) + ",";
    for (std::size_t cell = 0; cell < sample.cells.size(); ++cell) {
        char text[32];
        const double value = result[cell];
        line.append(text, std::snprintf(text, sizeof text, "%.5f,",
                                        std::fabs(value) < kTolerance ? 0.0 : value));
    }
    return line + "\n";
}

int run(const Options &options)
{
    common::Progress progress("entropy");
    progress.show("reading " + options.file);
    SampleFile data = readSamples(options.file);
    const std::optional<Gold> gold = loadGold(options, data);
    std::optional<common::OutputFile> csv;
    if (!options.csv.empty()) csv.emplace(options.csv);

    const std::size_t groups = data.samples.size();
    std::size_t passed = 0, slowest = 0;
    std::vector<double> milliseconds;
    for (std::size_t group = 0; group < groups; ++group) {
        Sample &sample = data.samples[group];
        const int width = sample.width, height = sample.height;
        const std::string title = "group " + std::to_string(group + 1) + " of " +
                                  std::to_string(groups) + ": " + std::to_string(width) + " x " +
                                  std::to_string(height);
        const common::ErrorScope scope(title.c_str());
        progress.show(title);

        float *cells = nullptr;
        const common::WallClock clock;
        cudaCallback(width, height, sample.cells.data(), &cells);
        milliseconds.push_back(clock.milliseconds());
        if (milliseconds[group] > milliseconds[slowest]) slowest = group;
        const common::HostArray<float> result(cells);
        if (!result) throw common::Error("cudaCallback returned no result");
        if (csv) csv->write(csvLine(sample, result.get()));

        progress.show(title + ", checking");
        const Comparison verdict = compare(
            width, height, result.get(),
            gold ? (*gold)[group].data() : reference(width, height, sample.cells.data()).data());
        passed += verdict.passed;

        progress.wipe();
        std::printf("\n%s (width x height)\n", title.c_str());
        if (options.print)
            printCells(sample, result.get(), 0, 0);
        else
            printCells(sample, result.get(), std::max(0, width - 5), std::max(0, height - 5));
        if (data.format == Format::Text) std::printf("Time: %.4fs\n", milliseconds[group] / 1e3);
        std::printf("%s: %.3f ms, largest error %.3g at x %d, y %d\n",
                    verdict.passed ? "passed" : "FAILED", milliseconds[group], verdict.largestError,
                    verdict.x, verdict.y);
        std::fflush(stdout);
    }
    if (csv) csv->commit();

    double total = 0;
    for (std::size_t group = 1; group < groups; ++group) total += milliseconds[group];
    std::printf("\n%zu of %zu groups passed with %s; total without the first group %.3f ms, "
                "slowest group %zu with %.3f ms\n",
                passed, groups, activeVersion(), total, slowest + 1, milliseconds[slowest]);
    if (loadTimeFailures() > 0)
        std::printf("FAILED: %d versions in the benchmark above\n", loadTimeFailures());
    return passed == groups && loadTimeFailures() == 0 ? kPassed : kFailed;
}

} // namespace
} // namespace entropy

int main(int argc, char **argv)
try {
    const entropy::Options options = entropy::parseOptions(argc, argv);
    if (!options.help) return entropy::run(options);
    std::fputs(entropy::kHelp, stdout);
    return entropy::kPassed;
} catch (const std::exception &error) {
    std::fflush(stdout);
    std::fprintf(stderr, "entropy: %s\n", error.what());
    return entropy::kCannotRun;
}
