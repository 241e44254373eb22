// A question that has been checked: all that a method must know. Everything that the caller may
// have got wrong is found here, once.
#pragma once

#include "local_entropy/filter.h"

#include <cstdint>
#include <vector>

namespace local_entropy
{

enum class CellType { Uint8, Uint16, Int16, Float32, Bool };

constexpr int cellBytes(CellType type)
{
    return type == CellType::Float32                             ? 4
           : type == CellType::Uint16 || type == CellType::Int16 ? 2
                                                                 : 1;
}

/// Host memory; of Engine::enqueue(), of a GPU. Strides in cells.
struct Image
{
    const void *data = nullptr;
    CellType type = CellType::Uint8;
    std::int64_t width = 0, height = 0, stride = 0;
};

/// Cells that are 0 here do not count. As large as the image.
struct Mask
{
    const std::uint8_t *data = nullptr; ///< null: all cells count
    std::int64_t width = 0, height = 0, stride = 0;
};

/// float or double, as large as the region.
struct Result
{
    void *data = nullptr;
    bool isDouble = false;
    std::int64_t width = 0, height = 0, stride = 0;
};

/// Cells of a window side by side: columns begin .. end - 1 of row `row`, from its upper left
/// corner.
struct Run
{
    int row, begin, end;
};

/// The window of cell (x, y) covers columns x - left .. x - left + width - 1 and rows from y - top.
struct Shape
{
    int width = 0, height = 0, left = 0, top = 0;
    int cells = 0;         ///< that count: width * height for a rectangle
    bool rectangle = true; ///< all of them
    std::vector<Run> runs; ///< the cells, from top to bottom, from left to right
};

struct Problem
{
    Filter filter;
    Shape shape;
    Image image;
    Mask mask;
    Result result;
    Region region; ///< the cells of the image that have a result

    /// Whether a cell of a window may not count: a border that cuts, a mask, nodata, NaN.
    bool mayMiss = false;
};

/// Throws Error (Status::BadArgument) with a sentence if that cannot be computed. A region of no
/// width stands for the whole image.
Problem checkedProblem(const Filter &filter, const Image &image, const Mask &mask,
                       const Result &result, const Region &region);

/// The part of it that depends on where the arrays are: throws if one has no data, lies at an
/// address that its type does not allow, or if the result overlaps another.
void checkPlaces(const Problem &problem);

/// The shape of a window that has been checked.
Shape shapeOf(const Window &window);

} // namespace local_entropy
