#include "local_entropy/schedule/everywhere.h"

#ifdef __CUDACC__
#include "common/devices.h"
#include "common/kernel_times.h"
#include "common/threads.h"
#include "local_entropy/library_errors.h"
#include "local_entropy/schedule/forks.h"
#include "local_entropy/schedule/shared_devices.h"

#endif

#include <algorithm>
#include <utility>

namespace local_entropy
{

void WayCost::add(double seconds, std::int64_t cells)
{
    const double now = seconds / static_cast<double>(cells);
    const double before = perCell;
    // The last few count most; but one that other work has made long says little.
    perCell = before > 0 ? before + (std::min(now, 2 * before) - before) / 8 : now;
}

bool WayCosts::devicesAreCheaper() const
{
    constexpr double kClearly = 0.8;
    return throughDevice.get() < kClearly * onCpu.get();
}

void WayCosts::add(double seconds, bool shared, std::int64_t tiles)
{
    const bool wasAwake = std::exchange(isAwake, true);
    if (tiles > 0 && !std::exchange(isWarm, true)) return throughDevice.forget();
    if (!shared) spentAlone += seconds;
    if (!shared && !wasAwake) return;
    // Other work makes calls longer now and then, nothing makes them shorter.
    double &lately = shared ? callShared : callAlone;
    lately = lately > seconds || lately == 0 ? seconds : lately + (seconds - lately) / 8;
}

bool WayCosts::shallShare(double estimated)
{
    constexpr int kInARow = 4;
    constexpr double kOfTheTime = 0.02, kLeastBetween = 64, kMostBetween = 1e6; // calls
    if (callShared == 0) return true;
    const double alone = callAlone > 0 ? callAlone : estimated;
    const bool pays = callShared < alone;
    if (pays != std::exchange(paid, pays)) turn = kInARow;
    const double longer = std::max(callShared, alone) / std::min(callShared, alone) - 1;
    const int between =
        static_cast<int>(std::clamp(kInARow * longer / kOfTheTime, kLeastBetween, kMostBetween));
    const bool tries = turn < kInARow;
    turn = (turn + 1) % (kInARow + between);
    return pays != tries;
}

#ifdef __CUDACC__

namespace
{

std::atomic<bool> areStarted{false}; ///< all devices

/// Null where there is no GPU.
SharedDevices *sharedDevices()
{
    const int count = common::deviceCount(); // asked each time: none may have answered before
    if (count == 0) return nullptr;
    // Never freed: the driver may end before static objects do.
    static SharedDevices *const kept = new SharedDevices(count);
    return kept;
}

/// Those that a call uses, which has the lease of all.
std::vector<Device *> devicesFor(SharedDevices &shared, const Sharing &sharing)
{
    const auto devices = sharing.alone ? shared.only(sharing.gpu) : shared.all();
    areStarted = shared.areStarted();
    return devices;
}

/// Nanoseconds of a cell through a device, about: the bus, or its kernels, which take so long.
double nanosecondsOfDevice(const Problem &problem, double kernels)
{
    constexpr double kBytesANanosecond = 50;
    const double bytes = problem.result.isDouble ? 8 : 4;
    return std::max(bytes / kBytesANanosecond, kernels);
}

double nanosecondsOfDevice(const Problem &problem)
{
    return nanosecondsOfDevice(problem, launchCost(problem));
}

/// Counts a call that devices might have shortened, and says whether it is time to start them: once
/// such calls have taken as long, in this process, as that takes, about. So a process that soon
/// ends never waits for them, and no other one takes more than about twice as long as if it had
/// known. Two threads that count at once lose one of their calls, which does not matter.
bool countTowardsStart(double seconds)
{
    constexpr double kStart = 0.5;
    static std::atomic<double> spent{0};
    spent = spent + seconds;
    return spent >= kStart;
}

/// Whether devices could help at all: what they take, beside the CPU's time. What is soon done is
/// computed by the CPU until so much time has gone by with it that a try, for which tables are
/// made, does not count. While they are not started, calls that none of them could shorten do not
/// count towards that, and devices are not even asked what they have: that starts them, too.
bool mayPay(const Problem &problem, double nanoseconds, int threads, const WayCosts &costs)
{
    constexpr double kAtOnce = 0.05e6, kSoon = 1.5e6;
    constexpr double kToTry = 0.05; // seconds
    const double alone = costs.callAlone > 0 ? 1e9 * costs.callAlone : nanoseconds / threads;
    if (alone <= kAtOnce) return false;
    if (alone <= kSoon && costs.spentAlone < kToTry) return false;
    const double cells = static_cast<double>(problem.region.width * problem.region.height);
    const auto pays = [&](double kernels) {
        return cells * nanosecondsOfDevice(problem, kernels) < 8 * alone;
    };
    if (!areStarted && !pays(leastLaunchCost(problem))) return false;
    if (!areStarted && !countTowardsStart(1e-9 * alone)) return false;
    return pays(launchCost(problem));
}

/// Of a cell, in large tiles: for each of these CUDA is called, which takes so long on the host of
/// an H200.
double secondsOfDevice(const Problem &problem, const TileSize &large)
{
    constexpr double kCalls = 50e3; // nanoseconds
    const double cells = static_cast<double>(large.width * large.height);
    return 1e-9 * std::max(nanosecondsOfDevice(problem), kCalls / cells);
}

/// Cells of a large tile: there is no room for more, or it would be long until a call that is to be
/// cancelled looks whether it is.
std::int64_t mostCells(const Problem &problem)
{
    constexpr double kLongest = 20e6; // nanoseconds
    const std::int64_t room = problem.result.isDouble ? Passage::kCells / 2 : Passage::kCells;
    const double inTime = kLongest / nanosecondsOfDevice(problem);
    return inTime < static_cast<double>(room) ? static_cast<std::int64_t>(inTime) : room;
}

/// Those that the CPU likes, but no more than a fifth of a millisecond's, if windows allow it, as
/// results that arrive wait so long: heights are free (Plan::tileSize).
TileSize smallTile(const Problem &problem, const Plan &plan, double nanoseconds, int threads)
{
    constexpr double kAtOnce = 2e5;
    const Region &region = problem.region;
    TileSize size = plan.tileSize(problem, threads);
    size.width = std::min(size.width, region.width);
    const double ofRow = nanoseconds / static_cast<double>(region.width * region.height) *
                         static_cast<double>(size.width);
    const auto rows = static_cast<std::int64_t>(kAtOnce / std::max(ofRow, 1.0));
    size.height = std::min(size.height, std::max<std::int64_t>(rows, 2 * problem.shape.height));
    return size;
}

/// What all cells take the CPU's threads together: as expected until it has been measured.
double nanosecondsOfCpu(const Problem &problem, double expected, const WayCosts &costs)
{
    const double cells = static_cast<double>(problem.region.width * problem.region.height);
    const double measured = 1e9 * costs.onCpu.get() * cells;
    return measured > 0 ? measured : expected;
}

/// What large tiles are made of where a GPU computes all: whole rows, which some methods read in
/// place, unless these are too long.
TileSize rowsFor(const Problem &problem)
{
    constexpr std::int64_t kLong = Passage::kCells / 16, kColumns = 1024;
    return {problem.region.width > kLong ? kColumns : problem.region.width, 1};
}

} // namespace

struct Everywhere::Parts
{
    OneAtATime::Lease mine;
    const Problem &problem;
    const Plan &plan;
    SharedWork shared;
    const Sharing sharing;
    std::atomic<int> threads{0};     ///< that have begun
    std::atomic<bool> isLeft{false}; ///< a tile, by the GPU that was to do all
};

Everywhere::Everywhere(std::unique_ptr<Parts> parts) : parts(std::move(parts)) {}
Everywhere::~Everywhere() = default;

std::unique_ptr<Everywhere> Everywhere::of(const Problem &problem, const Plan &plan,
                                           double nanoseconds, int threads, WayCosts &costs,
                                           Progress &progress, Sharing sharing)
{
    if (!plan.takesTiles() && !sharing.alone) return nullptr;
    if (sharing.alone) {
        if (sharing.gpu == kNoGpu) return nullptr;         // whose plan says why
        if (common::KernelTimes::active()) return nullptr; // timed on whole images
        sharing.choice = ThroughDevices::All;
    }
    if (common::isForked()) return nullptr; // a process does not inherit devices
    if (sharing.choice == ThroughDevices::IfCheaper &&
        !mayPay(problem, nanoseconds, threads, costs))
        return nullptr;
    SharedDevices *const shared = withLibraryErrors(sharedDevices);
    if (!shared) return nullptr;
    OneAtATime::Lease mine(shared->calls);
    if (!mine) return nullptr; // even to a callback of the call that has them
    if (sharing.choice == ThroughDevices::IfCheaper &&
        !costs.shallShare(1e-9 * nanoseconds / threads))
        return nullptr;
    const auto devices = withLibraryErrors([&] { return devicesFor(*shared, sharing); });
    if (devices.empty()) return nullptr;
    if (sharing.small.width == 0) {
        const double ofCpu = nanosecondsOfCpu(problem, nanoseconds, costs);
        sharing.small = sharing.alone ? rowsFor(problem) : smallTile(problem, plan, ofCpu, threads);
    }
    if (sharing.large.width == 0)
        sharing.large = largeTile(problem.region, sharing.small, mostCells(problem));
    const bool doAll = sharing.choice == ThroughDevices::All; // whatever they take
    const double seconds = doAll ? 0 : secondsOfDevice(problem, sharing.large);
    std::unique_ptr<Parts> parts(
        new Parts{std::move(mine),
                  problem,
                  plan,
                  {*shared, devices, problem, sharing, seconds, threads, costs, progress},
                  sharing});
    return std::unique_ptr<Everywhere>(new Everywhere(std::move(parts)));
}

bool Everywhere::start()
{
    return withLibraryErrors([] {
        SharedDevices *const shared = sharedDevices();
        if (!shared) return false;
        const OneAtATime::Lease mine(shared->calls);
        return mine && !devicesFor(*shared, {}).empty();
    });
}

void Everywhere::work(Scratch &scratch)
{
    const auto byPlan = [&](const Region &tile) {
        static const std::function<bool(double)> nobody;
        Progress untold(nobody, tile); // SharedTiles has told it
        TileQueue queue(tile, {tile.width, tile.height}, untold);
        parts->plan.work(parts->problem, queue, scratch);
    };
    const auto leave = [&](const Region &) { parts->isLeft = true; };
    withLibraryErrors([&] {
        const int number = parts->threads++;
        const Sharing &sharing = parts->sharing;
        const bool wasLast =
            sharing.alone ? parts->shared.work(number, leave) : parts->shared.work(number, byPlan);
        if (wasLast && parts->isLeft.exchange(false))
            onGpu(sharing.gpu, [&] { byPlan(parts->problem.region); });
    });
}

std::int64_t Everywhere::tiles() const { return parts->shared.throughDevices(); }

#else

struct Everywhere::Parts
{
};
Everywhere::~Everywhere() = default;
std::unique_ptr<Everywhere> Everywhere::of(const Problem &, const Plan &, double, int, WayCosts &,
                                           Progress &, Sharing)
{
    return nullptr;
}
bool Everywhere::start() { return false; }
void Everywhere::work(Scratch &) {}
std::int64_t Everywhere::tiles() const { return 0; }

#endif

} // namespace local_entropy
