// Sums of two levels by one look-up.
#pragma once

#include "local_entropy/answers/answers.h"
#include "local_entropy/problem/problem.h"

#include <cstdint>
#include <vector>

namespace local_entropy
{

/// F(a) + F(b) by a + base b, for counts a and b of one window that are both below `base`: half as
/// many look-ups as by F alone. Neighbouring windows have similar counts: what they touch of the
/// table is small and stays in the first cache.
struct PairTable
{
    /// Indexes have 16 bits. `base` is odd, so that rows of the table do not all fall into the same
    /// sets of the cache.
    static constexpr int kMostBase = 249, kNarrow = 255;

    int base;
    std::vector<std::int64_t> sums;

    /// For windows of `cells` cells. Up to kNarrow, all counts have an entry.
    PairTable(const Answers &answers, int cells);
};

/// Whether such a table serves a question.
bool pairsCan(const Problem &problem);

} // namespace local_entropy
