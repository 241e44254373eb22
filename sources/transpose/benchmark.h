// Checks versions against the right answer on one random matrix, times them, prints the table.
// Include it from .cu files only: they are all compiled by nvcc or all by the host compiler.
#pragma once

#include "common/clock.h"
#include "common/copy_speed.h"
#include "common/csv.h"
#include "common/error.h"
#include "common/kernel_times.h"
#include "common/machine.h"
#include "common/measure.h"
#include "common/needed_memory.h"
#include "transpose/core.h"
#include "transpose/matrix.h"

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace transpose
{

/// One matrix, the right answer, and room for the answer of a version.
class Benchmark
{
public:
    /// Throws common::Unavailable where there is no memory for it.
    Benchmark(int rows, int columns)
        : rows(rows), columns(columns), cells(static_cast<std::size_t>(rows) * columns),
          input(allocateChecked(cells)), expected(common::allocateHost<float>(cells)),
          output(common::allocateHost<float>(cells)), copies(common::measureCopies(cells))
    {
        fillRandom(input.get(), cells);
        reference(rows, columns, input.get(), expected.get());
    }

    /// Asks the active version, once and by the core's own entry; says whether it was right, and
    /// how long it took. On request prints the matrix and the transpose, the reference's where the
    /// version cannot run here. False if it was wrong or failed: then there is nothing to print.
    bool askActiveVersion(int block, bool printed)
    {
        const Version &active = activeVersion();
        std::string author = active.name;
        const float *answer = output.get();
        try {
            poison(output.get(), cells);
            const common::WallClock clock;
            matrixTranspose(rows, columns, input.get(), output.get(), block);
            const double milliseconds = clock.milliseconds();
            const common::ErrorScope scope(active.name);
            validate();
            std::printf("\nactive version %s: right, first call %.3f ms\n", active.name,
                        milliseconds);
        } catch (const common::Unavailable &reason) { // its row in the table will say so again
            std::printf("\nactive version %s\n", reason.what());
            author = "the reference";
            answer = expected.get();
        } catch (const std::exception &error) {
            std::printf("\nFAILED: active version %s\n", error.what());
            return false;
        }
        if (!printed) return true;
        printMatrix("matrix", rows, columns, input.get());
        printMatrix(("transposed by " + author).c_str(), columns, rows, answer);
        return true;
    }

    /// The table: every version, in each of these blocks if it leaves the choice. The number of
    /// rows that were wrong or failed (not: cannot run here).
    int run(const std::vector<int> &blocks, common::Csv &csv)
    {
        printHead();
        int failures = 0;
        for (const Version &version : versions())
            for (const int block : version.blocks ? blocks : std::vector<int>{0})
                failures += !row(version, block, csv);
        std::fputs(common::distrustAfter(copies, cells, failures).c_str(), stdout);
        return failures;
    }

    /// An empty table of times.
    static common::Csv csv()
    {
        return common::Csv({"version", "platform", "block", "rows", "columns", "runs",
                            "total_median_ms", "total_min_ms", "kernel_runs", "kernel_median_ms",
                            "kernel_min_ms", "host_copy_ms", "device_copy_ms", "note"});
    }

private:
    struct Times
    {
        common::Timing total, kernel; ///< no repeats: not measured
    };

    /// Validates a version, then times it: end to end and, for CUDA, the kernel. A row of the table
    /// either way; false if the version was wrong or failed.
    bool row(const Version &version, int block, common::Csv &csv)
    {
        Times times;
        std::string note = version.unavailable;
        bool good = true;
        try {
            if (note.empty()) times = measure(version, block);
        } catch (const common::Unavailable &error) {
            note = error.what();
        } catch (const std::exception &error) {
            note = error.what();
            good = false;
        }
        const std::string side = version.blocks ? std::to_string(block) : "-";
        printRow(version, side, times, note);
        csv.add({version.name, platformName(version.platform), side, std::to_string(rows),
                 std::to_string(columns), common::number(times.total.repeats),
                 common::number(times.total.median), common::number(times.total.minimum),
                 common::number(times.kernel.repeats), common::number(times.kernel.median),
                 common::number(times.kernel.minimum), common::number(copies.host.median),
                 common::number(copies.device.median), note});
        return good;
    }

    static common::HostArray<float> allocateChecked(std::size_t cells)
    {
        constexpr std::size_t kArrays = 5; // input, expected, output; two to measure a copy
        common::requireMemory(kArrays * sizeof(float) * static_cast<double>(cells)); // beyond 2^64
        return common::allocateHost<float>(cells);
    }

    void call(const Version &version, int block)
    {
        transpose::run(version, rows, columns, input.get(), output.get(), block);
    }

    void validate() const
    {
        const std::size_t cell = firstDifference(output.get(), expected.get(), cells);
        if (cell == cells) return;
        throw common::Error("WRONG at row " + std::to_string(cell / rows) + ", column " +
                            std::to_string(cell % rows) + ": " + written(output[cell]) +
                            ", expected " + written(expected[cell]));
    }

    /// Enough digits to tell it from any other float: the last bit counts.
    static std::string written(float value)
    {
        char text[32];
        std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
        return text;
    }

    /// Throws where the version is wrong or fails; what was measured until then is dropped. The
    /// call whose kernels are timed is also the one that is validated, and that warms up: a call
    /// with large matrices is nearly all transfers, and takes long.
    Times measure(const Version &version, int block)
    {
        Times times;
        poison(output.get(), cells);
        {
            std::optional<common::KernelTimes> kernels;
            if (version.platform == Platform::Cuda) kernels.emplace();
            call(version, block);
            validate();
            if (kernels) times.kernel = kernels->slowestDevice();
        }
        times.total = common::repeat([&] {
            const common::WallClock clock;
            call(version, block);
            return clock.milliseconds();
        });
        return times;
    }

    std::string size() const { return std::to_string(rows) + " x " + std::to_string(columns); }

    /// Gigabytes a second, read and written.
    double speed(double milliseconds) const { return 2e-6 * sizeof(float) * cells / milliseconds; }

    void printHead() const
    {
        std::printf("\n%s, rows x columns; times in ms, median and minimum\n", size().c_str());
        std::printf("copy of the same floats: host %.3f ms (%.0f GB/s)", copies.host.median,
                    speed(copies.host.median));
        if (copies.device.repeats)
            std::printf(", GPU 0 %.4f ms (%.0f GB/s)", copies.device.median,
                        speed(copies.device.median));
        std::printf("\n%-4s %-6s %5s | %10s %10s %4s | %9s %9s %4s | %7s %7s | %s\n", "", "",
                    "block", "end to end", "minimum", "runs", "kernel", "minimum", "runs", "GB/s",
                    "of copy", "idea");
    }

    // "GB/s" and "of copy", the copy's time over this one's: kernels against the copy within GPU 0,
    // CPU versions end to end against the copy within host memory.
    void printRow(const Version &version, const std::string &side, const Times &times,
                  const std::string &note) const
    {
        std::printf("%-4s %-6s %5s | ", version.name, platformName(version.platform), side.c_str());
        if (!note.empty()) {
            std::printf("%s\n", note.c_str());
            return;
        }
        const auto print = [](const common::Timing &timing, int width, int digits) {
            if (timing.repeats)
                std::printf("%*.*f %*.*f %4zu | ", width, digits, timing.median, width, digits,
                            timing.minimum, timing.repeats);
            else
                std::printf("%*s %*s %4s | ", width, "-", width, "-", "-");
        };
        print(times.total, 10, 3);
        print(times.kernel, 9, 4);
        const bool kernel = times.kernel.repeats > 0;
        const double median = kernel ? times.kernel.median : times.total.median;
        const common::Timing &copy = kernel ? copies.device : copies.host;
        std::printf("%7.1f ", speed(median));
        if (copy.repeats)
            std::printf("%7.4f", copy.median / median);
        else
            std::printf("%7s", "-");
        std::printf(" | %s\n", version.idea);
        std::fflush(stdout);
    }

    int rows, columns;
    std::size_t cells;
    common::HostArray<float> input, expected, output;
    common::Copies copies;
};

} // namespace transpose
