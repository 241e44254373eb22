// A question that an engine has made ready to answer, again and again: checked, cut into parts,
// each with its method and plan. Between two calls nothing of it is made anew.
#pragma once

#include "local_entropy/schedule/everywhere.h"
#include "local_entropy/schedule/jobs.h"
#include "local_entropy/schedule/plans.h"
#include "local_entropy/schedule/tile_queue.h"

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>

namespace local_entropy
{

/// What a caller asks, unchecked. A region of no width stands for the whole image.
struct Asked
{
    const Filter &filter;
    Image image;
    Mask mask;
    Result result;
    Region region;
    int threads = 1; ///< that it may have
};

/// One part of a question; and of the call that has it, what its threads share.
class Share
{
public:
    Share(const Job &job, const Problem &whole, Plans &plans, Path path);

    /// For arrays at these places.
    void place(const Problem &whole);
    /// In the caller's thread. `devices`: whether GPUs may help.
    void begin(int threads, bool devices, Progress &progress);
    /// What each thread does.
    void work(Scratch &scratch);
    void end() { everywhere.reset(); }
    /// Whether GPUs help in this call.
    bool isShared() const { return everywhere != nullptr; }
    /// The call has ended well, and took so long.
    void took(double seconds)
    {
        costs.add(seconds, everywhere != nullptr, everywhere ? everywhere->tiles() : 0);
    }

private:
    Problem problem;
    const std::ptrdiff_t offset; ///< of the part's result, in bytes
    const double nanoseconds;    ///< of all threads together
    const std::shared_ptr<const Plan> plan;
    WayCosts costs;
    int gpu = kNoGpu;                       ///< of the caller, if the plan computes on it
    std::unique_ptr<Everywhere> everywhere; ///< null: all of it by the plan
    std::optional<TileQueue> queue;
};

class Question
{
public:
    /// Throws Error where it cannot be answered.
    Question(const Asked &asked, const Choice &ofEngine, Plans &plans);

    /// Whether that is the same, but for the places of the arrays. So many threads, too: what calls
    /// took tells nothing of calls with fewer.
    bool isThatOf(const Asked &asked) const;

    /// For arrays at these places; throws Error if they cannot be there.
    void place(const Asked &asked);

    const Problem &problem() const { return whole; }
    int threads() const { return choice.threads; } ///< that are worth it: work() is for these

    /// `devices`: whether GPUs may help, with the largest part. One part of a call can have them,
    /// and what whole calls take, with them and without, tells whether they pay for that one.
    void begin(bool devices, Progress &progress);
    /// What thread `number` does.
    void work(Scratch &scratch, int number);
    void took(double seconds);
    void end();

    int sharedParts() const; ///< with which GPUs help in this call; for tests

private:
    // As they were given: what they stand for is in `whole`.
    const Image image;
    const Mask mask;
    const Result result;
    const Region region;
    const int mostThreads;

    Problem whole;
    const Choice choice;
    std::deque<Share> shares; // which stay where they are; the largest first
};

} // namespace local_entropy
