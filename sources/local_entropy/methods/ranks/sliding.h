// The kernel of the sliding ranks, for the vectors of any path. Included after a path's header
// (bytes.h says how).
//
// A window walks down; S = sum of F(n) over its levels is kept up to date. The cells of the row that
// enters are put in one by one, from left to right. One whose level has n cells by then adds
// F(n + 1) - F(n): n is the cell's *rank*. The row that leaves is taken out from right to left.
//
//      leaving   l l l a . . .     rank of the leaving cell a: how many of the cells l and s are
//      staying   s s s s s s s     equal to a
//      staying   s s s s s s s
//      entering  e e e b . . .     rank of the entering cell b: how many of e and s equal b
//
// All windows that hold b compare it with the same cells; they differ by which columns are theirs.
// So one chain of counts runs over the columns -reach ... reach around b, reach = width - 1; the rank
// in the window that begins at column c is chain(c + reach) - chain(c - 1). The columns before b
// count the rows that stay and b's own row, b's and later columns only the rows that stay; a
// difference has all of e then.
//
// Lanes are strips of columns (SlidingLayout), so that the next column is the next vector. The
// columns beyond a strip are the next strip's first columns, that is the next lane's: a load from one
// byte further on.
//
// For each column of a strip (64 lanes), window w x h, vector instructions about:
//   load        11        cells into lanes, w x h does not matter
//   ranks       2 (2 (2w - 1)(h - 1) + 2 (w - 1))    compare, add; of cells of 2 bytes 1.5 times
//   deltas      13 * 2w   5 looked up, 5 added, 2 interleaved, 1 loaded
//   finish      100       from bytes to a double, the double to a float, its certificate
//   write       6         lanes to rows
#pragma once

#include "local_entropy/methods/ranks/sliding_plan.h"
#include "local_entropy/simd/bytes.h"

#include <algorithm>
#include <cstring>

namespace local_entropy
{
namespace
{

/// A cell of every lane.
template <typename Path, int cellBytes>
struct Cell
{
    typename Path::Vector byte[cellBytes];
};

/// Equal cells so far, of the cell that enters and of the one that leaves. Two chains each: an
/// addition waits for the one before it.
template <typename Path>
struct Chains
{
    using Vector = typename Path::Vector;
    Vector enter[2], leave[2];

    [[gnu::always_inline]] inline void start()
    {
        enter[0] = enter[1] = leave[0] = leave[1] = Path::zero();
    }
    [[gnu::always_inline]] inline Vector entered() const { return Path::add(enter[0], enter[1]); }
    [[gnu::always_inline]] inline Vector left() const { return Path::add(leave[0], leave[1]); }
};

/// The largest of the last numbers, a number a column.
class SlidingMaximum
{
public:
    [[gnu::always_inline]] inline void start() { largest = 0; }

