// What a warp reads of a strip (.cu): rows of the plane, one after the other.
//
// A row arrives long after it was asked for. So rows are asked for some steps before they are used,
// and what came is left as it is until then: to shift it at once would be to wait for it at once.
// Where the next row is, is one addition, as long as the rows lie one behind the other in memory.
// How long that is, a loop asks before it begins (ready()), not a row.
#pragma once

#include "local_entropy/problem/plane_view.h"

#include <cstddef>
#include <cstdint>

namespace local_entropy::equal
{

/// A lane's four cells of a row, side by side.
template <typename Cell>
struct Four
{
    static constexpr int kWords = sizeof(Cell);
    std::uint32_t words[kWords];
};

/// The words of memory that they lie in, at any address.
template <typename Cell>
struct Loaded
{
    static constexpr int kWords = Four<Cell>::kWords;
    std::uint32_t words[kWords + 1];
    std::uint32_t shift; ///< of the first cell; its last five bits count

    __device__ void load(const Cell *from)
    {
        const auto address = reinterpret_cast<std::uintptr_t>(from);
        const auto *aligned = reinterpret_cast<const std::uint32_t *>(address & ~std::uintptr_t(3));
        shift = static_cast<std::uint32_t>(address) * 8;
#pragma unroll
        for (int i = 0; i <= kWords; ++i) words[i] = __ldg(aligned + i);
    }
    /// `mask`: of a word of cells, see Plane.
    __device__ Four<Cell> cells(std::uint32_t mask) const
    {
        Four<Cell> four;
#pragma unroll
        for (int i = 0; i < kWords; ++i)
            four.words[i] = __funnelshift_r(words[i], words[i + 1], shift) & mask;
        return four;
    }
};

template <typename Cell>
class Feed
{
public:
    /// For the lane whose cells begin in `column`, rows first ... last; then the last one again.
    /// The columns strip ... end - 1 are of one piece.
    __device__ Feed(const PlaneView<Cell> &plane, int strip, int end, int column, int first,
                    int last)
        : plane(plane), strip(strip), end(end), column(column), row(first), last(last)
    {
    }

    /// How many rows may be loaded before this is to be asked again; 1 or more. By all lanes.
    __device__ int ready()
    {
        if (left == 0) {
            row += run;
            const PieceView<Cell> &piece = plane.pieceOf(strip, end);
            const int behind = min(piece.top + piece.rows, last + 1);
            from = piece.row(min(row, last)) + column;
            const bool isRun = row >= piece.top && row < behind;
            step = isRun ? piece.stride : 0;
            run = left = isRun ? behind - row : row < last ? 1 : kEndless;
        }
        return left;
    }
    __device__ void load(Loaded<Cell> &to)
    {
        to.load(from);
        from += step;
    }
    __device__ void passed(int rows) { left -= rows; }
    /// All three of it, for one row. By all lanes.
    __device__ void next(Loaded<Cell> &to)
    {
        ready();
        load(to);
        passed(1);
    }

private:
    static constexpr int kEndless = 1 << 30;

    const PlaneView<Cell> &plane;
    const int strip, end, column;
    int row; ///< the first one of those that lie `step` cells behind each other
    const int last;
    int run = 0, left = 0; ///< how many they are, and how many are still to be loaded
    const Cell *from = nullptr;
    std::int64_t step = 0;
};

} // namespace local_entropy::equal
