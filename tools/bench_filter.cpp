// How fast is the library, by window, type and levels? Its methods, paths and threads, on several
// contents; `make bench-filter` has scikit-image beside it.

#include "bench/choice.h"
#include "bench/cost_table.h"
#include "bench/filter_options.h"
#include "bench/filter_rows.h"
#include "bench/images.h"
#include "bench/program.h"
#include "bench/statuses.h"

#include <algorithm>
#include <cstdio>

namespace
{

void list(const bench::FilterOptions &options)
{
    for (const bench::FilterCase &one : options.cases)
        std::printf("%-18s %s\n", one.name().c_str(), one.what().c_str());
}

/// Once; twice more where a choice seems wrong, since a disturbed run makes it seem so: the least
/// times then count.
std::vector<bench::Outcome> timeFairly(bench::Harness &harness, const bench::Case &theCase,
                                       const bench::Choice &choice)
{
    constexpr int kMore = 2;
    std::vector<bench::Outcome> outcomes = harness.time(theCase);
    for (int i = 0; i < kMore && choice.isWrong(outcomes); ++i) {
        const std::vector<bench::Outcome> more = harness.time(theCase);
        for (std::size_t row = 0; row < outcomes.size(); ++row) {
            double &least = outcomes[row].timing.minimum;
            least = std::min(least, more.at(row).timing.minimum);
        }
    }
    return outcomes;
}

/// Whether no choice is wrong.
bool time(const bench::FilterOptions &options)
{
    bench::TableFile file(options.csv);
    bench::Harness harness("bench_filter",
                           {bench::kFilterColumns,
                            {bench::runs(), bench::median(), bench::minimum(),
                             bench::rate("mpixel_per_s", "Mpixel/s"), bench::traffic()}});
    bench::Choice choice(options.within);
    for (const bench::FilterCase &one : options.cases)
        for (const std::string &content : options.contents) {
            const bench::Case theCase = bench::filterCase(one, content, options);
            choice.add(theCase.name, timeFairly(harness, theCase, choice));
        }
    choice.printWorst();
    if (harness.table().rows() == 0)
        throw common::Error("none of these methods can compute any of these cases");
    file.write(harness.table());
    return options.within == 0 || choice.printWrong();
}

int run(int argc, char **argv)
{
    const bench::FilterOptions options = bench::parseFilterOptions(argc, argv);
    if (options.help)
        std::fputs(bench::filterHelp().c_str(), stdout);
    else if (options.list)
        list(options);
    else if (!options.images.empty())
        bench::writeImages(options);
    else if (!options.costs.empty())
        bench::writeCosts(options.costs, options.revision);
    else if (!time(options))
        return 1;
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    return bench::guarded("bench_filter", [&] { return run(argc, argv); });
}
