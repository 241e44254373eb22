// The program of the transpose lab as its users meet it.
#include "common/cpu_facts.h"
#include "messages.h"
#include "sanitized.h"
#include "transpose/core.h"
#include "transpose/options.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using transpose::Version;

namespace
{

const std::string kTranspose = BUILD_DIRECTORY "/transpose";
const int kStatus = transpose::activeVersion().unavailable.empty() ? 0 : 2; ///< if all is right

void expectUsageError(const std::string &arguments, const std::string &part)
{
    expectBadUsage(kTranspose + " " + arguments, part);
}

} // namespace

// What the help says of them; the block is seen where there is a GPU only.
TEST(TransposeOptions, HaveTheirDefaultsAndTheirPlaces)
{
    const transpose::Options usual = parsed({"transpose"}, transpose::parseOptions);
    EXPECT_EQ(usual.rows, 1024);
    EXPECT_EQ(usual.columns, 1024);
    EXPECT_EQ(usual.block, 32);
    EXPECT_FALSE(usual.shapeGiven || usual.benchmark || usual.print || usual.help);
    const transpose::Options given = parsed(
        {"transpose", "--columns", "7", "--block", "16", "--rows", "5"}, transpose::parseOptions);
    EXPECT_EQ(given.rows, 5);
    EXPECT_EQ(given.columns, 7);
    EXPECT_EQ(given.block, 16);
    EXPECT_TRUE(given.shapeGiven);
}

TEST(TransposeMain, HelpListsTheOptions)
{
    const Outcome outcome = runCommand(kTranspose + " --help");
    EXPECT_EQ(outcome.status, 0);
    for (const char *part : {"usage: transpose", "--block", "--benchmark", "--csv", "exit status",
                             "without --benchmark, an active version that cannot run here"})
        EXPECT_TRUE(holds(outcome.output, part)) << part;
}

TEST(TransposeMain, BadUsageIsRefused)
{
    expectUsageError("--nonsense", "nonsense");
    expectUsageError("ten", "N is 'ten', expected an integer");
    expectUsageError("0", "N is '0'");
    expectUsageError("-- -5", "N is '-5'");
    expectUsageError("99999999999", "N is '99999999999'");
    expectUsageError("10 20", "one N expected, found also '20'");
    expectUsageError("9 --block 33", "a block of 33 x 33 has 1089 threads, a GPU runs at most 1024 "
                                     "in one: expected 8, 16 or 32");
    expectUsageError("--rows 5", "--rows and --columns go together");
    expectUsageError("--rows 5 --columns 6 7", "either N or --rows and --columns");
    expectUsageError("--rows x --columns 6", "--rows is 'x'");
    expectUsageError("--block 64", "a block of 64 x 64 has 4096 threads");
    expectUsageError("--block 12", "no block of 12 x 12: expected 8, 16 or 32");
    for (const std::string side : {"2147483520", "2147483647"}) {
        const std::string refused = " is '" + side + "', expected an integer in 1..2147483519";
        expectUsageError("--rows " + side + " --columns 1", "--rows" + refused);
        expectUsageError("--rows 1 --columns " + side, "--columns" + refused);
        expectUsageError(side, "N" + refused);
    }
    expectUsageError("--benchmark 16 --block 8", "--benchmark tries every block, without --block");
    expectUsageError("--block 32 --benchmark 16", "--benchmark tries every block, without --block");
    expectUsageError("--benchmark 16 --print", "--benchmark prints no matrix, without --print");
    expectUsageError("8 --csv no/such/dir.csv", "cannot be created");
}

TEST(TransposeMain, AMatrixThatDoesNotFitIsRefused)
{
    const Outcome outcome = runCommand(kTranspose + " 2000000000");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(holds(outcome.errors, "transpose: needs 76293945312500 MiB, ")) << outcome.errors;
    EXPECT_TRUE(holds(outcome.errors, "MiB are available")) << outcome.errors;
}

