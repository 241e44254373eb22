// The switch that picks a version, other cores in the same main, and a core in another framework.
#include "entropy/core.h"
#include "messages.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

TEST(Switch, NoProbeIsNamedInPlaceOfAVersionThatCannotRun)
{
    expectBadUsage("ACTIVE=absent ENTROPY_BENCHMARK=0 " BUILD_DIRECTORY
                   "/tests/broken data/worked_4x4.txt",
                   "broken: absent is the active version, and it needs another machine; these can "
                   "run here: right, beginning, wrong, unwritten, failing, starved, hungry, "
                   "kernel, late, slow (make CORE=broken VERSION=slow)\n");
}

TEST(Switch, AMisspeltVersionIsRefusedWithTheList)
{
    const Outcome outcome = runCommand("make VERSION=v77 all");
    EXPECT_NE(outcome.status, 0);
    EXPECT_TRUE(holds(outcome.errors, "VERSION=v77: sources/entropy/core.cu has no such version"))
        << outcome.errors;
    EXPECT_TRUE(holds(outcome.errors, "v14")) << outcome.errors;
}

/// A build of its own, without nvcc, for tests that build with other settings: what the library is
/// compiled to is that of this build, where that is without nvcc too, or else compiled once. What
/// its objects depend on is copied, too, under their new names.
static std::string anotherBuild()
{
    const std::string build = BUILD_DIRECTORY "/another", without = BUILD_DIRECTORY "-cpu";
    const Outcome copied =
        runCommand("[ -d " + build + " ] || { from=" + without +
                   "; [ -e $from/compiler.stamp ] || from=" BUILD_DIRECTORY "; mkdir " + build +
                   " && cp -a $from/objects $from/compiler.stamp " + build + " && find " + build +
                   " -name '*.d' -exec sed -i \"s|^$from/|" + build + "/|\" {} +; }");
    EXPECT_EQ(copied.status, 0) << copied.errors;
    return build;
}

// Built without nvcc, which is quick; tools/check_gpu.sh builds and runs all fifteen with it.
TEST(Switch, MakeVersionPicksTheVersion)
{
    const std::string build = anotherBuild();
    const auto with = [&](const std::string &version) {
        return runCommand("make -j2 CUDA=0 BUILD=" + build + " VERSION=" + version + " " + build +
                          "/entropy && " + build + "/entropy data/worked_4x4.txt");
    };
    const Outcome v12 = with("v12");
    EXPECT_EQ(v12.status, 0) << v12.errors;
    EXPECT_TRUE(holds(v12.output, "1 of 1 groups passed with v12")) << v12.output;
    const Outcome v3 = with("v3");
    EXPECT_EQ(v3.status, 2);
    EXPECT_TRUE(holds(v3.errors, "v3 is the active version, and it needs CUDA")) << v3.errors;
    EXPECT_TRUE(holds(v3.errors, "these can run here: v10, v11, v12, v13, v14, v16, v17 "
                                 "(make VERSION=v17)"))
        << v3.errors;
}

TEST(Cores, AnUnknownOneIsRefused)
{
    const Outcome outcome = runCommand("make CORE=nonsense all");
    EXPECT_NE(outcome.status, 0);
    EXPECT_TRUE(holds(outcome.errors, "CORE=nonsense: there is no "
                                      "sources/entropy/cores/nonsense.cu"))
        << outcome.errors;
}

// The list that VERSION= is checked against is the table of the core, in its order.
TEST(Cores, MakeKnowsTheVersionsOfTheTable)
{
    std::string names;
    for (const entropy::Version &version : entropy::versions())
        names += (names.empty() ? "" : " ") + std::string(version.name);
    EXPECT_EQ(runCommand("make -s versions").output, names + "\n");
    EXPECT_TRUE(holds(runCommand("make -s CORE=memory_study versions").output,
                      "types_short_float block_8x8 block_16x16"));
    EXPECT_EQ(runCommand("make -s CORE=bottleneck_study versions").output,
              "baseline time_memo pre_log static_memo share_memo no_calc no_scan no_scan_no_malloc "
              "openmp\n");
}

TEST(Cores, AStudyRunsInTheSameMain)
{
    const std::string build = anotherBuild();
    for (const std::string core :
         {"memory_study", "bottleneck_study", "fast_study", "variants_study"}) {
        const Outcome outcome =
            runCommand("make -j2 CUDA=0 BUILD=" + build + " CORE=" + core + " VERSION=openmp " +
                       build + "/" + core + " && " + build + "/" + core + " data/worked_4x4.txt");
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        EXPECT_TRUE(holds(outcome.output, "1 of 1 groups passed with openmp")) << outcome.output;
    }
}

TEST(Cores, AStudyWhoseSwitchNamesCudaSaysWhatIsMissing)
{
    if (entropy::versions().front().unavailable.empty()) GTEST_SKIP() << "there is a GPU";
    const std::string study = BUILD_DIRECTORY "/memory_study";
    expectRefusal(study + " data/worked_4x4.txt", "memory_study: combined is the active version");
    expectRefusal(study + " data/worked_4x4.txt",
                  "these can run here: openmp (make CORE=memory_study VERSION=openmp)");
}

TEST(Contract, TheCoreRunsInAnotherFramework)
{
    for (const char *setting : {"0", "warm-up"}) { // its load-time objects run there too
        const Outcome outcome = runCommand("ENTROPY_BENCHMARK=" + std::string(setting) +
                                           " " BUILD_DIRECTORY "/tests/foreign");
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        EXPECT_EQ(outcome.output, "right\n");
    }
}

TEST(Contract, TheCoreExportsTheCallbackAndTheTableOnly)
{
    // Defined text symbols outside of every namespace: nothing may clash with a framework's names.
    for (const std::string core :
         {"entropy", "memory_study", "bottleneck_study", "fast_study", "variants_study"}) {
        const Outcome outcome =
            runCommand("nm -C --defined-only " BUILD_DIRECTORY "/" + core +
                       "_core.o | grep -E ' [TDBR] ' | grep -vE "
                       "' [TDBR] ([a-z0-9_]+::|\\(anonymous|__device_stub__|_?_?nv|__fatbin)'");
        EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1)
            << outcome.output;
        EXPECT_TRUE(holds(outcome.output, " T cudaCallback(int, int, float*, float**)"))
            << outcome.output;
    }
}
