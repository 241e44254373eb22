#include "bench/choice.h"

#include "bench/filter_rows.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace bench
{
namespace
{

struct Methods
{
    const Outcome *chosen = nullptr, *best = nullptr;
    int count = 0;
};

std::string rounded(double ratio)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", ratio);
    return text;
}

} // namespace

void Choice::add(const std::string &caseName, const std::vector<Outcome> &outcomes)
{
    std::map<std::pair<std::string, std::string>, Methods> places;
    for (const Outcome &outcome : outcomes) {
        Methods &methods =
            places[{filterKey(outcome.keys, "path"), filterKey(outcome.keys, "threads")}];
        ++methods.count;
        if (filterKey(outcome.keys, "chosen") == "yes") methods.chosen = &outcome;
        if (!methods.best || outcome.timing.minimum < methods.best->timing.minimum)
            methods.best = &outcome;
    }
    for (const auto &[place, methods] : places) {
        if (methods.count < 2 || !methods.chosen) continue;
        const double ratio = methods.chosen->timing.minimum / methods.best->timing.minimum;
        const std::string text = caseName + ", " + place.first + ", threads " + place.second +
                                 ": chosen " + filterKey(methods.chosen->keys, "method") +
                                 ", best " + filterKey(methods.best->keys, "method");
        std::printf("  %s, ratio %s\n", text.c_str(), rounded(ratio).c_str());
        Worst &worst = worstOn[filterKey(methods.best->keys, "content")];
        if (ratio > worst.ratio) worst = {ratio, text};
    }
}

void Choice::printWorst() const
{
    std::vector<std::pair<double, std::string>> lines;
    for (const auto &[content, worst] : worstOn)
        lines.emplace_back(worst.ratio,
                           content + ": ratio " + rounded(worst.ratio) + ": " + worst.where);
    std::sort(lines.begin(), lines.end());
    for (const auto &[ratio, line] : lines) std::printf("worst choice on %s\n", line.c_str());
}

} // namespace bench
