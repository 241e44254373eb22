// From the counts of a row of windows to their results.
#pragma once

#include "local_entropy/answers/answers.h"
#include "local_entropy/methods/results.h"
#include "local_entropy/problem/load.h"
#include "local_entropy/problem/problem.h"

#include <cstdint>

namespace local_entropy
{

/// Finishes the windows of a tile: sums of F(count) over the levels, by 64-bit look-ups, to the
/// nearest float or double. Counts are given by level: counts[level * stride + i] is window i's.
class Finish
{
public:
    static constexpr int kMost = 64; ///< windows at a time

    Finish(const Problem &problem, const Tile &tile, const Answers &answers, int levels)
        : problem(problem), tile(tile), answers(answers), levels(levels)
    {
    }

    /// Results x .. x + n - 1 of row y of the tile, n <= kMost. Count is uint8 or uint16.
    template <class Count>
    void block(const Count *counts, std::int64_t stride, std::int64_t x, std::int64_t y,
               int n) const;

    /// The same for two levels, of which counts[i] are the first's.
    template <class Count>
    void two(const Count *counts, std::int64_t x, std::int64_t y, int n) const;

    /// The float of one window without missing cells, from its counts.
    template <class Count>
    float one(const Count *counts, std::int64_t stride) const;

    /// The windows of a row between which all lie that miss a cell; none: end is 0.
    struct Missing
    {
        int begin, end;
    };
    Missing missing(std::int64_t x, std::int64_t y, int n) const;

    /// Where the results of row y go.
    template <class Value>
    Value *row(std::int64_t y) const
    {
        return resultRow<Value>(problem, tile.place, y);
    }

    /// Whether any window of the tile may miss a cell.
    bool mayMiss() const { return tile.missing; }

    int cells() const { return problem.shape.cells; } ///< of a window

    /// Of entropies, without missing cells: nearestFloat() is toDouble(wholeSum() - sum) * scale(),
    /// unless that is within band() units of a boundary.
    const std::int64_t *sums() const { return answers.sums(); }
    std::int64_t wholeSum() const { return answers.sums()[cells()]; }
    double scale() const { return answers.scales()[cells()]; }
    std::uint32_t band() const { return answers.band(); }

private:
    template <class Count>
    void floats(const Count *counts, std::int64_t stride, std::int64_t x, std::int64_t y, int n,
                float *to) const;

    /// From sums over the levels; missing: how many cells each window misses, nullptr: none.
    template <class Recount>
    void finishSums(std::int64_t *sums, const std::uint16_t *missing, float *to, int n,
                    const Recount &recount) const;

    const Problem &problem;
    const Tile &tile;
    const Answers &answers;
    const int levels;
};

} // namespace local_entropy
