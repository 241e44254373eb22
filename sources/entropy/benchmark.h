// What runs at load time, before main: WarmUP and Benchmark. core.cu makes the objects.
// Include it from .cu files only: they are all compiled by nvcc or all by the host compiler.
#pragma once

#include "common/copy_speed.h"
#include "common/csv.h"
#include "common/host_poison.h"
#include "common/kernel_times.h"
#include "common/machine.h"
#include "common/progress.h"
#include "entropy/contents.h"
#include "entropy/core.h"
#include "entropy/reference.h"
#include "entropy/run.h"
#include "entropy/settings.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace entropy
{

/// Versions that failed in a load-time benchmark: a wrong answer, or an error that is not merely
/// "cannot run here".
inline int &benchmarkFailures()
{
    static int count = 0;
    return count;
}

/// Whether the environment holds settings that there are; says so, once, if not.
inline bool settingsAreKnown()
{
    static const bool known = [] {
        try {
            checkSettings();
            return true;
        } catch (const common::Error &error) {
            std::fprintf(stderr, "%s: nothing was timed\n", error.what());
            ++benchmarkFailures();
            return false;
        }
    }();
    return known;
}

inline bool warmUpWanted()
{
    if (benchmarkSetting() == "0") return false;
    return !(runIsRefused && runIsRefused()) && settingsAreKnown();
}

inline bool benchmarkWanted() { return warmUpWanted() && benchmarkSetting() != "warm-up"; }

/// Runs a small array through every version on every GPU: creates the contexts, loads the code.
class WarmUP
{
public:
    WarmUP(int width, int height)
    {
        if (!warmUpWanted()) return;
        std::vector<float> sample(static_cast<std::size_t>(width) * height, 0.0f);
        const int devices = common::deviceCount();
        for (int device = 0; device < std::max(1, devices); ++device)
            for (const Version &version : chosenVersions()) {
                if (!version.unavailable.empty()) continue;
                try {
                    std::optional<common::DeviceScope> scope;
                    if (devices > 0) scope.emplace(device);
                    entropy::run(version.callback, width, height, sample.data());
                } catch (const common::Unavailable &) { // its row in the tables says so
                } catch (const std::bad_alloc &) {      // this, too
                } catch (const std::exception &error) {
                    std::printf("warm-up, GPU %d: %s\n", device, error.what());
                    ++benchmarkFailures();
                }
            }
    }
};

/// Times every version that can run here, or those of ENTROPY_VERSIONS, on random cells: end to end
/// (host memory to host memory) and, for CUDA, the kernel alone. Each is validated before it is
/// timed, and the copies are measured before and after. Prints a table; with ENTROPY_RESULTS=DIR in
/// the environment also writes DIR/times.csv and DIR/environment.txt.
class Benchmark
{
public:
    Benchmark(int width, int height)
    {
        if (benchmarkWanted()) timeAll(width, height);
    }

    /// The same whatever the environment wants at load time.
    static void timeAll(int width, int height)
    {
        const auto stopped = [&](const char *why) {
            std::printf("benchmark %dx%d stopped: %s\n\n", width, height, why);
        };
        try { // nothing may leave a load-time object
            run(width, height);
        } catch (const common::Unavailable &error) {
            stopped(error.what());
        } catch (const std::bad_alloc &) {
            stopped("not enough memory for its arrays");
        } catch (const std::exception &error) {
            stopped(error.what());
            ++benchmarkFailures();
        }
    }

private:
    struct Row
    {
        common::Timing total, kernel; ///< kernel.repeats is 0 where no kernel ran
        common::KernelResources resources;
        std::string note; ///< why it was not timed; empty if it was
    };

    static void run(int width, int height)
    {
        printEnvironmentOnce();
        const std::string size = std::to_string(width) + "x" + std::to_string(height);
        common::Progress progress("benchmark " + size);
        const std::vector<std::uint8_t> levels = makeContent({}, width, height, kSeed);
        std::vector<float> sample(levels.begin(), levels.end());
        progress.show("computing the reference");
        const std::vector<float> gold = reference(width, height, sample.data());
        const common::Copies copies = common::measureCopies(sample.size());
        progress.wipe();
        printHead(size, sample.size(), copies);

        for (const Version &version : chosenVersions()) {
            progress.show(version.name);
            const Row row = time(version, width, height, sample, gold);
            progress.wipe();
            printRow(version, row, sample.size(), copies);
            times().add(
                {version.name, platformName(version.platform), std::to_string(width),
                 std::to_string(height), common::number(row.total.repeats),
                 common::number(row.total.median), common::number(row.total.minimum),
                 common::number(row.kernel.repeats), common::number(row.kernel.median),
                 common::number(row.kernel.minimum), common::number(copies.host.median),
                 common::number(copies.device.median), common::number(row.resources.registers),
                 common::number(row.resources.localBytes), common::number(row.resources.occupancy),
                 version.idea, row.note.empty() && version.probe ? "probe, no answer" : row.note});
        }
        progress.show("copying once more");
        const std::string distrust =
            common::distrustAfter(copies, sample.size(), benchmarkFailures());
        progress.wipe();
        std::fputs(distrust.c_str(), stdout);
        if (const char *directory = resultsDirectory())
            times().save(std::string(directory) + "/times.csv");
        std::printf("\n");
        std::fflush(stdout);
    }

    static Row time(const Version &version, int width, int height, std::vector<float> &sample,
                    const std::vector<float> &gold)
    {
        Row row;
        if (!version.unavailable.empty()) {
            row.note = version.unavailable;
            return row;
        }
        const auto call = [&] {
            return entropy::run(version.callback, width, height, sample.data());
        };
        std::optional<common::HostPoison> poison(std::in_place, sample.size() * sizeof(float));
        const auto validate = [&](const common::HostArray<float> &result) {
            poison.reset();
            if (version.probe) return;
            const Comparison comparison = compare(width, height, result.get(), gold.data());
            if (!comparison.passed)
                throw common::Error("WRONG: error " + common::number(comparison.largestError) +
                                    " at x " + std::to_string(comparison.x) + ", y " +
                                    std::to_string(comparison.y));
        };
        try {
            row.total = common::measure(call, validate);
            if (version.platform == Platform::OpenMp) return row;
            common::KernelTimes kernels;
            call();
            row.kernel = kernels.slowestDevice();
            row.resources = kernels.resources();
        } catch (const common::Unavailable &error) {
            row = {};
            row.note = error.what();
        } catch (const std::bad_alloc &) {
            row = {};
            row.note = "not enough memory";
        } catch (const std::exception &error) {
            row = {};
            row.note = error.what();
            ++benchmarkFailures();
        }
        return row;
    }

    static void printEnvironmentOnce()
    {
        static bool printed = false;
        if (printed) return;
        const std::string facts = common::machineFacts();
        std::printf("%s\n", facts.c_str());
        if (const char *directory = resultsDirectory()) {
            common::OutputFile file(std::string(directory) + "/environment.txt");
            file.write(facts);
            file.commit();
        }
        printed = true;
    }

    static void printHead(const std::string &size, std::size_t cells, const common::Copies &copies)
    {
        const double gigabytes = 2e-6 * sizeof(float) * cells; // read + written, for milliseconds
        std::printf("benchmark %s, random levels; times in ms, median and minimum\n", size.c_str());
        std::printf("copy of the same floats: host %.3f ms (%.0f GB/s)", copies.host.median,
                    gigabytes / copies.host.median);
        if (copies.device.repeats)
            std::printf(", GPU 0 %.4f ms (%.0f GB/s)", copies.device.median,
                        gigabytes / copies.device.median);
        std::printf("\n%-*s %-11s | %10s %10s %4s | %10s %10s %4s %9s | %9s %7s | %s\n",
                    nameWidth(), "", "platform", "end to end", "minimum", "runs", "kernel",
                    "minimum", "runs", "registers", "Mcell/s", "of copy", "idea");
        std::fflush(stdout);
    }

    /// Of the column of names: as wide as the longest.
    static int nameWidth()
    {
        std::size_t width = 4;
        for (const Version &version : chosenVersions())
            width = std::max(width, std::strlen(version.name));
        return static_cast<int>(width);
    }

    // "of copy": the copy's time over this one's. Kernels against the copy within GPU 0, OpenMP
    // versions end to end against the copy within host memory.
    static void printRow(const Version &version, const Row &row, std::size_t cells,
                         const common::Copies &copies)
    {
        if (!row.note.empty()) {
            std::printf("%-*s %-11s | %s\n", nameWidth(), version.name,
                        platformName(version.platform), row.note.c_str());
            std::fflush(stdout);
            return;
        }
        std::printf("%-*s %-11s | %10.3f %10.3f %4zu | ", nameWidth(), version.name,
                    platformName(version.platform), row.total.median, row.total.minimum,
                    row.total.repeats);
        const bool kernel = row.kernel.repeats > 0;
        if (kernel)
            std::printf("%10.4f %10.4f %4zu %9d", row.kernel.median, row.kernel.minimum,
                        row.kernel.repeats, row.resources.registers);
        else
            std::printf("%10s %10s %4s %9s", "-", "-", "-", "-");
        std::printf(" | %9.1f ", cells / row.total.median / 1e3);
        const common::Timing &copy = kernel ? copies.device : copies.host;
        if (copy.repeats)
            std::printf("%7.4f", copy.median / (kernel ? row.kernel : row.total).median);
        else
            std::printf("%7s", "-");
        std::printf(" | %s%s\n", version.probe ? "probe, no answer: " : "", version.idea);
        std::fflush(stdout);
    }

    static common::Csv &times()
    {
        static common::Csv csv({"version", "platform", "width", "height", "runs", "total_median_ms",
                                "total_min_ms", "kernel_runs", "kernel_median_ms", "kernel_min_ms",
                                "host_copy_ms", "device_copy_ms", "registers", "local_bytes",
                                "occupancy", "idea", "note"});
        return csv;
    }

    static constexpr std::uint64_t kSeed = 20200702;
};

} // namespace entropy
