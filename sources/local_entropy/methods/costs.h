// What methods cost: a table that a benchmark wrote, costs.inc, and how it is read. `make costs`
// measures it anew.
#pragma once

#include "local_entropy/problem/problem.h"
#include "local_entropy/simd/paths.h"

namespace local_entropy
{

/// The methods that have rows in the table.
enum class Costed { Bits, Ranks, SlidingRanks, Levels, Histogram, Plain };
constexpr Costed kCosted[] = {Costed::Bits,   Costed::Ranks,     Costed::SlidingRanks,
                              Costed::Levels, Costed::Histogram, Costed::Plain};

const char *costedName(Costed method); ///< Method::name()

/// What a problem asks for that sends methods through other code. Of what else it may ask, nothing
/// changes which method is the best: cells of other types are loaded in the same way for all, and
/// the base is a factor.
enum class CostKind {
    Entropy,      ///< of rectangles, all of whose cells count, as float
    OtherMeasure, ///< the same, not the entropy
    Missing,      ///< rectangles some of whose cells do not count, float
    Footprint,    ///< float
    Double        ///< whatever else it is
};
constexpr CostKind kCostKinds[] = {CostKind::Entropy, CostKind::OtherMeasure, CostKind::Missing,
                                   CostKind::Footprint, CostKind::Double};
CostKind costKindOf(const Problem &problem);
/// Whether many cells may be missing: more than floats that are NaN here and there.
bool mayMissMany(const Problem &problem);

/// The table's points; where these lists change, leave one {} in each array of costs.inc and `make
/// costs`. Between two of them costs are interpolated: what methods do grows with the number of
/// levels and with the side of the window, in steps of a cell, so a straight line is near. Not so
/// from 256 levels to more, since cells become two bytes, and from windows of 255 cells to larger
/// ones, since counts do: from there on the next point counts.
constexpr int kCostLevels[] = {2, 3, 4, 8, 12, 16, 24, 32, 64, 128, 256, 300, 4096, 65536};
constexpr int kCostLevelCounts = sizeof kCostLevels / sizeof kCostLevels[0];
constexpr int kCostByteLevels = 11; ///< the first of them: to 256

/// Squares, and what stands for them where footprints are asked for: disks of as many cells.
constexpr int kCostSides[] = {2, 3, 4, 5, 6, 7, 9, 11, 15, 16, 21, 31, 63, 127, 255};
constexpr int kCostSideCount = sizeof kCostSides / sizeof kCostSides[0];
constexpr int kCostByteSides = 9;   ///< the first of them: up to 255 cells
constexpr int kMostByteCells = 255; ///< in a window

/// Nanoseconds a result, on one thread, at the points; 0 where nothing was measured: there the
/// method cannot, or is hopeless.
struct CostRows
{
    Costed method;
    Path path;
    CostKind kind;
    float nanoseconds[kCostLevelCounts][kCostSideCount];
};

/// Broad windows; turned, they are the tall ones. They lie on curves: windows that are about as
/// oblong as each other, of more and more cells.
struct CostOblong
{
    int width, height;
};
constexpr CostOblong kCostOblongs[] = {
    // up to 255 cells
    {8, 3},
    {14, 4},
    {24, 5},
    {34, 7},
    {12, 2},
    {28, 2},
    {48, 3},
    {80, 3},
    {24, 1},
    {80, 1},
    {240, 1},
    // and more
    {40, 7},
    {90, 12},
    {200, 26},
    {130, 2},
    {255, 5},
};
constexpr int kCostOblongCount = sizeof kCostOblongs / sizeof kCostOblongs[0];
struct CostCurve
{
    int begin, end; ///< in kCostOblongs
};
constexpr CostCurve kCostByteCurves[] = {{0, 4}, {4, 8}, {8, 11}}; ///< the least oblong first
constexpr CostCurve kCostWideCurves[] = {{11, 14}, {14, 16}};

/// How many times as long a method takes as in a square of as many cells, in a broad window and in
/// a tall one; 0 where nothing was measured. Measured with CostKind::Entropy and taken for the
/// other kinds of rectangles, too: their squares differ more than their factors.
struct CostShapes
{
    Costed method;
    Path path;
    float broad[kCostLevelCounts][kCostOblongCount], tall[kCostLevelCounts][kCostOblongCount];
};

/// Nanoseconds a result that it takes to make levels of cells that are floats: measured with 16
/// levels in 5x5, where one method, bits, does without.
struct CostFloats
{
    Path path;
    float nanoseconds;
};

/// The table; null where there are no such rows. A path that has none of its own, since no machine
/// of its kind has made the table, has those of another.
const CostRows *costRows(Costed method, Path path, CostKind kind);
const CostShapes *costShapes(Costed method, Path path);
double costOfFloats(Path path);

/// A row of CostRows at a window of so many cells. What lies before its first point costs as much
/// as that. Behind its last, the cost grows as the cells do: no method is slower. Infinity where
/// the row knows nothing.
double costAmongSquares(const float (&nanoseconds)[kCostSideCount], int cells);

/// About how long `method` takes: nanoseconds a result, on one thread. Infinity where the table
/// knows nothing.
double costOf(Costed method, const Problem &problem, Path path);

} // namespace local_entropy
