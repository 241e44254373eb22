#include "local_entropy/schedule/everywhere.h"

#ifdef __CUDACC__
#include "common/devices.h"
#include "common/threads.h"
#include "local_entropy/library_errors.h"
#include "local_entropy/methods/bits/narrow.h"
#include "local_entropy/schedule/shared_devices.h"

#include <algorithm>
#include <utility>
#endif

namespace local_entropy
{

#ifdef __CUDACC__

/// Null where no GPU can be used.
static SharedDevices *sharedDevices()
{
    // Never freed: the driver may end before static objects do.
    static SharedDevices *const kept = common::deviceCount() > 0 ? new SharedDevices : nullptr;
    return kept && !kept->none() ? kept : nullptr;
}

struct Everywhere::Parts
{
    SharedDevices &devices;
    OneAtATime::Lease mine;
    Sharing sharing;
    std::atomic<int> threads{0}; ///< that have begun
};

Everywhere::Everywhere(std::unique_ptr<Parts> parts) : parts(std::move(parts)) {}
Everywhere::~Everywhere() = default;

std::unique_ptr<Everywhere> Everywhere::of(const Problem &problem, ThroughDevices choice)
{
    constexpr std::int64_t kFewestCells = 1 << 24; // below, the CPU is done too soon to share
    const Region &region = problem.region;
    if (region.width * region.height < kFewestCells) return nullptr;
    if (common::isForked()) return nullptr; // a process does not inherit devices
    SharedDevices *const shared = withLibraryErrors(sharedDevices);
    if (!shared) return nullptr;
    OneAtATime::Lease mine(shared->calls);
    if (!mine) return nullptr; // even to a callback of the call that has them
    if (choice == ThroughDevices::IfCheaper && !shared->wanted()) return nullptr;
    std::unique_ptr<Parts> parts(new Parts{*shared, std::move(mine), {choice}});
    return std::unique_ptr<Everywhere>(new Everywhere(std::move(parts)));
}

/// Those that the CPU likes, but higher ones of narrow arrays.
TileSize Everywhere::tileSize(const bits::BitsPlan &plan, const Problem &problem, int threads) const
{
    const Region &region = problem.region;
    if (!bits::isNarrow(region.width, region.height)) return plan.tileSize(problem, threads);
    const std::int64_t rows = Passage::kCells / 2 / (region.width + 2 * Passage::kPitch);
    return {region.width, std::max<std::int64_t>(rows, 1)};
}

void Everywhere::work(const bits::BitsPlan &plan, const Problem &problem, TileQueue &queue,
                      Scratch &scratch)
{
    const auto compute = [&](const Region &tile) { plan.compute(problem, tile, scratch); };
    withLibraryErrors(
        [&] { parts->devices.work(parts->threads++, problem, parts->sharing, queue, compute); });
}

std::int64_t Everywhere::tiles() const { return parts->sharing.throughDevices; }

#else

struct Everywhere::Parts
{
};
Everywhere::~Everywhere() = default;
std::unique_ptr<Everywhere> Everywhere::of(const Problem &, ThroughDevices) { return nullptr; }
TileSize Everywhere::tileSize(const bits::BitsPlan &plan, const Problem &problem, int threads) const
{
    return plan.tileSize(problem, threads);
}
void Everywhere::work(const bits::BitsPlan &plan, const Problem &problem, TileQueue &queue,
                      Scratch &scratch)
{
    plan.work(problem, queue, scratch);
}
std::int64_t Everywhere::tiles() const { return 0; }

#endif

} // namespace local_entropy
