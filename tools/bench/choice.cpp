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

    /// 0 if there is nothing to judge.
    double ratio() const
    {
        return count < 2 || !chosen ? 0 : chosen->timing.minimum / best->timing.minimum;
    }
};

/// By path and number of threads.
using Places = std::map<std::pair<std::string, std::string>, Methods>;

Places placesOf(const std::vector<Outcome> &outcomes)
{
    Places places;
    for (const Outcome &outcome : outcomes) {
        Methods &methods =
            places[{filterKey(outcome.keys, "path"), filterKey(outcome.keys, "threads")}];
        ++methods.count;
        if (filterKey(outcome.keys, "chosen") == "yes") methods.chosen = &outcome;
        if (!methods.best || outcome.timing.minimum < methods.best->timing.minimum)
            methods.best = &outcome;
    }
    return places;
}

std::string rounded(double ratio)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", ratio);
    return text;
}

} // namespace

bool Choice::isWrong(const std::vector<Outcome> &outcomes) const
{
    for (const auto &[place, methods] : placesOf(outcomes))
        if (within > 0 && methods.ratio() > within) return true;
    return false;
}

std::vector<Outcome> Choice::timeFairly(Harness &harness, const Case &theCase) const
{
    constexpr int kMore = 2;
    std::vector<Outcome> outcomes = harness.time(theCase);
    for (int i = 0; i < kMore && isWrong(outcomes); ++i) {
        const std::vector<Outcome> more = harness.time(theCase);
        for (std::size_t row = 0; row < outcomes.size(); ++row) {
            double &least = outcomes[row].timing.minimum;
            least = std::min(least, more.at(row).timing.minimum);
        }
    }
    return outcomes;
}

void Choice::add(const std::string &caseName, const std::vector<Outcome> &outcomes)
{
    for (const auto &[place, methods] : placesOf(outcomes)) {
        const double ratio = methods.ratio();
        if (ratio == 0) continue;
        const std::string text = caseName + ", " + place.first + ", threads " + place.second +
                                 ": chosen " + filterKey(methods.chosen->keys, "method") +
                                 ", best " + filterKey(methods.best->keys, "method");
        std::printf("  %s, ratio %s\n", text.c_str(), rounded(ratio).c_str());
        ++judged;
        if (within > 0 && ratio > within) wrong.push_back({ratio, text});
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

bool Choice::printWrong() const
{
    if (judged == 0)
        throw common::Error("--within: nothing was judged, since nowhere was a chosen method timed "
                            "beside another; --methods all times them");
    std::vector<Worst> lines = wrong;
    std::sort(lines.begin(), lines.end(),
              [](const Worst &a, const Worst &b) { return a.ratio > b.ratio; });
    for (const Worst &line : lines)
        std::printf("wrong choice: ratio %s: %s\n", rounded(line.ratio).c_str(),
                    line.where.c_str());
    std::printf("%zu of %d choices take more than %s times as long as the best method\n",
                lines.size(), judged, rounded(within).c_str());
    return lines.empty();
}

} // namespace bench
