// How fast is the library, by window, type and levels? Its methods, paths and threads, on several
// contents; `make bench-filter` has scikit-image beside it.

#include "bench/choice.h"
#include "bench/cost_table.h"
#include "bench/filter_options.h"
#include "bench/filter_rows.h"
#include "bench/images.h"
#include "bench/program.h"
#include "bench/statuses.h"

#include <cstdio>

namespace
{

void list(const bench::FilterOptions &options)
{
    for (const bench::FilterCase &one : options.cases)
        std::printf("%-18s %s\n", one.name().c_str(), one.what().c_str());
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
            choice.add(theCase.name, choice.timeFairly(harness, theCase));
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
