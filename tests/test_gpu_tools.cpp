// Programs that study kernels: what they say, with a GPU and without one.
#include "messages.h"

#include <gtest/gtest.h>
#include <string>

namespace
{

const std::string kBuild = BUILD_DIRECTORY "/";
const std::string kProfile = kBuild + "entropy_profile --list";
const std::string kProfileLabs = kBuild + "profile_labs --list";

} // namespace

TEST(GpuTools, EveryProgramHasHelp)
{
    for (const char *program : {"parts", "threshold", "occupancy", "entropy_devices",
                                "entropy_profile", "profile_labs"}) {
        const Outcome outcome = runCommand(kBuild + program + " --help");
        EXPECT_EQ(outcome.status, 0) << program;
        EXPECT_TRUE(holds(outcome.output, "usage: ")) << program;
    }
}

TEST(GpuTools, WithoutAGpuProgramsSaySo)
{
    if (runCommand("nvidia-smi -L | grep '^GPU'").status == 0) GTEST_SKIP() << "there is a GPU";
    for (const char *program :
         {"threshold", "occupancy", "entropy_devices", "entropy_profile", "profile_labs"})
        expectRefusal(kBuild + program, "needs ");
}

TEST(GpuTools, ProfileListsNothingThatCannotRunHere)
{
    for (const std::string &list : {kProfile, kProfile + " --size 10x1000000 v15", kProfileLabs,
                                    kProfileLabs + " maximum/m2"}) {
        const Outcome nothing = runCommand("CUDA_VISIBLE_DEVICES= " + list);
        EXPECT_EQ(nothing.status, 0) << list << "\n" << nothing.errors;
        EXPECT_EQ(nothing.output, "") << list;
    }
}

TEST(GpuTools, ProfileListsWhatItWouldCall)
{
    if (holds(runCommand(kBuild + "entropy_profile --size 5x5 v0").errors, "needs "))
        GTEST_SKIP() << "what needs a GPU is listed where there is one";
    const std::string core = "\n" + runCommand(kProfile).output;
    EXPECT_TRUE(holds(core, "\nv0\nv1\n")) << core;
    EXPECT_TRUE(holds(core, "\nv9\nv15\n")) << core;
    EXPECT_FALSE(holds(core, "v12")) << core;
    const Outcome labs = runCommand(kProfileLabs);
    EXPECT_TRUE(holds(labs.output, "maximum/m2\n")) << labs.output;
    EXPECT_TRUE(holds(labs.output, "transpose/t8\n")) << labs.output;
    EXPECT_EQ(runCommand(kProfile + " --size 10x1000000 v15").output, "v15\n");
}

TEST(GpuTools, ProfileRefusesBadArguments)
{
    expectRefusal(kProfile + " v99", "there is no version 'v99'");
    expectRefusal(kBuild + "entropy_profile v15 --cases v1", "there is no option '--cases'");
    EXPECT_EQ(runCommand(kBuild + "entropy_profile v15 --help").status, 0);
    expectRefusal(kBuild + "entropy_profile --size", "--size is '', expected WIDTHxHEIGHT");
    expectRefusal(kBuild + "entropy_profile --size 10x0 v15", "--size: height is '0'");
}
