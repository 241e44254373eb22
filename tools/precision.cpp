// How many decimals survive which arithmetic: the largest error over every window there can be, its
// levels added up in the worst order, for what the versions of the ladder compute in, and might.

#include "common/csv.h"
#include "common/file_program.h"
#include "common/output_file.h"
#include "entropy/every_window.h"
#include "entropy/log_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace
{

constexpr const char *kHelp = R"(usage: precision [CSV]

Prints, for each kind of arithmetic, the largest error over every window that an array can have, its
levels added up in the worst order; how many decimals are right in all of them (an error of half a
unit of the last one at most); and the window where the error is largest, as counts of its levels.
CSV: a file for the same numbers.
)";

using entropy::Counts;
using entropy::multiplyAdd;

/// Smallest and largest value that something in float may have: the order of a sum, the liberty of
/// a compiler and the error bounds of a function leave it open.
using Bounds = std::pair<float, float>;

Bounds exactly(float value) { return {value, value}; }

float above(float value, int units)
{
    for (int i = 0; i < units; ++i) value = std::nextafter(value, INFINITY);
    return value;
}

float below(float value, int units)
{
    for (int i = 0; i < units; ++i) value = std::nextafter(value, -INFINITY);
    return value;
}

/// `value`, of a function that is right to within so many units in the last place.
Bounds within(float value, int units) { return {below(value, units), above(value, units)}; }

/// logf of CUDA: right to within one unit in the last place.
Bounds logOf(float x) { return x == 1 ? exactly(0) : within(std::log(x), 1); }

/// __logf of CUDA, from its programming guide: 2^-21.41 between 0.5 and 2, else three units.
Bounds fastLogOf(float x)
{
    const float ln = std::log(x);
    if (x < 0.5f || x > 2.0f) return within(ln, 3);
    const float error = std::exp2(-21.41f);
    return {below(ln - error, 1), above(ln + error, 1)};
}

/// A sum over levels in float, and what becomes of it: the result of a window of `total` cells may
/// be anything between the two values that `finish` returns. `truth` is what it should be.
struct Arithmetic
{
    std::string name;
    std::function<Bounds(float sum, int n, int total)> add; ///< the term of a level of n cells
    std::function<Bounds(float low, float high, int total)> finish;
    std::function<double(const Counts &counts, int total)> truth = entropy::entropyOf;
};

struct Worst
{
    double error = -1;
    Counts counts;

    void consider(double newError, const Counts &newCounts)
    {
        if (newError > error) *this = {newError, newCounts};
    }
};

/// Numbers of cells that a window can have.
std::set<int> windowSizes()
{
    std::set<int> sizes;
    for (int across = 1; across <= entropy::kWindow; ++across)
        for (int down = 1; down <= entropy::kWindow; ++down) sizes.insert(across * down);
    return sizes;
}

Worst worstOf(const Arithmetic &arithmetic)
{
    Worst worst;
    for (const int total : windowSizes()) {
        entropy::FloatSum sums([&](float sum, int n) { return arithmetic.add(sum, n, total); });
        for (const Counts &counts : entropy::partitions(total, total)) {
            const auto [low, high] = sums.overAllOrders(counts);
            const Bounds result = arithmetic.finish(low, high, total);
            const double truth = arithmetic.truth(counts, total);
            for (const float one : {result.first, result.second})
                worst.consider(std::fabs(one - truth), counts);
        }
    }
    return worst;
}

/// The same in double, with a table of any type: the order cannot be seen in a float any more.
template <typename Table>
Worst worstInDouble()
{
    static constexpr auto table = entropy::makeLogTable<Table>();
    Worst worst;
    for (const int total : windowSizes())
        for (const Counts &counts : entropy::partitions(total, total)) {
            double sum = 0;
            for (const int n : counts) sum += n * static_cast<double>(table.ln[n]);
            const float result = static_cast<float>(table.ln[total] - sum / total);
            worst.consider(std::fabs(result - entropy::entropyOf(counts, total)), counts);
        }
    return worst;
}

