// The few answers there are. The entropy of a window depends on nothing but how often its levels
// occur, in any order: 25 cells have 1891 ways to be split into at most 16 counts, and all sizes of
// windows together about 3000. Each is computed here once, to the last bit; the fast code of this
// room only has to find out which one it is looking at.
#pragma once

#include "local_entropy/answers/window.h"

#include <array>
#include <cstdint>
#include <vector>

namespace local_entropy
{

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
