// What make says of names and settings, the statuses that all programs share, and the last line of
// the tests.
#include "messages.h"
#include "preloaded.h"
#include "sanitized.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace
{

const std::string kCores = "sources/entropy/cores/";
const std::string kMake = "make --no-print-directory ";

/// A core in the tree while it lives.
class ACore
{
public:
    explicit ACore(const std::string &name) : path(kCores + name + ".cu")
    {
        std::ofstream(path) << contentsOf("tests/minimal.cu");
    }
    ~ACore() { std::remove(path.c_str()); }
    ACore(const ACore &) = delete;
    ACore &operator=(const ACore &) = delete;

private:
    std::string path;
};

void expectError(const std::string &arguments, const std::string &sentence)
{
    const Outcome outcome = runCommand("make -n CUDA=0 " + arguments);
    EXPECT_NE(outcome.status, 0) << arguments;
    EXPECT_TRUE(holds(outcome.errors, sentence)) << arguments << "\n" << outcome.errors;
}

} // namespace

TEST(MakeNames, ACoreThatWouldBreakOtherBuildsIsLeftOutByName)
{
    const Outcome before = runCommand("make -n CUDA=0 all");
    for (const std::string name :
         {"van berg", "entropy", "make_data", "scaling", "transpose", "objects", "gpus", "fuzz",
          "bench", "test_main", "a.b", "my_measures"}) {
        const ACore core(name);
        const std::string sentence = kCores + name + ".cu is left out: the name of a core is";
        const Outcome other = runCommand("make -n CUDA=0 all");
        EXPECT_EQ(other.status, 0) << other.errors;
        EXPECT_EQ(other.output, before.output);
        EXPECT_EQ(other.errors.find(sentence), 0u) << other.errors;
        expectError("CORE='" + name + "' all", sentence);
    }
    expectError("CORE='van berg' all", "CORE=van berg: a core's name has no spaces");
    const ACore taken("entropy");
    expectError("CORE=entropy all", "entropy.cu cannot be built under this name");
}

TEST(MakeNames, ACoreWithoutATableIsToldWhatItLacks)
{
    const ACore core("my_good-1");
    EXPECT_EQ(runCommand("make -n CUDA=0 CORE=my_good-1 all").status, 0);
    expectError("CORE=my_good-1 VERSION=v3 all",
                "my_good-1.cu has no versions to choose from: leave VERSION= out");
    for (const std::string goal : {"measures", "bench"})
        expectError("CORE=my_good-1 " + goal, "my_good-1.cu has no table of versions");
    EXPECT_EQ(runCommand("make -n CUDA=0 CORE=memory_study measures").status, 0);
}

// What is installed for tests may be Python, and jobs run beside each other.
TEST(MakeTest, AsksForPythonOnceAllIsInstalled)
{
    const TemporaryDirectory directory;
    const std::string python = directory.path("python"), rules = directory.path("rules.mk");
    std::ofstream(rules) << "installs:\n\t@sleep 0.3; echo '#!/bin/sh' >" << python << "; chmod +x "
                         << python << "\n";
    const std::string make =
        kMake + "-j4 -f Makefile -f " + rules +
        " -o library CUDA=0 GRADE_TOOLS= TEST_BASELINE= TEST_OTHERS= " +
        "TEST_COMMANDS=\"'echo counted: 3 passed, 0 failed, 0 skipped'\" PYTHON=" + python +
        " test TESTED=";
    const Outcome without = runCommand(make);
    EXPECT_EQ(without.status, 2);
    EXPECT_TRUE(holds(without.errors, "make: " + python + " is missing: install python3"))
        << without.errors;
    const Outcome outcome = runCommand(make + "installs");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_TRUE(holds(outcome.output, "3 passed, 0 failed, 0 skipped\n")) << outcome.output;
}

