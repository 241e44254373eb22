#include "local_entropy/methods/levels/finish.h"

#include "local_entropy/methods/levels/sums.h"

#include <algorithm>
#include <vector>

namespace local_entropy
{
namespace
{

/// Appends the counts of one window.
template <class Count>
void appendCounts(const Count *counts, std::int64_t stride, int levels, std::vector<int> &to)
{
    for (int level = 0; level < levels; level++) to.push_back(counts[level * stride]);
}

template <class Count>
double nearestDouble(const Answers &answers, const Count *counts, std::int64_t stride, int levels)
{
    UInt128 sum = 0;
    int cells = 0;
    for (int level = 0; level < levels; level++) {
        sum += answers.wideSums()[counts[level * stride]];
        cells += counts[level * stride];
    }
    return answers.nearestDouble(
        sum, cells, [&](std::vector<int> &all) { appendCounts(counts, stride, levels, all); });
}

} // namespace

template <class Count>
void Finish::block(const Count *counts, std::int64_t stride, std::int64_t x, std::int64_t y,
                   int n) const
{
    if (answers.fromSums() && !problem.result.isDouble) {
        floats(counts, stride, x, y, n, row<float>(y) + x);
        return;
    }
    std::vector<int> all;
    for (int i = 0; i < n; i++) {
        all.clear();
        appendCounts(counts + i, stride, levels, all);
        const int number = static_cast<int>(all.size());
        if (!problem.result.isDouble)
            row<float>(y)[x + i] = answers.floatOf(all.data(), number);
        else
            row<double>(y)[x + i] = answers.fromSums()
                                        ? nearestDouble(answers, counts + i, stride, levels)
                                        : answers.doubleOf(all.data(), number);
    }
}

template <class Count>
void Finish::floats(const Count *counts, std::int64_t stride, std::int64_t x, std::int64_t y, int n,
                    float *to) const
{
    std::int64_t sums[kMost] = {};
    addLookUps(counts, stride, levels, answers.sums(), n, sums);
    const bool some = this->missing(x, y, n).end;
    finishSums(
        sums, some ? tile.absent + y * tile.absentStride + x : nullptr, to, n,
        [&](int i, std::vector<int> &all) { appendCounts(counts + i, stride, levels, all); });
}

/// Where all windows miss as many cells, which is so along an edge, they are windows of fewer
/// cells: their answers need no tables by window.
template <class Recount>
void Finish::finishSums(std::int64_t *sums, const std::uint16_t *missing, float *to, int n,
                        const Recount &recount) const
{
    int cells = problem.shape.cells;
    if (missing && std::all_of(missing, missing + n, [&](int i) { return i == missing[0]; })) {
        cells -= missing[0];
        missing = nullptr;
    }
    if (missing) // Answers take the cells that do not count for those of one more level
        for (int i = 0; i < n; i++) sums[i] += answers.sums()[missing[i]];
    answers.finishRowExactly(sums, cells, missing, to, n, recount);
}

template <class Count>
void Finish::two(const Count *counts, std::int64_t x, std::int64_t y, int n) const
{
    const std::uint16_t *missing = tile.absent + y * tile.absentStride + x;
    const auto other = [&](int i) { return problem.shape.cells - missing[i] - counts[i]; };
    if (!answers.fromSums() || problem.result.isDouble) {
        Count both[2][kMost];
        for (int i = 0; i < n; i++) {
            both[0][i] = counts[i];
            both[1][i] = static_cast<Count>(other(i));
        }
        block(both[0], kMost, x, y, n);
        return;
    }
    const std::int64_t *table = answers.sums();
    std::int64_t sums[kMost];
    for (int i = 0; i < n; i++) sums[i] = table[counts[i]] + table[other(i)];
    finishSums(sums, missing, row<float>(y) + x, n, [&](int i, std::vector<int> &all) {
        all.push_back(counts[i]);
        all.push_back(other(i));
    });
}

template <class Count>
float Finish::one(const Count *counts, std::int64_t stride) const
{
    std::int64_t sum = 0;
    for (int level = 0; level < levels; level++) sum += answers.sums()[counts[level * stride]];
    return answers.nearestFloat(sum, problem.shape.cells, [&](std::vector<int> &all) {
        appendCounts(counts, stride, levels, all);
    });
}

Finish::Missing Finish::missing(std::int64_t x, std::int64_t y, int n) const
{
    if (!tile.missing) return {0, 0};
    const std::uint16_t *of = tile.absent + y * tile.absentStride + x;
    unsigned any = 0;
    for (int i = 0; i < n; i++) any |= of[i];
    if (!any) return {0, 0};
    int begin = 0, end = n;
    while (!of[begin]) begin++;
    while (!of[end - 1]) end--;
    return {begin, end};
}

template void Finish::block(const std::uint8_t *, std::int64_t, std::int64_t, std::int64_t,
                            int) const;
template void Finish::block(const std::uint16_t *, std::int64_t, std::int64_t, std::int64_t,
                            int) const;
template void Finish::two(const std::uint8_t *, std::int64_t, std::int64_t, int) const;
template void Finish::two(const std::uint16_t *, std::int64_t, std::int64_t, int) const;
template float Finish::one(const std::uint8_t *, std::int64_t) const;
template float Finish::one(const std::uint16_t *, std::int64_t) const;

} // namespace local_entropy