// Five arrays of twice what the machine has, each of which no system would give anyway.
TEST(TransposeMain, AMatrixThatIsNotMuchTooLargeIsRefused)
{
    const double kilobytes = std::stod(common::factFrom("/proc/meminfo", "MemTotal"));
    const auto side = static_cast<long long>(std::sqrt(2 * 1024 * kilobytes / sizeof(float)));
    const Outcome outcome = runCommand(kTranspose + " " + std::to_string(side));
    EXPECT_EQ(outcome.status, 2);
    const std::string needed = std::to_string(5 * sizeof(float) * side * side >> 20);
    EXPECT_TRUE(holds(outcome.errors, "transpose: needs " + needed + " MiB, ")) << outcome.errors;
    EXPECT_TRUE(holds(outcome.errors, "MiB are available")) << outcome.errors;
}

TEST(TransposeMain, ASmallMatrixIsPrintedWithItsTranspose)
{
    const Outcome outcome = runCommand(kTranspose + " --rows 2 --columns 3");
    ASSERT_EQ(outcome.status, kStatus) << outcome.output << outcome.errors;
    EXPECT_TRUE(holds(outcome.output, "matrix, 2 x 3:\n"
                                      "     0.72271     0.63172     0.95266\n"
                                      "     0.81044     0.03623     0.16171\n"
                                      "transposed by "))
        << outcome.output;
    EXPECT_TRUE(holds(outcome.output, ", 3 x 2:\n"
                                      "     0.72271     0.81044\n"
                                      "     0.63172     0.03623\n"
                                      "     0.95266     0.16171\n"))
        << outcome.output;
    EXPECT_TRUE(holds(outcome.output, "\npassed: ")) << outcome.output;
}

TEST(TransposeMain, ALargerMatrixIsPrintedOnRequest)
{
    EXPECT_TRUE(holds(runCommand(kTranspose + " 8").output, ", 8 x 8:\n"));
    for (const std::string sides : {"9", "--rows 2 --columns 9", "--rows 9 --columns 2"})
        EXPECT_FALSE(holds(runCommand(kTranspose + " " + sides).output, "transposed by")) << sides;
    EXPECT_TRUE(holds(runCommand(kTranspose + " 9 --print").output, ", 9 x 9:\n"));
}

TEST(TransposeMain, EveryVersionHasARowInTableAndFile)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("times.csv");
    const Outcome outcome = runCommand(kTranspose + " 100 --block 16 --csv " + file);
    ASSERT_EQ(outcome.status, kStatus) << outcome.output << outcome.errors;
    EXPECT_EQ(directory.files(), 1);
    const std::string csv = contentsOf(file);
    EXPECT_TRUE(holds(csv, "version,platform,block,rows,columns,runs,total_median_ms"));
    for (const Version &version : transpose::versions()) {
        EXPECT_TRUE(holds(outcome.output, std::string("\n") + version.name + " "))
            << outcome.output;
        EXPECT_TRUE(holds(csv, std::string("\n") + version.name + "," +
                                   platformName(version.platform) +
                                   (version.blocks ? ",16," : ",-,") + "100,100,"))
            << csv;
    }
    const std::string active = transpose::activeVersion().name;
    EXPECT_TRUE(holds(outcome.output, "\nactive version " + active + ": ")) << outcome.output;
}

// The first version's row, of a matrix that is no square: each of its floats is read and written.
TEST(TransposeMain, SidesAndSpeedsAreThoseOfTheMatrix)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("times.csv");
    const std::string name = transpose::versions().front().name;
    const Outcome outcome = runCommand(kTranspose + " --rows 1000 --columns 600 --csv " + file);
    EXPECT_TRUE(holds(contentsOf(file), "\n" + name + ",CPU,-,1000,600,")) << contentsOf(file);
    double median = 0, speed = 0;
    const std::size_t row = outcome.output.find("\n" + name + " ");
    ASSERT_NE(row, std::string::npos) << outcome.output;
    ASSERT_EQ(std::sscanf(outcome.output.c_str() + row, " %*s %*s - | %lf %*s %*s | - - - | %lf",
                          &median, &speed),
              2)
        << outcome.output;
    EXPECT_NEAR(speed * median, 4.8, 0.2) << outcome.output;
}

