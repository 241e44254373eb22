// Box sums by level: how many cells of each level a window holds, at a cost that hardly depends on
// the window. Included behind a path's header of simd/, and compiled for its instructions.
//
//      the window of a result, 5 x 4           for every level, one row of counters each
//          . . a b . a b . .
//          . . b a a a . . .     enter/leave   columns  1 3 1 2 3 1 ...   a row enters, one leaves:
//          . . a . b b a . .    ------------>  groups   4 4 3 5 4 ...     2 compares, 2 masked adds
//          . . . a a . a . .                   boxes    9 ...             sums of `group`
//          neighbours,
//                                                                        then `groups` of these
//
// For each row of results and level, a vector of 64 cells costs
//    columns   3 loads, 4 operations, 1 store
//    groups    `group` loads, as many additions, 1 store          9 x 9: 3 loads
//    boxes     groups + rest loads, as many additions, 1 store    9 x 9: 3 loads; 31 x 31: 12 in
//    all
// and then what the look-ups of F(count) take. Everything stays in the first cache: a tile is cut
// into strips of columns that are narrow enough.
#pragma once

#include "local_entropy/methods/levels/box_tile.h"
#include "local_entropy/methods/levels/pair_blocks.h"
#include "local_entropy/simd/counters.h"

#include <cstring>

namespace local_entropy
{
namespace
{

/// Two vectors of out[x] = sum of in[x + i step], i < terms, + sum of single[x + i], i < singles.
template <class Ops, class Out, class In>
[[gnu::always_inline]] inline void addTwo(const In *in, int step, int terms,
                                          const std::uint8_t *single, int singles, Out *out)
{
    using Lanes = Counter<Ops, Out>;
    const In *next = in + Lanes::kLanes;
    typename Lanes::Vector a = Lanes::load(in), b = Lanes::load(next);
    for (int i = 1; i < terms; i++) {
        a = Lanes::add(a, Lanes::load(in + i * step));
        b = Lanes::add(b, Lanes::load(next + i * step));
    }
    for (int i = 0; i < singles; i++) {
        a = Lanes::add(a, Lanes::load(single + i));
        b = Lanes::add(b, Lanes::load(single + Lanes::kLanes + i));
    }
    Ops::storeAny(out, a);
    Ops::storeAny(out + Lanes::kLanes, b);
}

/// Rows of numbers, one of each of some levels, `stride` elements apart.
template <class T>
struct Rows
{
    T *first;
    std::int64_t stride;

    T *operator[](int row) const { return first + row * stride; }
    Rows from(std::int64_t x) const { return {first + x, stride}; }
};

/// `some` rows of these, x < n rounded up to two vectors, by a number of terms that the compiler
/// knows, 2 to kMostUnrolled, or by any number. Several levels a call: rows are short.
constexpr int kMostUnrolled = 6;

template <class Ops, class Out, int kTerms = 2, class In>
void addNeighbours(Rows<In> in, int step, int terms, Rows<std::uint8_t> single, int singles,
                   Rows<Out> out, std::int64_t n, int some)
{
    constexpr int kLanes = 2 * Counter<Ops, Out>::kLanes;
    if (kTerms < kMostUnrolled && terms != kTerms) {
        constexpr int kNext = kTerms < kMostUnrolled ? kTerms + 1 : kTerms;
        addNeighbours<Ops, Out, kNext>(in, step, terms, single, singles, out, n, some);
        return;
    }
    for (int row = 0; row < some; row++)
        if (terms == kTerms)
            for (std::int64_t x = 0; x < n; x += kLanes)
                addTwo<Ops>(in[row] + x, step, kTerms, single[row] + x, singles, out[row] + x);
        else
            for (std::int64_t x = 0; x < n; x += kLanes)
                addTwo<Ops>(in[row] + x, step, terms, single[row] + x, singles, out[row] + x);
}

/// The counts of a strip, row by row. Count is the type of a box's count.
template <class Ops, class Count>
class BoxStrip
{
public:
    BoxStrip(const BoxTile &tile, const BoxPlan &plan, const StripLayout &layout, void *memory)
        : tile(tile), plan(plan), layout(layout), levels(tile.levels)
    {
        columns = static_cast<std::uint8_t *>(memory);
        groups = columns + layout.columnStride * levels;
        boxes = reinterpret_cast<Count *>(groups + layout.groupBytes);
        const std::int64_t empty = roundUp(levels, kTogether) - levels;
        std::memset(boxes + layout.countStride * levels, 0,
                    layout.countStride * empty * sizeof(Count));
    }

    /// Results x .. x + n - 1 of the tile's rows, from the first row on.
    void begin(std::int64_t x, std::int64_t n)
    {
        cells = tile.cells + x;
        results = roundUp(n, kBlock);
        // Of the columns behind the last window's at most those up to the next vector are counted.
        reach = n + tile.windowWidth - 1;
        std::memset(columns, 0, layout.columnStride * levels);
        for (int y = 0; y < tile.windowHeight; y++) enter(cells + y * tile.stride);
    }

    /// From row y - 1 to row y.
    void moveTo(std::int64_t y)
    {
        slide(cells + (y + tile.windowHeight - 1) * tile.stride, cells + (y - 1) * tile.stride);
    }

