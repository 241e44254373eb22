#include "local_entropy/methods/histogram/histogram.h"

#include "local_entropy/methods/costs.h"
#include "local_entropy/methods/histogram/strips.h"
#include "local_entropy/methods/histogram/turn.h"
#include "local_entropy/methods/histogram/walk_plan.h"
#include "local_entropy/methods/plain/plain.h"
#include "local_entropy/methods/results.h"

#include <algorithm>
#include <cstring>

namespace local_entropy
{
namespace
{

constexpr int kMostValues = 65536; ///< that two bytes can tell apart
constexpr int kSlackColumns = 16;  ///< of a turned tile, behind its last column

/// A tile on its side, in scratch; `shape` is that of the window on its side.
template <typename Cell>
Tile turnedTile(const Shape &shape, const Tile &tile, Scratch &scratch)
{
    Tile other = tile;
    other.width = tile.height;
    other.height = tile.width;
    const std::int64_t columns = other.width + shape.width - 1;
    const std::int64_t rows = other.height + shape.height - 1;
    other.stride = columns + kSlackColumns;
    const std::size_t cellBytes = (other.stride * rows * sizeof(Cell) + 63) / 64 * 64;
    const std::size_t absentBytes =
        tile.missing ? other.width * other.height * sizeof(std::uint16_t) : 0;
    char *memory = static_cast<char *>(scratch.get(Scratch::MethodB, cellBytes + absentBytes));
    Cell *cells = reinterpret_cast<Cell *>(memory);
    turn(tile.row<Cell>(0), tile.stride, rows, columns, cells, other.stride);
    for (std::int64_t y = 0; y < rows; ++y)
        std::fill_n(cells + y * other.stride + columns, kSlackColumns, Cell{0});
    other.cells = cells;
    if (tile.missing) {
        std::uint16_t *absent = reinterpret_cast<std::uint16_t *>(memory + cellBytes);
        turn(tile.absent, tile.absentStride, tile.width, tile.height, absent, other.width);
        other.absent = absent;
        other.absentStride = other.width;
    }
    return other;
}

constexpr std::int64_t kLength = 512; ///< of a tile, and at least so many times a window's:
constexpr int kWindows = 8, kFewWindows = 3;

/// Long in the direction of the walk, which has to fill the first window of every strip: shorter
/// where threads would have no tile at all. Of the frame around the inner cells (schedule/parts.h)
/// each strip would be one tile, and these are a call's last.
TileSize walkedTile(const Region &region, const Shape &shape, bool turns, int threads)
{
    constexpr std::int64_t kBreadth = 128, kTilesOfThread = 4;
    const int reach = turns ? shape.width : shape.height;
    const std::int64_t side = turns ? region.height : region.width;
    std::int64_t length = std::min(std::max<std::int64_t>(kLength, kWindows * reach),
                                   turns ? region.width : region.height);
    std::int64_t breadth = kBreadth;
    // Threads that have too few tiles to share get smaller ones.
    const auto tiles = [&] {
        return (region.width * region.height) / std::max<std::int64_t>(length * breadth, 1);
    };
    if (threads > 1)
        while (tiles() < kTilesOfThread * threads && breadth > kSlackColumns) breadth /= 2;
    breadth = std::min(breadth, side);
    if (threads > 1)
        while (tiles() < threads && length / 2 >= kFewWindows * reach) length = (length + 1) / 2;
    return turns ? TileSize{length, breadth} : TileSize{breadth, length};
}

/// How many times as long as in a large tile a result takes in one: columns that fill no vector,
/// and the first window of every column.
double timesOf(std::int64_t breadth, std::int64_t length, int reach)
{
    const auto started = [&](std::int64_t rows) { return 1 + static_cast<double>(reach) / rows; };
    const std::int64_t vectors = (breadth + kSlackColumns - 1) / kSlackColumns;
    return static_cast<double>(vectors * kSlackColumns) / breadth * started(length) /
           started(std::max<std::int64_t>(kLength, kWindows * reach));
}

class HistogramPlan : public Plan
{
public:
    explicit HistogramPlan(const Problem &problem) : prepared(problem) {}

