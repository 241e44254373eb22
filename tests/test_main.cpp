// The programs as their users meet them: messages, files, exit status. And the report.
#include "messages.h"
#include "sanitized.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <regex>
#include <utility>
#include <vector>

namespace
{

const std::string kEntropy = BUILD_DIRECTORY "/entropy";
const std::string kMakeData = BUILD_DIRECTORY "/make_data";

/// The word of a command that names this file from any folder; a build may be in any, too.
std::string fromAnywhere(const std::string &path)
{
    return "'" + std::filesystem::absolute(path).string() + "'";
}

/// The number behind the first `label` in `text`; -1 if there is none.
double numberAfter(const std::string &text, const std::string &label)
{
    const std::size_t place = text.find(label);
    return place == std::string::npos ? -1 : std::atof(text.c_str() + place + label.size());
}

/// The seconds in the line "Time: 0.1234s"; -1 if there is no such line.
double secondsTold(const std::string &text)
{
    std::smatch line;
    const std::regex form("\nTime: ([0-9]+\\.[0-9]{4})s\n");
    return std::regex_search(text, line, form) ? std::stod(line[1]) : -1;
}

} // namespace

TEST(Main, HelpIsImmediateEvenWithTheBenchmarkOn)
{
    const auto start = std::chrono::steady_clock::now();
    for (const char *option : {"--help", "-h"}) {
        const Outcome outcome = runCommand("ENTROPY_BENCHMARK=1 " + kEntropy + " " + option);
        EXPECT_EQ(outcome.status, 0);
        EXPECT_TRUE(holds(outcome.output, "usage: entropy")) << outcome.output;
        EXPECT_FALSE(holds(outcome.output, "benchmark 400x400"));
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST(Main, BadUsageIsRefused)
{
    expectRefusal(kEntropy + " --nonsense", "entropy: --nonsense: no such option");
    expectRefusal(kEntropy + " --csv", "entropy: --csv: its value is missing");
    expectRefusal(kEntropy + " --print=5", "entropy: --print=5: it takes no value");
    expectRefusal(kEntropy + " --print -xyz", "entropy: -xyz: no such option");
    expectRefusal(kEntropy + " -c --csv x.csv", "entropy: -c: no such option");
    expectRefusal(kEntropy + " data/a data/b", "one FILE expected, found also 'data/b'");
}

TEST(Main, TheDataAreTakenWhereNoFileIsNamed)
{
    const TemporaryDirectory directory;
    expectRefusal("cd " + directory.path("") + " && " + fromAnywhere(kEntropy),
                  "entropy: data/data.bin cannot be read: No such file or directory");
}

TEST(Main, BadInputIsRefusedAndLeavesNoOutput)
{
    expectRefusal(kEntropy + " no/such.bin", "entropy: no/such.bin cannot be read");
    expectRefusal(kEntropy + " - < /dev/null", "entropy: -: record 1, offset 0: the file is empty");

    const TemporaryDirectory directory;
    const TemporaryFile bad("bad.txt", "2 2\n1 2\n3 16\n");
    expectRefusal(kEntropy + " " + bad.path() + " --csv " + directory.path("out.csv"),
                  "(line 3, column 3): cell is 16, expected 0..15");
    EXPECT_EQ(directory.files(), 0) << "a refused input left a file behind";
    expectRefusal(kEntropy + " data/worked_4x4.txt --csv no/such/dir.csv", "cannot be created");
    expectRefusal(kEntropy + " data/worked_4x4.txt --reference data/worked_4x4.txt",
                  "this is no reference file");
    expectRefusal(kEntropy + " data/worked_4x4.txt --reference no/such.bin",
                  "entropy: no/such.bin cannot be read: No such file or directory");
}

// A file with a hole, of 32 MiB: as floats they are 128.
TEST(Main, AFileTooLargeForTheMemoryIsRefusedInASentence)
{
    if (kAddressSanitizer || kThreadSanitizer)
        GTEST_SKIP() << "needs the address space that the sanitizer takes";
    const TemporaryDirectory directory;
    const std::string file = directory.path("large.bin");
    const Outcome outcome = runCommand(
        "printf '\\0\\0\\0\\2\\1\\0\\0\\0' >" + file + " && truncate -s 33554440 " + file +
        " && ulimit -v 160000 && CUDA_VISIBLE_DEVICES= OMP_NUM_THREADS=1 ENTROPY_BENCHMARK=0 " +
        kEntropy + " " + file);
    EXPECT_EQ(outcome.status, 2) << outcome.errors;
    EXPECT_EQ(outcome.errors, "entropy: there is not enough memory for these arrays\n");
}

TEST(Main, WorkedExamplePrintsItsAnswer)
{
    const TemporaryDirectory directory;
    const Outcome outcome =
        runCommand(kEntropy + " data/worked_4x4.txt --print --csv " + directory.path("out.csv"));
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_TRUE(holds(outcome.output, "     1.52296     1.70455     1.70455     1.52296\n"
                                      "     1.70455     1.84075     1.84075     1.70455\n"));
    EXPECT_NEAR(secondsTold(outcome.output), numberAfter(outcome.output, "\npassed: ") / 1e3,
                0.51e-4)
        << outcome.output;
    EXPECT_TRUE(holds(outcome.output, "1 of 1 groups passed")) << outcome.output;
    EXPECT_EQ(contentsOf(directory.path("out.csv")), contentsOf("data/worked_4x4.csv"));
    EXPECT_EQ(directory.files(), 1);
}

TEST(Main, ReadsStandardInput)
{
    for (const char *file : {"data/worked_4x4.txt", "data/three_groups.bin"}) {
        const Outcome outcome = runCommand(kEntropy + " - < " + file);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        EXPECT_TRUE(holds(outcome.output, "groups passed")) << outcome.output;
    }
}

TEST(Main, BinaryGroupsMatchTheirCommittedAnswers)
{
    const TemporaryDirectory directory;
    const Outcome outcome =
        runCommand(kEntropy + " data/three_groups.bin --csv " + directory.path("out.csv"));
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_TRUE(holds(outcome.output, "3 of 3 groups passed")) << outcome.output;
    EXPECT_EQ(contentsOf(directory.path("out.csv")), contentsOf("data/three_groups.csv"));
}

TEST(Main, AWrongReferenceFailsTheGroup)
{
    const TemporaryDirectory directory;
    const std::string data = directory.path("data.bin"), gold = directory.path("reference.bin");
    ASSERT_EQ(runCommand(kMakeData + " 6x4 random " + data).status, 0);
    // A reference with the right header and sizes, but NaN in every cell.
    const std::string bytes = contentsOf(data);
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
    std::string file = "ENTROPY\n";
    const std::uint32_t header[] = {1, 1};
    file.append(reinterpret_cast<const char *>(header), 8);
    file.append(reinterpret_cast<const char *>(&hash), 8);
    file += bytes.substr(0, 8) + std::string(24 * 4, '\xff');
    std::ofstream(gold, std::ios::binary) << file;

    const Outcome outcome = runCommand(kEntropy + " " + data);
    EXPECT_EQ(outcome.status, 1) << outcome.output << outcome.errors;
    EXPECT_TRUE(holds(outcome.output, "reference: " + gold)) << outcome.output;
    EXPECT_TRUE(holds(outcome.output, "FAILED")) << outcome.output;
    EXPECT_TRUE(holds(outcome.output, "0 of 1 groups passed")) << outcome.output;

    // The one that is named is taken, and not what the data's name lets expect.
    const std::string other = directory.path("other.bin");
    ASSERT_EQ(std::rename(gold.c_str(), other.c_str()), 0);
    EXPECT_EQ(runCommand(kEntropy + " " + data).status, 0) << "none is there: it is computed";
    const Outcome named = runCommand(kEntropy + " " + data + " --reference " + other);
    EXPECT_EQ(named.status, 1) << named.output << named.errors;
    EXPECT_TRUE(holds(named.output, "reference: " + other)) << named.output;
}

// Beside data.bin alone, not beside every file whose name ends or begins like that.
TEST(Main, AReferenceBesideAnotherFileIsNotItsOwn)
{
    const TemporaryDirectory directory;
    std::ofstream(directory.path("reference.bin")) << "of other data";
    for (const std::string name : {"my_data.bin", "data.bin.old", "data.bi", "more.bin"}) {
        const std::string file = directory.path(name);
        ASSERT_EQ(runCommand("cp data/three_groups.bin " + file).status, 0);
        const Outcome outcome = runCommand(kEntropy + " " + file);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        EXPECT_TRUE(holds(outcome.output, "reference: computed here, no file given\n"))
            << outcome.output;
    }
    const std::string data = directory.path("data.bin");
    ASSERT_EQ(runCommand("cp data/three_groups.bin " + data).status, 0);
    expectRefusal(kEntropy + " " + data, "reference.bin: offset 0: ");
    expectRefusal("cd " + directory.path("") + " && " + fromAnywhere(kEntropy) + " data.bin",
                  "entropy: reference.bin: offset 0: ");
}

// A core that takes some milliseconds says so in seconds, in its verdict and in the last line.
TEST(Main, TheTimesOfOneGroupAgree)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("x.txt");
    ASSERT_EQ(runCommand(kMakeData + " 300x200 random " + file).status, 0);
    const std::string text = runCommand(BUILD_DIRECTORY "/tests/minimal " + file).output;
    const double milliseconds = numberAfter(text, "\npassed: ");
    EXPECT_GT(milliseconds, 0.2) << text;
    EXPECT_NEAR(secondsTold(text), milliseconds / 1e3, 0.51e-4) << text;
    EXPECT_EQ(numberAfter(text, "groups passed with this core; "), milliseconds) << text;
    EXPECT_TRUE(holds(text, "\ngroup 1 of 1: 300 x 200 (width x height)\n")) << text;
}

TEST(Main, SaysWhenItsOutputIsLost)
{
    const Outcome outcome = runCommand(kEntropy + " data/worked_4x4.txt > /dev/full");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(holds(outcome.errors, "standard output cannot be written")) << outcome.errors;
}

// A file that is opened then has the number of standard output, and would get what is printed.
TEST(Main, NothingIsPrintedIntoTheCsvWhereOutputIsClosed)
{
    const TemporaryDirectory directory;
    const std::string csv = directory.path("out.csv"), answer = contentsOf("data/worked_4x4.csv");
    for (const std::string program : {"entropy data/worked_4x4.txt", "maximum", "transpose 64"})
        for (const std::string closed : {">&-", "<&- >&-", "<&- >&- 2>&-"}) {
            const std::string run = "ENTROPY_BENCHMARK=0 " BUILD_DIRECTORY "/" + program +
                                    " --csv " + csv + " " + closed;
            EXPECT_EQ(runCommand(run).status, 2) << run;
            const std::string written = contentsOf(csv);
            EXPECT_FALSE(holds(written, "threads:")) << run;
            if (program[0] == 'e')
                EXPECT_EQ(written, answer) << run;
            else
                EXPECT_EQ(written.rfind("version,platform,", 0), 0u) << run << ": " << written;
            std::remove(csv.c_str()); // the next one must write it
        }
}

TEST(Main, CsvCanGoToAPipe)
{
    const Outcome outcome = runCommand(kEntropy + " data/worked_4x4.txt --csv /dev/stderr 2>&1 >"
                                                  "/dev/null | cmp - data/worked_4x4.csv");
    EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
}

TEST(Main, CsvCanBeStandardOutput)
{
    const TemporaryDirectory directory;
    const std::string run = "cd " + directory.path("") + " && " + fromAnywhere(kEntropy) + " " +
                            fromAnywhere("data/worked_4x4.txt") + " --csv -";
    const Outcome outcome = runCommand(run);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.output, contentsOf("data/worked_4x4.csv"));
    EXPECT_TRUE(holds(outcome.errors, "1 of 1 groups passed")) << outcome.errors;
    EXPECT_EQ(directory.files(), 0) << "a file named - was made";
    const Outcome full = runCommand(run + " >/dev/full");
    EXPECT_EQ(full.status, 2);
    EXPECT_TRUE(holds(full.errors, "standard output cannot be written")) << full.errors;
    const Outcome timed = runCommand("ENTROPY_BENCHMARK=1 " BUILD_DIRECTORY
                                     "/tests/broken data/worked_4x4.txt --csv -");
    EXPECT_EQ(timed.output, contentsOf("data/worked_4x4.csv")) << "the benchmark's table is in it";
}

