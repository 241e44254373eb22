// A problem by CPU and GPUs together, as tests ask for it: no engine decides whether that pays.
#pragma once

#include "bits_call.h"
#include "local_entropy/methods/method.h"
#include "local_entropy/schedule/everywhere.h"

#include <stdexcept>

/// By both, in that many threads, or by GPUs alone if `sharing` says All; how many tiles went
/// through a device.
inline std::int64_t computeShared(const local_entropy::Problem &problem,
                                  local_entropy::Sharing sharing, int threads)
{
    using namespace local_entropy;
    const Path path = bestPath();
    // bits wants tiles of its own width
    const auto plan = chooseMethod(problem, path, &bitsMethod()).plan(problem, path);
    const std::function<bool(double)> nobody;
    Progress progress(nobody, problem.region);
    WayCosts costs;
    if (sharing.choice == ThroughDevices::IfCheaper) sharing.choice = ThroughDevices::IfThereIsRoom;
    const auto all = Everywhere::of(problem, *plan, 1e9, threads, costs, progress, sharing);
    if (!all) throw std::runtime_error("another call has the devices");
    inThreads(threads, problem, [&](Scratch &scratch) { all->work(scratch); });
    return all->tiles();
}
