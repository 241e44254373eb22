#include "local_entropy/schedule/question.h"

#include "local_entropy/schedule/same_filter.h"

#include <algorithm>

namespace local_entropy
{
namespace
{

std::ptrdiff_t offsetOf(const Result &part, const Result &whole)
{
    return static_cast<const char *>(part.data) - static_cast<const char *>(whole.data);
}

template <typename Array>
bool liesAs(const Array &a, const Array &b)
{
    return a.width == b.width && a.height == b.height && a.stride == b.stride;
}

bool isSame(const Region &a, const Region &b)
{
    return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
}

} // namespace

// ---- a part ------------------------------------------------------------------------------------

Share::Share(const Job &job, const Problem &whole, Plans &plans, Path path)
    : problem(job.problem), offset(offsetOf(job.problem.result, whole.result)),
      nanoseconds(job.cost), plan(plans.get(*job.method, problem, path))
{
}

void Share::place(const Problem &whole)
{
    problem.image.data = whole.image.data;
    problem.mask.data = whole.mask.data;
    problem.result.data = static_cast<char *>(whole.result.data) + offset;
}

void Share::begin(int threads, bool devices, Progress &progress)
{
    Sharing sharing;
    sharing.alone = plan->throughDevice();
    if (sharing.alone) sharing.gpu = gpu = callersGpu();
    if (devices || sharing.alone)
        everywhere = Everywhere::of(problem, *plan, nanoseconds, threads, costs, progress, sharing);
    if (!everywhere) queue.emplace(problem.region, plan->tileSize(problem, threads), progress);
}

void Share::work(Scratch &scratch)
{
    if (everywhere)
        everywhere->work(scratch);
    else
        onGpu(gpu, [&] { plan->work(problem, *queue, scratch); });
}

// ---- all of them -------------------------------------------------------------------------------

Question::Question(const Asked &asked, const Choice &ofEngine, Plans &plans)
    : image(asked.image), mask(asked.mask), result(asked.result), region(asked.region),
      mostThreads(asked.threads), whole(checkedProblem(asked.filter, image, mask, result, region)),
      choice(choiceOfCall(whole, ofEngine, mostThreads))
{
    for (const Job &job : jobsOf(whole, choice))
        shares.emplace_back(job, whole, plans, choice.path);
}

bool Question::isThatOf(const Asked &asked) const
{
    return mostThreads == asked.threads && isSame(region, asked.region) &&
           image.type == asked.image.type && liesAs(image, asked.image) &&
           result.isDouble == asked.result.isDouble && liesAs(result, asked.result) &&
           !mask.data == !asked.mask.data && liesAs(mask, asked.mask) &&
           isSame(whole.filter, asked.filter);
}

void Question::place(const Asked &asked)
{
    whole.image.data = asked.image.data;
    whole.mask.data = asked.mask.data;
    whole.result.data = asked.result.data;
    checkPlaces(whole);
    for (Share &share : shares) share.place(whole);
}

void Question::begin(bool devices, Progress &progress)
{
    for (Share &share : shares)
        share.begin(choice.threads, devices && &share == &shares.front(), progress);
}

void Question::work(Scratch &scratch, int number)
{
    // Where GPUs help, threads wait for results in the end: every second one does the rest before.
    const bool restFirst = shares.front().isShared() && number % 2 == 1;
    if (!restFirst) shares.front().work(scratch);
    for (auto share = shares.begin() + 1; share != shares.end(); ++share) share->work(scratch);
    if (restFirst) shares.front().work(scratch);
}

void Question::took(double seconds) { shares.front().took(seconds); }

void Question::end()
{
    for (Share &share : shares) share.end();
}

int Question::sharedParts() const
{
    return static_cast<int>(std::count_if(shares.begin(), shares.end(),
                                          [](const Share &share) { return share.isShared(); }));
}

} // namespace local_entropy
