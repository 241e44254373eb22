// The kernel of the sliding ranks, for the vectors of any path. Included after a path's header
// (bytes.h says how).
//
// A window walks down; S = sum of F(n) over its levels is kept up to date. The cells of the row
// that enters are put in one by one, from left to right. One whose level has n cells by then adds
// F(n + 1) - F(n): n is the cell's *rank*. The row that leaves is taken out from right to left.
//
//      leaving   l l l a . . .     rank of the leaving cell a: how many of the cells l and s are
//      staying   s s s s s s s     equal to a
//      staying   s s s s s s s
//      entering  e e e b . . .     rank of the entering cell b: how many of e and s equal b
//
// All windows that hold b compare it with the same cells; they differ by which columns are theirs.
// So one chain of counts runs over the columns -reach ... reach around b, reach = width - 1; the
// rank in the window that begins at column c is chain(c + reach) - chain(c - 1). The columns before
// b count the rows that stay and b's own row, b's and later columns only the rows that stay; a
// difference has all of e then.
//
// A window's ranks are looked up in tables of F(n + 1) - F(n). Those of 64 or 16 entries (a vector,
// a block) are taken that its ranks need: the first in most images, a first and a last one where
// one level fills most of a window.
//
// For each column of a strip (64 lanes), window w x h, vector instructions about:
//   load        11        cells into lanes, w x h does not matter
//   ranks       2 (2 (2w - 1)(h - 1) + 2 (w - 1))    compare, add; of cells of 2 bytes 1.5 times
//               2 (2w - 1) + 6w    differences of chains, and what cancels
//   deltas      13 * 2w   5 looked up, 5 added, 2 interleaved, 1 loaded; w rounded up to even
//   finish      100       from bytes to a double, the double to a float, its certificate
//   write       16        lanes to rows
#pragma once

#include "local_entropy/methods/ranks/sliding_cells.h"
#include "local_entropy/methods/ranks/sliding_counts.h"
#include "local_entropy/methods/ranks/sliding_results.h"

namespace local_entropy
{
namespace
{

/// The tables that the windows of a row need: all that their columns need. A path has a number for
/// a set of tables.
template <typename Path>
class SlidingTables
{
public:
    /// Column c needs `tables`.
    [[gnu::always_inline]] inline void set(int c, std::uint32_t tables)
    {
        of[c] = static_cast<std::uint16_t>(tables);
        if (tables != Path::kFirstTable) last = c;
    }
    std::uint32_t get(int c) const { return of[c]; }
    void beginRow() { last = -1; }

    /// Those of columns `from` ... c, c the last that was set.
    [[gnu::always_inline]] inline std::uint32_t among(int from, int c) const
    {
        std::uint32_t all = Path::kFirstTable;
        if (last >= from)
            for (int i = from; i <= c; ++i) all = Path::united(all, of[i]);
        return all;
    }

private:
    std::uint16_t of[2 * SlidingLayout::kMostColumns];
    int last = -1; ///< column that needs more than the first
};

/// One tile. `Path` has byte vectors (bytes.h) and the last stages (see sliding_avx512.h).
/// knownHeight: of the window; 0: any.
template <typename Path, int cellBytes, int knownHeight>
class SlidingTile
{
public:
    explicit SlidingTile(const SlidingJob &job)
        : rows(job.layout.rows), height(job.window.height), reach(job.window.width - 1),
          columns(job.layout.columns), cells(job), counts(job, cells), results(job)
    {
    }

    void run()
    {
        for (std::int64_t row = 0; row < rows + height - 1; ++row) {
            cells.loadRow(row);
            counts.beginRow(row);
            results.beginRow(row - (height - 1));
            if (row < height) {
                slideRow<true>(row);
            } else {
                slideRow<false>(row);
            }
            if (row >= height - 1) results.writeRow();
        }
    }

private:
    template <bool isStart>
    void slideRow(std::int64_t row)
    {
        tables.beginRow();
        for (int c = 0; c < columns + reach; ++c) {
            if (c >= columns) {
                tables.set(c, tables.get(c - columns));
                counts.join(c - reach);
            } else if (isStart) {
                tables.set(c, counts.countStart(c, static_cast<int>(row)));
            } else {
                tables.set(c, counts.count(c));
            }
            if (!isStart) results.fetch(c);
            if (c >= reach)
                results.update(c - reach, counts.ranksOf(c - reach), reach + 1,
                               tables.among(c - reach, c));
        }
    }

    const std::int64_t rows;
    const int height, reach, columns;
    SlidingCells<Path, cellBytes> cells;
    SlidingCounts<Path, cellBytes, knownHeight> counts;
    SlidingResults<Path> results;
    SlidingTables<Path> tables;
};

template <typename Path, int cellBytes, int knownHeight>
void slidingTile(const SlidingJob &job)
{
    SlidingTile<Path, cellBytes, knownHeight>(job).run();
}

/// The kernel for a height of the window: heights that are common are known when it is compiled.
template <typename Path, int cellBytes>
SlidingKernel slidingKernelOf(int height)
{
    switch (height) {
    case 5: return slidingTile<Path, cellBytes, 5>;
    case 7: return slidingTile<Path, cellBytes, 7>;
    case 9: return slidingTile<Path, cellBytes, 9>;
    case 11: return slidingTile<Path, cellBytes, 11>;
    case 13: return slidingTile<Path, cellBytes, 13>;
    case 15: return slidingTile<Path, cellBytes, 15>;
    default: return slidingTile<Path, cellBytes, 0>;
    }
}

/// For cells of 1 or 2 bytes.
template <typename Path>
SlidingKernel slidingKernel(int cellBytes, int height)
{
    return cellBytes == 1 ? slidingKernelOf<Path, 1>(height) : slidingKernelOf<Path, 2>(height);
}

} // namespace
} // namespace local_entropy
