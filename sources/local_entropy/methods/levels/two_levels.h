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
    static constexpr int kSlack = 128; ///< entries that may be read behind the last answer

    bool isDouble;
    std::vector<float> floats; ///< one of the two is filled
    std::vector<double> doubles;
    /// The floats' bytes by min(n, N - n), and kSlack more: for look-ups of bytes.
    std::vector<std::uint8_t> plane[4];

    TwoLevelTable(const Problem &problem, const Answers &answers);
};

} // namespace local_entropy
