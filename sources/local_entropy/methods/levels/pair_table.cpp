#include "local_entropy/methods/levels/pair_table.h"

#include <algorithm>

namespace local_entropy
{

PairTable::PairTable(const Answers &answers, int cells)
    : base(cells <= kNarrow ? (cells + 1) | 1 : kMostBase)
{
    const int last = std::min(cells, base - 1);
    const std::int64_t *of = answers.sums();
    sums.resize(static_cast<std::size_t>(base) * last + last + 1);
    for (int b = 0; b <= last; b++)
        for (int a = 0; a <= std::min(last, cells - b); a++) sums[a + base * b] = of[a] + of[b];
}

bool pairsCan(const Problem &problem)
{
    return problem.filter.measure == Measure::Entropy && !problem.result.isDouble;
}

} // namespace local_entropy
