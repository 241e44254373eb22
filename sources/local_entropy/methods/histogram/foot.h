// Packed histograms for footprints (.cu). See walk.h for histograms that walk down, counters.h for
// their parts.
//
// A footprint is runs of cells, one below the other, in its columns. When the window goes a row
// down, each run loses its first cell and gains the one behind its last: all other cells stay. So a
// step changes as many cells as the footprint has ends. Cells that leave, or enter, side by side
// are dealt with together, at once for all of a thread's windows: each such piece of `n` cells
// changes n + kWindows - 1 words. Any footprint does so by a table, piece by piece (foot_table.h);
// disks by code that the compiler makes of their radius (foot_disk.h), wherever their rows are
// (foot_rows.h).
//
// A histogram fills so much shared memory that few warps fit, and each must keep itself busy: it
// asks for cells a row before it needs them, and for entries of the table while the counters that
// name the next ones are on their way.
#pragma once

#include "local_entropy/methods/dominated.h"
#include "local_entropy/methods/histogram/counters.h"
#include "local_entropy/methods/histogram/foot_changes.h"
#include "local_entropy/methods/histogram/foot_counters.h"
#include "local_entropy/problem/plane_view.h"

#include <cstdint>

namespace local_entropy::footprint
{

using walk::addTo;
using walk::differenceAt;
using walk::kLanes;

constexpr int kMostHistograms = 7; ///< of a block: as many of 256 levels fit

/// What the kernels read and write.
template <typename Cell>
struct Task
{
    PlaneView<Cell> plane;
    int values; ///< of cells
    int windowWidth, windowHeight;
    const Piece *pieces;
    int pieceEnds[3 * kLongest];     ///< see Pieces
    int pairs[kLongest];             ///< see Pieces; [length - 1]
    const std::int32_t *cellsBefore; ///< see foot_changes.h
    const std::int32_t *differences; ///< F(n + 1) - F(n), n = 0 ... windowCells - 1
    walk::Results results;
    const double *errors; ///< of D of n cells: what results.error is for them, see errorsOf()
    // Of a window of which all cells count:
    std::int64_t total; ///< F(N)
    double scale;       ///< results.scales[N]
    Margin margin;      ///< of D times that
    std::int64_t limit; ///< margin.limit
    std::int32_t one;   ///< 1, see Rests

    int edgesBefore, edges, strips; ///< see foot_part.h
};

/// Cells side by side, from any address.
template <typename Cell, int kCells>
struct Cells
{
    static constexpr int kBytes = sizeof(Cell) * kCells, kWords = (kBytes + 3) / 4;
    std::uint32_t words[kWords];

    /// `mask`: see Plane.
    __device__ void load(const Cell *from, std::uint32_t mask)
    {
        constexpr int kMostWords = (kBytes + 4 - static_cast<int>(sizeof(Cell)) + 3) / 4;
        const auto address = reinterpret_cast<std::uintptr_t>(from);
        const auto *aligned = reinterpret_cast<const std::uint32_t *>(address & ~std::uintptr_t(3));
        const unsigned shift = address % 4 * 8;
        std::uint32_t next = __ldg(aligned);
#pragma unroll
        for (int i = 0; i < kWords; ++i) {
            const std::uint32_t low = next;
            if (i + 1 < kMostWords) next = __ldg(aligned + i + 1);
            words[i] = __funnelshift_r(low, next, shift) & mask;
        }
    }

    /// Where the counters of cell i are, in a histogram that begins there.
    __device__ std::uint32_t counters(int i, std::uint32_t histogram) const
    {
        constexpr unsigned kBytesOfLevel = 4 * kLanes;
        constexpr int kCellsAWord = 4 / static_cast<int>(sizeof(Cell));
        const std::uint32_t word = words[i / kCellsAWord];
        const std::uint32_t times = kBytesOfLevel << (8 * (i % kCellsAWord));
        return kCellsAWord == 4 ? __dp4a(word, times, histogram)
                                : __dp2a_lo(word, times, histogram);
    }
};

/// A row that need not be there. Not inline: much code that few rows need.
template <typename Cell>
__device__ __noinline__ const Cell *rowOf(const PieceView<Cell> &piece, int y)
{
    return piece.row(y);
}

/// What is left of a window's entropy, F(N) - sum F(n) of all N cells, levels and missing ones.
template <int kWindows>
class Rests
{
public:
    __device__ void clear(std::int64_t total)
    {
#pragma unroll
        for (int window = 0; window < kWindows; ++window) rests[window] = total, part[window] = 0;
    }
    __device__ void subtract(int window, std::int64_t sum) { rests[window] -= sum; }
    __device__ void add(int window, std::int32_t difference) { part[window] += difference; }
    /// After at most four pairs of differences. `one` is 1, but the compiler does not know: so that
    /// it takes one multiplication with an addition of 64 bits, not two additions and a shift.
    __device__ void fold(int window, std::int32_t one)
    {
        asm("mad.wide.s32 %0, %1, %2, %0;" : "+l"(rests[window]) : "r"(part[window]), "r"(one));
        part[window] = 0;
    }
    __device__ std::int64_t of(int window) const { return rests[window]; }

private:
    std::int64_t rests[kWindows];
    std::int32_t part[kWindows];
};

} // namespace local_entropy::footprint