// A core with one version of each fate: what is wrong is never timed, whatever is active, and the
// status says so.
TEST(TransposeMain, WhatIsWrongOrFailsIsReported)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("times.csv");
    const auto with = [&](const std::string &active, const std::string &arguments) {
        return runCommand("ACTIVE=" + active + " " BUILD_DIRECTORY "/tests/broken_transpose " +
                          arguments + " --csv " + file);
    };
    for (const char *active : {"right", "late", "starved", "absent"}) {
        const Outcome outcome = with(active, "--rows 300 --columns 7");
        EXPECT_EQ(outcome.status, 1) << outcome.errors; // four rows are bad
        EXPECT_TRUE(holds(outcome.output, "FAILED: 4 of the above")) << outcome.output;
        EXPECT_FALSE(holds(outcome.output, "FAILED: active")) << outcome.output;
        EXPECT_FALSE(holds(outcome.output, "passed")) << outcome.output;
    }
    for (const char *active : {"wrong", "unwritten", "failing"}) {
        const Outcome outcome = with(active, "--rows 3 --columns 5");
        EXPECT_EQ(outcome.status, 1) << outcome.errors;
        EXPECT_TRUE(holds(outcome.output, "FAILED: 5 of the above")) << outcome.output;
        EXPECT_TRUE(holds(outcome.output, std::string("FAILED: active version ") + active + ": "))
            << outcome.output;
        EXPECT_FALSE(holds(outcome.output, "transposed by")) << outcome.output;
        if (active == std::string("wrong")) { // in the last cell; its output is 5 x 3
            const std::size_t at = outcome.output.find("WRONG at row 4, column 2: ");
            ASSERT_NE(at, std::string::npos) << outcome.output;
            float found = 0, expected = 0;
            ASSERT_EQ(std::sscanf(outcome.output.c_str() + at,
                                  "WRONG at row 4, column 2: %f, expected %f", &found, &expected),
                      2)
                << outcome.output;
            EXPECT_EQ(found, std::nextafter(expected, 2.0f)) << "to the last bit";
        }
    }

    const Outcome benchmark = with("right", "--benchmark 60");
    EXPECT_EQ(benchmark.status, 1) << benchmark.errors;
    const std::string csv = contentsOf(file), wrong = ",60,60,0,0,0,0,0,0,";
    for (const char *row : {"\nwrong,CPU,-", "\nunwritten,OpenMP,-", "\nlate,CUDA,-",
                            "\nfailing,CPU,-", "\nstarved,CPU,-", "\nabsent,CPU,-"})
        EXPECT_TRUE(holds(csv, row + wrong)) << row << "\n" << csv;
    EXPECT_TRUE(holds(csv, "\nright,CPU,-,60,60,") && !holds(csv, "\nright,CPU,-" + wrong)) << csv;
    for (const char *note : {",WRONG at row 59, column 59: ", ",failing: it broke\n",
                             ",starved: too little here\n", ",needs another machine\n"})
        EXPECT_TRUE(holds(csv, note) || holds(csv, std::string(",\"") + (note + 1))) << note << "\n"
                                                                                     << csv;
    for (const char *part : {"wrong CPU        - | WRONG at row 59, column 59",
                             "unwritten OpenMP     - | WRONG at row 0, column 0",
                             "late CUDA       - | WRONG at row 59, column 59", "failing: it broke",
                             "starved: too little here", "needs another machine"})
        EXPECT_TRUE(holds(benchmark.output, part)) << part << "\n" << benchmark.output;
}

// The last version leaves a machine on which the copies after the table fail; then the next of the
// benchmark's sizes cannot begin.
TEST(TransposeMain, WhatWasMeasuredIsKeptWhereTheCopiesFail)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("times.csv");
    for (const std::string arguments : {"512", "--benchmark"}) {
        const Outcome outcome =
            runCommand("ACTIVE=right RUINS=1 BENCHMARK_SECONDS=0.001 "
                       "timeout 60 " BUILD_DIRECTORY "/tests/broken_transpose " +
                       arguments + " --csv " + file);
        EXPECT_EQ(outcome.status, 1) << outcome.errors;
        EXPECT_TRUE(holds(outcome.output, "\ntimed CUDA ")) << outcome.output;
        EXPECT_TRUE(holds(outcome.output, "\nthe copies FAILED: BENCHMARK_SECONDS is 'in ruins', "))
            << outcome.output;
        EXPECT_TRUE(holds(contentsOf(file), "\ntimed,CUDA,-,512,512,")) << contentsOf(file);
        const bool benchmark = arguments == "--benchmark";
        for (const char *size : {"513 x 513", "16384 x 16384"})
            EXPECT_EQ(holds(outcome.output, "\n" + std::string(size) +
                                                " FAILED: BENCHMARK_SECONDS is 'in ruins', "),
                      benchmark)
                << outcome.output;
        // Four versions, the one that ends in ruins, the copies, and the ten other sizes.
        EXPECT_TRUE(holds(outcome.output, benchmark ? "\nFAILED: 16 of " : "\nFAILED: 6 of "))
            << outcome.output;
    }
}

