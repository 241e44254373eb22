// What the kernels of few levels are given (launch_boxes.h, launch_two.h), and how they share it.
// For .cu files that nvcc compiles.
#pragma once

#include "common/host_device.h"
#include "local_entropy/answers/answer_tables.h"
#include "local_entropy/methods/dominated.h"
#include "local_entropy/methods/rows_of_items.h"
#include "local_entropy/problem/plane_view.h"

#include <cstdint>

namespace local_entropy::boxes
{

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kMostWidth = 64; ///< of a window

/// Results of the rows first ... end - 1 in the columns from `column`.
struct Item
{
    int column, first, end;
};

/// What a kernel reads and writes.
struct Task
{
    PlaneView<std::uint8_t> plane;
    int planeWidth; ///< the columns that windows reach
    int windowWidth, windowHeight;
    float *result;
    int width, height; ///< of the result
    std::int64_t resultStride;
    bool fours;               ///< whether rows of results begin at addresses that 16 divides
    const std::int32_t *sums; ///< F(n), n = 0 ... windowCells
    const std::int64_t *fine; ///< the same with kFineBits of fraction
    const double *scales;     ///< of N cells: what D is multiplied by; scales[0] is 0
    int windowCells;
    double error, fineError; ///< of D, from F without and with the fraction
    std::int64_t whole;      ///< F(N) of a window that is all there
    double wholeScale;       ///< what its D is multiplied by
    Margin wholeMargin;      ///< of that product
    int copies;              ///< of the table of F in shared memory: a power of 2, at most kLanes
    int tableWords;          ///< of shared memory for them: more than windowCells each
    float empty;             ///< the result where no cell counts
    AnswerTables answers;    ///< for what the sums do not decide
    std::uint32_t toTop;     ///< 127 less the largest level, in every byte
    int imageX;              ///< of the plane's first column
    BadCell *bad;            ///< lowered to the first cell that is no level
    int kept;                ///< columns of results of a strip
    int strips, items;
    int slowLeft, slowRight;    ///< how many strips at the left and right have windows that are cut
    int slowChunks, fastChunks; ///< into which those are cut, and the others

    // For shareItems() and itemOf().
    using Item = boxes::Item;
    HOST_DEVICE int rows() const { return height; }
    HOST_DEVICE int placeOf(int strip) const { return strip * kept; }
};

} // namespace local_entropy::boxes
