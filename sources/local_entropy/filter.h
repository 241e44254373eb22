// What is to be computed: plain data. An Engine (engine.h) computes it.
#pragma once

#include "local_entropy/answers/measure.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace local_entropy
{

/// What a cell beyond the edge of the image holds; the names mean what they mean in SciPy.
enum class Border {
    Cut,      ///< nothing: windows are cut at the edge
    Constant, ///< k k k | a b c d | k k k   (k: Filter::constant)
    Nearest,  ///< a a a | a b c d | d d d
    Reflect,  ///< c b a | a b c d | d c b
    Mirror,   ///< d c b | a b c d | c b a
    Wrap      ///< b c d | a b c d | a b c
};

/// The cells around a cell that count: a rectangle or, where `footprint` is given, those of its
/// cells that are not 0.
struct Window
{
    int width = 5, height = 5; ///< 1 to 255 each; at most 63 with a footprint
    /// As in SciPy: the window of x covers the columns x - width / 2 - originX and width - 1 more;
    /// -(width / 2) <= originX <= (width - 1) / 2. The same for rows.
    int originX = 0, originY = 0;
    std::vector<std::uint8_t> footprint; ///< height rows of width bytes; empty: all cells
};

/// Which level a cell is: an integer 0 .. count - 1.
struct Levels
{
    int count = 256; ///< 2 to 65536
    /// false: a cell is an integer, its level is cell - low.
    /// true: count equal bins of [low, high]: floor((cell - low) * (count / (high - low))) in
    /// double precision; the cell `high` is in the last bin.
    bool binned = false;
    double low = 0, high = 0;
    bool clamp = false; ///< cells beyond are of the first or last level instead of an error
};

struct Filter
{
    Window window;
    Levels levels;
    Border border = Border::Cut;
    double constant = 0; ///< a cell as the image would hold it, for Border::Constant
    Measure measure = Measure::Entropy;
    double order = 1; ///< of Measure::Hill: not negative, infinity allowed
    Base base = Base::E;
    double empty = 0; ///< the result where no cell of a window counts; may be NaN
    /// Cells of this value do not count.
    std::optional<double> nodata;
    /// A cell of a float image that is NaN is an error like any that is no level. Otherwise it does
    /// not count.
    bool nanIsError = false;
};

/// A part of an array, in cells.
struct Region
{
    std::int64_t x = 0, y = 0, width = 0, height = 0;
};

/// Memory of the current GPU that a call works in there, until its stream has come past it.
struct Workspace
{
    void *data = nullptr; ///< at an address that 256 divides; null: memory that the engine keeps
    std::size_t bytes = 0;
};

/// An array of somebody else's: cell (x, y) is data[y * stride + x]. `stride` is in cells and at
/// least `width`; 0 stands for `width`.
template <typename T>
struct View
{
    T *data = nullptr;
    std::int64_t width = 0, height = 0, stride = 0;
};

} // namespace local_entropy