    TileSize tileSize(const Problem &problem, int threads) const override
    {
        const Region &region = problem.region;
        return walkedTile(region, problem.shape, prepared.turns(region.width, region.height),
                          threads);
    }

    void work(const Problem &problem, TileQueue &queue, Scratch &scratch) const override
    {
        if (problem.result.isDouble)
            workFor<double>(problem, queue, scratch);
        else
            workFor<float>(problem, queue, scratch);
    }

private:
    template <typename Value>
    void workFor(const Problem &problem, TileQueue &queue, Scratch &scratch) const
    {
        const int values = std::min(problem.filter.levels.count + 1, kMostValues);
        const std::size_t bytes = histogramBytes(prepared, values);
        void *histograms = scratch.get(Scratch::MethodA, bytes);
        std::memset(histograms, 0, bytes);
        Region place;
        while (queue.take(place)) {
            const Tile tile = loadTile(problem, place, scratch);
            if (tile.bytes == 1)
                fill<std::uint8_t, Value>(problem, tile, histograms, scratch);
            else if (tile.bytes == 2)
                fill<std::uint16_t, Value>(problem, tile, histograms, scratch);
            else
                plainTile(problem, tile, prepared.answers);
        }
    }

    template <typename Cell, typename Value>
    void fill(const Problem &problem, const Tile &tile, void *histograms, Scratch &scratch) const
    {
        Value *results = resultRow<Value>(problem, tile.place, 0);
        if (!prepared.turns(tile.width, tile.height)) {
            walkTile<Cell>(prepared, prepared.down, tile, histograms, results,
                           problem.result.stride);
            return;
        }
        const Tile other = turnedTile<Cell>(prepared.across.shape, tile, scratch);
        Value *turnedResults = static_cast<Value *>(
            scratch.get(Scratch::MethodC, other.width * other.height * sizeof(Value)));
        walkTile<Cell>(prepared, prepared.across, other, histograms, turnedResults, other.width);
        turn(turnedResults, other.width, other.width, other.height, results, problem.result.stride);
    }

    const Prepared prepared;
};

class Histogram : public Method
{
public:
    const char *name() const override { return "histogram"; }

    /// Whatever follows from a sum over the levels: not the Hill numbers of other orders.
    bool can(const Problem &problem, Path) const override
    {
        const double order = problem.filter.order;
        return problem.filter.measure != Measure::Hill || order == 0 || order == 1 || order == 2;
    }

    double cost(const Problem &problem, Path path) const override
    {
        return costOf(Costed::Histogram, problem, path);
    }

    double costInTiles(const Problem &problem, Path path, int threads) const override
    {
        const Shape &shape = problem.shape;
        const TileSize down = walkedTile(problem.region, shape, false, threads);
        const TileSize across = walkedTile(problem.region, shape, true, threads);
        return cost(problem, path) * std::min(timesOf(down.width, down.height, shape.height),
                                              timesOf(across.height, across.width, shape.width));
    }

    std::unique_ptr<const Plan> plan(const Problem &problem, Path) const override
    {
        return std::make_unique<HistogramPlan>(problem);
    }

    bool canLaunch(const Problem &problem) const override { return canWalk(problem); }
    int sharedBytes(const Problem &problem) const override { return walkSharedBytes(problem); }
    double launchCost(const Problem &problem) const override { return walkCost(problem); }
    const char *launches() const override
    {
        return "entropies as float of rectangles of up to 255 cells, at most 9, 11 or 15 wide, or "
               "of more, 9, 11, 15, 21 or 31 wide, of few hundred levels";
    }
    std::unique_ptr<const PlanePlan> planePlan(const Problem &problem) const override
    {
        return makeWalkPlan(problem);
    }
};

} // namespace

const Method &histogramMethod()
{
    static const Histogram &method = *new Histogram; // never destroyed, see methods()
    return method;
}

} // namespace local_entropy
