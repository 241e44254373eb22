#include "bench/cost_table.h"

#include "bench/cost_scene.h"
#include "bench/cost_text.h"
#include "common/error.h"
#include "common/output_file.h"
#include "common/progress.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

namespace bench
{

using local_entropy::Costed;
using local_entropy::CostKind;
using local_entropy::CostOblong;
using local_entropy::CostShapes;
using local_entropy::Path;

namespace
{

constexpr int kBitsLevels = 16, kBitsSide = 5; // floats are timed with the same
constexpr double kHopeless = 8, kSlow = 50;    // times the best, nanoseconds: see judge

/// A method in a row of the table: a path, a kind, a number of levels.
struct Racer
{
    Racer(Costed method, Path path) : method(method), engine(costEngine(method, path)) {}

    Costed method;
    Engine engine;
    double cost = 0;  ///< at the last window; 0: not timed, or it cannot
    double ratio = 0; ///< to the best there; 0: not timed
    bool isHopeless = false;
};

enum class Plain { Races, DoesNot };

/// All methods but bits, which reads floats itself and is timed by itself, and, where it would only
/// take time, but plain.
std::vector<Racer> racersOf(Path path, Plain plain)
{
    std::vector<Racer> racers;
    for (const Costed method : local_entropy::kCosted)
        if (method != Costed::Bits && (method != Costed::Plain || plain == Plain::Races))
            racers.emplace_back(method, path);
    return racers;
}

double bestOf(const std::vector<Racer *> &racers)
{
    double best = 0;
    for (const Racer *racer : racers)
        if (racer->cost > 0 && (best == 0 || racer->cost < best)) best = racer->cost;
    return best;
}

/// Costs of the racers at a point. They take turns, so that what disturbs the machine for a while
/// disturbs all. Who is far from the best takes fewer: there a disturbance decides nothing.
void race(const std::vector<Racer *> &racers, CostScene &scene, const CostPoint &point)
{
    constexpr int kRounds = 4, kRoundsOfSlow = 2;
    constexpr double kMost = 3e6, kFirst = 2e5, kGuess = 100; // nanoseconds
    constexpr double kFar = 2;
    for (Racer *racer : racers) {
        const double guess = std::max(racer->cost, kGuess);
        racer->cost = 0;
        if (scene.can(racer->engine, point))
            racer->cost = scene.time(racer->engine, point, guess, kFirst);
    }
    for (int round = 0; round < kRounds; ++round) {
        const double best = bestOf(racers);
        for (Racer *racer : racers) {
            if (racer->cost == 0 || (round >= kRoundsOfSlow && racer->cost > kFar * best)) continue;
            const double cost = scene.time(racer->engine, point, racer->cost, kMost);
            // the first was of few results
            racer->cost = round == 0 ? cost : std::min(racer->cost, cost);
        }
    }
}

/// A slow method that takes so many times as long as the best, and no fewer times in larger
/// windows, is not timed in still larger ones. A fast one is: the best may be unable to do these.
void judge(const std::vector<Racer *> &racers)
{
    const double best = bestOf(racers);
    for (Racer *racer : racers) {
        if (racer->cost == 0) continue;
        const double ratio = racer->cost / best;
        racer->isHopeless =
            racer->cost > kSlow && ratio > kHopeless && racer->ratio > 0 && ratio >= racer->ratio;
        racer->ratio = ratio;
    }
}

void timeSquares(CostTable &table, CostScene &scene, Path path, CostKind kind, int row)
{
    constexpr int kWidestFootprint = 63;
    std::vector<Racer> all = racersOf(path, Plain::Races);
    for (int i = 0; i < local_entropy::kCostSideCount; ++i) {
        const int side = local_entropy::kCostSides[i];
        CostPoint point = CostPoint::rectangle(kind, side, side);
        if (kind == CostKind::Footprint) {
            point.window = diskOf(side);
            if (point.window.width > kWidestFootprint || shapeOf(point.window).rectangle) continue;
        }
        std::vector<Racer *> racers;
        for (Racer &racer : all) {
            if (i == local_entropy::kCostByteSides) racer.isHopeless = false, racer.ratio = 0;
            if (!racer.isHopeless) racers.push_back(&racer);
        }
        race(racers, scene, point);
        judge(racers);
        for (const Racer *racer : racers)
            if (racer->cost > 0)
                table.rowsOf(racer->method, path, kind).nanoseconds[row][i] =
                    static_cast<float>(racer->cost);
    }
}

/// The racers without those that would be hopeless, if the window took as long as a square, and
/// what they would cost, as a guess.
std::vector<Racer *> hopefulOf(std::vector<Racer> &all, const std::vector<double> &squares,
                               CostScene &scene, const CostPoint &point)
{
    std::vector<Racer *> able, hopeful;
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].cost = squares[i];
        if (std::isfinite(squares[i]) && scene.can(all[i].engine, point)) able.push_back(&all[i]);
    }
    const double best = bestOf(able);
    for (Racer *racer : able)
        if (racer->cost <= std::max(kHopeless * best, kSlow)) hopeful.push_back(racer);
    return hopeful;
}

