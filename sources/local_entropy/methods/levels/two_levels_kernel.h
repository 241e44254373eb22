// Two levels: boxes of one level (box.h), then one look-up a window. Included behind box.h.
#pragma once

#include "local_entropy/methods/levels/box.h"
#include "local_entropy/methods/levels/two_levels.h"
#include "local_entropy/methods/results.h"

namespace local_entropy
{
namespace
{

/// Finishes those of n windows that miss cells: the other level has the rest.
template <class Count>
void finishTwo(const Finish &finish, const Count *counts, std::int64_t x, std::int64_t y, int n)
{
    const Finish::Missing missing = finish.missing(x, y, n);
    if (!missing.end) return;
    Count both[2][kBlock + 8] = {}; // look-ups may go a few counts further
    for (int i = missing.begin; i < missing.end; i++) {
        both[0][i] = counts[i];
        both[1][i] = static_cast<Count>(finish.cells() - finish.absent(x + i, y) - counts[i]);
    }
    finish.block(both[0] + missing.begin, both[1] - both[0], x + missing.begin, y,
                 missing.end - missing.begin);
}

/// From memory: two loads and a store a window.
template <class Value>
struct TableLookUp
{
    const TwoLevelTable &table;
    const Finish &finish;

    template <class Count>
    void row(const Count *counts, std::int64_t, std::int64_t x, std::int64_t y,
             std::int64_t n) const
    {
        Value *const to = finish.row<Value>(y) + x;
        for (std::int64_t i = 0; i < n; i += kBlock) {
            const int some = blockAt(i, n);
            lookUpRow(table.values<Value>(), counts + i, some, to + i);
            finishTwo(finish, counts + i, x + i, y, some);
        }
    }
};

template <class Ops, class LookUp>
void fillTwo(const BoxTile &tile, const LookUp &lookUp, Scratch &scratch)
{
    const BoxPlan plan = planBox(tile.windowWidth, tile.windowHeight);
    if (plan.wide)
        fillBoxes<Ops, std::uint16_t>(tile, plan, lookUp, scratch);
    else
        fillBoxes<Ops, std::uint8_t>(tile, plan, lookUp, scratch);
}

template <class Ops>
void fillTwoLevels(const BoxTile &tile, const TwoLevelTable &table, const Finish &finish,
                   Scratch &scratch)
{
    if (table.isDouble)
        fillTwo<Ops>(tile, TableLookUp<double>{table, finish}, scratch);
    else
        fillTwo<Ops>(tile, TableLookUp<float>{table, finish}, scratch);
}

} // namespace
} // namespace local_entropy
