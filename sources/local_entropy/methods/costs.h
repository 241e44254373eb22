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

/// The table's points; where these lists change, empty costs.inc and `make costs`. Between two of
/// them costs are interpolated: what methods do grows with the number of levels and with the side
/// of the window, in steps of a cell, so a straight line is near. Not so from 256 levels to more,
/// since cells become two bytes, and from windows of 255 cells to larger ones, since counts do:
/// from there on the next point counts.
constexpr int kCostLevels[] = {2, 3, 4, 8, 12, 16, 24, 32, 64, 128, 256, 300, 4096, 65536};
constexpr int kCostLevelCounts = sizeof kCostLevels / sizeof kCostLevels[0];
constexpr int kCostByteLevels = 11; ///< the first of them: to 256

/// As many cells as a square of this side has or, where that would be more or less than a window of
/// its kind has, 255 or 256 of this width.
struct CostWindow
{
    int side, width, height;
};
constexpr CostWindow kCostWindows[] = {
    // up to 255 cells
    {2, 2, 2},
    {3, 3, 3},
    {4, 4, 4},
    {5, 5, 5},
    {6, 6, 6},
    {7, 7, 7},
    {9, 9, 9},
    {11, 11, 11},
    {15, 15, 15},
    {31, 31, 8},
    {63, 63, 4},
    {255, 255, 1},
    // and more
    {3, 3, 86},
    {9, 9, 29},
    {16, 16, 16},
    {21, 21, 21},
    {31, 31, 31},
    {63, 63, 63},
    {127, 127, 127},
    {255, 255, 255},
};
constexpr int kCostWindowCount = sizeof kCostWindows / sizeof kCostWindows[0];
constexpr int kCostByteWindows = 12; ///< the first of them
constexpr int kMostByteCells = 255;  ///< in a window

/// Nanoseconds a result, on one thread, at the points; 0 where nothing was measured: there the
/// method cannot, or is hopeless, or has its costs from another window (Side).
struct CostRows
{
    Costed method;
    Path path;
    CostKind kind;
    float nanoseconds[kCostLevelCounts][kCostWindowCount];
};

/// The table; null where there are no such rows. A path that has none of its own, since no machine
/// of its kind has made the table, has those of another.
const CostRows *costRows(Costed method, Path path, CostKind kind);

/// The side of the square window in which `method` takes about as long as in this one.
double costSide(Costed method, const Shape &shape);

/// About how long `method` takes: nanoseconds a result, on one thread. Infinity where the table
/// knows nothing.
double costOf(Costed method, const Problem &problem, Path path);

} // namespace local_entropy
