#include "bench/choice.h"

#include "bench/filter_rows.h"

#include <cstdio>
#include <map>
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
        std::printf("  %s, ratio %.2f\n", text.c_str(), ratio);
        if (ratio <= worst) continue;
        worst = ratio;
        where = text;
    }
}

void Choice::printWorst() const
{
    if (worst > 0) std::printf("\nworst choice: ratio %.2f: %s\n", worst, where.c_str());
}

} // namespace bench
