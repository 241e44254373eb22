// What the kernels of slide.h are given, and the table in the shared memory of a block. For .cu
// files that nvcc compiles.
#pragma once

#include "local_entropy/methods/equal/share_scale.h"
#include "local_entropy/methods/equal/strip.h"

#include <cstdint>

namespace local_entropy::equal
{

/// Windows have at most so many cells: numbers of cells are bytes.
constexpr int kMostCells = 255;

/// An integer below kBias, added to the bits of this double, is the double of kBias and it.
constexpr double kBias = 0x1p52;
constexpr std::int64_t kBitsOfBias = std::int64_t(0x433) << 52;

template <typename Cell>
struct SlideTask
{
    Strips<Cell> strips;
    const std::int32_t *differences; ///< F(n + 1) - F(n), n = 0 ... windowCells - 1
    const std::int64_t *sums;        ///< F(n), n = 0 ... windowCells
    const double *scales;            ///< of N cells: what D is multiplied by; scales[0] is 0
    std::int64_t sum;                ///< F(windowCells)
    double error;                    ///< of D
    double scale, shift;             ///< of windowCells, and the error multiplied by it
    double bias;                     ///< kBias times the scale
    Middles middles;                 ///< of windowCells, if `undecided` is null
    float empty;                     ///< the result where no cell counts
    const Exception *exceptions;     ///< all, ascending, if `undecided` is null
    int exceptionCount;
    std::uint32_t *undecided;
    std::int64_t wordsARow;
};

/// The table of differences: also what lanes without results may ask for, and whole groups.
constexpr __host__ __device__ int tableWordsOf(int windowCells, int windowWidth)
{
    return (windowCells + windowWidth + 3) / 4 * 4;
}

} // namespace local_entropy::equal
