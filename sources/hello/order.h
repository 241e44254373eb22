// Is there a rule to the order in which threads run? Answered from recorded orders, not by eye.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace hello
{

/// Blocks in a line, each of threads in a plane: x counts first, then y.
struct Shape
{
    int blocks, x, y;

    int threadsOfBlock() const { return x * y; }
    int threads() const { return blocks * threadsOfBlock(); }
};

constexpr int kWarpThreads = 32; // threads that share an instruction: consecutive numbers x + y * X

/// What one run left. tickets[block * threadsOfBlock + x + y * X] is the number that the thread
/// drew, 0 for the first of all. sm[block] is the multiprocessor that the block ran on.
struct Trial
{
    std::vector<unsigned> tickets, sm;
};

/// What the runs show about the order among equals: the lanes of a warp, the warps of a block, the
/// blocks of a grid. A warp or block comes when the first of its threads draws.
struct Level
{
    std::int64_t groups = 0;    ///< warps, blocks or grids seen, over all runs; only those with
                                ///< two members or more, as others have no order
    std::int64_t ascending = 0; ///< those of them in which the members came by rising number
    int runs = 0;               ///< runs with such a group
    int runsAscending = 0;      ///< runs in which all groups were ascending
    std::int64_t orders = 0;    ///< different orders that occurred among groups of one size, where
                                ///< most did: the last warp of a block may have fewer lanes
};

struct Findings
{
    int runs = 0;
    Level lanes, warps, blocks;
    int runsInterleaved = 0; ///< runs in which a block began before another one had ended
    int multiprocessors = 0; ///< the most that the blocks of a run were spread over
};

/// Calls `draw` for each of the runs and keeps of it what it shows, not its tickets. Throws
/// common::Error where these are not the numbers 0 .. threads - 1, each once.
Findings analyse(const Shape &shape, int runs, const std::function<Trial()> &draw);

/// The findings as lines of text, the last paragraph a conclusion drawn from them.
std::string report(const Findings &findings);

} // namespace hello
