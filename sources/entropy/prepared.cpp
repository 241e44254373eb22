#include "entropy/prepared.h"

#include "common/active.h"
#include "common/error.h"
#include "common/progress.h"
#include "common/standard_streams.h"
#include "entropy/core.h"
#include "entropy/reference_file.h"
#include "entropy/settings.h"

#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>
#include <unistd.h>

// A core that brings cudaCallback alone, without a table of versions, links and runs too.
__attribute__((weak)) const char *entropy::activeVersion() { return "this core"; }
__attribute__((weak)) const std::vector<entropy::Version> &entropy::versions()
{
    static const std::vector<Version> none;
    return none;
}

namespace entropy
{
namespace
{

int argumentCount = 0;
char **argumentList = nullptr;

// The GNU C library calls constructors with main's arguments; 101 is the first in order,
// before the objects that run at load time. So there is one parser of options, and it is heard in
// time. Standard streams, too, are looked after before such an object opens anything.
__attribute__((constructor(101))) void keepArguments(int argc, char **argv)
{
    common::occupyClosedStandardStreams();
    argumentCount = argc;
    argumentList = argv;
}

/// A core is built as the program of its name, core.cu as entropy.
void requireThatTheVersionRuns(const std::string &program)
{
    const std::string make = program == "entropy" ? "make" : "make CORE=" + program;
    for (const Version &version : versions())
        if (version.name == std::string(activeVersion()) && !version.unavailable.empty())
            throw common::Error(common::cannotRunHere(
                make, version, versions(), [](const Version &other) { return !other.probe; }));
}

/// The benchmark at load time would say so too, but after the status has been lost.
void requireThatTheSettingsAreKnown()
{
    if (versions().empty()) return; // such a core times nothing
    checkSettings();
    const char *const results = resultsDirectory();
    const bool wanted = benchmarkSetting() != "0" && benchmarkSetting() != "warm-up";
    if (results && wanted && access(results, W_OK | X_OK) != 0)
        throw common::Error("ENTROPY_RESULTS: files in " + std::string(results) +
                            " cannot be created: " + std::strerror(errno));
}

/// The right answers from a file, if there is one.
void loadGold(Prepared &run)
{
    const Options &options = run.options;
    std::string path = options.reference;
    const std::size_t slash = options.file.rfind('/');
    const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
    const bool beside = path.empty() && options.file.substr(name) == "data.bin";
    if (beside) path = options.file.substr(0, name) + "reference.bin";
    if (path.empty() || (beside && access(path.c_str(), F_OK) != 0)) {
        run.goldSource = "computed here, no file given";
        return;
    }
    run.gold = readReference(path, run.data);
    run.goldSource = path;
}

std::unique_ptr<Prepared> prepare()
{
    auto run = std::make_unique<Prepared>();
    run->options = parseOptions(argumentCount, argumentList);
    if (run->options.help) return run;
    requireThatTheVersionRuns(run->options.program);
    requireThatTheSettingsAreKnown();
    common::Progress progress(run->options.program);
    progress.show("reading " + run->options.file);
    run->data = readSamples(run->options.file);
    loadGold(*run);
    if (!run->options.csv.empty()) run->csv.emplace(run->options.csv);
    return run;
}

} // namespace

Prepared &preparedRun()
{
    static std::exception_ptr refusal;
    static const std::unique_ptr<Prepared> run = []() -> std::unique_ptr<Prepared> {
        try {
            return prepare();
        } catch (...) {
            refusal = std::current_exception();
            return nullptr;
        }
    }();
    if (refusal) std::rethrow_exception(refusal);
    return *run;
}

/// What the load-time objects of a core ask (core.h).
bool runIsRefused()
{
    try {
        return preparedRun().options.help;
    } catch (const std::exception &) {
        return true; // main will say why
    }
}

} // namespace entropy