// By a compiler that only keeps its words: tests have settings of their own.
TEST(MakeTest, OtherFlagsBuildTestsAnew)
{
    const TemporaryDirectory directory;
    const std::string compiler = directory.path("cxx"), said = directory.path("said"),
                      build = directory.path("build"), tests = build + "/tests/";
    std::ofstream(compiler) << "#!/bin/sh\necho \"$*\" >>" << said
                            << "\nwhile [ \"$1\" != -o ]; do shift; done\n: >\"$2\"\n";
    EXPECT_EQ(runCommand("chmod +x " + compiler).status, 0);
    const std::vector<std::string> objects = {"no_benchmark.cpp.o", "hostile.cu.o",
                                              "local_entropy/test_forks.cpp.o", "soak/soak.o"};
    std::string make =
        kMake + "CUDA=0 BUILD=" + build + " CXX=" + compiler + " -o " + tests + "setup.stamp";
    for (const std::string &object : objects) make += " " + tests + object;
    const auto compiled = [&](const std::string &settings) {
        std::ofstream(said).close();
        const Outcome outcome = runCommand(make + settings);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return contentsOf(said);
    };
    for (const std::string flag : {"-O1", "-O0"}) {
        const std::string settings = " TEST_OPTIMIZE=" + flag, words = compiled(settings);
        for (const std::string &object : objects)
            EXPECT_TRUE(holds(words, " -o " + tests + object + "\n")) << object;
        EXPECT_TRUE(holds(words, " " + flag + " ")) << words;
        EXPECT_EQ(compiled(settings), "");
    }
    EXPECT_EQ(compiled(" TEST_OPTIMIZE=-O0 OPTIMIZE=-O2"), "") << "they have none of it";
}

TEST(Setup, SaysWhatACompilerCannotDo)
{
    const Outcome none = runCommand("tools/setup.sh build no-such-compiler");
    EXPECT_EQ(none.status, 2);
    EXPECT_EQ(none.output, "");
    EXPECT_EQ(none.errors.find("setup: no-such-compiler cannot build an OpenMP program:\n"), 0u)
        << none.errors;
    for (const char *words : {"", "nonsense", "tests2"}) {
        const Outcome bad = runCommand(std::string("tools/setup.sh ") + words);
        EXPECT_EQ(bad.status, 2) << words;
        EXPECT_EQ(bad.errors, "usage: setup.sh build|tests [compiler [python]]\n");
    }
}

// By a system whose packages cannot be had: nothing is installed here.
TEST(Setup, NamesThePackagesOfACompiler)
{
    const TemporaryDirectory directory;
    for (const char *program : {"g++", "clang++", "apt-get", "sudo"})
        std::ofstream(directory.path(program)) << "#!/bin/sh\necho \"$0 $*\"\nexit 9\n";
    EXPECT_EQ(runCommand("chmod +x " + directory.path("*")).status, 0);
    for (const auto &[compiler, packages] :
         {std::pair{"g++", "g++"}, {"clang++", "clang libomp-dev"}}) {
        const Outcome outcome = runCommand("PATH=" + directory.path("") + ":$PATH " +
                                           "tools/setup.sh build " + compiler);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_EQ(outcome.errors.find("setup: installing " + std::string(packages) + "\n"), 0u)
            << outcome.errors;
        EXPECT_TRUE(holds(outcome.errors, "please install: " + std::string(packages) + " (Debian "))
            << outcome.errors;
    }
}

// By a compiler that finds no GoogleTest before apt-get, whose lists are too old, has installed it.
TEST(Setup, InstallsWhatTestsLack)
{
    const TemporaryDirectory directory;
    const std::string there = directory.path("");
    std::ofstream(there + "g++") << "#!/bin/sh\n! grep -q gtest || [ -e '" << there << "gtest' ]\n";
    std::ofstream(there + "sudo") << "#!/bin/sh\nshift\nexec \"$@\"\n";
    std::ofstream(there + "apt-get")
        << "#!/bin/sh\ncd '" << there
        << "' && echo \"$*\" >>said\ncase $1 in\nupdate) touch new ;;\n"
        << "*) [ -e new ] && touch gtest ;;\nesac\n";
    EXPECT_EQ(runCommand("chmod +x " + there + "* && mkdir " + there + "tmp").status, 0);
    const std::string setup = "TMPDIR=" + there + "tmp PATH=" + there + ":$PATH tools/setup.sh ";
    EXPECT_EQ(runCommand(setup + "build g++").errors, "");
    for (const char *said : {"setup: installing libgtest-dev\n", ""}) {
        const Outcome outcome = runCommand(setup + "tests g++");
        EXPECT_EQ(outcome.status, 0);
        EXPECT_EQ(outcome.errors, said);
    }
    EXPECT_EQ(runCommand("cat " + there + "said && ls " + there + "tmp").output,
              "install -y libgtest-dev\nupdate\ninstall -y libgtest-dev\n");
}

