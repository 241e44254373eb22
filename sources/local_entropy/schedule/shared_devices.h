// The GPUs that calls share with the CPU. Needs CUDA.
#pragma once

#include "local_entropy/schedule/everywhere.h"
#include "local_entropy/schedule/feeding.h"
#include "local_entropy/schedule/forks.h"
#include "local_entropy/schedule/made_once.h"
#include "local_entropy/schedule/one_at_a_time.h"
#include "local_entropy/schedule/passage.h"
#include "local_entropy/schedule/shared_tiles.h"

#include "common/clock.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace local_entropy
{

/// The passages through one device.
struct Device
{
    explicit Device(int number) : number(number) {}

    /// A free one, now the caller's; null if there is none.
    Passage *claim();
    /// Of those for which that holds, the one whose tile was numbered first; null: there is none.
    Passage *oldest(bool (Passage::*holds)() const);
    void abandon();      ///< after a call: waits for what an error has left, and all are free
    bool isWell() const; ///< whether it still answers

    const int number;
    std::atomic<bool> hasFailed{false};
    OneAtATime talks; ///< one thread, to CUDA: several would wait for each other, there
    /// Enough to keep both directions of the bus busy while some are packed and others copied.
    Passage passages[12];
};

/// What a device tells of the cells that it has read; nothing if it does not answer.
enum class Told { OnlyLevels, BadCell, Nothing };

/// The devices, kept from call to call.
class SharedDevices
{
public:
    explicit SharedDevices(int count) : devices(count) {}

    // By the call that has the lease of `calls`: each device is made when it is first asked for.
    // One that cannot be used, since it has no memory for its passages or others keep it to
    // themselves, is left out, and tried again later (MadeOnce).

    std::vector<Device *> all() { return get(0, devices.count()); }
    std::vector<Device *> only(int number) { return get(number, number + 1); }
    bool areStarted() const { return devices.areAllTried(); } ///< all of them

    /// Of all since it was asked last. One that does not answer has failed.
    Told ask(Device &device);

    OneAtATime calls; ///< one at a time has the devices
    Launchers launchers;

private:
    std::vector<Device *> get(int begin, int end);

    MadeOnce<Device> devices;
};

/// A call's tiles, and what its threads do until there are none left.
class SharedWork
{
public:
    /// `compute(tile)` computes a tile on the CPU.
    using Compute = std::function<void(const Region &)>;

    /// By these devices of them, at least one, each of which takes so many seconds for a cell, and
    /// so many threads.
    SharedWork(SharedDevices &shared, const std::vector<Device *> &devices, const Problem &problem,
               const Sharing &sharing, double secondsOfDevice, int threads, WayCosts &costs,
               Progress &progress);
    /// Waits for what an error has left on its way, and forgets what cells it had.
    ~SharedWork();

    /// What thread `number` does; true for the last of them, which leaves when all is done. Throws
    /// Error: Status::BadLevel if a cell of a tile that went through a device was no level.
    bool work(int number, const Compute &compute);

    std::int64_t throughDevices() const { return sent; } ///< tiles

private:
    bool packOne(Device &device);
    bool talk(Device &device);
    void send(Device &device, Passage &packed);
    bool takeOutOne(Device &device);
    bool computeOne(const Device &device, int number, const Compute &compute);
    void takeOut(Device &device, Passage &passage, int slice);
    void giveBack(Passage &held);
    bool toDevice();
    bool isLeftToDevices(const Device &device, int number) const;
    bool mayBegin(const Device &device) const;
    bool usesDevices() const;
    Feeding feeding() const;
    void takeTiles(Device &device, int number, const Compute &compute);
    void checkCells();

    SharedDevices &shared;
    const std::vector<Device *> devices;
    const Problem &problem;
    const Sharing sharing;
    const double secondsOfDevice;
    const int threads;
    WayCosts &costs;
    SharedTiles tiles;
    std::atomic<int> working{0};                 ///< threads
    std::atomic<int> tries{8};                   ///< tiles for devices that may not pay
    std::atomic<std::int64_t> begun{0}, sent{0}; ///< tiles for devices
    std::atomic<int> underWay{0};                ///< of them, neither done nor given back
    std::atomic<std::int64_t> arrivedCells{0};
    std::atomic<bool> hasThrown{false}; ///< a thread: then nobody waits for what is under way
    std::atomic<bool> areAsked{false};  ///< devices, whether cells were levels
    const common::WallClock clock;      ///< since the call began
    const Birthplace process;
};

} // namespace local_entropy
