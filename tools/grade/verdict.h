// What the judge finds out about a core, and how it says so.
#pragma once

#include "core_process.h"

#include <string>
#include <vector>

namespace grade
{

/// The cell that is farthest from right. A NaN is farther than any number.
struct Worst
{
    double error = 0, expected = 0, computed = 0;
    std::size_t group = 0; ///< 0: no group has been compared
    int x = 0, y = 0;
};

struct Verdict
{
    std::string word = "passed", message;
    std::size_t groupsPassed = 0, groups = 0, wrongCells = 0;
    Worst worst;
    std::vector<std::string> warnings;
    std::vector<double> milliseconds; ///< of each group: the median of its calls
    int rounds = 0;
    std::string walls, end;

    /// Keeps the gravest word and its first message: passed, wrong, crashed (and the like),
    /// cheated.
    void note(const std::string &worse, const std::string &why);
    std::string json() const;
};

/// Judges the cells of one group; adds to `verdict`. True if all are right.
bool compareCells(const entropy::Sample &sample, const std::vector<float> &gold,
                  const float *result, std::size_t group, Verdict &verdict);

/// "group 3 of 12, 128 x 128"
std::string groupName(const entropy::Sample &sample, std::size_t group, std::size_t groups);

} // namespace grade