// Where there is no python3, but for what was named.
TEST(Setup, InstallsPythonUnlessAnotherIsNamed)
{
    const TemporaryDirectory directory;
    const std::string there = directory.path("");
    for (const char *program : {"g++", "make"})
        std::ofstream(there + program) << "#!/bin/sh\nexit 0\n";
    std::ofstream(there + "sudo") << "#!/bin/sh\nshift\nexec \"$@\"\n";
    std::ofstream(there + "apt-get") << "#!/bin/sh\nexit $STATUS\n";
    EXPECT_EQ(runCommand("chmod +x " + there +
                         "* && for name in mktemp rm id tail cat; do ln -s "
                         "$(command -v $name) " +
                         there + "; done")
                  .status,
              0);
    const auto setup = [&](const std::string &settings, const std::string &words) {
        return runCommand(settings + " PATH=" + there + " tools/setup.sh " + words);
    };
    const Outcome installed = setup("STATUS=0", "tests");
    EXPECT_EQ(installed.status, 0);
    EXPECT_EQ(installed.errors, "setup: installing python3\n");
    const Outcome refused = setup("STATUS=9", "tests");
    EXPECT_EQ(refused.status, 2);
    EXPECT_TRUE(holds(refused.errors, "setup: could not install them; please install: python3 "))
        << refused.errors;
    for (const char *words : {"tests g++ mine", "build"})
        EXPECT_EQ(setup("STATUS=9", words).errors, "") << words;
}

/// What `make grade` with these settings would start, word by word: the words come from a program
/// in Python's place.
std::string graded(const std::string &settings)
{
    const TemporaryDirectory directory;
    const std::string python = directory.path("python");
    std::ofstream(python) << "#!/bin/sh\nfor word; do echo \"[$word]\"; done\n";
    EXPECT_EQ(runCommand("chmod +x " + python).status, 0);
    const std::string grader = BUILD_DIRECTORY "/grade/";
    std::string old;
    for (const char *name : {"box", "judge", "runner.o", "runner_cuda.o", "heap.o", "gpu_probe",
                             "baseline_v7", "baseline_v11", "baseline_v12"})
        old += " -o " + grader + name;
    const Outcome outcome = runCommand(kMake + "-s CUDA=0 BUILD=" BUILD_DIRECTORY + old +
                                       " PYTHON=" + python + " grade CORES='my cores' " + settings);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    std::string text;
    for (const char c : outcome.output) text += c == '\n' ? ' ' : c;
    return text.substr(std::min(text.size(), text.find("[--baseline] ")));
}

TEST(MakeGrade, HandsItsSettingsOn)
{
    const std::string grader = BUILD_DIRECTORY "/grade/baseline_",
                      usual = "[--baseline] [" + grader + "v12] [--baseline-name] [v12] ";
    EXPECT_EQ(graded("DATA=x.bin"), usual + "[--data] [x.bin] [--] [my cores] ");
    EXPECT_EQ(
        graded("DATA='a b.bin' REFERENCE='r s' GRADES='g h.csv' LIMIT=5 MEMORY=2G JOBS=3 "
               "FRESH=1 BASELINE=v11"),
        "[--baseline] [" + grader +
            "v11] [--baseline-name] [v11] [--data] [a b.bin] "
            "[--reference] [r s] [--grades] [g h.csv] [--limit] [5] [--memory] [2G] [--jobs] [3] "
            "[--fresh] [--] [my cores] ");
    expectError("grade", "make grade: CORES=folder is missing; make grade-help explains");
    expectError("grade CORES=x BASELINE=v99",
                "BASELINE=v99: the ladder has no such version, only v0");
}

TEST(MakeGrade, RefusesAtOnceABaselineThatCannotRun)
{
    for (const std::string version : {"v0", "v7", "v9", "v15"})
        expectError("grade CORES=x BASELINE=" + version,
                    "BASELINE=" + version + " needs a GPU, and CUDA=0 builds without CUDA: name");
    for (const std::string version : {"v10", "v14", "v16", "v17"}) {
        const Outcome outcome = runCommand("make -n CUDA=0 grade CORES=x BASELINE=" + version);
        EXPECT_EQ(outcome.status, 0) << version << "\n" << outcome.errors;
    }
}

TEST(MakeData, OtherDataThanTheAssignmentsAreRefused)
{
    const TemporaryDirectory directory;
    ASSERT_EQ(runCommand("for one in Makefile sources tests tools; do ln -s \"$PWD/$one\" " +
                         directory.path("") + "; done; mkdir " + directory.path("data") +
                         "; cp data/SHA256SUMS " + directory.path("data"))
                  .status,
              0);
    for (const char *name : {"data.bin", "reference.bin"})
        std::ofstream(directory.path(std::string("data/") + name)) << "mine";
    const Outcome outcome =
        runCommand(kMake + "-s -C " + directory.path("") + " CUDA=0 -o build/make_data data");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(holds(outcome.errors, "make data: remove data/data.bin and data/reference.bin, "
                                      "which are not the assignment's"))
        << outcome.errors;
    EXPECT_EQ(contentsOf(directory.path("data/data.bin")), "mine");
}