    /// numbers[at] is next; `from` the first that counts.
    [[gnu::always_inline]] inline int next(const std::uint8_t *numbers, int from, int at)
    {
        if (numbers[at] >= largest) {
            largest = numbers[at];
            where = at;
        } else if (where < from) {
            largest = 0;
            for (int i = from; i <= at; ++i)
                if (numbers[i] >= largest) {
                    largest = numbers[i];
                    where = i;
                }
        }
        return largest;
    }

private:
    int largest = 0, where = 0;
};

/// One tile. `Path` has byte vectors (bytes.h) and the last stages (see sliding_avx512vbmi.cpp).
/// knownHeight: of the window; 0: any.
template <typename Path, int cellBytes, int knownHeight>
class SlidingTile
{
public:
    explicit SlidingTile(const SlidingJob &job)
        : job(job), reach(job.window.width - 1), columns(job.layout.columns),
          groups((2 * job.window.width + 3) / 4), ranksBytes(groups * 4 * kLanes)
    {
        const int around = columns + 2 * reach;
        cells = static_cast<std::uint8_t *>(
            job.scratch.get(Scratch::MethodA, around * columnBytes() + 2 * kLanes));
        cells += kLanes; // shareEdges() reads a byte before and behind a column
        const std::size_t rankBytes = std::size_t(columns + reach) * ranksBytes + kLanes;
        const std::size_t values = std::size_t(1) << 8 * cellBytes;
        ranks = static_cast<std::uint8_t *>(job.scratch.get(Scratch::MethodB, rankBytes + values));
        tallies = ranks + rankBytes;
        std::memset(ranks, 0, rankBytes + values);
        const std::size_t windows = std::size_t(columns) * kLanes;
        differences = static_cast<double *>(job.scratch.get(
            Scratch::MethodC, windows * (sizeof(double) + 2 * sizeof(float)) +
                                  std::size_t(reach + 1) * 2 * kLanes + columns + reach));
        // Before the first row, windows hold cells that equal no other.
        const std::int64_t *sums = job.answers.sums();
        const int cellsOfWindow = job.window.cells;
        std::fill(differences, differences + windows,
                  static_cast<double>(sums[cellsOfWindow] - cellsOfWindow * sums[1]));
        answers = reinterpret_cast<float *>(differences + windows);
        spare = answers + windows;
        before = reinterpret_cast<std::uint8_t *>(spare + windows);
        tablesOf = before + std::size_t(reach + 1) * 2 * kLanes;
        std::memset(before + reach * 2 * kLanes, 0, 2 * kLanes); // a chain begins with 0
        for (int i = 0; i < kLanes; ++i) places[i] = placeOf(Path::lane(i));
    }

    void run()
    {
        for (std::int64_t row = 0; row < job.layout.rows + height() - 1; ++row) {
            loadRow(row);
            windowRow = row - (height() - 1);
            if (row < height())
                slideRow<true>(row);
            else
                slideRow<false>(row);
            if (windowRow < 0) continue;
            writeRow();
            if (job.tile.missing) finishMissing();
        }
    }

private:
    using Vector = typename Path::Vector;
    using OneCell = Cell<Path, cellBytes>;
    static constexpr int kLanes = Path::kBytes;
    static constexpr int kCellBytes = cellBytes * kLanes;

    int height() const { return knownHeight ? knownHeight : job.window.height; }
    /// With one row more than needed: an odd number of vectors, so that columns do not all fall
    /// into the same sets of a cache.
    std::size_t columnBytes() const { return std::size_t(2 * height() + 3) * kCellBytes; }

    /// A column of the ring of rows. Every row is there twice, so that height + 1 rows in succession
    /// lie one behind the other, whichever is the first.
    std::uint8_t *column(int c) const
    {
        return cells + (c + reach) * static_cast<std::ptrdiff_t>(columnBytes());
    }

    /// The ranks of the cells that enter and leave the window that begins at column c, from left to
    /// right: enter, leave, enter, leave ..., zeros up to a multiple of 4. Windows that begin before
    /// the strip are the last of the strip before.
    std::uint8_t *ranksOf(int c) const
    {
        return ranks + static_cast<std::ptrdiff_t>(c + reach) * ranksBytes;
    }

    // ---- places

    /// A lane's part of the tile, in the order of a column's differences and answers.
    struct Place
    {
        std::int64_t x, y;         ///< its first window
        std::int64_t rows;         ///< of windows that are in the tile
        int results;               ///< in each of them
        float *result;             ///< of its first window
        const std::uint8_t *cells; ///< its first
        std::int64_t lastRow;      ///< of cells
    };

