#include "local_entropy/methods/plain/plain.h"

#include "local_entropy/methods/answers_of.h"
#include "local_entropy/methods/costs.h"
#include "local_entropy/methods/plain/recount.h"
#include "local_entropy/methods/results.h"

#include <algorithm>
#include <vector>

namespace local_entropy
{
namespace
{

/// The counts of one window at a time.
template <typename Cell>
class Counter
{
public:
    explicit Counter(const Tile &tile) : tile(tile), countOf(tile.values) {}

    /// The counts of the levels in the window of result (x, y) of the tile, in any order.
    const std::vector<int> &count(const Shape &shape, std::int64_t x, std::int64_t y)
    {
        seen.clear();
        for (const Run &run : shape.runs) {
            const Cell *cells = tile.row<Cell>(y + run.row) + x;
            for (int i = run.begin; i < run.end; ++i)
                if (countOf[cells[i]]++ == 0) seen.push_back(cells[i]);
        }
        counts.clear();
        for (const std::uint32_t cell : seen) {
            if (!tile.missing || cell != tile.none) counts.push_back(countOf[cell]);
            countOf[cell] = 0;
        }
        return counts;
    }

private:
    const Tile &tile;
    std::vector<int> countOf; ///< of every value of a cell; all 0 between windows
    std::vector<std::uint32_t> seen;
    std::vector<int> counts;
};

template <typename Cell, typename Value>
void fill(const Problem &problem, const Tile &tile, const Answers &answers)
{
    Counter<Cell> counter(tile);
    for (std::int64_t y = 0; y < tile.height; ++y) {
        Value *const to = resultRow<Value>(problem, tile.place, y);
        for (std::int64_t x = 0; x < tile.width; ++x) {
            const std::vector<int> &counts = counter.count(problem.shape, x, y);
            const int number = static_cast<int>(counts.size());
            if constexpr (sizeof(Value) == sizeof(float))
                to[x] = answers.floatOf(counts.data(), number);
            else
                to[x] = answers.doubleOf(counts.data(), number);
        }
    }
}

template <typename Cell>
void fill(const Problem &problem, const Tile &tile, const Answers &answers)
{
    if (problem.result.isDouble)
        fill<Cell, double>(problem, tile, answers);
    else
        fill<Cell, float>(problem, tile, answers);
}

class PlainPlan : public Plan
{
public:
    explicit PlainPlan(const Problem &problem) : answers(answersOf(problem)) {}

    TileSize tileSize(const Problem &problem, int) const override
    {
        // So few cells to count that cancelling does not wait long.
        constexpr std::int64_t kCells = 4 << 20, kHeight = 16;
        const std::int64_t windows = std::max<std::int64_t>(kCells / problem.shape.cells, 1);
        return {std::max<std::int64_t>(windows / kHeight, 16), std::min(windows, kHeight)};
    }

    void work(const Problem &problem, TileQueue &queue, Scratch &scratch) const override
    {
        Region place;
        while (queue.take(place)) plainTile(problem, loadTile(problem, place, scratch), answers);
    }

private:
    const Answers answers;
};

class Plain : public Method
{
public:
    const char *name() const override { return "plain"; }
    bool can(const Problem &, Path) const override { return true; }

    double cost(const Problem &problem, Path path) const override
    {
        return costOf(Costed::Plain, problem, path);
    }

    std::unique_ptr<const Plan> plan(const Problem &problem, Path) const override
    {
        return std::make_unique<PlainPlan>(problem);
    }

    bool canLaunch(const Problem &) const override { return true; }
    double launchCost(const Problem &problem) const override
    {
        // Measured on an H200, doubles of 16 levels: 1.4 ns at 3x3, 5.9 at 31x31, 37 at 101x101.
        return 1.4 + 0.004 * problem.shape.cells;
    }
    std::unique_ptr<const PlanePlan> planePlan(const Problem &problem) const override
    {
        return makeRecount(problem);
    }
};

} // namespace

void plainTile(const Problem &problem, const Tile &tile, const Answers &answers)
{
    if (tile.bytes == 1)
        fill<std::uint8_t>(problem, tile, answers);
    else if (tile.bytes == 2)
        fill<std::uint16_t>(problem, tile, answers);
    else
        fill<std::uint32_t>(problem, tile, answers);
}

const Method &plainMethod()
{
    static const Plain &method = *new Plain;
    return method;
}

} // namespace local_entropy