    /// The boxes of the row, counts()[level * countStride + x].
    void sumBoxes()
    {
        if (plan.group == 1) {
            addNeighbours<Ops, Count>(columnsFrom(0), 1, plan.groups, columnsFrom(0), 0,
                                      boxesFrom(0), results, levels);
        } else if (plan.wideGroups) {
            sumGroups<std::uint16_t>();
        } else {
            sumGroups<std::uint8_t>();
        }
    }

    const Count *counts() const { return boxes; }

private:
    using Vector = typename Ops::Vector;

    std::uint8_t *columnsOf(int level) const { return columns + layout.columnStride * level; }

    Rows<std::uint8_t> columnsFrom(int level) const
    {
        return {columnsOf(level), layout.columnStride};
    }
    Rows<Count> boxesFrom(int level) const
    {
        return {boxes + layout.countStride * level, layout.countStride};
    }

    /// The groups of some levels are summed before their boxes, since loads that cross from one
    /// store to the next must wait until both have reached the cache.
    template <class Group>
    void sumGroups()
    {
        if constexpr (sizeof(Group) <= sizeof(Count)) {
            const std::int64_t n = results + (plan.groups - 1) * plan.group;
            const Rows<Group> group = {reinterpret_cast<Group *>(groups), layout.columnStride};
            for (int level = 0; level < levels; level += kTogether) {
                const int some = levels - level < kTogether ? levels - level : kTogether;
                const Rows<std::uint8_t> columns = columnsFrom(level);
                const Rows<std::uint8_t> rest = columnsFrom(level).from(plan.groups * plan.group);
                addNeighbours<Ops, Group>(columns, 1, plan.group, columns, 0, group, n, some);
                addNeighbours<Ops, Count>(group, plan.group, plan.groups, rest, plan.rest,
                                          boxesFrom(level), results, some);
            }
        }
    }

    void enter(const std::uint8_t *in)
    {
        for (int level = 0; level < levels; level++) {
            const Vector value = Ops::all(tile.values[level]);
            std::uint8_t *const column = columnsOf(level);
            for (std::int64_t x = 0; x < reach; x += Ops::kBytes)
                Ops::store(column + x,
                           Ops::addEqual(Ops::load(column + x), Ops::loadAny(in + x), value));
        }
    }

    void slide(const std::uint8_t *in, const std::uint8_t *out)
    {
        int level = 0;
        for (; level + 4 <= levels; level += 4) slideSome<4>(level, in, out);
        for (; level < levels; level++) slideSome<1>(level, in, out);
    }

    /// Some levels at once, which share the loads of cells.
    template <int kSome>
    void slideSome(int level, const std::uint8_t *in, const std::uint8_t *out)
    {
        Vector value[kSome];
        for (int i = 0; i < kSome; i++) value[i] = Ops::all(tile.values[level + i]);
        std::uint8_t *const column = columnsOf(level);
        for (std::int64_t x = 0; x < reach; x += Ops::kBytes) {
            const Vector entering = Ops::loadAny(in + x), leaving = Ops::loadAny(out + x);
            for (int i = 0; i < kSome; i++) {
                std::uint8_t *const counters = column + layout.columnStride * i + x;
                const Vector more = Ops::addEqual(Ops::load(counters), entering, value[i]);
                Ops::store(counters, Ops::subEqual(more, leaving, value[i]));
            }
        }
    }

    const BoxTile &tile;
    const BoxPlan &plan;
    const StripLayout &layout;
    const int levels;
    std::uint8_t *columns, *groups;
    Count *boxes;
    const std::uint8_t *cells = nullptr;
    std::int64_t results = 0, reach = 0;
};

/// Counts a tile strip by strip; LookUp::row() turns a row of counts into results.
template <class Ops, class Count, class LookUp>
void fillBoxes(const BoxTile &tile, const BoxPlan &plan, const LookUp &lookUp, Scratch &scratch)
{
    const StripLayout layout(tile.windowWidth, tile.levels, plan.wide);
    BoxStrip<Ops, Count> strip(tile, plan, layout,
                               scratch.get(Scratch::MethodA, layout.bytes + kTileSlack));
    for (std::int64_t x = 0; x < tile.width; x += layout.results) {
        const std::int64_t left = tile.width - x;
        const std::int64_t n = left < layout.results ? left : layout.results;
        strip.begin(x, n);
        for (std::int64_t y = 0; y < tile.height; y++) {
            if (y) strip.moveTo(y);
            strip.sumBoxes();
            lookUp.row(strip.counts(), layout.countStride, x, y, n);
        }
    }
}

template <class Ops, class LookUp>
void fillBoxes(const BoxTile &tile, const LookUp &lookUp, Scratch &scratch)
{
    const BoxPlan plan = planBox(tile.windowWidth, tile.windowHeight);
    if (plan.wide)
        fillBoxes<Ops, std::uint16_t>(tile, plan, lookUp, scratch);
    else
        fillBoxes<Ops, std::uint8_t>(tile, plan, lookUp, scratch);
}

/// No pairs: one look-up a level, by Finish.
template <class Ops>
void fillBySums(const BoxTile &tile, const PairTable *pairs, const Finish &finish, Scratch &scratch)
{
    if (pairs) {
        const PairBlocks blocks(*pairs, finish, tile.levels);
        fillBoxes<Ops>(tile, RowLookUp<PairBlocks>{blocks, finish}, scratch);
    } else {
        fillBoxes<Ops>(tile, FinishLookUp{finish}, scratch);
    }
}

} // namespace
} // namespace local_entropy