    /// Rows and strips beyond the tile read other cells of it: their results are not written.
    Place placeOf(int lane) const
    {
        const SlidingLayout &layout = job.layout;
        const Tile &tile = job.tile;
        Place place;
        place.x = static_cast<std::int64_t>(lane % layout.strips) * columns;
        place.y = lane / layout.strips * layout.rows;
        place.rows = std::min(layout.rows, tile.height - place.y);
        const std::int64_t rest = std::max<std::int64_t>(tile.width - place.x, 0);
        place.results = static_cast<int>(std::min<std::int64_t>(rest, columns));
        const std::int64_t cellX = place.x < tile.width + reach ? place.x : 0;
        const std::int64_t cellY = place.y < tile.height ? place.y : 0;
        place.cells = static_cast<const std::uint8_t *>(tile.cells) +
                      (cellY * tile.stride + cellX) * cellBytes;
        place.lastRow = tile.height + height() - 2 - cellY;
        place.result = job.result; // a pointer beyond the results must not even be computed
        if (place.results > 0 && place.rows > 0)
            place.result += place.y * job.resultStride + place.x;
        return place;
    }

    // ---- load

    /// Row `row` of the cells of all bands into the ring.
    void loadRow(std::int64_t row)
    {
        const std::uint8_t *from[kLanes];
        const std::int64_t rowBytes = job.tile.stride * cellBytes;
        for (int i = 0; i < kLanes; ++i) {
            const Place &place = places[i];
            from[Path::lane(i)] = place.cells + std::min(row, place.lastRow) * rowBytes;
        }
        const int ringRow = static_cast<int>(row % (height() + 1));
        for (int c = 0; c < columns; c += 16)
            loadBlock(from, std::min(c, columns - 16), ringRow * kCellBytes);
        shareEdges(ringRow * kCellBytes);
    }

    /// 16 columns from column c on.
    void loadBlock(const std::uint8_t *const *from, int c, int offset)
    {
        for (int byte = 0; byte < cellBytes; ++byte) {
            Vector v[16];
            Path::template loadLanes<cellBytes>(from, c, byte, v);
            transpose16<Path>(v);
            for (int k = 0; k < 16; ++k) store(column(c + k) + offset + byte * kLanes, v[k]);
        }
    }

    /// The columns beside a strip are those of the lane before, and of the lane behind.
    void shareEdges(int offset)
    {
        offset -= kLanes;
        for (int byte = 0; byte < cellBytes; ++byte) {
            offset += kLanes;
            for (int k = 1; k <= reach; ++k) {
                store(column(-k) + offset, Path::loadAny(column(columns - k) + offset - 1));
                store(column(columns - 1 + k) + offset, Path::loadAny(column(k - 1) + offset + 1));
            }
        }
    }

    void store(std::uint8_t *ringRow, Vector v)
    {
        Path::store(ringRow, v);
        Path::store(ringRow + (height() + 1) * kCellBytes, v);
    }

    // ---- ranks

    [[gnu::always_inline]] static inline OneCell cellAt(const std::uint8_t *p)
    {
        OneCell cell;
        for (int byte = 0; byte < cellBytes; ++byte) cell.byte[byte] = Path::load(p + byte * kLanes);
        return cell;
    }

    [[gnu::always_inline]] static inline Vector addEqual(Vector sum, const OneCell &a,
                                                         const OneCell &b)
    {
        if constexpr (cellBytes == 1)
            return Path::addEqual(sum, a.byte[0], b.byte[0]);
        else
            return Path::addEqual(sum, a.byte[0], b.byte[0], a.byte[1], b.byte[1]);
    }

    /// The rows that stay, of one column; `top` is its cell in the leaving row.
    [[gnu::always_inline]] inline void countColumn(const std::uint8_t *top, const OneCell &enter,
                                                   const OneCell &leave, Chains<Path> &chains) const
    {
        const int end = knownHeight ? knownHeight : job.window.height;
#pragma GCC unroll 16
        for (int k = 1; k < end; ++k) {
            const OneCell cell = cellAt(top + k * kCellBytes);
            chains.enter[k & 1] = addEqual(chains.enter[k & 1], enter, cell);
            chains.leave[k & 1] = addEqual(chains.leave[k & 1], leave, cell);
        }
    }