TEST(Main, ACrashLeavesNoFile)
{
    const TemporaryDirectory directory;
    const Outcome outcome = runCommand("MISBEHAVIOUR=crash " BUILD_DIRECTORY
                                       "/tests/misbehaving data/three_groups.bin --csv " +
                                       directory.path("out.csv"));
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(directory.files(), 0);
}

TEST(Main, TakesACoreThatKnowsOnlyTheCallback)
{
    const std::string minimal = BUILD_DIRECTORY "/tests/minimal data/worked_4x4.txt";
    const Outcome outcome = runCommand(minimal);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_TRUE(holds(outcome.output, "1 of 1 groups passed with this core")) << outcome.output;
    EXPECT_FALSE(holds(outcome.output, "ENTROPY_RESULTS")) << outcome.output;
    // It times nothing, so settings of the benchmark cannot be wrong.
    const Outcome settings = runCommand("ENTROPY_BENCHMARK=maybe ENTROPY_VERSIONS=v7 "
                                        "ENTROPY_RESULTS=no/such " +
                                        minimal);
    EXPECT_EQ(settings.status, 0) << settings.errors;
    const Outcome results = runCommand("ENTROPY_RESULTS=/tmp " + minimal);
    EXPECT_TRUE(holds(results.output, "ENTROPY_RESULTS is of no use here: this core has no table"))
        << results.output;
    const Outcome spoilt = runCommand("SPOIL_THE_SAMPLE=1 " + minimal);
    EXPECT_EQ(spoilt.status, 1);
    EXPECT_TRUE(holds(spoilt.output, "the core changed its input")) << spoilt.output;
}