TEST(MakeLabs, AreRunWithTheirArguments)
{
    const auto run = [](const std::string &goal) {
        return runCommand(kMake +
                          "-n -s CUDA=0 BUILD=x -o x/maximum -o "
                          "x/hello run-" +
                          goal)
            .output;
    };
    EXPECT_EQ(run("maximum ARGUMENTS='--rows 9'"), "x/maximum --rows 9\n");
    EXPECT_EQ(run("hello"), "x/hello 5 2 2\n");
}

// Or another version would run, and nobody would know.
TEST(MakeLabs, AVersionThatTheLabHasNotIsRefused)
{
    expectError("run-maximum VERSION=v1",
                "VERSION=v1: sources/maximum/core.cu has no such version, only m1 m2 ");
    expectError("run-maximum VERSION=m99",
                "VERSION=m99: sources/maximum/core.cu has no such version, only m1 m2 ");
    expectError("run-transpose VERSION=m1",
                "VERSION=m1: sources/transpose/core.cu has no such version, only t0 t1 ");
    expectError("run-hello VERSION=m1", "VERSION=m1: the lab hello has no versions");
    expectError("run-maximum VERSION='m1 m99'", "VERSION=m1 m99: expected the name of one version");
    expectError("run-maximum VERSION=m%", "VERSION=m%: expected the name of one version");
    EXPECT_EQ(runCommand(kMake + "-n CUDA=0 run-maximum VERSION=m1").status, 0);
}

// 0 right, 1 wrong or failed, 2 bad usage or cannot run here: also where output is lost.
TEST(Statuses, OutputThatIsLostIsAFailure)
{
    for (const std::string program :
         {"maximum --rows 9", "transpose 9", "hello 1 1 1", "maximum --help", "transpose --help",
          "hello --help", "entropy --help", "make_data --help", "precision --help",
          "bottleneck_study_measures --help", "parts --help", "entropy_devices --help",
          "entropy_profile --help", "profile_labs --help", "bench_size --help",
          "search_hash --help"}) {
        const Outcome outcome = runCommand(BUILD_DIRECTORY "/" + program + " >/dev/full");
        EXPECT_EQ(outcome.status, 2) << program;
        EXPECT_TRUE(holds(outcome.errors, "standard output cannot be written")) << program << "\n"
                                                                                << outcome.errors;
    }
}

// Where there is a GPU, too: one that is hidden is none.
TEST(Statuses, AnActiveVersionThatCannotRunHereIsTwoEverywhere)
{
    const std::string start = "CUDA_VISIBLE_DEVICES= " BUILD_DIRECTORY "/";
    for (const auto &[program, sentence] : std::vector<std::pair<std::string, std::string>>{
             {"maximum", "maximum: m9 is the active version, and it needs"},
             {"transpose 20", "transpose: t10 is the active version, and it needs"},
             {"hello 1 1 1", "hello: the device's lines are missing: needs"},
             {"memory_study data/worked_4x4.txt",
              "memory_study: combined is the active version, and it needs"}})
        expectRefusal("ENTROPY_BENCHMARK=0 " + start + program, sentence);
    const Outcome table = runCommand(start + "transpose 20");
    EXPECT_TRUE(holds(table.output, "\nt0 ")) << "those that can run are checked and timed";
    EXPECT_TRUE(holds(table.errors, "these can run here: t0, t1 (make run-transpose VERSION=t1)"));
    EXPECT_TRUE(holds(runCommand(start + "maximum").errors,
                      "these can run here: m1 (make run-maximum VERSION=m1)"));
    EXPECT_EQ(runCommand(start + "transpose --benchmark 20").status, 0);
    const Outcome ladder =
        runCommand("ENTROPY_BENCHMARK=0 " + start + "entropy data/worked_4x4.txt");
    EXPECT_EQ(ladder.status, 0) << "its active version does without\n" << ladder.errors;
}

