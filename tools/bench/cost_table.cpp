#include "bench/cost_table.h"

#include "bench/cost_scene.h"
#include "common/cpu_facts.h"
#include "common/error.h"
#include "common/output_file.h"
#include "common/progress.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <tuple>

namespace bench
{
namespace
{

using namespace local_entropy;

/// A method in a row of the table: a path, a kind, a number of levels.
struct Racer
{
    explicit Racer(Costed method, Path path) : method(method), engine(costEngine(method, path)) {}

    Costed method;
    Engine engine;
    double cost = 0;  ///< at the last window; 0: not timed, or it cannot
    double ratio = 0; ///< to the best there; 0: not timed
    bool isHopeless = false;
};

/// Costs of the racers in a window. They take turns, so that what disturbs the machine for a while
/// disturbs all.
void race(const std::vector<Racer *> &racers, CostScene &scene, CostKind kind, int window)
{
    constexpr int kRounds = 4;
    constexpr double kMost = 3e6, kFirst = 2e5, kGuess = 100; // nanoseconds
    for (Racer *racer : racers) {
        const double guess = std::max(racer->cost, kGuess);
        racer->cost = scene.time(racer->engine, racer->method, kind, window, guess, kFirst);
    }
    for (int round = 0; round < kRounds; ++round)
        for (Racer *racer : racers) {
            if (racer->cost == 0) continue;
            const double cost =
                scene.time(racer->engine, racer->method, kind, window, racer->cost, kMost);
            // the first was of few results
            racer->cost = round == 0 ? cost : std::min(racer->cost, cost);
        }
}

/// A slow method that takes so many times as long as the best, and no fewer times in larger
/// windows, is not timed in still larger ones. A fast one is: the best may be unable to do these.
void judge(const std::vector<Racer *> &racers)
{
    constexpr double kHopeless = 8, kSlow = 50;  // times; nanoseconds
    const auto counts = [](const Racer *racer) { // bits has one window
        return racer->cost > 0 && racer->method != Costed::Bits;
    };
    double best = 0;
    for (const Racer *racer : racers)
        if (counts(racer) && (best == 0 || racer->cost < best)) best = racer->cost;
    for (Racer *racer : racers) {
        if (!counts(racer)) continue;
        const double ratio = racer->cost / best;
        racer->isHopeless =
            racer->cost > kSlow && ratio > kHopeless && racer->ratio > 0 && ratio >= racer->ratio;
        racer->ratio = ratio;
    }
}

using Table = std::map<std::tuple<Costed, Path, CostKind>, std::unique_ptr<CostRows>>;

void set(Table &table, Costed method, Path path, CostKind kind, int row, int window, double cost)
{
    std::unique_ptr<CostRows> &rows = table[{method, path, kind}];
    if (!rows) rows.reset(new CostRows{method, path, kind, {}});
    rows->nanoseconds[row][window] = static_cast<float>(cost);
}

void timeRow(Table &table, CostScene &scene, Path path, CostKind kind, int row)
{
    std::vector<Racer> all;
    for (const Costed method : kCosted) all.emplace_back(method, path);
    for (int window = 0; window < kCostWindowCount; ++window) {
        std::vector<Racer *> racers;
        for (Racer &racer : all) {
            if (window == kCostByteWindows) racer.isHopeless = false, racer.ratio = 0;
            if (!racer.isHopeless && scene.has(racer.method, kind, window))
                racers.push_back(&racer);
        }
        race(racers, scene, kind, window);
        judge(racers);
        for (const Racer *racer : racers)
            if (racer->cost > 0) set(table, racer->method, path, kind, row, window, racer->cost);
    }
}

const char *nameOf(CostKind kind)
{
    switch (kind) {
    case CostKind::Entropy: return "Entropy";
    case CostKind::OtherMeasure: return "OtherMeasure";
    case CostKind::Missing: return "Missing";
    case CostKind::Footprint: return "Footprint";
    case CostKind::Double: break;
    }
    return "Double";
}

const char *nameOf(Costed method)
{
    switch (method) {
    case Costed::Bits: return "Bits";
    case Costed::Ranks: return "Ranks";
    case Costed::SlidingRanks: return "SlidingRanks";
    case Costed::Levels: return "Levels";
    case Costed::Histogram: return "Histogram";
    case Costed::Plain: break;
    }
    return "Plain";
}

const char *nameOf(Path path)
{
    switch (path) {
    case Path::Avx512Vbmi: return "Avx512Vbmi";
    case Path::Avx512: return "Avx512";
    case Path::Avx2: return "Avx2";
    case Path::Ssse3: return "Ssse3";
    case Path::Neon: return "Neon";
    case Path::Portable: break;
    }
    return "Portable";
}

/// Three digits; zeros at the end are left out.
std::string lineOf(const float (&costs)[kCostWindowCount])
{
    std::string line, zeros;
    for (const float cost : costs) {
        const std::string comma = line.empty() && zeros.empty() ? "" : ", ";
        if (cost == 0) {
            zeros += comma + "0";
            continue;
        }
        char number[32];
        std::snprintf(number, sizeof number, "%.3g", static_cast<double>(cost));
        line += zeros + comma + number;
        zeros.clear();
    }
    return "    {" + line + "},\n";
}

std::string textOf(const Table &table, const std::string &revision)
{
    std::string text = "// Written by `make costs`: bench_filter --costs. What it says: costs.h.\n"
                       "// Processor: " +
                       common::processorName() +
                       "\n// Compiler: " __VERSION__ "; revision: " + revision + "\n";
    for (const auto &[key, rows] : table) {
        text += std::string("{Costed::") + nameOf(rows->method) + ", Path::" + nameOf(rows->path) +
                ", CostKind::" + nameOf(rows->kind) + ", {\n";
        for (const auto &costs : rows->nanoseconds) text += lineOf(costs);
        text += "}},\n";
    }
    return text;
}

/// Those that rows are made of: a table that has only some of them would not be whole.
std::vector<Path> pathsHere()
{
    std::vector<Path> paths;
    for (const Path path : kPaths) {
        if (path == Path::Neon) continue; // has those of another
        if (!pathWorksHere(path))
            throw common::Error(std::string("--costs: this processor cannot be timed as ") +
                                pathName(path) + ", of which the table needs rows");
        paths.push_back(path);
    }
    return paths;
}

} // namespace

void writeCosts(const std::string &file, const std::string &revision)
{
    common::OutputFile output(file);
    const std::vector<Path> paths = pathsHere();
    common::Progress progress("bench_filter");
    Table table;
    for (int row = 0; row < kCostLevelCounts; ++row) {
        CostScene scene(kCostLevels[row]);
        for (const Path path : paths)
            for (const CostKind kind : kCostKinds) {
                progress.show(std::to_string(kCostLevels[row]) + " levels, " + pathName(path));
                timeRow(table, scene, path, kind, row);
            }
    }
    output.write(textOf(table, revision));
    output.commit();
}

} // namespace bench