// What a core does wrong is its group's failure: status 1, the group named, and the summary comes.
TEST(Main, ACoreThatGoesWrongFailsItsGroupOnly)
{
    const auto with = [](const std::string &fate) {
        return runCommand("ulimit -s 8192; MISBEHAVIOUR='" + fate +
                          "' " BUILD_DIRECTORY "/tests/misbehaving data/three_groups.bin");
    };
    for (const auto &[fate, words] : std::vector<std::pair<std::string, std::string>>{
             {"throw", "FAILED: group 2: it broke"},
             {"throw an int", "FAILED: group 2: the core threw something"},
             {"no memory", "FAILED: group 2: there is not enough memory\n"},
             {"null", "FAILED: group 2: cudaCallback returned no result"}}) {
        const Outcome outcome = with(fate);
        EXPECT_EQ(outcome.status, 1) << fate;
        EXPECT_EQ(outcome.errors, "") << fate;
        EXPECT_TRUE(holds(outcome.output, words)) << outcome.output;
        EXPECT_TRUE(holds(outcome.output, "\n2 of 3 groups passed with this core; total without "
                                          "the first group"))
            << outcome.output;
    }
    for (const auto &[fate, words] : std::vector<std::pair<std::string, std::string>>{
             {"crash", "FAILED: group 2: the core crashed: a bad address (SIGSEGV)"},
             {"crash in threads", "FAILED: group 2: the core crashed: a bad address (SIGSEGV)"},
             {"overflow", "FAILED: group 2: the core crashed: a bad address (SIGSEGV)"},
             {"abort", "FAILED: group 2: the core crashed: it aborted (SIGABRT)"},
             {"signal " + std::to_string(SIGFPE),
              "FAILED: group 2: the core crashed: a division by zero or the like (SIGFPE)"},
             {"signal " + std::to_string(SIGILL),
              "FAILED: group 2: the core crashed: an unknown instruction (SIGILL)"},
             {"signal " + std::to_string(SIGBUS),
              "FAILED: group 2: the core crashed: a bad address (SIGBUS)"},
             {"exit", "FAILED: group 2: the core ended the program"}}) {
        const Outcome outcome = with(fate);
        EXPECT_EQ(outcome.status, 1) << fate;
        const std::string last = words + "; the groups after it were not tried\n";
        EXPECT_TRUE(holds(outcome.output, last)) << outcome.output;
        EXPECT_EQ(outcome.output.find(last), outcome.output.rfind(last)) << outcome.output;
        EXPECT_TRUE(holds(outcome.output, " (width x height)\n" + last))
            << "its title is lost: " << outcome.output;
        EXPECT_TRUE(holds(outcome.output, "\n1 of 3 groups passed with this core; "))
            << outcome.output;
    }
}

