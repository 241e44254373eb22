// Two levels: boxes of one level (box.h), then one look-up a window. Included behind box.h.
#pragma once

#include "local_entropy/methods/levels/box.h"
#include "local_entropy/methods/levels/two_levels.h"
#include "local_entropy/methods/results.h"

#include <cstring>

namespace local_entropy
{
namespace
{

/// A row of results that a table of counts gives. What lies behind the n-th count must be readable
/// up to 8 bytes.
template <class Count>
void lookUpRow(const double *table, const Count *counts, std::int64_t n, double *to)
{
    for (std::int64_t i = 0; i < n; i++) to[i] = table[counts[i]];
}

/// The same; n is a multiple of 4. Counts come four at a time and floats go two at a time, both as
/// integers, so that a look-up is a shift, a cut, a load and half a store.
template <class Count>
void lookUpRow(const float *table, const Count *counts, std::int64_t n, float *to)
{
    constexpr int kBits = 8 * sizeof(Count);
    constexpr unsigned kMask = (1u << kBits) - 1;
    const auto bits = [&](std::uint64_t count) {
        std::uint32_t value;
        std::memcpy(&value, table + (count & kMask), sizeof value);
        return std::uint64_t{value};
    };
    for (std::int64_t i = 0; i < n; i += 4) {
        std::uint64_t four = 0, pair;
        std::memcpy(&four, counts + i, 4 * sizeof(Count));
        for (int k = 0; k < 4; k += 2, four >>= 2 * kBits) {
            pair = bits(four) | bits(four >> kBits) << 32;
            std::memcpy(to + i + k, &pair, sizeof pair);
        }
    }
}

/// Rows of Blocks, which has block(counts, to): the results of kBlock windows. Those that miss
/// cells are overwritten: the other level has the rest of what is there.
template <class Value, class Blocks>
struct TwoLookUp
{
    const Blocks &blocks;
    const Finish &finish;

    template <class Count>
    void row(const Count *counts, std::int64_t, std::int64_t x, std::int64_t y,
             std::int64_t n) const
    {
        Value *const to = finish.row<Value>(y) + x;
        std::int64_t i = 0;
        for (; i + kBlock <= n; i += kBlock) blocks.block(counts + i, to + i);
        if (i < n) {
            Value last[kBlock];
            blocks.block(counts + i, last);
            std::memcpy(to + i, last, (n - i) * sizeof(Value));
        }
        if (!finish.mayMiss()) return;
        for (i = 0; i < n; i += kBlock) {
            const Finish::Missing missing = finish.missing(x + i, y, blockAt(i, n));
            if (missing.end)
                finish.two(counts + i + missing.begin, x + i + missing.begin, y,
                           missing.end - missing.begin);
        }
    }
};

/// From memory.
template <class Value>
struct TableBlocks
{
    const Value *table;

    template <class Count>
    void block(const Count *counts, Value *to) const
    {
        lookUpRow(table, counts, kBlock, to);
    }
};

template <class Ops, class Value, class Blocks>
void fillTwo(const BoxTile &tile, const Blocks &blocks, const Finish &finish, Scratch &scratch)
{
    fillBoxes<Ops>(tile, TwoLookUp<Value, Blocks>{blocks, finish}, scratch);
}

template <class Ops>
void fillTwoLevels(const BoxTile &tile, const TwoLevelTable &table, const Finish &finish,
                   Scratch &scratch)
{
    if (table.isDouble)
        fillTwo<Ops, double>(tile, TableBlocks<double>{table.doubles.data()}, finish, scratch);
    else
        fillTwo<Ops, float>(tile, TableBlocks<float>{table.floats.data()}, finish, scratch);
}

} // namespace
} // namespace local_entropy
