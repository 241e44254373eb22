// The tiles of a problem for all that a machine has: its GPUs and its cores.
#pragma once

#include "local_entropy/memory/callers_gpu.h"
#include "local_entropy/methods/method.h"
#include "local_entropy/schedule/progress.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace local_entropy
{

/// What a cell costs a thread on one of two ways. Threads add to it now and then; a lost update
/// matters little.
class WayCost
{
public:
    void add(double seconds, std::int64_t cells);
    double get() const { return perCell; } ///< seconds; 0 while unknown
    void forget() { perCell = 0; }

private:
    std::atomic<double> perCell{0};
};

/// Of one filter and image, kept from call to call.
struct WayCosts
{
    WayCost onCpu, throughDevice;
    /// Seconds of a whole call lately, by the CPU and with devices; 0 while unknown.
    double callAlone = 0, callShared = 0;
    double spentAlone = 0; ///< seconds of all calls by the CPU
    bool isAwake = false;  ///< a call has ended: the next one finds the threads of the CPU
    bool isWarm = false;   ///< a call has sent tiles: the next one finds its tables
    bool paid = false;     ///< devices, when it was asked last
    int turn = 0;          ///< of the calls from one try of the other way to the next

    bool devicesAreCheaper() const;
    /// Whether the next call shall have the devices: by what whole calls take, of which the CPU's
    /// are estimated until there was one (seconds). What either way takes depends on what else is
    /// going on, so the one that takes longer is tried again: a few times, since the first after a
    /// while is slower, and so seldom that it costs a fiftieth of the time.
    bool shallShare(double estimated);
    /// A call has ended that took so long, with devices or not, and has sent so many tiles through
    /// them. The first one of either way tells nothing: threads were started, or tables and memory
    /// of devices were made, while it ran.
    void add(double seconds, bool shared, std::int64_t tiles);
};

/// Which tiles go through a GPU. For tests and benchmarks; every choice gives the same bits.
enum class ThroughDevices { IfCheaper, IfThereIsRoom, All };

/// How a call shares its tiles.
struct Sharing
{
    ThroughDevices choice = ThroughDevices::IfCheaper;
    TileSize large{0, 0}, small{0, 0}; ///< for devices and for the CPU; 0: as it seems best
    std::int64_t failingTile = -1;     ///< the device that it is sent through fails, for tests
    const Method *alone = nullptr;     ///< by which one GPU computes all; null: whoever can
    int gpu = kNoGpu;                  ///< that one
};

/// The GPUs, while a call has them: one call of all at a time.
///
/// Every thread sends a large tile through a GPU, if one has room and that costs the thread clearly
/// less time than computing it, or else computes a small one, unless that would keep GPUs, or the
/// end of the call, waiting (feeding.h). What either costs is measured on the way: few slow cores
/// leave most to the GPUs; many fast ones, or filters that are computed about as fast as memory can
/// be copied, next to nothing. Whole calls are measured too: of a small image the time goes by
/// between the tiles. A GPU that fails is used no more: what was on its way is computed by the CPU.
class Everywhere
{
public:
    /// Null where the problem, whose computation takes its threads `nanoseconds` together, is left
    /// to the CPU alone: it is soon done, the plan takes no tiles, there is no GPU, none can
    /// compute that, another call has them, or they do not pay. Devices take half a second to
    /// start: calls for which they might pay are left to the CPU, too, until these have taken as
    /// long.
    ///
    /// Where one GPU shall do all, null leaves the problem to plan.work(): another call has it, or
    /// its kernels are timed.
    ///
    /// `problem`, `plan`, `costs` and `progress` outlive it. The first call that has a device
    /// allocates what passes between host and device and keeps it: 108 MB of page-locked and as
    /// much device memory.
    static std::unique_ptr<Everywhere> of(const Problem &problem, const Plan &plan,
                                          double nanoseconds, int threads, WayCosts &costs,
                                          Progress &progress, Sharing sharing = {});
    ~Everywhere();

    /// Starts the devices, as the first call does for which that pays, and says whether there are
    /// some now: not where there is no GPU that can be used, or another call has them. For tests
    /// and benchmarks.
    [[nodiscard]] static bool start();

    /// One thread's part, instead of plan.work(). Where one GPU shall do all alone, and has not
    /// done a tile, the last thread calls plan.work() for the whole problem, on that GPU.
    void work(Scratch &scratch);

    /// How many tiles went through a GPU.
    std::int64_t tiles() const;

private:
    struct Parts;
    explicit Everywhere(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts;
};

} // namespace local_entropy
