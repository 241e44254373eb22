// The programs that gather evidence, as far as they need no GPU: parts of a call, counters, facts.
#include "common/clock.h"
#include "common/cpu_facts.h"
#include "common/host_array.h"
#include "common/part_times.h"
#include "messages.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

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
            const PartScope another(Part::Down);
            sleepMilliseconds(5);
        }
    }
    const double all = 1e3 * clock.seconds();
    EXPECT_GE(times.milliseconds(Part::Free), 20);
    EXPECT_GE(times.milliseconds(Part::Kernel), 10);
    EXPECT_GE(times.milliseconds(Part::Up), 0);
    EXPECT_LE(times.sum(), all);
    EXPECT_NEAR(times.sum(),
                times.milliseconds(Part::Free) + times.milliseconds(Part::Kernel) +
                    times.milliseconds(Part::Up) + times.milliseconds(Part::Down),
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

// A part is called what it is: the report looks for these names.
TEST(Parts, HaveTheirNames)
{
    std::string names;
    for (const Part part : common::kParts) names += common::partName(part) + std::string(" ");
    EXPECT_EQ(names, "context allocate up kernel down faults free ");
    EXPECT_STREQ(common::partName(Part::Down), "down");
    EXPECT_STREQ(common::partName(Part::Faults), "faults");
}

/// An executable file of these lines.
std::string script(const TemporaryDirectory &directory, const std::string &name,
                   const std::string &lines)
{
    const std::string path = directory.path(name);
    std::ofstream(path) << "#!/bin/sh\n" << lines;
    EXPECT_EQ(runCommand("chmod +x " + path).status, 0);
    return path;
}

TEST(Evidence, ABatchIsEachFileThreeTimes)
{
    const TemporaryDirectory directory;
    const std::string csv = directory.path("batch.csv");
    const std::string program =
        script(directory, "program",
               "case $1 in *bad*) echo 'FAILED: it is'; exit 1;; esac\n"
               "[ $ENTROPY_BENCHMARK = warm-up ] && echo 'passed: 12.5 ms, largest error 0' && "
               "echo && echo '1 of 1 groups passed with v7; 99.000 ms'\n");
    const Outcome outcome = runCommand("tools/batch.sh " + program + " " + csv + " a/one.txt two");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(contentsOf(csv), "version,input,run,seconds\n"
                               "v7,one,1,0.012500\nv7,one,2,0.012500\nv7,one,3,0.012500\n"
                               "v7,two,1,0.012500\nv7,two,2,0.012500\nv7,two,3,0.012500\n");
    EXPECT_EQ(outcome.output.find("one run 1: 0.012500 s with v7\n"), 0u) << outcome.output;
    EXPECT_EQ(runCommand("tools/batch.sh " + program + " '' one").status, 0);
    const Outcome bad = runCommand("tools/batch.sh " + program + " " + csv + ".2 bad one");
    EXPECT_EQ(bad.status, 1);
    EXPECT_EQ(bad.errors, "FAILED: it is\n");
    EXPECT_EQ(directory.files(), 2) << "a batch that failed wrote times";
    EXPECT_EQ(runCommand("tools/batch.sh " + program + " " + csv).status, 2);
}

// What takes hours is refused at once, and explains itself.
TEST(Evidence, ScriptsRefuseWhatTheyDoNotKnow)
{
    const Outcome help = runCommand("tools/record.sh --help"),
                  unknown = runCommand("tools/record.sh parts nonsense");
    EXPECT_EQ(unknown.status, 2);
    EXPECT_EQ(unknown.errors, "record.sh: there is no stage 'nonsense'\n");
    EXPECT_EQ(unknown.output, help.output);
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.errors, "");
    for (const std::string stage : {"round1", "round2", "round3", "engine", "filter", "launches",
                                    "studies", "profile", "parts", "scaling", "flags", "peers"})
        EXPECT_TRUE(holds(help.output, stage + " ")) << stage;
    for (const std::string call : {"flags.sh", "flags.sh a 5x5 b", "flags.sh -x", "spills.sh avx2",
                                   "batch.sh one two", "profile.sh"})
        EXPECT_EQ(runCommand("tools/" + call).status, 2) << call;
    EXPECT_EQ(runCommand("tools/profile.sh --help").status, 0);
}

