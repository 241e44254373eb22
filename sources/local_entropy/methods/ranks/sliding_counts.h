// The ranks of the sliding ranks: chains of comparisons. Included by sliding.h, whose lead comment
// says what a rank and a chain are.
#pragma once

#include "local_entropy/methods/ranks/sliding_cells.h"

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

/// knownHeight: of the window; 0: any.
template <typename Path, int cellBytes, int knownHeight>
class SlidingCounts
{
public:
    using Vector = typename Path::Vector;
    static constexpr int kLanes = Path::kBytes;

    SlidingCounts(const SlidingJob &job, const SlidingCells<Path, cellBytes> &cells)
        : cells(cells), windowHeight(job.window.height), reach(job.window.width - 1),
          columns(job.layout.columns), ranksBytes((reach + 2) / 2 * 4 * kLanes)
    {
        const std::size_t all = std::size_t(columns + reach) * ranksBytes;
        const std::size_t chains = std::size_t(reach + 1) * 2 * kLanes;
        ranks = static_cast<std::uint8_t *>(job.scratch.get(Scratch::MethodB, all + chains));
        before = ranks + all;
        std::memset(ranks, 0, all + chains); // a chain begins with 0, too
    }

    /// The ranks of the cells that enter and leave the window that begins at column c, from left to
    /// right: enter, leave, enter, leave ..., zeros up to a multiple of 4. Windows that begin
    /// before the strip are the last of the strip before.
    std::uint8_t *ranksOf(int c) const
    {
        return ranks + static_cast<std::ptrdiff_t>(c + reach) * ranksBytes;
    }

    /// Row `row` of the cells enters.
    void beginRow(std::int64_t row)
    {
        leavingRow = static_cast<std::size_t>((row + 1) % (height() + 1)) * kCellBytes;
    }

    /// The ranks of the cells of column c. Returns which tables they need.
    std::uint32_t count(int c)
    {
        constexpr int kPair = 2 * kLanes;
        const std::size_t columnBytes = cells.columnBytes();
        const std::uint8_t *top = cells.column(c) + leavingRow;
        const OneCell leave = cellAt(top), enter = cellAt(top + height() * kCellBytes);
        Chains<Path> chains;
        chains.start();
        top = cells.column(c - reach) + leavingRow;
        for (std::uint8_t *to = before + (reach - 1) * kPair; to >= before; to -= kPair) {
            countColumn(top, enter, leave, chains);
            chains.leave[0] = addEqual(chains.leave[0], leave, cellAt(top));
            chains.enter[0] = addEqual(chains.enter[0], enter, cellAt(top + height() * kCellBytes));
            Path::store(to, chains.entered());
            Path::store(to + kLanes, chains.left());
            top += columnBytes;
        }
        Vector all = Path::zero();
        const std::uint8_t *less = before + reach * kPair; // as cell `reach` ... 0 of a window
        for (std::uint8_t *to = firstRank(c); less >= before; less -= kPair, to += nextRank()) {
            countColumn(top, enter, leave, chains);
            Vector entered = Path::sub(chains.entered(), Path::load(less));
            Vector left = Path::sub(chains.left(), Path::load(less + kLanes));
            Path::cancel(entered, left);
            Path::store(to, entered);
            Path::store(to + kLanes, left);
            all = Path::both(all, entered, left);
            top += columnBytes;
        }
        const std::uint32_t tables = Path::tablesUpTo(all);
        return __builtin_expect(tables <= Path::kFewTables, 1) ? tables : tablesOf(c);
    }

    /// The same while the first windows fill: there are `rows` rows above the entering one. What
    /// leaves equals no other cell; its ranks are the zeros that are there from the beginning.
    std::uint32_t countStart(int c, int rows)
    {
        constexpr int kPair = 2 * kLanes;
        const std::size_t above = leavingRow + (height() - rows) * kCellBytes;
        const OneCell enter = cellAt(cells.column(c) + above + rows * kCellBytes);
        Vector chain = Path::zero();
        for (int k = -reach; k < 0; ++k) {
            const std::uint8_t *top = cells.column(c + k) + above;
            for (int row = 0; row <= rows; ++row)
                chain = addEqual(chain, enter, cellAt(top + row * kCellBytes));
            Path::store(before + (-k - 1) * kPair, chain);
        }
        std::uint8_t *to = firstRank(c);
        for (int k = 0; k <= reach; ++k, to += nextRank()) {
            const std::uint8_t *top = cells.column(c + k) + above;
            for (int row = 0; row < rows; ++row)
                chain = addEqual(chain, enter, cellAt(top + row * kCellBytes));
            Path::store(to, Path::sub(chain, Path::load(before + (reach - k) * kPair)));
        }
        return tablesOf(c);
    }

    /// The window at column c reaches into the next strip, that is the next lane, where its ranks
    /// were those of a window before the strip.
    void join(int c)
    {
        for (int a = columns - c; a <= reach; ++a)
            for (int k = 2 * a; k < 2 * a + 2; ++k)
                Path::store(ranksOf(c) + k * kLanes,
                            Path::loadAny(ranksOf(c - columns) + k * kLanes + 1));
    }

private:
    using OneCell = Cell<Path, cellBytes>;
    static constexpr int kCellBytes = cellBytes * kLanes;

    int height() const { return knownHeight ? knownHeight : windowHeight; }

    /// The ranks of column c as cell `reach` of a window; from there to the next window, where it
    /// is the cell before.
    std::uint8_t *firstRank(int c) const { return ranksOf(c - reach) + reach * 2 * kLanes; }
    std::ptrdiff_t nextRank() const { return ranksBytes - 2 * kLanes; }

    /// The tables that the ranks of column c need, and no other.
    [[gnu::noinline]] std::uint32_t tablesOf(int c) const
    {
        typename Path::Seen seen;
        const std::uint8_t *pair = firstRank(c);
        for (int a = 0; a <= reach; ++a, pair += nextRank()) seen.add(pair);
        return seen.tables();
    }

    [[gnu::always_inline]] static inline OneCell cellAt(const std::uint8_t *p)
    {
        OneCell cell;
        for (int byte = 0; byte < cellBytes; ++byte)
            cell.byte[byte] = Path::load(p + byte * kLanes);
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
        const int end = height();
        int k = 1;
#pragma GCC unroll 8
        for (; k + 1 < end; k += 2) {
            countCell<0>(top + k * kCellBytes, enter, leave, chains);
            countCell<1>(top + (k + 1) * kCellBytes, enter, leave, chains);
        }
        if (k < end) countCell<0>(top + k * kCellBytes, enter, leave, chains);
    }

    template <int chain>
    [[gnu::always_inline]] static inline void countCell(const std::uint8_t *at,
                                                        const OneCell &enter, const OneCell &leave,
                                                        Chains<Path> &chains)
    {
        const OneCell cell = cellAt(at);
        chains.enter[chain] = addEqual(chains.enter[chain], enter, cell);
        chains.leave[chain] = addEqual(chains.leave[chain], leave, cell);
    }

    const SlidingCells<Path, cellBytes> &cells;
    const int windowHeight, reach, columns, ranksBytes;
    std::uint8_t *ranks;
    std::uint8_t *before;       ///< the chains before cells 0 ... reach of a window: enter, leave
    std::size_t leavingRow = 0; ///< where the window's leaving row is in a column of the ring
};

} // namespace
} // namespace local_entropy