// Whose work is printed: the version's, or, where that cannot run here, the reference's.
TEST(TransposeMain, ATransposeIsCalledWhoseItIs)
{
    for (const auto &[active, author] : std::vector<std::pair<std::string, std::string>>{
             {"right", "right"}, {"starved", "the reference"}, {"absent", "the reference"}}) {
        const Outcome outcome =
            runCommand("ACTIVE=" + active +
                       " BENCHMARK_SECONDS=0.001 " BUILD_DIRECTORY "/tests/broken_transpose "
                       "--rows 2 --columns 3");
        EXPECT_TRUE(holds(outcome.output, "\nmatrix, 2 x 3:\n")) << outcome.output;
        EXPECT_TRUE(holds(outcome.output, "\ntransposed by " + author + ", 3 x 2:\n"))
            << active << "\n"
            << outcome.output;
    }
}

// What the version `timed` says of its kernel is known; times of the one `right` must fit together.
TEST(TransposeMain, TableAndFileHoldTheSameInTheirColumns)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("times.csv");
    const Outcome outcome = runCommand("ACTIVE=right " BUILD_DIRECTORY "/tests/broken_transpose "
                                       "--rows 100 --columns 50 --csv " +
                                       file);
    const std::string csv = contentsOf(file), &text = outcome.output;
    EXPECT_EQ(csv.substr(0, csv.find('\n')),
              "version,platform,block,rows,columns,runs,total_median_ms,total_min_ms,kernel_runs,"
              "kernel_median_ms,kernel_min_ms,host_copy_ms,device_copy_ms,note");
    double runs = 0, median = 0, minimum = 0, hostCopy = 0, deviceCopy = 0;
    std::size_t place = csv.find("\ntimed,CUDA,-,100,50,");
    ASSERT_NE(place, std::string::npos) << csv;
    ASSERT_EQ(std::sscanf(csv.c_str() + place,
                          "\ntimed,CUDA,-,100,50,%*[^,],%*[^,],%*[^,],5,4,3,"
                          "%lf,%lf,",
                          &hostCopy, &deviceCopy),
              2)
        << csv;
    place = csv.find("\nright,CPU,-,100,50,");
    ASSERT_NE(place, std::string::npos) << csv;
    ASSERT_EQ(std::sscanf(csv.c_str() + place, "\nright,CPU,-,100,50,%lf,%lf,%lf,0,0,0,%lf,", &runs,
                          &median, &minimum, &hostCopy),
              4)
        << csv;
    EXPECT_LT(minimum, median) << csv;

    double shown[3], speed = 0, ofCopy = 0;
    place = text.find("\nright CPU ");
    ASSERT_NE(place, std::string::npos) << text;
    ASSERT_EQ(std::sscanf(text.c_str() + place,
                          " right CPU - | %lf %lf %lf | - - - | %lf %lf | does", shown, shown + 1,
                          shown + 2, &speed, &ofCopy),
              5)
        << text;
    EXPECT_NEAR(shown[0], median, 0.51e-3);
    EXPECT_NEAR(shown[1], minimum, 0.51e-3);
    EXPECT_EQ(shown[2], runs);
    const double megabytes = 2e-6 * 4 * 100 * 50; // read and written
    EXPECT_NEAR(speed, megabytes / median, 0.06);
    EXPECT_NEAR(ofCopy, hostCopy / median, 1e-4);
    char timed[80];
    std::snprintf(timed, sizeof timed, "   4.0000    3.0000    5 | %7.1f ", megabytes / 4);
    EXPECT_TRUE(holds(text, timed)) << timed << "\n" << text;
    double copy = 0;
    place = text.find("copy of the same floats: host ");
    ASSERT_NE(place, std::string::npos) << text;
    ASSERT_EQ(std::sscanf(text.c_str() + place, "copy of the same floats: host %lf ms (%lf GB/s)",
                          &copy, &speed),
              2)
        << text;
    EXPECT_NEAR(copy, hostCopy, 0.51e-3);
    EXPECT_NEAR(speed, megabytes / hostCopy, 0.51 + 1e-4 * speed);
}

