#include "local_entropy/schedule/jobs.h"

#include "local_entropy/error.h"
#include "local_entropy/schedule/parts.h"

#include <string>

namespace local_entropy
{
namespace
{

const Method &methodFor(const Problem &problem, const Choice &choice)
{
    if (!choice.only) return chooseMethod(problem, choice.path, nullptr, choice.threads);
    if (choice.only->can(problem, choice.path)) return *choice.only;
    throw Error(Status::Unavailable, std::string("the method '") + choice.only->name() +
                                         "' cannot compute this filter on path " +
                                         pathName(choice.path));
}

Job jobOf(const Problem &problem, const Method &method, const Choice &choice)
{
    const double cells =
        static_cast<double>(problem.region.width) * static_cast<double>(problem.region.height);
    return {problem, &method, cells * method.costInTiles(problem, choice.path, choice.threads)};
}

} // namespace

std::vector<Job> jobsOf(const Problem &whole, const Choice &choice)
{
    if (!choice.only || choice.only->can(whole, choice.path)) {
        const Method &method = methodFor(whole, choice);
        if (method.wantsWhole()) return {jobOf(whole, method, choice)};
    }
    std::vector<Job> jobs;
    for (const Problem &part : partsOf(whole))
        jobs.push_back(jobOf(part, methodFor(part, choice), choice));
    return jobs;
}

Choice choiceOfCall(const Problem &whole, Choice choice, int mostThreads)
{
    // Nanoseconds, for each thread, as a fast processor takes them. Small images say how much is
    // enough: bench_together, 512x512.
    constexpr double kEnough = 12000;
    choice.threads = 1;
    double alone = 0;
    for (const Job &job : jobsOf(whole, choice)) alone += job.cost;
    const double worth = alone / kEnough;
    if (worth >= mostThreads)
        choice.threads = mostThreads;
    else if (worth > 1)
        choice.threads = static_cast<int>(worth);
    return choice;
}

} // namespace local_entropy