// Which is not one of the last group, and not for main to judge.
TEST(Main, ACoreThatCrashesAfterMainIsNotSaidToHaveFailedAGroup)
{
    const Outcome outcome =
        runCommand("ASAN_OPTIONS=handle_segv=0 MISBEHAVIOUR='crash at the end' " BUILD_DIRECTORY
                   "/tests/misbehaving data/three_groups.bin");
    EXPECT_EQ(outcome.status, 128 + SIGSEGV);
    EXPECT_TRUE(holds(outcome.output, "\n3 of 3 groups passed with this core; ")) << outcome.output;
    EXPECT_FALSE(holds(outcome.output, "FAILED")) << outcome.output;
}

// A core without a table may be for a GPU; one with a table says itself what cannot run here.
TEST(Main, ThatThereIsNoGpuIsSaidToACoreThatMayWantOne)
{
    const std::string start = "CUDA_VISIBLE_DEVICES= ENTROPY_BENCHMARK=0 " BUILD_DIRECTORY "/",
                      note = "no GPU here (needs ";
    EXPECT_TRUE(holds(runCommand(start + "tests/minimal data/worked_4x4.txt").output, note));
    EXPECT_FALSE(holds(runCommand(start + "entropy data/worked_4x4.txt").output, note));
}

TEST(Main, AFailureShowsWhatWasExpectedAndWhere)
{
    const std::string core = BUILD_DIRECTORY "/tests/misbehaving data/three_groups.bin";
    const Outcome nan = runCommand("MISBEHAVIOUR=NaN " + core);
    EXPECT_EQ(nan.status, 1);
    EXPECT_TRUE(holds(nan.output, "FAILED: 1 of ")) << nan.output;
    EXPECT_TRUE(holds(nan.output, "largest error nan at x 1, y 1")) << nan.output;

    const Outcome two = runCommand("MISBEHAVIOUR='two cells' " + core);
    EXPECT_TRUE(holds(two.output, "FAILED: 2 of ")) << two.output;
    EXPECT_TRUE(holds(two.output, "largest error 0.25 at x 1, y ")) << two.output;
    EXPECT_TRUE(holds(two.output, "first wrong cell: x ")) << two.output;
    EXPECT_TRUE(holds(two.output, "worst wrong cell: x 1, y ")) << two.output;
    EXPECT_TRUE(holds(two.output, ", around the worst:\nexpected:\n")) << two.output;
    EXPECT_TRUE(holds(two.output, "\n2 of 3 groups passed")) << two.output;
}

