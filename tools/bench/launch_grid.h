// What bench_launches times: filters, each on images of several contents, sizes and places.
#pragma once

#include "bench/filter_cases.h"

#include <string>
#include <vector>

namespace bench
{

/// Where an image and its results lie in memory. All begin at an address that 256 divides, but for
/// the offset.
struct Placement
{
    std::string name;
    int offset = 0;  ///< cells, or results, before the first
    int padding = 0; ///< behind each row
};

/// One image that a filter is timed on.
struct LaunchImage
{
    std::string content;
    int width, height;
    Placement placement;
};

/// What is asked for. Where contents, sizes and placements are all empty: the grid.
struct LaunchWishes
{
    std::vector<std::string> methods = {""}; ///< empty: the engine's choice
    std::vector<std::string> contents, sizes, placements;
    bool isOnlyOnce = false; ///< nothing is timed: for a profiler

    bool areOfTheGrid() const { return contents.empty() && sizes.empty() && placements.empty(); }
};

/// Those that other images depart from.
extern const char *const kUsualContent; ///< "natural"
extern const int kUsualSide;            ///< 10240

/// Throws common::Error where `name` is none of them.
Placement placementOf(const std::string &name); ///< "aligned", "offset 1", "stride +1"

/// The images of a case, those of one content and size side by side. Of the grid: the usual one;
/// the same in other places; other sizes; other contents, fewer where the window has more than 81
/// cells. Otherwise all combinations of what is asked for, the usual where that is nothing.
/// Throws common::Error for a content, a size or a placement that there is not.
std::vector<LaunchImage> imagesOf(const FilterCase &one, const LaunchWishes &wishes);

} // namespace bench