TEST(Evidence, AMachineIsCalledByItsGpusOrItsProcessor)
{
    const TemporaryDirectory directory;
    const std::string name = "PATH=" + directory.path("") + ":$PATH tools/machine_name.sh";
    script(directory, "nvidia-smi",
           "echo NVIDIA H200; echo 'NVIDIA A100-SXM4(R)'; echo NVIDIA H200\n");
    EXPECT_EQ(runCommand(name).output, "1x-nvidia-a100-sxm4-2x-nvidia-h200\n");
    script(directory, "nvidia-smi", "echo NVIDIA-SMI has failed; exit 9\n");
    script(directory, "nproc", "echo 77\n");
    const std::string without = runCommand(name).output;
    EXPECT_TRUE(holds(without, "-77-threads\n")) << without;
    EXPECT_EQ(without.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
              without.size() - 1)
        << without;
}

// As that of a board may be.
TEST(Evidence, AProcessorWithoutANameIsCalledByItsKind)
{
    const TemporaryDirectory directory;
    script(directory, "nvidia-smi", "exit 9\n");
    script(directory, "head", "exit 0\n"); // finds no name
    script(directory, "uname", "echo ARM_v9\n");
    script(directory, "nproc", "echo 8\n");
    EXPECT_EQ(runCommand("PATH=" + directory.path("") + ":$PATH tools/machine_name.sh").output,
              "arm-v9-8-threads\n");
}

TEST(Parts, RefuseBadArguments)
{
    expectRefusal(kBuild + "parts --side 0", "--side is '0'");
    expectRefusal(kBuild + "parts --versions v16,v99", "there is no version 'v99'");
    expectRefusal(kBuild + "parts --versions v16, ", "'v16,' has an empty name");
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
                  "study/v7,v7::cudaCallbackKernel,dram__bytes.sum,byte,53477376\n"
                  "study/within,v7::cudaCallbackKernel,dram__bytes.sum,byte,7\n");
    EXPECT_EQ(outcome.output,
              "6 counters of 5 versions: study/v0 study/v15 study/maximum/m10 study/v7 "
              "study/within\n");
    const Outcome help = runCommand("tools/counters.py --help");
    EXPECT_EQ(help.status, 0);
    for (const std::string &words : {std::string(), directory.path("alone.csv")}) {
        const Outcome bad = runCommand("tools/counters.py " + words);
        EXPECT_EQ(bad.status, 2) << words;
        EXPECT_EQ(bad.errors, help.output) << words;
    }
    const std::string before = contentsOf(file);
    EXPECT_EQ(runCommand("tools/counters.py " + file + " /dev/null").status, 1);
    EXPECT_EQ(runCommand("tools/counters.py " + file + " no/such.log").status, 2);
    EXPECT_EQ(contentsOf(file), before) << "counters were replaced by none";
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

TEST(Facts, AreReadFromWhatLinuxWrites)
{
    const TemporaryFile file("facts", "model\t\t: 7\nmodel name\t: A: B\nempty :\nno colon\n");
    const char *const path = file.path().c_str();
    EXPECT_EQ(common::factFrom(path, "model"), "7");
    EXPECT_EQ(common::factFrom(path, "model name"), "A: B");
    for (const char *none : {"empty", "no colon", "stepping"})
        EXPECT_EQ(common::factFrom(path, none), "") << none;
    EXPECT_EQ(common::factFrom("/no/such", "model"), "");
    EXPECT_EQ(common::lineFrom(file.path()), "model\t\t: 7");
    EXPECT_EQ(common::lineFrom("/no/such"), "");
    for (const auto &[text, number] :
         {std::pair{"123\n", 123}, {"max\n", 9}, {"0\n", 9}, {"", 9}, {"5 6", 5}})
        EXPECT_EQ(common::numberFrom(TemporaryFile("number", text).path().c_str(), 9),
                  static_cast<std::size_t>(number))
            << text;
    EXPECT_EQ(common::numberFrom("/no/such", 9), 9u);
}

// Not who built the kernel, which says where it runs.
TEST(Facts, OfTheSystemHaveTheKernelsNumberAlone)
{
    for (const char *release : {"6.18.44", "6.18.44-cloud-v7-gpu", "6.18.44+", "6.18.44_x"})
        EXPECT_EQ(common::versionOf(release), "6.18.44") << release;
    EXPECT_EQ(common::versionOf("rolling"), "");
    EXPECT_EQ(common::kernelName("Linux", "6.18.44-cloud"), "Linux 6.18.44");
    EXPECT_EQ(common::kernelName("Linux", "rolling"), "Linux");
}

