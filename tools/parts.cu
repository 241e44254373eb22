// Where does the time of a call go? Takes calls of several versions apart: the first call of a
// process, and later ones. Each version runs in processes of its own, in which nothing was warmed
// and no other version has left memory behind.

#include "bench/cells.h"
#include "bench/middle.h"
#include "bench/process.h"
#include "bench/program.h"
#include "common/integer.h"
#include "common/machine.h"
#include "common/part_times.h"
#include "entropy/run.h"
#include "entropy/shared_sample.h"

#include <cstdio>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

namespace
{

constexpr const char *kWhat =
    R"(Takes calls of versions apart, on random cells. Every answer is checked. The parts, in ms:

  context   the driver is started, the context made, the code of kernels loaded
  allocate  memory for arrays, on the device and the host
  up, down  copies to and from the device; for v15 and v17 also packing tiles and putting them in place
  kernel    computing, on the device or the CPU
  faults    pages of the result, touched for the first time
  free      memory given back, the result's too
  other     the rest
  total     the call, and giving back its result

They are times of the thread that calls. "first" is the first call of a process, of three processes
the one with the median total; "later" the call with the median total of several that follow.
)";

constexpr int kProcesses = 3;

/// Milliseconds of a call by the name of the part.
using Parts = std::map<std::string, double>;
const std::vector<std::string> kNames = {"context", "allocate", "up",    "kernel", "down",
                                         "faults",  "free",     "other", "total"};

/// The one with the median total: its parts add up, which medians of each part would not.
Parts median(std::vector<Parts> calls)
{
    return bench::middleOf(std::move(calls), [](const Parts &one) { return one.at("total"); });
}

// ---- in a child --------------------------------------------------------------------------------

/// One call. `lookup`: milliseconds that it took to find the version, in which the driver started.
Parts takeApart(const entropy::Version &version, const entropy::SharedSample &shared,
                std::vector<float> &cells, double lookup)
{
    Parts parts;
    common::PartTimes times;
    const common::WallClock clock;
    auto result = entropy::run(version.callback, shared.width, shared.height, cells.data());
    double total = clock.milliseconds();
    shared.check(result.get());
    const common::WallClock freeing;
    result.reset();
    total += freeing.milliseconds();
    for (const common::Part part : common::kParts)
        parts[common::partName(part)] = times.milliseconds(part);
    parts["other"] = total - times.sum();
    if (parts["context"] > 0) { // it needs the driver
        parts["context"] += lookup;
        total += lookup;
    }
    parts["total"] = total;
    return parts;
}

void print(const char *call, const Parts &parts)
{
    for (const auto &[part, milliseconds] : parts)
        std::printf("%s %s %.6g\n", call, part.c_str(), milliseconds);
}

/// Arguments: the version, whether later calls are wanted, the sample. Prints "first kernel 1.2"
/// and the like.
void child(const std::vector<std::string> &arguments)
{
    const std::string &name = arguments.at(0);
    const bool later = arguments.at(1) == "later";
    const entropy::SharedSample shared({arguments.begin() + 2, arguments.end()});
    std::vector<float> cells = shared.copy();
    const common::WallClock clock;
    const entropy::Version &version = entropy::versionNamed(name);
    const double lookup = clock.milliseconds();
    if (!version.unavailable.empty()) throw common::Unavailable(version.unavailable);
    print("first", takeApart(version, shared, cells, lookup));
    if (!later) return;
    std::vector<Parts> calls;
    double seconds = 0;
    do {
        calls.push_back(takeApart(version, shared, cells, 0));
        seconds += 1e-3 * calls.back()["total"];
    } while (!common::enoughRepeats(calls.size(), seconds));
    print("later", median(std::move(calls)));
}

// ---- in the parent -----------------------------------------------------------------------------

/// What the child said of calls, by "first" and "later".
std::map<std::string, Parts> callsOf(const std::string &output)
{
    std::map<std::string, Parts> calls;
    std::istringstream words(output);
    std::string call, part;
    for (double milliseconds; words >> call >> part >> milliseconds;)
        calls[call][part] = milliseconds;
    return calls;
}

/// A version on one array, asked when the first of its calls is wanted.
class Version
{
public:
    Version(std::string name, std::shared_ptr<const entropy::SharedSample> shared)
        : name(std::move(name)), shared(std::move(shared))
    {
    }

    /// `which`: "first" or "later".
    Parts call(const std::string &which)
    {
        if (calls.empty()) askProcesses();
        return median(calls.at(which));
    }

private:
    void askProcesses()
    {
        std::map<std::string, std::vector<Parts>> answers;
        for (int process = 0; process < kProcesses; ++process) {
            std::vector<std::string> arguments = {name, process == 0 ? "later" : "first"};
            for (const std::string &argument : shared->arguments()) arguments.push_back(argument);
            for (auto &[which, parts] : callsOf(bench::ask(arguments)))
                answers[which].push_back(parts);
        }
        calls = std::move(answers);
    }

    const std::string name;
    const std::shared_ptr<const entropy::SharedSample> shared;
    std::map<std::string, std::vector<Parts>> calls; ///< of processes
};

bench::Work workOf(const std::shared_ptr<Version> &version, const std::string &call)
{
    const auto parts = std::make_shared<Parts>();
    bench::Work work;
    work.time = [=] {
        *parts = version->call(call);
        return common::summarize({parts->at("total")});
    };
    work.beside = [=] {
        std::vector<double> values;
        for (const std::string &name : kNames) values.push_back(parts->at(name));
        return values;
    };
    return work;
}

std::vector<bench::Row> rowsOf(int side, const std::vector<std::string> &names)
{
    const auto shared = std::make_shared<const entropy::SharedSample>(side, side);
    std::vector<bench::Row> rows;
    for (const std::string &name : names) {
        const auto version = std::make_shared<Version>(name, shared);
        for (const char *call : {"first", "later"}) {
            bench::Row row;
            row.keys = {name, std::to_string(side), std::to_string(side), call};
            row.open = [=] { return workOf(version, call); };
            row.mayLack = true;
            rows.push_back(row);
        }
    }
    return rows;
}

bench::Layout layout()
{
    bench::Layout layout{{{"version"}, {"width"}, {"height"}, {"call"}}, {}, {"part", "ms"}};
    for (std::size_t i = 0; i < kNames.size(); ++i)
        layout.values.push_back(bench::beside(i, kNames[i], kNames[i]));
    return layout;
}

} // namespace

/// Nothing is timed at load time: this program calls the core for purposes of its own.
bool entropy::runIsRefused() { return true; }

int main(int argc, char **argv)
{
    std::vector<int> sides = {2560, 10240};
    std::vector<std::string> names = {"v0", "v7", "v14", "v15", "v16", "v17"};
    const auto cases = [&] {
        for (const std::string &name : names) entropy::versionNamed(name);
        std::vector<bench::Case> cases;
        for (const int side : sides)
            cases.push_back({bench::sizeOf(side, side), "random cells", 0,
                             [side, &names] { return rowsOf(side, names); }});
        return cases;
    };
    const std::vector<bench::Option> options = {
        {"side", "N", "arrays of N x N cells only (default: 2560 and 10240)",
         [&](const std::string &text) {
             sides = {static_cast<int>(common::parseInteger("--side", text, 1, 40000))};
         }},
        {"versions", "LIST", "names with commas between (default: v0,v7,v14,v15,v16,v17)",
         [&](const std::string &text) { names = bench::wordsOf("--versions", text); }}};
    return bench::runProgram(
        {"parts", kWhat, layout(), options, cases, common::machineFacts, child}, argc, argv);
}
