// How fast is the library, by window, type and levels? Its methods, paths and threads, on several
// contents; `make bench-filter` has scikit-image beside it.

#include "bench/choice.h"
#include "bench/cost_table.h"
#include "bench/filter_options.h"
#include "bench/filter_rows.h"
#include "bench/images.h"
#include "common/output_file.h"
#include "common/standard_output.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>

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
    std::optional<common::OutputFile>
        file; // opened now: a table that has no place is found at once
    if (!options.csv.empty()) file.emplace(options.csv);
    bench::Harness harness("bench_filter", bench::kFilterColumns, options.seconds);
    bench::Choice choice(options.within);
    std::size_t rows = 0;
    for (const bench::FilterCase &one : options.cases)
        for (const std::string &content : options.contents) {
            const bench::Case theCase = bench::filterCase(one, content, options);
            const std::vector<bench::Outcome> outcomes = timeFairly(harness, theCase, choice);
            rows += outcomes.size();
            choice.add(theCase.name, outcomes);
        }
    choice.printWorst();
    if (rows == 0) throw common::Error("none of these methods can compute any of these cases");
    if (file) {
        file->write(harness.table());
        file->commit();
    }
    return options.within == 0 || choice.printWrong();
}

int run(int argc, char **argv)
{
    const bench::FilterOptions options = bench::parseFilterOptions(argc, argv);
    if (options.help)
        std::fputs(bench::kFilterHelp, stdout);
    else if (options.list)
        list(options);
    else if (!options.images.empty())
        bench::writeImages(options);
    else if (!options.costs.empty())
        bench::writeCosts(options.costs, options.revision);
    else if (!time(options))
        return common::afterOutput(1);
    return common::afterOutput(0);
}

} // namespace

int main(int argc, char **argv)
try {
    return run(argc, argv);
} catch (const bench::WrongAnswer &error) {
    std::fprintf(stderr, "bench_filter: %s\n", error.what());
    return 1;
} catch (const std::bad_alloc &) {
    std::fprintf(stderr, "bench_filter: no memory for images of this size\n");
    return 2;
} catch (const std::exception &error) {
    std::fprintf(stderr, "bench_filter: %s\n", error.what());
    return 2;
}