// As other programs count them.
TEST(Facts, OfTheProcessorAreThoseOfTheMachine)
{
    const auto counted = [](const std::string &command) {
        std::string output = runCommand(command).output;
        return output.substr(0, output.find_last_not_of('\n') + 1);
    };
    const int threads = omp_get_max_threads(), used = threads + 1; // not those of the machine
    omp_set_num_threads(used);
    const std::string facts = common::cpuFacts();
    omp_set_num_threads(threads);
    const std::string name = common::factFrom("/proc/cpuinfo", "model name"),
                      flags = " " + common::factFrom("/proc/cpuinfo", "flags") + " ";
    if (!name.empty()) {
        EXPECT_EQ(facts.find("CPU:        " + name), 0u) << facts;
    }
    for (const std::string flag : {"sse4_2", "avx2", "avx512f", "avx512vbmi", "gfni"}) {
        const std::size_t line = facts.find("\nvectors:    ");
        const bool said =
            line != std::string::npos &&
            holds(facts.substr(line + 12, facts.find('\n', line + 1) - line - 12) + " ",
                  " " + flag + " ");
        EXPECT_EQ(said, holds(flags, " " + flag + " ")) << facts;
    }
    EXPECT_EQ(holds(facts, ", in a virtual machine"), holds(flags, " hypervisor ")) << facts;
    const std::string cache = "/sys/devices/system/cpu/cpu0/cache/index0/";
    if (common::lineFrom(cache + "type") == "Data") {
        EXPECT_TRUE(holds(facts, "\ncaches:     L" + common::lineFrom(cache + "level") + "d " +
                                     common::lineFrom(cache + "size")))
            << facts;
    }
    EXPECT_TRUE(holds(facts, "\nthreads:    " + std::to_string(used) + " used of " +
                                 std::to_string(std::thread::hardware_concurrency()) + ", on "))
        << facts;
    EXPECT_TRUE(holds(facts, "\nmemory:     " +
                                 counted("awk '/^MemTotal:/ { print int($2 / 1024) }' "
                                         "/proc/meminfo") +
                                 " MiB"))
        << facts;
    const std::string huge = common::lineFrom("/sys/kernel/mm/transparent_hugepage/enabled");
    EXPECT_TRUE(huge.empty() || holds(facts, "; huge pages: " + huge + "\n")) << facts;
    EXPECT_TRUE(holds(facts, "\nsystem:     " + counted("uname -s") + " " +
                                 counted("uname -r | sed 's/[^0-9.].*//'") + ", " +
                                 counted("uname -m")))
        << facts;
    const std::string sockets = counted("grep '^physical id' /proc/cpuinfo | sort -u | wc -l"),
                      cores = counted(
                          "grep -E '^(physical id|core id)' /proc/cpuinfo | paste - - | sort -u | "
                          "wc -l");
    EXPECT_TRUE(holds(facts, ", on " + (cores == "0" ? "?" : cores) + " cores\n")) << facts;
    if (sockets != "0") {
        EXPECT_TRUE(holds(facts, ", " + sockets + " socket")) << facts;
    }
}

