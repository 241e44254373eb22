// Two levels: the count of one of them decides, and there are few counts.
#pragma once

#include "local_entropy/answers/answers.h"
#include "local_entropy/problem/problem.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace local_entropy
{

/// The answers for windows of N cells, n of one level and N - n of another, n = 0 ... N.
struct TwoLevelTable
{
    static constexpr int kSlack = 32; ///< entries that may be read behind the last answer

    bool isDouble;
    std::vector<float> floats; ///< one of the two is filled
    std::vector<double> doubles;
    /// The floats' bytes by min(n, N - n), and kSlack more: for look-ups of bytes.
    std::vector<std::uint8_t> plane[4];

    TwoLevelTable(const Problem &problem, const Answers &answers);
};

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

} // namespace local_entropy
