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

#include "local_entropy/methods/costs.inc"

constexpr int kPathCount = std::size(kPaths), kKindCount = std::size(kCostKinds),
              kMethodCount = std::size(kCosted);

constexpr std::size_t indexOf(Costed method, Path path)
{
    return static_cast<std::size_t>(method) * kPathCount + static_cast<std::size_t>(path);
}

constexpr std::size_t indexOf(Costed method, Path path, CostKind kind)
{
    return indexOf(method, path) * kKindCount + static_cast<std::size_t>(kind);
}

/// Where in a list that row is which has this index; -1: nowhere.
template <std::size_t kCount, typename Rows, typename IndexOf>
constexpr auto makeIndex(const Rows &rows, IndexOf indexOfRow)
{
    std::array<short, kCount> index{};
    for (short &place : index) place = -1;
    short place = 0;
    for (const auto &row : rows) index[indexOfRow(row)] = place++;
    return index;
}
constexpr auto kRowIndex = makeIndex<kMethodCount * kPathCount * kKindCount>(
    kRows, [](const CostRows &row) { return indexOf(row.method, row.path, row.kind); });
constexpr auto kShapeIndex = makeIndex<kMethodCount * kPathCount>(
    kShapes, [](const CostShapes &row) { return indexOf(row.method, row.path); });

/// That whose rows a path has.
Path measuredPath(Path path)
{
    return path == Path::Neon ? Path::Ssse3 : path; // vectors of 16 bytes, too
}

/// How oblong: 0 is a square, 1 a single row or column. At a number of cells, this falls about as
/// the shorter side grows, and many costs grow with that.
constexpr double oblongness(int width, int height)
{
    const int longer = width > height ? width : height, shorter = width > height ? height : width;
    return longer == shorter ? 0 : static_cast<double>(longer - shorter) / (longer + shorter - 2);
}

/// A window on a curve, between two of the table's.
struct OnCurve
{
    double oblongness;
    double times; ///< as long as in a square
};

/// kCostOblongs, made ready.
struct Oblong
{
    double side; ///< of the square that has as many cells
    double oblongness;
};

/// Not std::sqrt, which no constant may call; by Newton's rule.
constexpr double rootOf(double number)
{
    double root = number;
    for (int i = 0; i < 20; ++i) root = (root + number / root) / 2;
    return root;
}

constexpr auto makeOblongs()
{
    std::array<Oblong, kCostOblongCount> oblongs{};
    for (int i = 0; i < kCostOblongCount; ++i) {
        const auto [width, height] = kCostOblongs[i];
        oblongs[i] = {rootOf(width * height), oblongness(width, height)};
    }
    return oblongs;
}
constexpr auto kOblongs = makeOblongs();

/// False where the row has nothing on this curve. Its ends hold on beyond them.
bool findOnCurve(const float *times, const CostCurve &curve, double side, OnCurve &found)
{
    int before = -1;
    for (int next = curve.begin; next < curve.end; ++next) {
        if (times[next] == 0) continue;
        const Oblong &to = kOblongs[next];
        found = {to.oblongness, times[next]};
        if (to.side >= side) {
            if (before < 0) return true;
            const Oblong &from = kOblongs[before];
            const double share = (side - from.side) / (to.side - from.side);
            found.oblongness = from.oblongness + (to.oblongness - from.oblongness) * share;
            found.times = times[before] + (times[next] - times[before]) * share;
            return true;
        }
        before = next;
    }
    return before >= 0;
}

/// How many times as long as in a square, by a row of CostShapes: between the curves about it.
double timesOf(const float *times, const Shape &shape)
{
    const double side = std::sqrt(shape.cells);
    const double wanted = oblongness(shape.width, shape.height);
    const bool isByte = shape.cells <= kMostByteCells;
    const CostCurve *curves = isByte ? kCostByteCurves : kCostWideCurves;
    const int count = isByte ? std::size(kCostByteCurves) : std::size(kCostWideCurves);
    OnCurve before = {0, 1}, next = before; // a square
    for (int i = 0; i < count; ++i) {
        if (!findOnCurve(times, curves[i], side, next)) continue;
        if (next.oblongness >= wanted)
            return before.times + (next.times - before.times) * (wanted - before.oblongness) /
                                      (next.oblongness - before.oblongness);
        before = next;
    }
    return before.times;
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

} // namespace

bool mayMissMany(const Problem &problem)
{
    return problem.mayMiss && (problem.mask.data || problem.filter.nodata ||
                               (problem.filter.border == Border::Cut && isAtEdge(problem)));
}

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
    const short place = kRowIndex[indexOf(method, measuredPath(path), kind)];
    return place < 0 ? nullptr : &kRows[place];
}

const CostShapes *costShapes(Costed method, Path path)
{
    const short place = kShapeIndex[indexOf(method, measuredPath(path))];
    return place < 0 ? nullptr : &kShapes[place];
}

double costOfFloats(Path path)
{
    for (const CostFloats &floats : kFloats)
        if (floats.path == measuredPath(path)) return floats.nanoseconds;
    return 0;
}

double costAmongSquares(const float (&row)[kCostSideCount], int cells)
{
    const double side = std::sqrt(cells);
    const bool isByte = cells <= kMostByteCells;
    int first = isByte ? 0 : kCostByteSides, last = (isByte ? kCostByteSides : kCostSideCount) - 1;
    while (first <= last && row[first] == 0) ++first;
    while (last >= first && row[last] == 0) --last;
    if (first > last) return std::numeric_limits<double>::infinity();
    if (side <= kCostSides[first]) return row[first];
    const double most = kCostSides[last];
    if (side >= most) return row[last] * (side / most) * (side / most);
    int before = first, next = first + 1;
    while (row[next] == 0 || kCostSides[next] < side) {
        if (row[next] != 0) before = next;
        ++next;
    }
    const double from = kCostSides[before], to = kCostSides[next];
    return row[before] + (row[next] - row[before]) * (side - from) / (to - from);
}

namespace
{

/// Of a method on a path.
struct Costs
{
    const CostRows &rows;
    const CostShapes *shapes; ///< null: as in squares

    double at(int level, const Shape &shape) const
    {
        const double square = costAmongSquares(rows.nanoseconds[level], shape.cells);
        if (!shapes || !shape.rectangle || shape.width == shape.height) return square;
        const bool isBroad = shape.width > shape.height;
        return square * timesOf((isBroad ? shapes->broad : shapes->tall)[level], shape);
    }
};

/// Of cells that are bytes or words.
double costOfLevels(Costed method, const Problem &problem, Path path)
{
    const CostRows *rows = costRows(method, path, costKindOf(problem));
    if (!rows) return std::numeric_limits<double>::infinity();
    const Costs costs{*rows, costShapes(method, path)};
    const int levels = problem.filter.levels.count;
    int row = 0;
    while (kCostLevels[row] < levels) ++row;
    const double cost = costs.at(row, problem.shape);
    if (kCostLevels[row] == levels || row == kCostByteLevels) return cost;
    const double before = costs.at(row - 1, problem.shape);
    if (!std::isfinite(before)) return cost;
    const double from = kCostLevels[row - 1], to = kCostLevels[row];
    return before + (cost - before) * (levels - from) / (to - from);
}

} // namespace

double costOf(Costed method, const Problem &problem, Path path)
{
    const double cost = costOfLevels(method, problem, path);
    // The table's cells are bytes, but for bits, which reads floats itself.
    if (method == Costed::Bits || problem.image.type != CellType::Float32) return cost;
    return cost + costOfFloats(path);
}

} // namespace local_entropy
