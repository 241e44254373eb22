// What the groups of a run came to, and the last line that says so.
#pragma once

#include "entropy/core.h"

#include <cstddef>
#include <cstdio>
#include <string>

namespace entropy
{

/// What the groups so far came to.
struct Score
{
    std::size_t groups = 0, answered = 0, passed = 0;
    double total = 0, first = 0, slowest = 0; ///< milliseconds; total is without the first group
    std::size_t slowestGroup = 0;             ///< counted from 1; 0 while none has answered

    void add(std::size_t group, double milliseconds, bool good)
    {
        ++answered;
        passed += good;
        (group == 0 ? first : total) += milliseconds;
        if (slowestGroup != 0 && milliseconds <= slowest) return;
        slowest = milliseconds;
        slowestGroup = group + 1;
    }
};

/// "2 of 3 groups passed with v7; ..."
inline std::string summary(const Score &score)
{
    std::string text = "\n" + std::to_string(score.passed) + " of " + std::to_string(score.groups) +
                       " groups passed with " + activeVersion() + "; ";
    char times[160];
    if (score.answered == 0)
        std::snprintf(times, sizeof times, "no group was answered\n");
    else if (score.groups == 1)
        std::snprintf(times, sizeof times, "%.3f ms\n", score.first);
    else
        std::snprintf(times, sizeof times,
                      "total without the first group, which may pay for start-up, %.3f ms; slowest "
                      "group %zu with %.3f ms\n",
                      score.total, score.slowestGroup, score.slowest);
    return text + times;
}

} // namespace entropy
