// Blocks of results by 64-bit sums, two levels a look-up (pair_table.h): for processors whose
// vectors cannot look up. Vectors do the rest. Included behind a path's header.
#pragma once

#include "local_entropy/answers/finish.h"
#include "local_entropy/methods/levels/box_tile.h"
#include "local_entropy/methods/levels/pair_table.h"
#include "local_entropy/methods/levels/row_look_up.h"
#include "local_entropy/methods/levels/sums.h"

namespace local_entropy
{
namespace
{

class PairBlocks
{
public:
    PairBlocks(const PairTable &pairs, const Finish &finish, int levels)
        : pairs(pairs), finish(finish), levels(levels)
    {
    }

    template <class Count>
    void block(const Count *counts, std::int64_t stride, float *to, int) const
    {
        std::int64_t sums[kBlock] = {};
        std::uint16_t index[kMost / 2][kBlock];
        int rows = 0, single = 0; // levels single ... level - 1 are to be looked up one by one
        for (int level = 0; level < levels; level += 2) {
            const Count *a = counts + level * stride, *b = a + stride;
            if (sizeof(Count) > 1 && !allSmall(a, b)) continue;
            pairUp(a, b, index[rows++]);
            addSingles(counts, stride, single, level, sums);
            single = level + 2;
        }
        addSingles(counts, stride, single, levels, sums);
        addLookUps(index[0], kBlock, rows, pairs.sums.data(), kBlock, sums);
        if (finishAll(sums, to)) decide(counts, stride, sums, to);
    }

private:
    static constexpr int kMost = 256; ///< levels

    template <class Count>
    void addSingles(const Count *counts, std::int64_t stride, int level, int end,
                    std::int64_t *sums) const
    {
        if (level < end)
            addLookUps(counts + level * stride, stride, end - level, finish.sums(), kBlock, sums);
    }

    template <class Count>
    bool allSmall(const Count *a, const Count *b) const
    {
        Count most = 0;
        for (int i = 0; i < kBlock; i++) {
            most = a[i] > most ? a[i] : most;
            most = b[i] > most ? b[i] : most;
        }
        return most < pairs.base;
    }

    template <class Count>
    void pairUp(const Count *a, const Count *b, std::uint16_t *index) const
    {
        const auto base = static_cast<std::uint16_t>(pairs.base);
        for (int i = 0; i < kBlock; i++) index[i] = static_cast<std::uint16_t>(a[i] + base * b[i]);
    }

    /// Returns whether any is undecided.
    bool finishAll(const std::int64_t *sums, float *to) const
    {
        const std::int64_t whole = finish.wholeSum();
        const double scale = finish.scale();
        const std::uint32_t band = finish.band();
        std::uint32_t any = 0;
        for (int i = 0; i < kBlock; i++) {
            const double value = toDouble(whole - sums[i]) * scale;
            any |= nearBoundary(value, band);
            to[i] = static_cast<float>(value);
        }
        return any;
    }

    template <class Count>
    void decide(const Count *counts, std::int64_t stride, const std::int64_t *sums, float *to) const
    {
        for (int i = 0; i < kBlock; i++)
            if (nearBoundary(toDouble(finish.wholeSum() - sums[i]) * finish.scale(), finish.band()))
                to[i] = finish.one(counts + i, stride);
    }

    const PairTable &pairs;
    const Finish &finish;
    const int levels;
};

/// By Finish alone, which can do all measures and doubles.
struct FinishLookUp
{
    const Finish &finish;

    template <class Count>
    void row(const Count *counts, std::int64_t stride, std::int64_t x, std::int64_t y,
             std::int64_t n) const
    {
        for (std::int64_t i = 0; i < n; i += kBlock)
            finish.block(counts + i, stride, x + i, y, blockAt(i, n));
    }
};

} // namespace
} // namespace local_entropy