// A result that is missing leaves no file that looks whole.
TEST(Main, NoCsvWithoutEveryResult)
{
    const TemporaryDirectory directory;
    const Outcome outcome = runCommand("MISBEHAVIOUR=null " BUILD_DIRECTORY
                                       "/tests/misbehaving data/three_groups.bin --csv " +
                                       directory.path("out.csv"));
    EXPECT_EQ(outcome.status, 1);
    EXPECT_TRUE(holds(outcome.output, "out.csv was not written: 1 group has no result"))
        << outcome.output;
    const Outcome two = runCommand("MISBEHAVIOUR='null from then on' " BUILD_DIRECTORY
                                   "/tests/misbehaving data/three_groups.bin --csv " +
                                   directory.path("out.csv"));
    EXPECT_TRUE(holds(two.output, "out.csv was not written: 2 groups have no result"))
        << two.output;
    const Outcome wrong = runCommand("MISBEHAVIOUR='a wrong one, then null' " BUILD_DIRECTORY
                                     "/tests/misbehaving data/three_groups.bin --csv " +
                                     directory.path("out.csv"));
    EXPECT_TRUE(holds(wrong.output, "out.csv was not written: 2 groups have no result"))
        << "a wrong result is one\n"
        << wrong.output;
    EXPECT_EQ(directory.files(), 0);

    const Outcome pipe = runCommand("MISBEHAVIOUR=null " BUILD_DIRECTORY
                                    "/tests/misbehaving data/three_groups.bin --csv - | wc -l");
    EXPECT_EQ(pipe.output, "2\n") << "the other groups went out";
    EXPECT_TRUE(holds(pipe.errors, "\n- is not whole: 1 group has no result\n")) << pipe.errors;
}

TEST(Main, TheCsvHoldsWrongResultsToo)
{
    const TemporaryDirectory directory;
    const std::string csv = directory.path("out.csv"), right = contentsOf("data/three_groups.csv");
    const Outcome outcome = runCommand("MISBEHAVIOUR='two cells' " BUILD_DIRECTORY
                                       "/tests/misbehaving data/three_groups.bin --csv " +
                                       csv);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_FALSE(holds(outcome.output, "out.csv")) << outcome.output;
    const std::string wrong = contentsOf(csv);
    EXPECT_NE(wrong, right);
    EXPECT_EQ(wrong.substr(0, wrong.find('\n')), right.substr(0, right.find('\n')));
    EXPECT_EQ(wrong.substr(wrong.rfind('\n', wrong.size() - 2)),
              right.substr(right.rfind('\n', right.size() - 2)));
}

