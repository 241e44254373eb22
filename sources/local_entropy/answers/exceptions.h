// Sums that arithmetic of few bits cannot round, and their answers, which are looked up instead.
#pragma once

#include "common/host_device.h"

#include <cstdint>
#include <vector>

namespace local_entropy
{

class Answers;

/// What stands for a sum, and its answer.
struct Exception
{
    std::int64_t key; ///< what it is, whoever makes a list says
    float answer;
};

/// Sorted by keys, which differ. Keys that come with different answers are left out.
std::vector<Exception> agreed(std::vector<Exception> all);

/// True, and `answer` set, if the key is among so many exceptions. They are few.
HOST_DEVICE inline bool lookUp(const Exception *exceptions, int number, std::int64_t key,
                               float &answer)
{
    for (int i = 0; i < number; ++i)
        if (exceptions[i].key == key) {
            answer = exceptions[i].answer;
            return true;
        }
    return false;
}

/// H of a window from D = F(N) - S and the scale of N cells, see Answers::scales(). A conversion
/// and a product, both rounded to nearest, and no addition that a compiler might fuse with the
/// product: the same bits on every processor.
HOST_DEVICE inline double entropyOf(std::int64_t difference, double scale)
{
    return static_cast<double>(difference) * scale;
}

/// Exceptions for windows of `cells` cells that are finished by entropyOf() and nearBoundary() with
/// the answers' band: of all ways to share the cells between levels, those that this leaves
/// undecided. Their keys are S, the sum of F over the levels. Two ways of one S have one H, so both
/// are found here; where their answers differ, S says too little, and is left out.
///
/// So whoever looks S up gets the right answer or none. That holds even if a GPU and the host did
/// not find the same ways undecided: one more here is not asked for, one less is not found.
///
/// There are none for other measures, nor for more than kMostCellsOfShares cells: 64 can be shared
/// in 1.7 million ways, which takes some ten milliseconds, and 49 in a tenth of them.
constexpr int kMostCellsOfShares = 64;
std::vector<Exception> undecidedShares(const Answers &answers, int cells);

} // namespace local_entropy
