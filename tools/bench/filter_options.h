// The command line of bench_filter.
#pragma once

#include "bench/filter_cases.h"

#include <string>
#include <vector>

namespace bench
{

struct FilterOptions
{
    std::vector<FilterCase> cases;
    int width = 2048, height = 2048;
    /// The first of each is where the others start from: see `cross`.
    std::vector<std::string> contents, paths;
    std::vector<int> threads;
    bool cross = false; ///< all combinations; false: at most one of the three is not the first
    std::vector<std::string> methods; ///< to be timed wherever they can compute a case
    /// Those of `methods` that were named: the others are left out where this machine lacks what
    /// they need.
    std::vector<std::string> named;
    bool chosenToo = true;   ///< and that which the engine chooses
    double within = 0;       ///< times as long as the best: more is wrong; 0: nothing is
    std::string csv, images; ///< where to write; empty: nowhere
    std::string costs;       ///< the table of costs to be measured and written; empty: none
    std::string revision = "unknown"; ///< of the sources, for that table
    bool help = false, list = false;
};

std::string filterHelp();

/// Throws common::Error with a sentence.
FilterOptions parseFilterOptions(int argc, char **argv);

} // namespace bench
