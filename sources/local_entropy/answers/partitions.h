// All ways to share cells between levels, and the few answers there are at 5x5 with 16 levels. The
// entropy of a window depends on nothing but how often its levels occur, in any order: 25 cells
// have 1891 ways to be split into at most 16 counts, and all sizes of windows together about 3000.
// Each is computed here once, to the last bit; the fast code of bits and words only has to find out
// which one it is looking at.
#pragma once

#include "local_entropy/answers/window.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

namespace local_entropy
{

/// Calls use(counts) for every way to share `cells` cells between levels: the counts of two and
/// more, the largest first; all other levels have one cell. Behind what `counts` holds, and of at
/// most `largest`.
template <typename Use>
void forPartitions(int cells, int largest, std::vector<int> &counts, const Use &use)
{
    for (int n = std::min(cells, largest); n >= 2; --n) {
        counts.push_back(n);
        forPartitions(cells - n, n, counts, use);
        counts.pop_back();
    }
    use(counts);
}

/// These counts, and behind them a one for each of the cells that they leave.
inline std::vector<int> withOnes(std::vector<int> counts, int cells)
{
    const int left = cells - std::accumulate(counts.begin(), counts.end(), 0);
    counts.insert(counts.end(), left, 1);
    return counts;
}

/// use(counts) with all counts of every way to share `cells` cells, the largest first.
template <typename Use>
void forEachPartition(int cells, const Use &use)
{
    std::vector<int> counts;
    forPartitions(cells, cells, counts,
                  [&](const std::vector<int> &above) { use(withOnes(above, cells)); });
}

/// How many levels occur how often: levels[n] of them occur n times. Their sum, with levels[0],
/// is kLevels.
struct Partition
{
    std::array<std::uint8_t, kWindowCells + 1> levels{};

    int cells() const; ///< of the window: sum of n * levels[n]

    /// What decides the entropy of a window of a given size: sum of n ln n, as exponents of primes.
    /// sum n ln n = 2 ln 2 + 3 ln 3 + ... has one such form only, since logarithms of primes are
    /// linearly independent over the integers.
    std::array<int, 9> sumOfLogs() const;
};

/// Numbers of cells that a window can have: a * b with a, b in 1..kWindow, ascending.
std::vector<int> windowSizes();

/// All partitions of a window of that many cells into at most kLevels counts.
std::vector<Partition> partitionsOf(int cells);

/// The float nearest to the true entropy of a window, in nats. Throws common::Error if the long
/// double of this machine is too short to tell which float that is.
float exactEntropy(const Partition &partition);

} // namespace local_entropy