    /// The ranks of the cells of column c. Returns which tables they need.
    int countRanks(int c)
    {
        const std::uint8_t *top = column(c) + leavingRow;
        const OneCell leave = cellAt(top), enter = cellAt(top + height() * kCellBytes);
        Chains<Path> chains;
        chains.start();
        top = column(c - reach) + leavingRow;
        for (std::uint8_t *to = before + (reach - 1) * 2 * kLanes; to >= before; to -= 2 * kLanes) {
            countColumn(top, enter, leave, chains);
            chains.leave[0] = addEqual(chains.leave[0], leave, cellAt(top));
            chains.enter[0] = addEqual(chains.enter[0], enter, cellAt(top + height() * kCellBytes));
            Path::store(to, chains.entered());
            Path::store(to + kLanes, chains.left());
            top += columnBytes();
        }
        Vector all = Path::zero();
        for (int a = reach; a >= 0; --a) { // as cell a of a window
            countColumn(top, enter, leave, chains);
            const std::uint8_t *less = before + a * 2 * kLanes;
            Vector entered = Path::sub(chains.entered(), Path::load(less));
            Vector left = Path::sub(chains.left(), Path::load(less + kLanes));
            Path::cancel(entered, left);
            std::uint8_t *to = ranksOf(c - a) + a * 2 * kLanes;
            Path::store(to, entered);
            Path::store(to + kLanes, left);
            all = Path::both(all, entered, left);
            top += columnBytes();
        }
        return Path::tables(all);
    }

    /// The same while the first windows fill: there are `rows` rows above the entering one. What
    /// leaves equals no other cell; its ranks are the zeros that are there from the beginning.
    int countStart(int c, int rows)
    {
        const std::size_t above = leavingRow + (height() - rows) * kCellBytes;
        const OneCell enter = cellAt(column(c) + above + rows * kCellBytes);
        Vector chain = Path::zero();
        for (int k = -reach; k < 0; ++k) {
            const std::uint8_t *top = column(c + k) + above;
            for (int row = 0; row <= rows; ++row)
                chain = addEqual(chain, enter, cellAt(top + row * kCellBytes));
            Path::store(before + (-k - 1) * 2 * kLanes, chain);
        }
        Vector all = Path::zero();
        for (int k = 0; k <= reach; ++k) {
            const std::uint8_t *top = column(c + k) + above;
            for (int row = 0; row < rows; ++row)
                chain = addEqual(chain, enter, cellAt(top + row * kCellBytes));
            const int a = reach - k;
            const Vector entered = Path::sub(chain, Path::load(before + a * 2 * kLanes));
            Path::store(ranksOf(c - a) + a * 2 * kLanes, entered);
            all = Path::both(all, entered, entered);
        }
        return Path::tables(all);
    }

    // ---- deltas

    /// Row `row` of the cells enters.
    template <bool isStart>
    void slideRow(std::int64_t row)
    {
        leavingRow = static_cast<std::size_t>((row + 1) % (height() + 1)) * kCellBytes;
        SlidingMaximum most;
        for (int c = 0; c < columns + reach; ++c) {
            if (c >= columns) {
                tablesOf[c] = tablesOf[c - columns];
                joinRanks(c - reach);
            } else if (isStart) {
                tablesOf[c] = static_cast<std::uint8_t>(countStart(c, static_cast<int>(row)));
            } else {
                tablesOf[c] = static_cast<std::uint8_t>(countRanks(c));
            }
            if (!isStart) fetchResults(c);
            const int tables = most.next(tablesOf, c - reach, c);
            if (c >= reach) updateWindow(c - reach, tables);
        }
    }

    /// The row of results that is written next comes into the cache while the ranks are counted.
    [[gnu::always_inline]] inline void fetchResults(int c) const
    {
        const int each = (kLanes + columns - 1) / columns;
        for (int i = c * each; i < (c + 1) * each && i < kLanes; ++i) {
            if (resultsOf(places[i]) == 0) continue;
            const float *result = resultOf(places[i]);
            for (int at = 0; at < columns; at += 16) __builtin_prefetch(result + at, 1);
        }
    }