/// The files of a made-up system.
class System
{
public:
    void write(const std::string &path, const std::string &text) const
    {
        const std::filesystem::path file = root() + path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    std::string root() const { return directory.path("root"); }

private:
    TemporaryDirectory directory;
};

// Two sockets, the same numbers of cores in both, two threads a core.
TEST(Facts, OfAMadeUpMachineAreCounted)
{
    const System system;
    EXPECT_EQ(common::physicalCores(system.root()), 0u);
    EXPECT_EQ(common::memoryFacts(system.root()), "unknown");
    EXPECT_EQ(common::caches(system.root()), "");
    std::string text;
    for (const char *thread : {"0\ncore id\t: 0", "0\ncore id\t: 1", "0\ncore id\t: 2",
                               "1\ncore id\t: 0", "1\ncore id\t: 1", "1\ncore id\t: 2"})
        for (int twice = 0; twice < 2; ++twice)
            text += std::string("vendor_id\t: GenuineX\nphysical id\t: ") + thread +
                    "\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: X Processor\n"
                    "stepping\t: 8\nflags\t\t: gfni sse4_2 avx avx2 avx512f avx512bw "
                    "avx512vl avx512vbmi avx512_vbmi2 avx512_vnni avx512_bitalg\n\n";
    system.write("/proc/cpuinfo", text);
    EXPECT_EQ(common::physicalCores(system.root()), 6u);
    EXPECT_EQ(common::sockets(system.root()), 2u);
    EXPECT_EQ(common::vectorExtensions(system.root()),
              "sse4_2 avx2 avx512f avx512bw avx512vl avx512vbmi avx512_bitalg avx512_vnni gfni");
    EXPECT_EQ(common::processorNumbers(system.root()), "GenuineX family 6 model 143 stepping 8");
    EXPECT_EQ(common::processorName(system.root()),
              "X Processor (GenuineX family 6 model 143 stepping 8)");
    system.write("/proc/cpuinfo", "vendor_id : GenuineX\nmodel name : X 8480\n");
    EXPECT_EQ(common::processorName(system.root()), "X 8480") << "its name tells which it is";
    system.write("/proc/cpuinfo", "CPU implementer : 0x41\n");
    EXPECT_EQ(common::processorName(system.root()), "0x41");
    EXPECT_EQ(common::processorName(system.root() + "/none"), "unknown");

    for (const auto &[place, words] : std::vector<std::pair<std::string, std::vector<std::string>>>{
             {"0", {"1", "Data", "48K"}},
             {"1", {"1", "Instruction", "32K"}},
             {"3", {"3", "Unified", "9M"}}}) {
        const std::string cache = "/sys/devices/system/cpu/cpu0/cache/index" + place;
        system.write(cache + "/level", words[0] + "\n");
        system.write(cache + "/type", words[1] + "\n");
        system.write(cache + "/size", words[2] + "\n");
    }
    EXPECT_EQ(common::caches(system.root()), "L1d 48K, L1i 32K, L3 9M");
}

// A container may have less than its machine: to be told of, and all that a program can take.
TEST(Facts, OfAContainersMemoryAreItsOwn)
{
    const System system;
    constexpr std::size_t kMiB = 1 << 20;
    EXPECT_EQ(common::availableMemory(system.root()), ~std::size_t(0)) << "nobody says";
    system.write("/proc/meminfo", "MemTotal: 8192 kB\nMemFree: 1 kB\nMemAvailable: 6144 kB\n");
    EXPECT_EQ(common::availableMemory(system.root()), 6 * kMiB);
    EXPECT_EQ(common::memoryFacts(system.root()), "8 MiB");
    const std::string group = "/sys/fs/cgroup/memory.";
    system.write(group + "current", std::to_string(3 * kMiB) + "\n");
    for (const auto &[limit, available, told] :
         std::vector<std::tuple<std::string, std::size_t, std::string>>{
             {"max", 6 * kMiB, "8 MiB"},
             {std::to_string(5 * kMiB), 2 * kMiB, "8 MiB, 5 MiB of them for this control group"},
             {std::to_string(2 * kMiB), 0, "8 MiB, 2 MiB of them for this control group"},
             {std::to_string(99 * kMiB), 6 * kMiB, "8 MiB"}}) {
        system.write(group + "max", limit + "\n");
        EXPECT_EQ(common::availableMemory(system.root()), available) << limit;
        EXPECT_EQ(common::memoryFacts(system.root()), told) << limit;
    }
    // Files that the system keeps are no memory that is gone, active ones and anonymous pages are.
    system.write(group + "stat", "anon 7\nfile 3145728\ninactive_anon 5\nactive_anon 2\n"
                                 "inactive_file 1048576\nactive_file 2097152\n");
    system.write(group + "max", std::to_string(5 * kMiB) + "\n");
    EXPECT_EQ(common::availableMemory(system.root()), 3 * kMiB);
    system.write(group + "stat", "inactive_file 99999999\n"); // both change while they are read
    EXPECT_EQ(common::availableMemory(system.root()), 5 * kMiB);
    system.write(group + "max", "max\n");
    system.write("/proc/cpuinfo", "physical id : 0\nphysical id : 1\n");
    system.write("/sys/devices/system/node/node0/x", "");
    EXPECT_EQ(common::memoryFacts(system.root()), "8 MiB, 2 sockets, 1 NUMA node");
    system.write("/sys/devices/system/node/node1/x", "");
    EXPECT_EQ(common::memoryFacts(system.root()), "8 MiB, 2 sockets, 2 NUMA nodes");
}

} // namespace
