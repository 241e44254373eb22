// What programs write where it is lost: a full disk, a folder in which nobody may write, a reader
// that has gone, a signal in the middle. And where the user's numbers have a decimal comma.
#include "common/output_file.h"
#include "common/standard_output.h"
#include "messages.h"

#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <regex>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace
{

std::string program(const std::string &words)
{
    return "ENTROPY_BENCHMARK=0 " BUILD_DIRECTORY "/" + words;
}

/// Programs that write a file, whose name comes next.
const std::vector<std::string> kWriters = {
    program("entropy data/three_groups.bin --csv "), program("maximum --rows 9 --csv "),
    program("transpose 9 --csv "), program("make_data 6x4 random ")};

/// For a process of its own: ends it with what OutputFile says of a file in that folder.
[[noreturn]] void writeAsNobody(const std::string &folder)
{
    constexpr uid_t kNobody = 65534; // root may write anywhere
    if (geteuid() == 0 && seteuid(kNobody) != 0) _exit(2);
    const std::string said = messageOf([&] { common::OutputFile file(folder + "/out"); });
    std::fprintf(stderr, "%s\n", said.c_str());
    _exit(0);
}

} // namespace

TEST(LostOutput, OfAFullDeviceIsTold)
{
    for (const std::string &writer : kWriters) {
        const Outcome outcome = runCommand(writer + "/dev/full");
        EXPECT_EQ(outcome.status, 2) << writer;
        EXPECT_TRUE(holds(outcome.errors, "/dev/full cannot be written: No space left on device\n"))
            << writer << outcome.errors;
    }
}

/// For a process of its own: prints more than a buffer holds to a full device, and then to one that
/// takes all.
[[noreturn]] void loseTheFirstHalf()
{
    const int full = open("/dev/full", O_WRONLY), all = open("/dev/null", O_WRONLY);
    dup2(full, STDOUT_FILENO);
    std::printf("%s", std::string(1 << 20, 'x').c_str());
    dup2(all, STDOUT_FILENO);
    const std::string said = messageOf([] { common::requireOutput(); });
    std::fprintf(stderr, "%s\n", said.c_str());
    _exit(0);
}

TEST(LostOutput, BeforeTheLastFlushIsTold)
{
    EXPECT_EXIT(loseTheFirstHalf(), testing::ExitedWithCode(0),
                "standard output cannot be written");
}

// A disk that takes no byte more: neither a part of the file is left, nor a temporary one.
TEST(LostOutput, OfAFullDiskIsToldAndLeavesNothing)
{
    for (const std::string &writer : kWriters) {
        const TemporaryDirectory directory;
        const Outcome outcome =
            runCommand("{ trap '' XFSZ; ulimit -f 0; " + writer + directory.path("out") +
                       "; echo status $?; } 2>&1 | cat");
        EXPECT_TRUE(holds(outcome.output, "out cannot be written: File too large\n"))
            << writer << outcome.output;
        EXPECT_TRUE(holds(outcome.output, "\nstatus 2\n")) << writer << outcome.output;
        EXPECT_EQ(directory.files(), 0) << writer;
    }
}

TEST(LostOutput, OfAReadOnlyFolderIsTold)
{
    const TemporaryDirectory directory;
    ASSERT_EQ(chmod(directory.path("").c_str(), 0555), 0);
    EXPECT_EXIT(writeAsNobody(directory.path("")), testing::ExitedWithCode(0),
                "out cannot be created: Permission denied");
    EXPECT_EQ(directory.files(), 0);
}

// Before the program prints anything. It is ended by the signal, or, where that is ignored, told.
TEST(LostOutput, ToAReaderThatHasGoneEndsAProgram)
{
    const std::string answer = contentsOf("data/three_groups.csv");
    for (const std::string ignored : {"", "trap '' PIPE; "}) {
        const TemporaryDirectory directory;
        const std::string csv = directory.path("out"), status = directory.path("status");
        const Outcome outcome = runCommand("{ " + ignored + "sleep 0.3; " + kWriters[0] + csv +
                                           "; echo $? >" + status + "; } | :");
        EXPECT_EQ(contentsOf(status),
                  ignored.empty() ? std::to_string(128 + SIGPIPE) + "\n" : "2\n");
        EXPECT_EQ(holds(outcome.errors, "standard output cannot be written"), !ignored.empty())
            << outcome.errors;
        EXPECT_EQ(contentsOf(csv), ignored.empty() ? "" : answer) << "whole, or not at all";
        EXPECT_EQ(directory.files(), ignored.empty() ? 1 : 2) << "besides the status";
    }
}

TEST(LostOutput, OfASignalInTheMiddleIsNoFile)
{
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGKILL}) {
        const TemporaryDirectory directory;
        const Outcome outcome =
            runCommand("MISBEHAVIOUR='signal " + std::to_string(number) +
                       "' " BUILD_DIRECTORY "/tests/misbehaving data/three_groups.bin --csv " +
                       directory.path("out"));
        EXPECT_EQ(outcome.status, 128 + number);
        EXPECT_EQ(directory.files(), 0) << number;
    }
}

TEST(DecimalComma, ChangesNoFileAndNoAnswer)
{
    const TemporaryDirectory directory;
    const std::string german = "LOCPATH=" + directory.path("") + " LC_ALL=de_DE.UTF-8 ";
    if (runCommand("localedef -i de_DE -f UTF-8 " + directory.path("de_DE.UTF-8")).status != 0)
        GTEST_SKIP() << "needs localedef and the sources of locales";
    ASSERT_EQ(runCommand(german + "bash -c 'printf %.1f 1,5'").output, "1,5");
    const std::string words = program("entropy data/worked_4x4.txt --print --csv /dev/stderr");
    const Outcome here = runCommand("LC_ALL=C " + words), there = runCommand(german + words);
    EXPECT_EQ(there.status, 0);
    EXPECT_EQ(there.errors, here.errors);
    EXPECT_EQ(there.errors, contentsOf("data/worked_4x4.csv"));
    EXPECT_TRUE(holds(there.output, " 1.52296 ")) << there.output;
    for (const std::string lab : {"maximum --rows 9 --csv ", "transpose 9 --csv "}) {
        const std::string csv = directory.path("out");
        runCommand(german + program(lab) + csv); // 2 where its active version needs a GPU
        const std::string table = contentsOf(csv);
        EXPECT_TRUE(std::regex_search(table, std::regex(",[0-9]+\\.[0-9]"))) << lab << table;
        EXPECT_FALSE(std::regex_search(table, std::regex("\"[0-9]+,[0-9]"))) << lab << table;
    }
}

TEST(LostOutput, OfTheGraderIsTold)
{
    if (runCommand("python3 --version").status != 0) GTEST_SKIP() << "needs python3";
    const Outcome outcome = runCommand("python3 -B tests/test_grade_files.py");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
}
