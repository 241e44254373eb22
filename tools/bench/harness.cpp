#include "bench/harness.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace bench
{
namespace
{

constexpr const char *kMeasured[] = {"runs", "median_ms", "min_ms", "mpixel_per_s", "gb_per_s"};

std::vector<std::string> headerOf(const std::vector<Column> &columns)
{
    std::vector<std::string> header;
    for (const Column &column : columns) header.push_back(column.name);
    header.insert(header.end(), std::begin(kMeasured), std::end(kMeasured));
    return header;
}

std::string joined(const std::vector<std::string> &words)
{
    std::string text;
    for (const std::string &word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

} // namespace

Harness::Harness(const std::string &program, std::vector<Column> columns, double seconds)
    : columns(std::move(columns)), seconds(seconds), csv(headerOf(this->columns)), progress(program)
{
}

/// Of each key column; 0 where it is not printed.
std::vector<std::size_t> Harness::widthsOf(const std::vector<Row> &rows) const
{
    std::vector<std::size_t> widths(columns.size());
    for (const Row &row : rows)
        for (std::size_t i = 0; i < widths.size(); ++i)
            if (columns[i].printed) widths[i] = std::max(widths[i], row.keys.at(i).size());
    return widths;
}

std::vector<Outcome> Harness::time(const Case &theCase)
{
    progress.show(theCase.name);
    const std::vector<Row> rows = theCase.rows();
    const std::vector<std::size_t> widths = widthsOf(rows);
    std::vector<Outcome> outcomes;
    progress.wipe();
    std::printf("%s%s%s\n", theCase.name.c_str(), theCase.what.empty() ? "" : ": ",
                theCase.what.c_str());
    for (const Row &row : rows) {
        progress.show(joined(row.keys));
        const common::ErrorScope scope(joined(row.keys));
        const common::Timing timing = time(row);
        progress.wipe();
        print(row, widths, timing, theCase.bytes);
        outcomes.push_back({row.keys, timing});
    }
    return outcomes;
}

common::Timing Harness::time(const Row &row) const
{
    const Work work = row.open();
    const auto once = [&] {
        const common::WallClock clock;
        work.run();
        const double wall = clock.milliseconds();
        return work.milliseconds ? work.milliseconds() : wall;
    };
    work.validate();
    const double first = once();
    if (work.check) work.check();
    // What it would warm is little beside so long a run.
    if (first >= 1e3 * seconds) return common::summarize({first});
    std::vector<double> milliseconds;
    const common::WallClock total;
    do milliseconds.push_back(once());
    while (!common::enoughRepeats(milliseconds.size(), total.seconds(), seconds));
    return common::summarize(std::move(milliseconds));
}

void Harness::print(const Row &row, const std::vector<std::size_t> &widths,
                    const common::Timing &timing, double bytes)
{
    const double rate = row.results / timing.median / 1e3;
    const double traffic = row.results * bytes / timing.median / 1e6;
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i)
        if (widths[i])
            line += "  " + row.keys[i] + std::string(widths[i] - row.keys[i].size(), ' ');
    std::printf("%s %10.3f ms, at best %10.3f %10.1f Mpixel/s %8.2f GB/s %5zu runs\n", line.c_str(),
                timing.median, timing.minimum, rate, traffic, timing.repeats);
    std::fflush(stdout);
    std::vector<std::string> cells = row.keys;
    for (const std::string &cell :
         {std::to_string(timing.repeats), common::number(timing.median),
          common::number(timing.minimum), common::number(rate), common::number(traffic)})
        cells.push_back(cell);
    csv.add(cells);
}

} // namespace bench