TEST(Report, ItsTablesAreWhatWasMeasured)
{
    if (runCommand("python3 --version").status != 0) GTEST_SKIP() << "needs python3";
    const Outcome outcome = runCommand("tools/report.py --check");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
}

TEST(Report, ItsCheckFindsWhatBreaksARule)
{
    if (runCommand("python3 --version").status != 0) GTEST_SKIP() << "needs python3";
    const Outcome outcome = runCommand("python3 -B -m unittest discover -s tests/report");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
}

TEST(MakeData, RefusesBadArguments)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("x.bin");
    for (const char *size :
         {"5y5", "0x5", "5x0", "5x5x5", "5x", "x5", "5x5,", "-5x5", "1000000000x5", "5x1000000000"})
        expectRefusal(kMakeData + " -- " + size + " random " + file,
                      "size '" + std::string(size) + "' is not WxH with W and H in 1..999999999");
    for (const char *seed : {"x", "12a", "-1", "1.5", "", "1234567890123456"})
        expectRefusal(kMakeData + " --seed '" + seed + "' 5x5 random " + file,
                      "seed '" + std::string(seed) + "' is not an integer of 1 to 15 digits");
    expectRefusal(kMakeData + " 5x5 noise " + file, "content 'noise' is not known");
    expectRefusal(kMakeData + " 5x5", "'5x5' is no directory");
    expectRefusal(kMakeData + " 5x5 random", "found 2");
    expectRefusal(kMakeData + " 5x5 random " + file + " more", "found 4");
    expectRefusal(kMakeData + " -xyz 5x5", "make_data: -xyz: no such option");
    expectRefusal(kMakeData + " 5x5 random no/such/x.bin", "cannot be created");
    if (!kAddressSanitizer) { // whose `new` ends the program
        expectRefusal(kMakeData + " 999999999x999999999 random " + file,
                      "make_data: there is not enough memory for an array of this size");
    }
    expectRefusal("cd " + directory.path("") + " && " + fromAnywhere(kMakeData),
                  "make_data: 'data' is no directory; one array takes WxH CONTENT FILE");
    EXPECT_EQ(directory.files(), 0);
}

TEST(MakeData, SaysWhatItWrote)
{
    const TemporaryDirectory directory;
    for (const auto &[name, bytes] : {std::pair{"x.bin", 8 + 35}, {"x.txt", 0}}) {
        const std::string file = directory.path(name);
        const Outcome outcome = runCommand(kMakeData + " 7x5 flat " + file);
        const std::size_t size = contentsOf(file).size();
        EXPECT_EQ(outcome.output, "wrote " + file + ", " + std::to_string(size) + " bytes\n");
        EXPECT_TRUE(bytes == 0 || size == static_cast<std::size_t>(bytes)) << size;
    }
    EXPECT_EQ(contentsOf(directory.path("x.txt")).substr(0, 4), "5 7\n") << "rows, then columns";
}

TEST(MakeData, ASeedIsAnotherDraw)
{
    const TemporaryDirectory directory;
    const auto cells = [&](const std::string &seed) {
        const std::string file = directory.path("x.bin");
        EXPECT_EQ(runCommand(kMakeData + " " + seed + " 40x30 random " + file).status, 0) << seed;
        return contentsOf(file);
    };
    const std::string usual = cells("");
    EXPECT_EQ(cells("--seed 2020"), usual);
    EXPECT_EQ(cells("--seed=999999999999999").size(), usual.size());
    for (const char *seed : {"--seed 0", "--seed 2021", "--seed 999999999999999"})
        EXPECT_NE(cells(seed), usual) << seed;
}

TEST(MakeData, BothFormatsHoldTheSameCells)
{
    const TemporaryDirectory directory;
    for (const char *format : {"bin", "txt"}) {
        const std::string file = directory.path(std::string("x.") + format);
        ASSERT_EQ(runCommand(kMakeData + " 37x11 smooth " + file).status, 0);
        ASSERT_EQ(runCommand(kEntropy + " " + file + " --csv " + file + ".csv").status, 0);
    }
    EXPECT_EQ(contentsOf(directory.path("x.bin.csv")), contentsOf(directory.path("x.txt.csv")));
}
