// How an array is split into parts that are computed apart: what a part writes, and what it reads.
#pragma once

#include "common/error.h"
#include "entropy/window.h"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <string>

namespace entropy
{

/// Rows or columns begin .. end - 1.
struct Range
{
    int begin = 0, end = 0;

    int size() const { return end - begin; }
    bool empty() const { return begin == end; }
};

/// Part `part` of `parts` of `length` rows or columns. Parts differ by one at most; where there are
/// more parts than rows, some are empty.
inline Range partOf(int length, int part, int parts)
{
    return {static_cast<int>(std::int64_t(length) * part / parts),
            static_cast<int>(std::int64_t(length) * (part + 1) / parts)};
}

/// What a part must read so that the windows of its cells are whole: kRadius more at both ends, as
/// far as the array goes.
inline Range withHalo(Range range, int length)
{
    return {std::max(range.begin - kRadius, 0), std::min(range.end + kRadius, length)};
}

/// A rectangle of cells.
struct Part
{
    Range columns, rows;

    bool empty() const { return columns.empty() || rows.empty(); }
};

/// Part `part` of `parts` of an array that is split along its longer side: by columns where it is
/// wider than high, else by rows.
inline Part partOfLongerSide(int width, int height, int part, int parts)
{
    if (width > height) return {partOf(width, part, parts), {0, height}};
    return {{0, width}, partOf(height, part, parts)};
}

/// The same for a rectangle: what it must read.
inline Part withHalo(const Part &part, int width, int height)
{
    return {withHalo(part.columns, width), withHalo(part.rows, height)};
}

/// Bytes from one row of so many cells to the next, for cudaMemcpy2D, which takes no more than an
/// int holds. Throws Unavailable beyond that.
inline std::size_t pitchOf(int width)
{
    const std::size_t bytes = width * sizeof(float);
    if (bytes > INT_MAX)
        throw common::Unavailable("cudaCallback: rows of " + std::to_string(width) +
                                  " cells are too long to be copied in parts");
    return bytes;
}

} // namespace entropy
