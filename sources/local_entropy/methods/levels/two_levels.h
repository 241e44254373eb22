// Two levels: the count of one of them decides, and there are few counts.
#pragma once

#include "local_entropy/answers/answers.h"
#include "local_entropy/problem/problem.h"

#include <cstdint>
#include <vector>

namespace local_entropy
{

/// The answers for windows of N cells, n of one level and N - n of another, n = 0 ... N.
struct TwoLevelTable
{
    static constexpr int kMostFolded = 255;

    bool isDouble;
    std::vector<float> floats; ///< one of the two is filled
    std::vector<double> doubles;
    /// The floats' bytes by min(n, N - n), for windows of up to kMostFolded cells.
    alignas(64) std::uint8_t plane[4][128] = {};

    TwoLevelTable(const Problem &problem, const Answers &answers);

    template <class Value>
    const Value *values() const
    {
        if constexpr (sizeof(Value) == sizeof(float))
            return floats.data();
        else
            return doubles.data();
    }
};

/// A row of results that a table of counts gives.
template <class Value, class Count>
void lookUpRow(const Value *table, const Count *counts, std::int64_t n, Value *to)
{
    for (std::int64_t i = 0; i < n; i++) to[i] = table[counts[i]];
}

} // namespace local_entropy
