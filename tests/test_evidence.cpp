// The programs that gather evidence, as far as they need no GPU: parts of a call, counters, facts.
#include "common/clock.h"
#include "common/cpu_facts.h"
#include "common/host_array.h"
#include "common/part_times.h"
#include "messages.h"

#include <chrono>
#include <cstdlib>
#include <map>
#include <sstream>
#include <thread>

namespace
{

using common::Part;
using common::PartScope;
using common::PartTimes;

const std::string kBuild = BUILD_DIRECTORY "/";

void sleepMilliseconds(int milliseconds)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

TEST(PartTimes, AnInnerScopeTakesItsTimeFromTheOuterOne)
{
    PartTimes times;
    const common::WallClock clock;
    {
        const PartScope outer(Part::Kernel);
        sleepMilliseconds(5);
        const PartScope inner(Part::Up);
        sleepMilliseconds(20);
    }
    const double total = clock.milliseconds();
    EXPECT_GE(times.milliseconds(Part::Kernel), 5);
    EXPECT_GE(times.milliseconds(Part::Up), 20);
    EXPECT_EQ(times.milliseconds(Part::Down), 0);
    EXPECT_LE(times.sum(), total);
    EXPECT_GE(times.milliseconds(Part::Kernel) + times.milliseconds(Part::Up), 25);
    EXPECT_LE(times.milliseconds(Part::Kernel), total - 20);
}

// A scope's time is its own, however deep it lies.
TEST(PartTimes, EachScopeHasWhatTheOnesWithinLeave)
{
    {
        const PartScope unseen(Part::Up);
    } // nobody counts
    PartTimes times;
    const common::WallClock clock;
    {
        const PartScope outermost(Part::Up);
        {
            const PartScope middle(Part::Kernel);
            {
                const PartScope inner(Part::Free);
                sleepMilliseconds(20);
            }
            sleepMilliseconds(10);
        }
    }
    const double all = 1e3 * clock.seconds();
    EXPECT_GE(times.milliseconds(Part::Free), 20);
    EXPECT_GE(times.milliseconds(Part::Kernel), 10);
    EXPECT_GE(times.milliseconds(Part::Up), 0);
    EXPECT_LE(times.sum(), all);
    EXPECT_NEAR(times.sum(),
                times.milliseconds(Part::Free) + times.milliseconds(Part::Kernel) +
                    times.milliseconds(Part::Up),
                1e-6);
}

TEST(PartTimes, PartsHaveNames)
{
    std::string names;
    for (const Part part : common::kParts) names += std::string(common::partName(part)) + " ";
    EXPECT_EQ(names, "context allocate up kernel down faults free ");
}

TEST(PartTimes, CountForTheThreadThatMadeThem)
{
    PartTimes times;
    std::thread([] {
        const PartScope scope(Part::Kernel);
        sleepMilliseconds(2);
    }).join();
    EXPECT_EQ(times.sum(), 0);
}

TEST(PartTimes, WithoutOneNothingHappens)
{
    EXPECT_EQ(PartTimes::active(), nullptr);
    const PartScope scope(Part::Kernel);
    char memory = 1;
    common::touchPages(&memory, 1);
    EXPECT_EQ(memory, 1);
}

TEST(PartTimes, ThePlumbingCounts)
{
    constexpr std::size_t kBytes = 64 << 20;
    PartTimes times;
    auto memory = common::allocateHost<char>(kBytes);
    common::touchPages(memory.get(), kBytes);
    memory.reset();
    for (const Part part : {Part::Allocate, Part::Faults, Part::Free})
        EXPECT_GT(times.milliseconds(part), 0) << common::partName(part);
}

TEST(Parts, OfAVersionOnTheCpuAddUp)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("parts.csv");
    const Outcome outcome = runCommand(kBuild + "parts --side 1000 --versions v16 --csv " + file);
    ASSERT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
    std::istringstream csv(contentsOf(file));
    std::string line;
    std::getline(csv, line);
    EXPECT_EQ(line, "version,width,height,call,part,ms");
    std::map<std::string, double> sums, totals;
    int rows = 0;
    while (std::getline(csv, line)) {
        ++rows;
        std::vector<std::string> cells;
        std::istringstream text(line);
        for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
        ASSERT_EQ(cells.size(), 6u) << line;
        EXPECT_EQ(cells[0] + cells[1] + cells[2], "v1610001000");
        const double milliseconds = std::stod(cells[5]);
        EXPECT_GE(milliseconds, 0) << line;
        if (cells[4] == "total")
            totals[cells[3]] = milliseconds;
        else
            sums[cells[3]] += milliseconds;
        if (cells[4] == "kernel") {
            EXPECT_GT(milliseconds, 0);
        } else if (cells[4] == "up" || cells[4] == "down") {
            EXPECT_EQ(milliseconds, 0);
        }
    }
    EXPECT_EQ(rows, 2 * 9);
    for (const char *call : {"first", "later"})
        EXPECT_NEAR(sums.at(call), totals.at(call), 1e-3 * totals.at(call)) << call;
}