TEST(TransposeMain, TheBenchmarkTakesASizeOfAnyShape)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("times.csv");
    for (const std::string shape : {"--rows 6 --columns 4", "6"}) {
        const Outcome outcome =
            runCommand("ACTIVE=right BENCHMARK_SECONDS=0.001 timeout 9 " BUILD_DIRECTORY
                       "/tests/broken_transpose --benchmark " +
                       shape + " --csv " + file);
        EXPECT_EQ(outcome.status, 1) << outcome.errors;
        const std::string csv = contentsOf(file);
        EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 8) << csv;
        EXPECT_TRUE(holds(csv, shape == "6" ? "\nright,CPU,-,6,6," : "\nright,CPU,-,6,4,")) << csv;
        EXPECT_FALSE(holds(outcome.output, "active version")) << outcome.output;
    }
}

// Of its eleven sizes those that fit the memory are measured, and what fails in any of them counts;
// a size that was asked for must fit.
TEST(TransposeMain, TheBenchmarkLeavesOutWhatDoesNotFit)
{
    if (kAddressSanitizer || kThreadSanitizer)
        GTEST_SKIP() << "needs the address space that the sanitizer takes";
    if (runCommand("nvidia-smi -L | grep '^GPU'").status == 0)
        GTEST_SKIP() << "needs the address space that a GPU's driver takes";
    const Outcome outcome = runCommand(
        "ulimit -v 60000; CUDA_VISIBLE_DEVICES= OMP_NUM_THREADS=1 ACTIVE=right "
        "BENCHMARK_SECONDS=0.001 " BUILD_DIRECTORY "/tests/broken_transpose --benchmark");
    EXPECT_EQ(outcome.status, 1) << outcome.errors;
    std::string sizes;
    int measured = 0;
    std::istringstream lines(outcome.output);
    for (std::string line; std::getline(lines, line);) {
        int rows = 0, columns = 0, read = 0;
        if (std::sscanf(line.c_str(), "%d x %d%n", &rows, &columns, &read) != 2) continue;
        EXPECT_EQ(rows, columns);
        sizes += std::to_string(rows) + " ";
        if (line.compare(read, 2, ", ") == 0)
            ++measured;
        else
            EXPECT_EQ(line.substr(read).find(" left out: "), 0u) << line;
    }
    EXPECT_EQ(sizes, "512 513 1024 2047 2048 4095 8096 8191 8192 16192 16384 ");
    EXPECT_GE(measured, 2) << outcome.output;
    EXPECT_LT(measured, 11) << outcome.output;
    EXPECT_TRUE(holds(outcome.output, "\nFAILED: " + std::to_string(4 * measured) + " of "))
        << outcome.output;
    const Outcome asked = runCommand("ACTIVE=right " BUILD_DIRECTORY
                                     "/tests/broken_transpose --benchmark 2000000000");
    EXPECT_EQ(asked.status, 2) << asked.output;
    EXPECT_TRUE(holds(asked.errors, "transpose: needs ")) << asked.errors;
}

TEST(TransposeMain, TheBenchmarkMeasuresEveryBlock)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("times.csv");
    const Outcome outcome = runCommand(kTranspose + " --benchmark 64 --csv " + file);
    ASSERT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
    for (const char *row : {"\nt6,CUDA,8,64,64,", "\nt6,CUDA,16,64,64,", "\nt6,CUDA,32,64,64,"})
        EXPECT_TRUE(holds(contentsOf(file), row)) << contentsOf(file);
}
