// The filters that bench_filter times: one list.
#pragma once

#include "local_entropy/filter.h"

#include <string>
#include <vector>

namespace bench
{

struct FilterCase
{
    std::string type;   ///< of a cell: "uint8", "uint16", "float32"
    std::string window; ///< "9x9"; "disk5": the cells at most 5 from the middle
    local_entropy::Filter filter;
    bool isMasked = false; ///< by makeMask (picture.h)
    bool isDouble = false; ///< the result

    /// "uint8-256-9x9": type, levels, window; then what it has of "-mask", "-double", "-simpson".
    std::string name() const;
    std::string what() const; ///< the same in words
};

const std::vector<FilterCase> &filterCases();

/// What is timed in the memory of a GPU: these and more.
const std::vector<FilterCase> &launchCases();

/// A grid to judge the choice of methods by: between and beyond the points of the library's table
/// of costs (local_entropy/methods/costs.h), and on some of them.
const std::vector<FilterCase> &gridCases();

} // namespace bench