    /// The window at column c reaches into the next strip, that is the next lane, where its ranks
    /// were those of a window before the strip.
    void joinRanks(int c)
    {
        for (int a = columns - c; a <= reach; ++a)
            for (int k = 2 * a; k < 2 * a + 2; ++k)
                Path::store(ranksOf(c) + k * kLanes,
                            Path::loadAny(ranksOf(c - columns) + k * kLanes + 1));
    }

    void updateWindow(int c, int tables)
    {
        double *const difference = differences + c * kLanes;
        float *const answer = answers + c * kLanes;
        const std::uint64_t undecided =
            Path::update(ranksOf(c), groups, tables, job.planes,
                         job.answers.scales()[job.window.cells], job.answers.band(), difference,
                         answer);
        if (__builtin_expect(undecided != 0, 0) && windowRow >= 0) settle(c, undecided);
    }

    // ---- results

    /// How many results of a place, in this row of windows, are in the tile.
    int resultsOf(const Place &place) const { return windowRow < place.rows ? place.results : 0; }

    float *resultOf(const Place &place) const
    {
        return place.result + windowRow * job.resultStride;
    }

    /// The windows at column c whose double leaves two floats; bits as Path::update() has them.
    [[gnu::noinline]] void settle(int c, std::uint64_t undecided)
    {
        for (; undecided; undecided &= undecided - 1) {
            const int i = Path::place(__builtin_ctzll(undecided));
            const Place &place = places[i];
            if (c < resultsOf(place))
                answers[c * kLanes + i] = job.recount(place.x + c, place.y + windowRow, tallies);
        }
    }

    void writeRow()
    {
        float *to[kLanes];
        for (int i = 0; i < kLanes; ++i)
            to[i] = resultsOf(places[i]) == columns ? resultOf(places[i]) : spare + i * columns;
        for (int i = 0; i < kLanes; i += Path::kWritten)
            for (int c = 0; c < columns; c += Path::kWritten) {
                const int first = std::min(c, columns - Path::kWritten);
                Path::write(answers + first * kLanes + i, kLanes, to + i, first);
            }
        for (int i = 0; i < kLanes; ++i) {
            const int n = resultsOf(places[i]);
            if (n > 0 && n < columns) std::memcpy(resultOf(places[i]), spare + i * columns, n * sizeof(float));
        }
    }

    /// Over the results of this row, those of windows with missing cells.
    void finishMissing()
    {
        const double all = static_cast<double>(job.answers.sums()[job.window.cells]);
        for (int i = 0; i < kLanes; ++i) {
            const Place &place = places[i];
            const int n = resultsOf(place);
            const std::int64_t y = place.y + windowRow;
            if (n == 0 || !job.hasMissing(place.x, y, n)) continue;
            std::int64_t sums[SlidingLayout::kMostColumns];
            for (int c = 0; c < n; ++c)
                sums[c] = static_cast<std::int64_t>(all - differences[c * kLanes + i]);
            job.finishMissing(place.x, y, sums, resultOf(place), n, tallies);
        }
    }

    const SlidingJob &job;
    const int reach, columns, groups, ranksBytes;
    std::uint8_t *cells, *ranks, *tallies;
    std::size_t leavingRow = 0; ///< where the window's leaving row is in a column of the ring
    double *differences;        ///< F(N) - S: kLanes for each column, in the order of Path::lane()
    float *answers;             ///< the same shape
    float *spare;               ///< rows of lanes that do not lie within the tile
    std::uint8_t *before;       ///< the chains before cells 0 ... reach of a window: enter, leave
    std::uint8_t *tablesOf;     ///< which tables the ranks of a column need
    std::int64_t windowRow = 0; ///< of the bands; negative while the first windows fill
    Place places[kLanes];
};

template <typename Path, int cellBytes, int knownHeight>
void slidingTile(const SlidingJob &job)
{
    SlidingTile<Path, cellBytes, knownHeight>(job).run();
}

/// The kernel for a height of the window.
template <typename Path, int cellBytes>
SlidingKernel slidingKernel(int height)
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

} // namespace
} // namespace local_entropy
