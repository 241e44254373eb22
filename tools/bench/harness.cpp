#include "bench/harness.h"

#include <cstdio>
#include <utility>

namespace bench
{
namespace
{

std::string joined(const std::vector<std::string> &words)
{
    std::string text;
    for (const std::string &word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

common::Timing timed(const Work &work)
{
    if (work.validate) work.validate();
    if (work.time) return work.time();
    work.run(); // warms up
    if (work.check) work.check();
    return common::repeat([&] {
        const common::WallClock clock;
        work.run();
        const double wall = clock.milliseconds();
        return work.milliseconds ? work.milliseconds() : wall;
    });
}

} // namespace

Harness::Harness(const std::string &program, Layout layout)
    : results(std::move(layout)), progress(program)
{
}

std::vector<Outcome> Harness::time(const Case &theCase)
{
    progress.show(theCase.name);
    const std::vector<Row> rows = theCase.rows();
    std::vector<std::vector<std::string>> keys;
    for (const Row &row : rows) keys.push_back(row.keys);
    progress.wipe();
    results.begin(theCase.name + (theCase.what.empty() ? "" : ": ") + theCase.what, keys);
    std::vector<Outcome> outcomes;
    for (const Row &row : rows) {
        Outcome outcome{row.keys, {}, row.results, theCase.bytes, {}};
        if (!time(row, outcome)) continue;
        results.add(outcome);
        outcomes.push_back(std::move(outcome));
    }
    const std::string verdict = theCase.verdict ? theCase.verdict() : "";
    if (!verdict.empty()) {
        std::printf("  %s: %s\n", theCase.name.c_str(), verdict.c_str());
        ++failed;
    }
    return outcomes;
}

/// Whether it could be timed here.
bool Harness::time(const Row &row, Outcome &outcome)
{
    const std::string name = joined(row.keys);
    progress.show(name);
    try {
        const common::ErrorScope scope(name);
        const Work work = row.open();
        outcome.timing = timed(work);
        if (work.beside) outcome.beside = work.beside();
    } catch (const common::Unavailable &why) {
        if (!row.mayLack) throw;
        progress.wipe();
        std::printf("  left out: %s\n", why.what());
        return false;
    }
    progress.wipe();
    return true;
}

} // namespace bench