// A memcpy that becomes slow after a thousand calls of one size, as a machine does where somebody
// else starts to work.
TEST(Steady, EveryTableSaysWhenItsTimesCannotBeTrusted)
{
    if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "the sanitizer has to come first";
    const Preloaded slow(R"(
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
void *memcpy(void *to, const void *from, size_t size)
{
    static int calls;
    static size_t watched;
    if (!watched) watched = strtoul(getenv("SLOW_SIZE"), 0, 10);
    volatile char *out = to;
    const volatile char *in = from;
    for (size_t i = 0; i < size; ++i) out[i] = in[i];
    if (size == watched && ++calls > 1001) usleep(200);
    return to;
})",
                         "-fno-builtin -fno-tree-loop-distribute-patterns");
    if (!slow.isThere()) GTEST_SKIP() << "needs gcc";
    for (const auto &[size, program] : std::vector<std::pair<std::string, std::string>>{
             {"800", "ENTROPY_BENCHMARK=1 " BUILD_DIRECTORY "/tests/broken data/worked_4x4.txt"},
             {"404",
              "ACTIVE=right " BUILD_DIRECTORY "/tests/broken_transpose --rows 1 --columns 101"},
             {"404", BUILD_DIRECTORY "/maximum --rows 1 --columns 101"}}) {
        const Outcome steady = runCommand(program);
        EXPECT_FALSE(holds(steady.output, "cannot be trusted")) << steady.output;
        const Outcome disturbed =
            runCommand("export SLOW_SIZE=" + size + " " + slow.environment() + "; " + program);
        EXPECT_TRUE(holds(disturbed.output, "these times cannot be trusted: the host copy took "))
            << program << "\n"
            << disturbed.output << disturbed.errors;
    }
}

// tools/mutants: what plants bugs, and whether its list fits the tree.
TEST(Mutants, CanAllBePlanted)
{
    if (runCommand("python3 --version").status != 0) GTEST_SKIP() << "needs python3";
    const Outcome outcome = runCommand("python3 -B -m unittest discover -s tests/mutants");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
}

// Programs in the place of test programs: the last line sums them up, whatever comes of each.
TEST(LastLine, IsTheVerdictOfAllPrograms)
{
    const TemporaryDirectory directory;
    const auto program = [&](const std::string &name, const std::string &text, int status) {
        std::ofstream(directory.path(name)) << text;
        return " 'cat " + directory.path(name) + "; exit " + std::to_string(status) + "'";
    };
    const std::string good = program("good",
                                     "[ RUN      ] A.one\n[       OK ] A.one (3 ms)\n"
                                     "[ RUN      ] A.two\nx.cpp:3: Skipped\nv7 needs a GPU\n"
                                     "[  SKIPPED ] A.two (0 ms)\n"
                                     "[  PASSED  ] 1 test.\n"
                                     "[  SKIPPED ] 1 test, listed below:\n"
                                     "[  SKIPPED ] A.two\n",
                                     0);
    const std::string bad = program("bad",
                                    "[ RUN      ] All/B.one/v7\n"
                                    "[  FAILED  ] All/B.one/v7, where GetParam() = 7 (1 ms)\n"
                                    "[  FAILED  ] 1 test, listed below:\n"
                                    "[  FAILED  ] All/B.one/v7, where GetParam() = 7\n",
                                    1);
    const std::string crashed = program("crashed", "[ RUN      ] C.one\n", 139);
    const std::string silent = program("silent", "", 3);
    const std::string other = program("other", "counted: 5 passed, 0 failed, 1 skipped\n", 0);
    const auto end = [](const std::string &text) {
        return text.substr(text.rfind('\n', text.size() - 2) + 1);
    };
    const std::string graded = program("graded",
                                       "ERROR: test_x (a.B.test_x)\nFAIL: test_y (a.B.test_y)\n"
                                       "counted: 5 passed, 2 failed, 1 skipped\n",
                                       1);
    EXPECT_EQ(runCommand("mkdir " + directory.path("left")).status, 0);
    const std::string run = "TMPDIR=" + directory.path("left") + " tests/run.sh";
    const Outcome passed = runCommand(run + good + good + other);
    EXPECT_EQ(passed.status, 0);
    EXPECT_EQ(end(passed.output), "7 passed, 0 failed, 3 skipped\n") << passed.output;
    EXPECT_TRUE(holds(passed.output, "\nskipped: 2, needs a GPU\n7 passed")) << passed.output;
    EXPECT_EQ(runCommand("ls " + directory.path("left")).output, "");
    EXPECT_EQ(runCommand("tests/run.sh").status, 2);
    const Outcome failed = runCommand(run + bad + crashed + graded + silent + good);
    EXPECT_EQ(failed.status, 1);
    EXPECT_EQ(end(failed.output), "6 passed, 5 failed, 2 skipped\n") << failed.output;
    const std::string nothing = program("nothing", "no test ran\n", 0);
    const Outcome none = runCommand("tests/run.sh" + nothing);
    EXPECT_EQ(none.status, 1) << "where nothing was tested, nothing has passed";
    EXPECT_EQ(end(none.output), "0 passed, 0 failed, 0 skipped\n") << none.output;
    EXPECT_TRUE(holds(failed.output, "\nfailed: All/B.one/v7\nfailed: C.one: its program ended in "
                                     "it\nfailed: test_x\nfailed: test_y\nfailed: cat "))
        << failed.output;
}
