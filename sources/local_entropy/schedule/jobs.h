// Who computes which part of a problem.
#pragma once

#include "local_entropy/methods/method.h"

#include <vector>

namespace local_entropy
{

/// What an engine was told about how to compute, and how many threads share a call.
struct Choice
{
    Path path;
    const Method *only = nullptr; ///< null: the cheapest
    int threads = 1;
};

/// A problem and who computes it.
struct Job
{
    Problem problem;
    const Method *method;
    double cost; ///< nanoseconds of all threads together, in the tiles that they get
};

/// The parts of a problem, the largest first. Throws Error (Unavailable) if the one method cannot
/// compute them.
std::vector<Job> jobsOf(const Problem &whole, const Choice &choice);

/// That of a call that may have so many threads: with those that have something to do, by what one
/// of them alone would take. Waking another takes as long as some results. Throws as jobsOf().
Choice choiceOfCall(const Problem &whole, Choice choice, int mostThreads);

} // namespace local_entropy
