// Judges one core: lets its runner compute every group, compares, and writes the verdict as JSON.
// The core cannot reach this process: it computes in a box, and only cells come back.

#include "core_process.h"
#include "findings.h"
#include "verdict.h"

#include "common/arguments.h"
#include "common/error.h"
#include "common/measure.h"
#include "common/output_file.h"
#include "entropy/reference.h"
#include "entropy/reference_file.h"
#include "entropy/window.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <getopt.h>
#include <set>
#include <sys/prctl.h>

namespace grade
{
namespace
{

constexpr const char *kHelp = R"(usage: judge --data FILE --reference FILE --box BOX --runner CORE
             --log FILE --directory DIR --verdict FILE [options]
       judge --data FILE --make-reference FILE
       judge --data FILE --reference FILE         only says whether they can be read

Lets the core in the program CORE compute every group of the data, and writes a verdict as JSON.
`make grade` calls it.

  --hide DIR         the core may not see DIR; as often as needed, like the next two
  --read PATH        it may read PATH, besides the system's directories
  --without WALL     leave out a wall of the box
  --seconds S        limit of time for all groups together (default 60)
  --memory BYTES     limit of memory (default 4 GiB)
  --time             several rounds, the times are to be kept; otherwise one, and new memory is
                     filled with NaN
  --gpu              there is a GPU: watch its memory
  --make-reference   only write the right answers to the data
)";

/// Time that a core that is to be timed may spend on further rounds, and their number.
constexpr double kEnoughSeconds = 3;
constexpr int kRounds = 3;

struct Options
{
    CoreSettings core;
    std::string data, reference, verdict, makeReference;
    bool time = false;
};

Options parse(int argc, char **argv)
{
    static const option kOptions[] = {{"data", 1, nullptr, 'd'},
                                      {"reference", 1, nullptr, 'r'},
                                      {"box", 1, nullptr, 'b'},
                                      {"runner", 1, nullptr, 'c'},
                                      {"log", 1, nullptr, 'l'},
                                      {"directory", 1, nullptr, 'w'},
                                      {"verdict", 1, nullptr, 'v'},
                                      {"hide", 1, nullptr, 'x'},
                                      {"read", 1, nullptr, 'p'},
                                      {"without", 1, nullptr, 'o'},
                                      {"seconds", 1, nullptr, 's'},
                                      {"memory", 1, nullptr, 'm'},
                                      {"time", 0, nullptr, 't'},
                                      {"gpu", 0, nullptr, 'g'},
                                      {"make-reference", 1, nullptr, 'R'},
                                      {"help", 0, nullptr, 'h'},
                                      {nullptr, 0, nullptr, 0}};
    Options options;
    opterr = 0;
    for (int letter; (letter = getopt_long(argc, argv, "h", kOptions, nullptr)) != -1;)
        switch (letter) {
        case 'd': options.data = optarg; break;
        case 'r': options.reference = optarg; break;
        case 'b': options.core.box = optarg; break;
        case 'c': options.core.runner = optarg; break;
        case 'l': options.core.log = optarg; break;
        case 'w': options.core.directory = optarg; break;
        case 'v': options.verdict = optarg; break;
        case 'x': options.core.hide.push_back(optarg); break;
        case 'p': options.core.read.push_back(optarg); break;
        case 'o': options.core.without.push_back(optarg); break;
        case 's': options.core.seconds = std::atof(optarg); break;
        case 'm': options.core.memory = std::strtoull(optarg, nullptr, 10); break;
        case 't': options.time = true; break;
        case 'g': options.core.gpu = true; break;
        case 'R': options.makeReference = optarg; break;
        case 'h': std::fputs(kHelp, stdout); std::exit(0);
        default: throw common::badOption(argv);
        }
    const CoreSettings &core = options.core;
    const bool isWhole = !core.box.empty() && !core.log.empty() && !core.directory.empty() &&
                         !options.verdict.empty();
    if (options.data.empty() || (!core.runner.empty() && !isWhole) || optind != argc ||
        (options.makeReference.empty() && options.reference.empty()))
        throw common::Error("an option is missing; see --help");
    options.core.poison = !options.time;
    return options;
}

// ---- the whole core ----------------------------------------------------------------------------

/// Where results come from, and memory that calls kept although a call of that size had been there
/// before.
class Memory
{
public:
    void add(const entropy::Sample &sample, const Channel &notes)
    {
        if (notes.outcome != kResult) return;
        if (notes.origin != kMalloc) {
            maker = notes.origin == kNew        ? "comes from new, not"
                    : notes.origin == kNewArray ? "comes from new[], not"
                                                : "does not come";
            largest = std::max<std::uint64_t>(largest, sample.cells.size() * sizeof(float));
            ++strangers;
        }
        if (!sizes.insert({sample.width, sample.height}).second) {
            bytes += notes.kept;
            ++calls;
        }
    }
    void endOfRound(const Channel &notes) { gpu.push_back(notes.gpuFree); }

