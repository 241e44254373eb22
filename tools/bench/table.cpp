#include "bench/table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace bench
{
namespace
{

std::vector<std::string> headerOf(const Layout &layout)
{
    std::vector<std::string> header;
    for (const Column &column : layout.keys) header.push_back(column.name);
    if (layout.lines.empty()) {
        for (const Value &value : layout.values)
            if (!value.name.empty()) header.push_back(value.name);
    } else {
        header.insert(header.end(), layout.lines.begin(), layout.lines.end());
    }
    return header;
}

std::string cellOf(double value) { return std::isnan(value) ? "" : common::number(value); }

/// For the screen: four digits are enough to compare by.
std::string shown(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, value >= 1e4 ? "%.0f" : "%.4g", value);
    return std::isnan(value) ? "-" : text;
}

} // namespace

Value runs()
{
    return {"runs", "runs", [](const Outcome &row) { return double(row.timing.repeats); }};
}
Value median()
{
    return {"median_ms", "ms", [](const Outcome &row) { return row.timing.median; }};
}
Value minimum()
{
    return {"min_ms", "ms at best", [](const Outcome &row) { return row.timing.minimum; }};
}
Value rate(const std::string &name, const std::string &unit)
{
    return {name, unit, [](const Outcome &row) { return row.results / row.timing.median / 1e3; }};
}
Value traffic()
{
    return {"gb_per_s", "GB/s",
            [](const Outcome &row) { return row.results * row.bytes / row.timing.median / 1e6; }};
}
Value beside(std::size_t index, const std::string &name, const std::string &unit)
{
    return {name, unit, [index](const Outcome &row) { return row.beside.at(index); }};
}
Value shareOf(std::size_t index, const std::string &unit)
{
    return {"", unit,
            [index](const Outcome &row) { return row.beside.at(index) / row.timing.median; }};
}

Table::Table(Layout layout)
    : layout(std::move(layout)), csv(headerOf(this->layout)), widths(this->layout.keys.size())
{
}

void Table::begin(const std::string &title, const std::vector<std::vector<std::string>> &keys)
{
    for (const std::vector<std::string> &row : keys)
        for (std::size_t i = 0; i < widths.size(); ++i)
            if (layout.keys[i].printed) widths[i] = std::max(widths[i], row.at(i).size());
    const bool titled = std::any_of(layout.keys.begin(), layout.keys.end(),
                                    [](const Column &column) { return !column.printed; });
    if (titled) std::printf("%s\n", title.c_str());
}

void Table::add(const Outcome &outcome)
{
    std::vector<double> values;
    std::vector<std::string> cells = outcome.keys;
    for (const Value &value : layout.values) {
        values.push_back(value.of(outcome));
        const std::string cell = cellOf(values.back());
        if (!layout.lines.empty()) {
            cells.insert(cells.end(), {value.name, cell});
            csv.add(cells);
            cells.resize(outcome.keys.size());
        } else if (!value.name.empty()) {
            cells.push_back(cell);
        }
    }
    if (layout.lines.empty()) csv.add(cells);
    print(outcome, values);
    ++count;
}

void Table::print(const Outcome &outcome, const std::vector<double> &values) const
{
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i)
        if (layout.keys[i].printed) {
            const std::string &key = outcome.keys.at(i);
            line += "  " + key + std::string(widths[i] - std::min(widths[i], key.size()), ' ');
        }
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string cell = shown(values[i]);
        line += std::string(11 - std::min<std::size_t>(cell.size(), 10), ' ') + cell + " " +
                layout.values[i].unit;
    }
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
}

} // namespace bench
