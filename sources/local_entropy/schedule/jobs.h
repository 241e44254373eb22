// Who computes which part of a problem.
#pragma once

#include "local_entropy/methods/method.h"

#include <vector>

namespace local_entropy
{

/// What an engine was told about how to compute.
struct Choice
{
    Path path;
    const Method *only = nullptr; ///< null: the cheapest
    int threads = 1;              ///< that share a call, if it is worth it
};

/// A problem and who computes it.
struct Job
{
    Problem problem;
    const Method *method;
    double cost; ///< nanoseconds on one thread
};

/// The parts of a problem, the largest first. Throws Error (Unavailable) if the one method cannot
/// compute them.
std::vector<Job> jobsOf(const Problem &whole, const Choice &choice);

} // namespace local_entropy
