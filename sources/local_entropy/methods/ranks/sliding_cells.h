// The cells of the sliding ranks: the rows that windows hold and the one that they have left, in
// lanes. Included by sliding.h.
#pragma once

#include "local_entropy/methods/ranks/sliding_plan.h"
#include "local_entropy/simd/bytes.h"

#include <algorithm>

namespace local_entropy
{
namespace
{

/// A ring of rows of cells. Lanes are strips of columns (SlidingLayout), so that the next column is
/// the next vector. The columns beyond a strip are the next strip's first columns, that is the next
/// lane's: a load from one byte further on.
template <typename Path, int cellBytes>
class SlidingCells
{
public:
    using Vector = typename Path::Vector;
    static constexpr int kLanes = Path::kBytes;
    static constexpr int kCellBytes = cellBytes * kLanes; ///< a cell of every lane: byte 0, byte 1

    explicit SlidingCells(const SlidingJob &job)
        : job(job), columns(job.layout.columns), reach(job.window.width - 1),
          height(job.window.height), bytesOfColumn(std::size_t(2 * height + 3) * kCellBytes)
    {
        const std::size_t bytes = (columns + 2 * reach) * bytesOfColumn + 2 * kLanes;
        cells = static_cast<std::uint8_t *>(job.scratch.get(Scratch::MethodA, bytes));
        cells += kLanes; // shareEdges() reads a byte before and behind a column
        for (int i = 0; i < kLanes; ++i) placeLane(Path::lane(i));
    }

    /// From a column to the next. With one row more than needed: an odd number of vectors, so that
    /// columns do not all fall into the same sets of a cache.
    std::size_t columnBytes() const { return bytesOfColumn; }

    /// Column c, -reach ... columns - 1 + reach, of the ring. Every row is there twice, so that
    /// height + 1 rows in succession lie one behind the other, whichever is the first.
    const std::uint8_t *column(int c) const
    {
        return cells + (c + reach) * static_cast<std::ptrdiff_t>(bytesOfColumn);
    }

    /// Row `row` of all bands comes into the ring, over the oldest.
    void loadRow(std::int64_t row)
    {
        const std::uint8_t *from[kLanes];
        const std::int64_t rowBytes = job.tile.stride * cellBytes;
        for (int lane = 0; lane < kLanes; ++lane)
            from[lane] = first[lane] + std::min(row, lastRow[lane]) * rowBytes;
        const int offset = static_cast<int>(row % (height + 1)) * kCellBytes;
        for (int c = 0; c < columns; c += 16) loadBlock(from, std::min(c, columns - 16), offset);
        shareEdges(offset);
    }

private:
    /// Rows and strips beyond the tile read other cells of it: their results are not written.
    void placeLane(int lane)
    {
        const Tile &tile = job.tile;
        std::int64_t x = job.layout.x(lane), y = job.layout.y(lane);
        if (x >= tile.width + reach) x = 0;
        if (y >= tile.height) y = 0;
        first[lane] =
            static_cast<const std::uint8_t *>(tile.cells) + (y * tile.stride + x) * cellBytes;
        lastRow[lane] = tile.height + height - 2 - y;
    }

    /// 16 columns from column c on.
    void loadBlock(const std::uint8_t *const *from, int c, int offset)
    {
        for (int byte = 0; byte < cellBytes; ++byte) {
            Vector v[16];
            Path::template loadLanes<cellBytes>(from, c, byte, v);
            transpose16<Path>(v);
            for (int k = 0; k < 16; ++k) store(c + k, offset + byte * kLanes, v[k]);
        }
    }

    /// The columns beside a strip are those of the lane before, and of the lane behind.
    void shareEdges(int offset)
    {
        for (int byte = 0; byte < cellBytes; ++byte, offset += kLanes)
            for (int k = 1; k <= reach; ++k) {
                store(-k, offset, Path::loadAny(column(columns - k) + offset - 1));
                store(columns - 1 + k, offset, Path::loadAny(column(k - 1) + offset + 1));
            }
    }

    void store(int c, int offset, Vector v)
    {
        std::uint8_t *const to = cells + (column(c) - cells) + offset;
        Path::store(to, v);
        Path::store(to + (height + 1) * kCellBytes, v);
    }

    const SlidingJob &job;
    const int columns, reach, height;
    const std::size_t bytesOfColumn;
    std::uint8_t *cells;
    const std::uint8_t *first[kLanes]; ///< of each lane's cells in the tile
    std::int64_t lastRow[kLanes];      ///< of them
};

} // namespace
} // namespace local_entropy
