// How often each level occurs in a window, and what follows from it.
#pragma once

#include "local_entropy/answers/answers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace counting
{

using Counts = std::vector<int>;

constexpr local_entropy::Base kBases[] = {local_entropy::Base::E, local_entropy::Base::Two,
                                          local_entropy::Base::Ten};

inline int cellsOf(const Counts &counts)
{
    int cells = 0;
    for (int n : counts) cells += n;
    return cells;
}

/// Calls visit(counts) for every way to write `cells` as a sum of counts.
inline void forPartitions(int cells, const std::function<void(const Counts &)> &visit)
{
    Counts counts;
    const std::function<void(int, int)> split = [&](int left, int most) {
        if (left == 0) return visit(counts);
        for (int n = std::min(left, most); n >= 1; n--) {
            counts.push_back(n);
            split(left - n, n);
            counts.pop_back();
        }
    };
    split(cells, cells);
}

/// Every way to write `cells` as a sum of counts.
inline std::vector<Counts> everyPartition(int cells)
{
    std::vector<Counts> all;
    forPartitions(cells, [&](const Counts &counts) { all.push_back(counts); });
    return all;
}

inline Counts randomCounts(std::mt19937 &random, int cells)
{
    const int least = 1 + random() % 3, most = 1 + random() % std::max(1, cells / 2);
    Counts counts;
    for (int left = cells; left > 0; left -= counts.back())
        counts.push_back(std::min<int>(left, least + random() % most));
    return counts;
}

inline std::int64_t sumOf(const local_entropy::Answers &answers, const Counts &counts)
{
    std::int64_t sum = 0;
    for (int n : counts) sum += answers.sums()[n];
    return sum;
}

/// What an entropy in nats is multiplied by.
inline long double truePerNat(local_entropy::Base base)
{
    using local_entropy::Base;
    return base == Base::E ? 1 : 1 / std::log(base == Base::Two ? 2.0L : 10.0L);
}

inline long double trueEntropy(const Counts &counts,
                               local_entropy::Base base = local_entropy::Base::E)
{
    using local_entropy::Base;
    const int cells = cellsOf(counts);
    long double sum = 0, rest = 0; // compensated
    for (int n : counts) {
        const long double term = n * std::log(static_cast<long double>(cells) / n) - rest;
        const long double next = sum + term;
        rest = (next - sum) - term;
        sum = next;
    }
    const long double log = base == Base::Two ? std::log(2.0L) : std::log(10.0L);
    return sum / cells / (base == Base::E ? 1 : log);
}

/// The float nearest to `value`; fails where an error of 2^-57 could change it.
inline float floatOfTrue(long double value)
{
    const float below = static_cast<float>(value - value * 0x1p-57L);
    EXPECT_EQ(below, static_cast<float>(value + value * 0x1p-57L)) << "The judge is too short";
    return below;
}

} // namespace counting