TEST(Parts, RefuseBadArguments)
{
    expectRefusal(kBuild + "parts --side 0", "--side is '0'");
    expectRefusal(kBuild + "parts --versions v16,v99", "there is no version 'v99'");
    expectRefusal(kBuild + "parts --versions v16, ", "'v16,' has an empty name");
}

TEST(Evidence, EveryProgramHasHelp)
{
    for (const char *program : {"parts", "threshold", "occupancy", "entropy_devices",
                                "entropy_profile", "profile_labs"}) {
        const Outcome outcome = runCommand(kBuild + program + " --help");
        EXPECT_EQ(outcome.status, 0) << program;
        EXPECT_TRUE(holds(outcome.output, "usage: ")) << program;
    }
}

TEST(Evidence, WithoutAGpuProgramsSaySo)
{
    if (runCommand("nvidia-smi -L | grep '^GPU'").status == 0) GTEST_SKIP() << "there is a GPU";
    for (const char *program :
         {"threshold", "occupancy", "entropy_devices", "entropy_profile", "profile_labs"})
        expectRefusal(kBuild + program, "needs ");
}

TEST(Evidence, ProfileListsWhatItWouldCall)
{
    const Outcome core = runCommand(kBuild + "entropy_profile --list");
    EXPECT_TRUE(holds(core.output, "v0\nv1\n")) << core.output;
    EXPECT_TRUE(holds(core.output, "v9\nv15\n")) << core.output;
    EXPECT_FALSE(holds(core.output, "v12")) << core.output;
    const Outcome labs = runCommand(kBuild + "profile_labs --list");
    EXPECT_TRUE(holds(labs.output, "maximum/m2\n")) << labs.output;
    EXPECT_TRUE(holds(labs.output, "transpose/t8\n")) << labs.output;
    expectRefusal(kBuild + "entropy_profile --list v99", "there is no version 'v99'");
}

TEST(Counters, AreReadFromWhatTheProfilerPrints)
{
    if (runCommand("python3 --version").status != 0) GTEST_SKIP() << "needs python3";
    const TemporaryDirectory directory;
    const std::string file = directory.path("counters.csv");
    const Outcome outcome = runCommand("tools/counters.py " + file + " study=tests/ncu_sample.log");
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_TRUE(holds(outcome.errors, "of no known version: cub::Unknown<int>"));
    EXPECT_TRUE(
        holds(outcome.errors, "the first of 2 launches counts: study/v0 v0::cudaCallbackKernel\n"));
    EXPECT_FALSE(holds(outcome.errors, "counts: study/v15"));
    const std::string kernel = "v0::cudaCallbackKernel,";
    EXPECT_EQ(contentsOf(file),
              "version,kernel,metric,unit,value\n"
              "study/v0," +
                  kernel +
                  "gpu__time_duration.sum,ns,1565408\n"
                  "study/v0," +
                  kernel +
                  "l1tex__t_sector_hit_rate.pct,%,98.76\n"
                  "study/v15,\"local_entropy::words::<unnamed>::entropyKernel<float, (bool)1>\","
                  "gpu__time_duration.sum,ns,12345\n"
                  "study/maximum/m10,\"cub::CUB_300001_SM_900::DeviceReduceKernel<Policy, int>\","
                  "launch__registers_per_thread,register/thread,32\n"
                  "study/v7,v7::cudaCallbackKernel,dram__bytes.sum,byte,53477376\n");
    EXPECT_EQ(runCommand("tools/counters.py " + file + " /dev/null").status, 1);
    EXPECT_EQ(runCommand("tools/counters.py " + file + " no/such.log").status, 2);
}

TEST(Facts, OfTheProcessorAreLinesWithLabels)
{
    std::istringstream facts(common::cpuFacts());
    std::string line, labels;
    while (std::getline(facts, line)) {
        ASSERT_GT(line.size(), 12u) << line;
        EXPECT_EQ(line[11], ' ') << line;
        EXPECT_NE(line[12], ' ') << line;
        labels += line.substr(0, line.find(':')) + " ";
    }
    for (const char *label : {"CPU ", "threads ", "memory ", "system "})
        EXPECT_TRUE(holds(labels, label)) << labels;
}

} // namespace
