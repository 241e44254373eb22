// Checks and times every version on one matrix, and prints the table.
// Include it from .cu files only: they are all compiled by nvcc or all by the host compiler.
#pragma once

#include "common/csv.h"
#include "common/kernel_times.h"
#include "common/measure.h"
#include "common/progress.h"
#include "common/read_speed.h"
#include "maximum/core.h"
#include "maximum/matrix.h"

#include <cstdio>
#include <string>
#include <vector>

namespace maximum
{

/// One size after the other; keeps the times for a CSV file and counts what went wrong.
class Benchmark
{
public:
    /// Runs every version on `matrix`: checked against the reference first, then timed. Prints a
    /// table. A version that cannot run here, or would take absurdly long, is a row that says why.
    void run(const Matrix &matrix)
    {
        const std::string size =
            std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns);
        common::Progress progress("maximum " + size);
        progress.show("computing the right answer");
        const int answer = reference(matrix);
        const common::Timing read = readTime(matrix.size() * sizeof(int));

        std::vector<Row> rows;
        for (const Version &version : versions()) {
            progress.show(version.name);
            rows.push_back(time(version, matrix, answer));
            addToCsv(rows.back(), matrix, read);
        }
        progress.wipe();
        print(rows, matrix, answer, read, size);
    }

    /// Versions that gave a wrong answer or an error that does not just say "cannot run here".
    int failures() const { return failed; }

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

    /// All zero without a GPU, or where it has too little memory.
    static common::Timing readTime(std::size_t bytes)
    {
        try {
            if (common::deviceCount() > 0) return common::deviceRead(bytes);
        } catch (const common::Unavailable &) {
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
        const auto validate = [&](int found) {
            if (found != answer)
                throw common::Error("WRONG: found " + std::to_string(found) + ", right is " +
                                    std::to_string(answer));
        };
        try {
            row.total = common::measure(call, validate);
            last[index] = {size, row.total.median};
            if (version.platform == Platform::Cpu) return row;
            common::KernelTimes kernels;
            validate(call()); // the repeats must leave the right answer behind
            row.kernel = kernels.slowestDevice();
        } catch (const common::Unavailable &error) {
            row = {&version, {}, {}, error.what()};
        } catch (const std::exception &error) {
            row = {&version, {}, {}, error.what()};
            ++failed;
        }
        return row;
    }

    static void print(const std::vector<Row> &rows, const Matrix &matrix, int answer,
                      const common::Timing &read, const std::string &size)
    {
        const double megabytes = 1e-6 * sizeof(int) * matrix.size(); // GB/s = megabytes / ms
        const common::Timing *yardstick = nullptr;
        for (const Row &row : rows)
            if (row.version->yardstick && row.kernel.repeats) yardstick = &row.kernel;
        std::printf("matrix of %s (rows x columns), maximum %d; times in ms, median and minimum\n",
                    size.c_str(), answer);
        if (read.repeats)
            std::printf("reading as many bytes and no more: GPU 0 %.4f ms (%.0f GB/s)\n",
                        read.median, megabytes / read.median);
        std::printf("%-4s %-8s | %14s %10s %4s | %14s %10s %4s | %7s %7s %7s | %s\n", "",
                    "platform", "with transfers", "minimum", "runs", "without: GPU", "minimum",
                    "runs", "GB/s", "of CUB", "of read", "idea");
        for (const Row &row : rows) printRow(row, megabytes, yardstick, read);
        std::printf("\n");
        std::fflush(stdout);
    }

    // "of CUB" and "of read": that one's time over this one's, kernels only; 1 is as fast.
    static void printRow(const Row &row, double megabytes, const common::Timing *yardstick,
                         const common::Timing &read)
    {
        const Version &version = *row.version;
        std::printf("%-4s %-8s | ", version.name, platformName(version.platform));
        if (!row.note.empty()) {
            std::printf("%s\n", row.note.c_str());
            return;
        }
        std::printf("%14.4f %10.4f %4zu | ", row.total.median, row.total.minimum,
                    row.total.repeats);
        if (row.kernel.repeats)
            std::printf("%14.4f %10.4f %4zu | %7.1f %7s %7s", row.kernel.median, row.kernel.minimum,
                        row.kernel.repeats, megabytes / row.kernel.median,
                        yardstick ? fixed(yardstick->median / row.kernel.median).c_str() : "-",
                        read.repeats ? fixed(read.median / row.kernel.median).c_str() : "-");
        else
            std::printf("%14s %10s %4s | %7.1f %7s %7s", "-", "-", "-",
                        megabytes / row.total.median, "-", "-");
        std::printf(" | %s\n", version.idea);
    }

    void addToCsv(const Row &row, const Matrix &matrix, const common::Timing &read)
    {
        csv.add({row.version->name, platformName(row.version->platform),
                 std::to_string(matrix.rows), std::to_string(matrix.columns),
                 number(row.total.repeats), number(row.total.median), number(row.total.minimum),
                 number(row.kernel.repeats), number(row.kernel.median), number(row.kernel.minimum),
                 number(read.median), row.note});
    }

    static std::string formatted(const char *format, double value)
    {
        char text[32];
        std::snprintf(text, sizeof text, format, value);
        return text;
    }
    static std::string number(double value) { return formatted("%.6g", value); }
    static std::string fixed(double value) { return formatted("%.3f", value); }

    common::Csv csv{{"version", "platform", "rows", "columns", "runs", "total_median_ms",
                     "total_min_ms", "kernel_runs", "kernel_median_ms", "kernel_min_ms",
                     "device_read_ms", "note"}};
    std::vector<Last> last; ///< one for each version
    int failed = 0;
};

} // namespace maximum