/// After the squares of this row.
void timeOblongs(CostTable &table, CostScene &scene, Path path, int row)
{
    std::vector<Racer> all = racersOf(path, Plain::DoesNot);
    for (const bool isBroad : {true, false})
        for (int i = 0; i < local_entropy::kCostOblongCount; ++i) {
            const CostOblong &at = local_entropy::kCostOblongs[i];
            std::vector<double> squares;
            for (const Racer &racer : all)
                squares.push_back(
                    table.amongSquares(racer.method, path, row, at.width * at.height));
            const CostPoint point =
                isBroad ? CostPoint::rectangle(CostTable::kOblongKind, at.width, at.height)
                        : CostPoint::rectangle(CostTable::kOblongKind, at.height, at.width);
            const std::vector<Racer *> racers = hopefulOf(all, squares, scene, point);
            race(racers, scene, point);
            for (const Racer *racer : racers) {
                CostShapes &shapes = table.shapesOf(racer->method, path);
                (isBroad ? shapes.broad : shapes.tall)[row][i] =
                    static_cast<float>(racer->cost / squares[racer - all.data()]);
            }
        }
}

/// What floats cost the method that is then the best, but for bits; and what they cost bits.
void timeFloats(CostTable &table, CostScene &scene, Path path, int row)
{
    CostPoint point = CostPoint::rectangle(CostKind::Entropy, kBitsSide, kBitsSide);
    std::vector<Racer> all = racersOf(path, Plain::DoesNot);
    std::vector<Racer *> racers;
    for (Racer &racer : all)
        if (scene.can(racer.engine, point)) racers.push_back(&racer);
    race(racers, scene, point);
    std::vector<double> bytes;
    for (const Racer *racer : racers) bytes.push_back(racer->cost);
    point.isFloat = true;
    race(racers, scene, point);
    const auto best =
        std::min_element(racers.begin(), racers.end(),
                         [](const Racer *a, const Racer *b) { return a->cost < b->cost; });
    table.floats[path] = std::max((*best)->cost - bytes[best - racers.begin()], 0.0);

    point.isWhole = true;
    Racer bits(Costed::Bits, path);
    race({&bits}, scene, point);
    const int *side = std::find(std::begin(local_entropy::kCostSides),
                                std::end(local_entropy::kCostSides), kBitsSide);
    table.rowsOf(Costed::Bits, path, CostKind::Missing)
        .nanoseconds[row][side - local_entropy::kCostSides] = static_cast<float>(bits.cost);
}

/// Those that rows are made of: a table that has only some of them would not be whole.
std::vector<Path> pathsHere()
{
    std::vector<Path> paths;
    for (const Path path : local_entropy::kPaths) {
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
    CostTable table;
    for (int row = 0; row < local_entropy::kCostLevelCounts; ++row) {
        const int levels = local_entropy::kCostLevels[row];
        CostScene scene(levels, levels == kBitsLevels);
        for (const Path path : paths) {
            progress.show(std::to_string(levels) + " levels, " + pathName(path));
            for (const CostKind kind : local_entropy::kCostKinds)
                timeSquares(table, scene, path, kind, row);
            timeOblongs(table, scene, path, row);
            if (levels == kBitsLevels) timeFloats(table, scene, path, row);
        }
    }
    output.write(textOf(table, revision));
    output.commit();
}

} // namespace bench