    void report(Verdict &verdict) const
    {
        constexpr std::int64_t kNoise = 128;
        if (strangers)
            verdict.warnings.push_back(std::string("the result ") + maker +
                                       " from malloc: " + std::to_string(strangers) +
                                       " times, up to " + bytesText(largest));
        if (calls && bytes / calls >= kNoise)
            verdict.warnings.push_back("it leaks memory: " + bytesText(bytes) + " in " +
                                       std::to_string(calls) + " calls");
        if (gpu.size() > 1 && gpu.back() && gpu.front() > gpu.back())
            verdict.warnings.push_back(
                "it leaks GPU memory: " + bytesText(gpu.front() - gpu.back()) + " in " +
                std::to_string(gpu.size() - 1) + " rounds");
    }

private:
    std::set<std::pair<int, int>> sizes;
    const char *maker = "";
    std::uint64_t largest = 0;
    int strangers = 0;
    std::int64_t bytes = 0, calls = 0;
    std::vector<std::uint64_t> gpu;
};

/// The sample of a later round: other levels, so that an answer kept by its cells is not found, and
/// the same right answers, as entropy does not ask which levels there are. (A core that keeps them
/// by how cells differ finds them: its times fall from round to round.)
entropy::Sample turned(const entropy::Sample &sample, int round)
{
    entropy::Sample other = sample;
    for (float &cell : other.cells)
        cell = static_cast<float>((static_cast<int>(cell) + round) % entropy::kLevels);
    return other;
}

bool anotherRound(const Options &options, int rounds, double spent)
{
    if (!options.time || rounds >= kRounds) return false;
    if (rounds == 1) return spent < options.core.seconds / 3; // two show what a call keeps
    return spent * (rounds + 1) / rounds < kEnoughSeconds;
}

Verdict judge(const Options &options, const entropy::SampleFile &data,
              const std::vector<std::vector<float>> &gold)
{
    Verdict verdict;
    const std::size_t groups = verdict.groups = data.samples.size();
    CoreProcess core(options.core, data.samples);
    std::vector<std::vector<double>> times(groups);
    std::set<std::size_t> failed, called;
    Memory use;
    std::string where = "before the first group";
    bool running = core.ready();
    const std::int64_t start = nowNanoseconds();
    double spent = 0;
    for (int round = 0; running && (round == 0 || anotherRound(options, round, spent)); ++round) {
        for (std::size_t group = 0; running && group < groups; ++group) {
            const entropy::Sample sample = turned(data.samples[group], round);
            where = "in " + groupName(sample, group + 1, groups);
            const CoreProcess::Answer answer = core.call(sample);
            called.insert(group);
            running = answer == CoreProcess::Answer::Done;
            if (answer == CoreProcess::Answer::Forged)
                verdict.note("cheated", "an answer came that was not the runner's, " + where);
            if (!running || !judgeCall(core, sample, gold[group], group + 1, verdict))
                failed.insert(group);
            if (!running) break;
            times[group].push_back(core.milliseconds());
            use.add(sample, core.notes());
        }
        verdict.rounds += running;
        spent = static_cast<double>(nowNanoseconds() - start) / 1e9;
        if (running) use.endOfRound(core.notes());
    }
    if (running) core.quit();
    if (!running && verdict.word != "cheated") judgeEnd(core, options.core, where, verdict);
    if (running && core.end() != "exit 0" && verdict.word == "passed")
        verdict.warnings.push_back(core.end().empty() ? "its process did not end by itself"
                                                      : "its process ended with " + core.end() +
                                                            " after the last group");
    verdict.groupsPassed = called.size() - failed.size();
    use.report(verdict);
    if (running)
        for (const std::vector<double> &group : times)
            verdict.milliseconds.push_back(common::summarize(group).median);
    verdict.walls = core.walls();
    verdict.end = core.end();
    judgeLog(options.core.log, verdict);
    return verdict;
}

void write(const std::string &path, const std::string &bytes)
{
    common::OutputFile file(path);
    file.write(bytes);
    file.commit();
}

} // namespace
} // namespace grade

int main(int argc, char **argv)
try {
    using namespace grade;
    const Options options = parse(argc, argv);
    prctl(PR_SET_DUMPABLE, 0); // nobody reads the right answers here
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const entropy::SampleFile data = entropy::readSamples(options.data);
    if (!options.makeReference.empty()) {
        std::vector<std::vector<float>> gold;
        for (const entropy::Sample &sample : data.samples)
            gold.push_back(entropy::reference(sample.width, sample.height, sample.cells.data()));
        write(options.makeReference, entropy::referenceFile(data, gold));
        return 0;
    }
    const auto gold = entropy::readReference(options.reference, data);
    if (!options.verdict.empty()) write(options.verdict, judge(options, data, gold).json());
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "judge: %s\n", error.what());
    return 2;
}
