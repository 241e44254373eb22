#include "local_entropy/methods/costs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

namespace local_entropy
{
namespace
{

constexpr CostRows kRows[] = {
#include "local_entropy/methods/costs.inc"
};

constexpr int kPathCount = std::size(kPaths), kKindCount = std::size(kCostKinds);

constexpr std::size_t indexOf(Costed method, Path path, CostKind kind)
{
    return (static_cast<std::size_t>(method) * kPathCount + static_cast<std::size_t>(path)) *
               kKindCount +
           static_cast<std::size_t>(kind);
}

/// Where in kRows they are; -1: nowhere.
constexpr auto makeIndex()
{
    std::array<short, std::size(kCosted) * kPathCount * kKindCount> index{};
    for (short &place : index) place = -1;
    short place = 0;
    for (const CostRows &rows : kRows) index[indexOf(rows.method, rows.path, rows.kind)] = place++;
    return index;
}
constexpr auto kIndex = makeIndex();

/// Windows begin .. end - 1 of the table, all of the same size of counts.
struct Columns
{
    int begin, end;
};

Columns columnsOf(const Shape &shape)
{
    return shape.cells <= kMostByteCells ? Columns{0, kCostByteWindows}
                                         : Columns{kCostByteWindows, kCostWindowCount};
}

/// A row at a side. What lies before its first point costs as much as that. Behind its last, the
/// cost grows as the cells do: no method is slower.
double costIn(const float *row, Columns columns, double side)
{
    int first = columns.begin, last = columns.end - 1;
    while (first <= last && row[first] == 0) ++first;
    while (last >= first && row[last] == 0) --last;
    if (first > last) return std::numeric_limits<double>::infinity();
    if (side <= kCostWindows[first].side) return row[first];
    const double most = kCostWindows[last].side;
    if (side >= most) return row[last] * (side / most) * (side / most);
    int before = first, next = first + 1;
    while (row[next] == 0 || kCostWindows[next].side < side) {
        if (row[next] != 0) before = next;
        ++next;
    }
    const double from = kCostWindows[before].side, to = kCostWindows[next].side;
    return row[before] + (row[next] - row[before]) * (side - from) / (to - from);
}

/// Whether windows of this region may reach over the edge.
bool isAtEdge(const Problem &problem)
{
    const Region &region = problem.region;
    const Shape &shape = problem.shape;
    return region.x < shape.left || region.y < shape.top ||
           region.x + region.width - shape.left + shape.width - 1 > problem.image.width ||
           region.y + region.height - shape.top + shape.height - 1 > problem.image.height;
}

/// Whether many cells may be missing: more than floats that are NaN here and there.
bool mayMissMany(const Problem &problem)
{
    return problem.mayMiss && (problem.mask.data || problem.filter.nodata ||
                               (problem.filter.border == Border::Cut && isAtEdge(problem)));
}

} // namespace

const char *costedName(Costed method)
{
    switch (method) {
    case Costed::Bits: return "bits";
    case Costed::Ranks: return "ranks";
    case Costed::SlidingRanks: return "sliding-ranks";
    case Costed::Levels: return "levels";
    case Costed::Histogram: return "histogram";
    case Costed::Plain: break;
    }
    return "plain";
}

CostKind costKindOf(const Problem &problem)
{
    if (problem.result.isDouble) return CostKind::Double;
    if (!problem.shape.rectangle) return CostKind::Footprint;
    if (mayMissMany(problem)) return CostKind::Missing;
    return problem.filter.measure == Measure::Entropy ? CostKind::Entropy : CostKind::OtherMeasure;
}

const CostRows *costRows(Costed method, Path path, CostKind kind)
{
    // vectors of 16 bytes, too
    const Path measured = path == Path::Neon ? Path::Ssse3 : path;
    const short place = kIndex[indexOf(method, measured, kind)];
    return place < 0 ? nullptr : &kRows[place];
}

double costSide(Costed method, const Shape &shape)
{
    const double cells = shape.cells;
    switch (method) {
    case Costed::Levels: // rows enter and leave by columns; larger counts take more look-ups
        return std::max<double>(shape.width, std::sqrt(cells));
    case Costed::Histogram: {
        // A broad window's tile is turned, so that the fewer cells enter and leave; and that takes
        // as long as so many cells: measured.
        constexpr int kTurning = 7;
        if (shape.rectangle) return std::min(shape.width, shape.height + kTurning);
        break;
    }
    case Costed::SlidingRanks: { // columns cost more than rows: measured
        const double aspect = static_cast<double>(shape.width) / shape.height;
        return std::sqrt(cells * (aspect > 1 ? std::cbrt(aspect) : std::pow(aspect, 0.125)));
    }
    default: break;
    }
    return std::sqrt(cells);
}

/// Of cells that are bytes or words.
static double costOfLevels(Costed method, const Problem &problem, Path path)
{
    const CostRows *rows = costRows(method, path, costKindOf(problem));
    if (!rows) return std::numeric_limits<double>::infinity();
    const Columns columns = columnsOf(problem.shape);
    const double side = costSide(method, problem.shape);
    const int levels = problem.filter.levels.count;
    int row = 0;
    while (kCostLevels[row] < levels) ++row;
    const double cost = costIn(rows->nanoseconds[row], columns, side);
    if (kCostLevels[row] == levels || row == kCostByteLevels) return cost;
    const double before = costIn(rows->nanoseconds[row - 1], columns, side);
    if (!std::isfinite(before)) return cost;
    const double from = kCostLevels[row - 1], to = kCostLevels[row];
    return before + (cost - before) * (levels - from) / (to - from);
}

double costOf(Costed method, const Problem &problem, Path path)
{
    // The table's cells are bytes, but for bits, which reads floats itself. To make levels of them
    // takes others so long: measured.
    constexpr double kFloat = 1.5; // nanoseconds a result
    if (method != Costed::Bits && problem.image.type == CellType::Float32)
        return kFloat + costOfLevels(method, problem, path);
    return costOfLevels(method, problem, path);
}

} // namespace local_entropy
