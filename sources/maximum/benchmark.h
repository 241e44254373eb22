// Checks and times every version on one matrix, and prints the table.
// Include it from .cu files only: they are all compiled by nvcc or all by the host compiler.
#pragma once

#include "common/clock.h"
#include "common/copy_speed.h"
#include "common/csv.h"
#include "common/kernel_times.h"
#include "common/measure.h"
#include "common/progress.h"
#include "common/read_speed.h"
#include "maximum/core.h"
#include "maximum/matrix.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace maximum
{

/// One size after the other; keeps the times for a CSV file.
class Benchmark
{
public:
    /// Runs every version on `matrix`: its kernels are timed, the answer that they leave behind is
    /// checked against the reference, then it is timed end to end. Prints a table. A version that
    /// cannot run here, or would take more than 20 s by its time at the size before, is a row that
    /// says why. Returns the failures: wrong answers, and errors that do not just say "cannot run
    /// here".
    int run(const Matrix &matrix)
    {
        failed = 0;
        const std::string size =
            std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns);
        common::Progress progress("maximum " + size);
        progress.show("computing the right answer");
        const int answer = reference(matrix);
        progress.wipe();
        const common::Timing read = readTime(matrix.size() * sizeof(int));
        const common::Copies before = common::measureCopies(watched(matrix.size()));

        std::vector<Row> rows;
        for (const Version &version : versions()) {
            progress.show(version.name);
            rows.push_back(time(version, matrix, answer));
            addToCsv(rows.back(), matrix, read);
        }
        progress.wipe();
        print(rows, matrix, answer, read, size);
        progress.show("copying once more");
        const std::string distrust = common::distrustAfter(before, watched(matrix.size()), failed);
        progress.wipe();
        std::fputs(distrust.c_str(), stdout);
        return failed;
    }

    /// Bytes of host memory that run() takes, with its matrix of so many elements.
    static double neededMemory(std::int64_t elements)
    {
        return sizeof(int) * static_cast<double>(elements) +
               2.0 * sizeof(float) * watched(elements);
    }

    const common::Csv &times() const { return csv; }

private:
    struct Row
    {
        const Version *version;
        common::Timing total, kernel; ///< kernel.repeats is 0 where no kernel ran
        std::string note;             ///< why it was not timed; empty if it was
    };

    /// The last size and time of a version, for a guess at how long the next one takes.
    struct Last
    {
        double size = 0, milliseconds = 0;
    };

    /// Numbers that are copied before and after, to see whether the machine is steady: no more than
    /// there is room for beside any matrix.
    static std::size_t watched(std::int64_t elements)
    {
        constexpr std::int64_t kMost = 1 << 24;
        return static_cast<std::size_t>(std::min(kMost, elements));
    }

    /// All zero without a GPU, or where it has too little memory or fails.
    common::Timing readTime(std::size_t bytes)
    {
        try {
            if (common::deviceCount() > 0) return common::deviceRead(bytes);
        } catch (const common::Unavailable &) {
        } catch (const std::exception &error) { // a version may have left the device in ruins
            std::printf("reading FAILED: %s\n", error.what());
            ++failed;
        }
        return {};
    }

    Row time(const Version &version, const Matrix &matrix, int answer)
    {
        Row row{&version, {}, {}, version.unavailable};
        if (!row.note.empty()) return row;
        const std::size_t index = &version - versions().data();
        last.resize(versions().size());
        constexpr double kLongest = 20e3;
        const double size = static_cast<double>(matrix.size());
        const double guess =
            last[index].size > 0 ? last[index].milliseconds * size / last[index].size : 0;
        if (guess > kLongest) {
            row.note = "skipped: would take about " + number(guess / 1e3) + " s a run";
            return row;
        }
        const auto call = [&] {
            return version.callback(matrix.rows, matrix.columns, matrix.elements.get());
        };
        try {
            row.kernel = kernelTime(call, answer);
            row.total = totalTime(call);
            last[index] = {size, row.total.median};
        } catch (const common::Unavailable &error) {
            row = {&version, {}, {}, error.what()};
        } catch (const std::exception &error) {
            row = {&version, {}, {}, error.what()};
            ++failed;
        }
        return row;
    }

    /// The kernels of one call, all zero where there are none. The call also warms up for
    /// totalTime. Throws unless the answer that all the repeats leave behind is right.
    template <typename Call>
    static common::Timing kernelTime(Call call, int answer)
    {
        common::KernelTimes kernels;
        const int found = call();
        if (found != answer)
            throw common::Error("WRONG: found " + std::to_string(found) + ", right is " +
                                std::to_string(answer));
        return kernels.slowestDevice();
    }

    /// End to end, for a call that has been made before. Three calls are enough where they take a
    /// second: on a matrix so large nearly all of the time is one long copy, which varies little.
    template <typename Call>
    static common::Timing totalTime(Call call)
    {
        std::vector<double> milliseconds;
        const common::WallClock total;
        const auto enough = [&] {
            return (milliseconds.size() >= 3 && total.seconds() >= 1) ||
                   common::enoughRepeats(milliseconds.size(), total.seconds());
        };
        do {
            const common::WallClock clock;
            call();
            milliseconds.push_back(clock.milliseconds());
        } while (!enough());
        return common::summarize(std::move(milliseconds));
    }

    /// What a row of the table is compared with; null and all zero where there is no such thing.
    struct Beside
    {
        common::Timing read; ///< reading the matrix in device memory, and nothing else
        const Row *yardstick = nullptr;
        const Row *before = nullptr, *first = nullptr; ///< of the versions whose kernels were timed
        double megabytes = 0;                          ///< of the matrix: GB/s = megabytes / ms
    };

    static void print(const std::vector<Row> &rows, const Matrix &matrix, int answer,
                      const common::Timing &read, const std::string &size)
    {
        Beside beside;
        beside.read = read;
        beside.megabytes = 1e-6 * sizeof(int) * matrix.size();
        for (const Row &row : rows)
            if (row.version->yardstick && row.kernel.repeats) beside.yardstick = &row;
        std::printf("matrix of %s (rows x columns), maximum %d; times in ms, median and minimum\n",
                    size.c_str(), answer);
        if (read.repeats)
            std::printf("reading as many bytes and no more: GPU 0 %.4f ms (%.0f GB/s)\n",
                        read.median, beside.megabytes / read.median);
        const char *const columns = "%14s %10s %4s %9s %7s %7s | ";
        std::printf("%-4s %-8s | ", "", "platform");
        std::printf(columns, "with transfers", "minimum", "runs", "GB/s", "of CUB", "of read");
        std::printf(columns, "without: GPU", "minimum", "runs", "GB/s", "of CUB", "of read");
        std::printf("%8s %8s | idea\n", "x before", "x first");
        for (const Row &row : rows) {
            if (row.kernel.repeats && !beside.first) beside.first = &row;
            printRow(row, beside);
            if (row.kernel.repeats) beside.before = &row;
        }
        std::printf("\n");
        std::fflush(stdout);
    }

    static void printRow(const Row &row, const Beside &beside)
    {
        const Version &version = *row.version;
        std::printf("%-4s %-8s | ", version.name, platformName(version.platform));
        if (!row.note.empty()) {
            std::printf("%s\n", row.note.c_str());
            return;
        }
        const Row none{};
        const Row &cub = beside.yardstick ? *beside.yardstick : none;
        printTime(row.total, cub.total, beside);
        printTime(row.kernel, cub.kernel, beside);
        std::printf("%8s %8s | %s\n", gain(beside.before, row).c_str(),
                    gain(beside.first, row).c_str(), version.idea);
    }

    // "of CUB" and "of read": that one's time over this one's, 1 is as fast. CUB's is with or
    // without transfers like this one; reading is without.
    static void printTime(const common::Timing &time, const common::Timing &cub,
                          const Beside &beside)
    {
        const auto cell = [&](const char *format, double value) {
            return time.repeats && value > 0 ? formatted(format, value) : "-";
        };
        std::printf("%14s %10s %4s %9s %7s %7s | ", cell("%.4f", time.median).c_str(),
                    cell("%.4f", time.minimum).c_str(), cell("%.0f", time.repeats).c_str(),
                    cell("%.1f", beside.megabytes / time.median).c_str(),
                    cell("%.4f", cub.median / time.median).c_str(),
                    cell("%.4f", beside.read.median / time.median).c_str());
    }

    /// "x before" and "x first": how many times as fast this one's kernels are as the other's.
    static std::string gain(const Row *other, const Row &row)
    {
        if (!other || !row.kernel.repeats) return "-";
        return formatted("%.2f", other->kernel.median / row.kernel.median);
    }

    void addToCsv(const Row &row, const Matrix &matrix, const common::Timing &read)
    {
        csv.add({row.version->name, platformName(row.version->platform),
                 std::to_string(matrix.rows), std::to_string(matrix.columns),
                 number(row.total.repeats), number(row.total.median), number(row.total.minimum),
                 number(row.kernel.repeats), number(row.kernel.median), number(row.kernel.minimum),
                 number(read.median), row.version->idea, row.note});
    }

    static std::string formatted(const char *format, double value)
    {
        char text[32];
        std::snprintf(text, sizeof text, format, value);
        return text;
    }
    static std::string number(double value) { return formatted("%.6g", value); }

    common::Csv csv{{"version", "platform", "rows", "columns", "runs", "total_median_ms",
                     "total_min_ms", "kernel_runs", "kernel_median_ms", "kernel_min_ms",
                     "device_read_ms", "idea", "note"}};
    std::vector<Last> last; ///< one for each version
    int failed = 0;
};

} // namespace maximum
