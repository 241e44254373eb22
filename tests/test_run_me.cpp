// RUNME.sh: from a fresh clone to the verdict.
#include "messages.h"
#include "scripts.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace
{

/// RUNME.sh in a tree where all that it starts only says its name and its words. What make builds,
/// the project's own says.
class Stage
{
public:
    Stage()
    {
        for (const char *folder : {"tools", "bin", "build", "other", "build-thread"})
            EXPECT_EQ(runCommand("mkdir " + directory.path(folder)).status, 0);
        EXPECT_EQ(runCommand("cp RUNME.sh " + directory.path("RUNME.sh")).status, 0);
        says("tools/setup.sh", "setup");
        std::ofstream(directory.path("bin/make"))
            << "#!/bin/sh\ncase \" $* \" in *' program '*) exec "
            << replaced(runCommand("command -v make").output, "\n", "") << " -C '"
            << std::filesystem::current_path().string() << "' \"$@\" ;; esac\n"
            << "echo \"make $*\"\ncase \"$*\" in *$FAILING*) exit $STATUS ;; esac\n";
        EXPECT_EQ(runCommand("chmod +x " + directory.path("bin/make")).status, 0);
        says("bin/nproc", "7", "");
        says("build/entropy", "entropy");
        says("other/entropy", "other entropy");
        says("other/memory_study", "other study");
        says("build-thread/entropy", "checked entropy");
    }

    /// The program there prints `what` and its words, and ends with the status that its name in
    /// capitals has in the environment.
    void says(const std::string &name, const std::string &what, const std::string &words = " $*")
    {
        std::ofstream(directory.path(name))
            << "#!/bin/sh\necho \"" << what << words
            << "\"\ncase \"$*\" in *$FAILING*) exit $STATUS;; esac\n";
        EXPECT_EQ(runCommand("chmod +x " + directory.path(name)).status, 0);
    }

    Outcome run(const std::string &words, const std::string &failing = "nothing",
                const std::string &settings = "")
    {
        return runCommand("cd / && unset ENTROPY_BENCHMARK MAKEFLAGS MAKELEVEL BUILD CORE CUDA CXX "
                          "SANITIZE VERSION && FAILING='" +
                          failing + "' STATUS=5 PATH=" + directory.path("bin") + ":$PATH " +
                          settings + " " + directory.path("RUNME.sh") + " " + words);
    }

private:
    TemporaryDirectory directory;
};

} // namespace

// From anywhere; settings reach all that is built, and what fails is the end.
TEST(RunMe, BuildsMakesTheDataAndRuns)
{
    Stage stage;
    const Outcome outcome = stage.run("");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    const std::string start = "== building (the first time this takes some minutes)\n"
                              "make --no-print-directory -j 7 all",
                      data = "\n== data\nmake --no-print-directory data",
                      running =
                          "\n== running; first the benchmark of all versions: minutes without "
                          "a GPU (ENTROPY_BENCHMARK=0 skips it)\n";
    EXPECT_EQ(outcome.output, "setup build g++\n" + start + data + running + "entropy \n");
    const Outcome set = stage.run("CXX=clang++ VERSION=v7 BUILD=other");
    EXPECT_EQ(set.output, "setup build clang++\n" + start + " CXX=clang++ VERSION=v7 BUILD=other" +
                              data + " CXX=clang++ VERSION=v7 BUILD=other" + running +
                              "other entropy \n");
    for (const auto &[failing, last] : std::vector<std::pair<std::string, std::string>>{
             {"build g++", "setup build g++\n"}, {" all", start + "\n"}, {" data", data + "\n"}}) {
        const Outcome failed = stage.run("", failing);
        EXPECT_EQ(failed.status, 5) << failing;
        EXPECT_TRUE(failed.output.size() >= last.size() &&
                    failed.output.compare(failed.output.size() - last.size(), last.size(), last) ==
                        0)
            << failed.output;
    }
    EXPECT_TRUE(
        holds(stage.run("", "nothing", "ENTROPY_BENCHMARK=0").output, "\n== running\nentropy \n"))
        << "what it skips it does not announce";
    stage.says("build/entropy", "entropy", "\"; exit 1; echo \"");
    EXPECT_EQ(stage.run("").status, 1) << "the program's status is that of the script";
}

// Or it would run what another build has left.
TEST(RunMe, RunsTheProgramThatItsSettingsBuild)
{
    Stage stage;
    const auto ran = [&](const std::string &settings, const std::string &words) {
        const Outcome outcome = stage.run(words, "nothing", settings);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        const std::string all = "\n" + outcome.output.substr(0, outcome.output.size() - 1);
        return all.substr(all.rfind('\n') + 1);
    };
    EXPECT_EQ(ran("BUILD=other CUDA=0", ""), "other entropy ");
    EXPECT_EQ(ran("BUILD=other CORE=memory_study CUDA=0", ""), "other study ");
    EXPECT_EQ(ran("BUILD=build CORE=memory_study", "CUDA=0 BUILD=other"), "other study ");
    EXPECT_EQ(ran("SANITIZE=thread", ""), "checked entropy ");
    EXPECT_EQ(ran("", "SANITIZE=thread"), "checked entropy ");
    EXPECT_EQ(ran("VERSION=m1", "CUDA=0"), "entropy ") << "of a lab";
    EXPECT_EQ(stage.run("CUDA=0", "nothing", "CXX=clang++").output.find("setup build clang++\n"),
              0u);
}

TEST(RunMe, BadWordsAreRefusedAndHelpIsGiven)
{
    Stage stage;
    const Outcome help = stage.run("CUDA=0 --help");
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.output.find("usage: ./RUNME.sh "), 0u) << help.output;
    for (const std::string word : {"v7", "-j", "--cuda"}) {
        const Outcome bad = stage.run("VERSION=v7 " + word);
        EXPECT_EQ(bad.status, 2) << word;
        EXPECT_EQ(bad.output, "") << word;
        EXPECT_EQ(bad.errors, "RUNME.sh: " + word + " is not a setting\n" + help.output);
    }
}