/// H = ln N - (1/N) sum n ln n in float; the functions say what ln n and the quotient may be.
Arithmetic withIdentity(const std::string &name, std::function<Bounds(float)> ln, int quotientUnits)
{
    const auto add = [ln](float sum, int n, int) {
        const Bounds one = ln(n);
        return Bounds{multiplyAdd(n, one.first, sum).first, multiplyAdd(n, one.second, sum).second};
    };
    const auto finish = [=](float low, float high, int total) {
        const Bounds one = ln(total);
        return Bounds{one.first - above(high / total, quotientUnits),
                      one.second - below(low / total, quotientUnits)};
    };
    return {name, add, finish};
}

/// H = -sum p ln p in float.
Arithmetic fromDefinition(const std::string &name, std::function<Bounds(float)> ln)
{
    const auto add = [ln](float sum, int n, int total) {
        const float p = static_cast<float>(n) / total;
        const Bounds one = ln(p); // negative: the lower one adds more
        return Bounds{multiplyAdd(-p, one.second, sum).first,
                      multiplyAdd(-p, one.first, sum).second};
    };
    return {name, add, [](float low, float high, int) { return Bounds{low, high}; }};
}

/// The sum n ln n itself, before it is divided by N and taken from ln N.
Arithmetic undivided(const std::string &name, std::function<Bounds(float)> ln)
{
    Arithmetic sum = withIdentity(name, std::move(ln), 0);
    sum.finish = [](float low, float high, int) { return Bounds{low, high}; };
    sum.truth = [](const Counts &counts, int) {
        double exact = 0;
        for (const int n : counts) exact += n * std::log(static_cast<double>(n));
        return exact;
    };
    return sum;
}

Bounds tabled(float n)
{
    static constexpr auto table = entropy::makeLogTable<float>();
    return exactly(table.ln[static_cast<int>(n)]);
}

/// The table as the documents write it, six decimals.
Bounds sixDecimals(float n)
{
    return exactly(static_cast<float>(std::round(std::log(static_cast<double>(n)) * 1e6) / 1e6));
}

/// Decimals that are right: the error is half a unit of the last one at most.
int decimalsOf(double error) { return static_cast<int>(std::floor(-std::log10(2 * error))); }

std::string text(const Counts &counts)
{
    int total = 0;
    std::string list;
    for (const int n : counts) {
        total += n;
        list += " " + std::to_string(n);
    }
    return std::to_string(total) + (total == 1 ? " cell:" : " cells:") + list;
}

int run(const char *file)
{
    std::optional<common::OutputFile> output; // refused now rather than after the work
    if (file) output.emplace(file);
    std::vector<std::pair<std::string, Worst>> rows = {
        {"double, double table (v1)", worstInDouble<double>()},
        {"double, float table (v7)", worstInDouble<float>()}};
    const std::vector<Arithmetic> inFloat = {
        withIdentity("float, float table (float_only)", tabled, 0),
        withIdentity("float, float table, __fdividef (float_fdividef)", tabled, 2),
        withIdentity("float, table of six decimals", sixDecimals, 0),
        withIdentity("float, logf", logOf, 0),
        withIdentity("float, __logf, __fdividef (--use_fast_math)", fastLogOf, 2),
        fromDefinition("float, p logf(p)", logOf),
        fromDefinition("float, p __logf(p)", fastLogOf),
        undivided("float, float table, sum n ln n before the division", tabled),
        undivided("float, __logf, sum n ln n before the division", fastLogOf)};
    for (const Arithmetic &arithmetic : inFloat)
        rows.emplace_back(arithmetic.name, worstOf(arithmetic));

    common::Csv csv({"arithmetic", "largest_error", "decimals", "where"});
    std::printf("%-52s %13s %8s  %s\n", "", "largest error", "decimals", "where");
    for (const auto &[name, worst] : rows) {
        char error[32];
        std::snprintf(error, sizeof error, "%.3g", worst.error);
        const int decimals = decimalsOf(worst.error);
        std::printf("%-52s %13s %8d  %s\n", name.c_str(), error, decimals,
                    text(worst.counts).c_str());
        csv.add({name, error, std::to_string(decimals), text(worst.counts)});
    }
    if (output) {
        output->write(csv.str());
        output->commit();
    }
    return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char **argv) { return common::fileProgram("precision", kHelp, argc, argv, run); }
