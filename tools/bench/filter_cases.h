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

    std::string name() const; ///< "uint8-256-9x9": type, levels, window
    std::string what() const; ///< the same in words
};

const std::vector<FilterCase> &filterCases();

} // namespace bench
