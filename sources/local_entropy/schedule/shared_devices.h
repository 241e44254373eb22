// The GPUs that calls share with the CPU, and what either way costs a thread. Needs CUDA.
#pragma once

#include "local_entropy/schedule/everywhere.h"
#include "local_entropy/schedule/one_at_a_time.h"
#include "local_entropy/schedule/passage.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace local_entropy
{

/// What a cell costs a thread on one of two ways. Threads add to it now and then; a lost update
/// matters little.
class Cost
{
public:
    void add(double seconds, std::int64_t cells);
    double get() const { return perCell; } ///< seconds; 0 while unknown

private:
    std::atomic<double> perCell{0};
};

/// The passages through one device.
struct Device
{
    explicit Device(int number) : number(number) {}

    /// One that nobody has; null if there is none. It is given back by `taken = false`.
    Passage *claim();

    const int number;
    Passage passages[8]; ///< enough to keep both directions of the bus busy
};

/// What a call tells of its tiles.
struct Sharing
{
    ThroughDevices choice;
    std::atomic<int> tries{8};                   ///< tiles for a device that may not pay
    std::atomic<std::int64_t> throughDevices{0}; ///< tiles
};

/// What the threads share: kept from call to call.
class SharedDevices
{
public:
    OneAtATime calls; ///< one at a time has the devices

    /// Those that can be used: a device without memory for its passages, or that is kept by others,
    /// is left out.
    SharedDevices();

    bool none() const { return devices.empty(); }

    /// Whether a call shall have the devices. Where they do not pay, one call of many tries again
    /// with a few tiles: what either way costs depends on what else is going on.
    bool wanted();

    /// What thread `number` does: computes tiles until there are none left; `compute(tile)` does it
    /// on the CPU.
    void work(int number, const Problem &problem, Sharing &sharing, TileQueue &queue,
              const std::function<void(const Region &)> &compute);

private:
    bool areCheaper() const;
    bool toDevice(Sharing &sharing) const;

    std::vector<std::unique_ptr<Device>> devices;
    Cost onCpu, throughDevice;
    int callsWithout = 0; ///< since a call had the devices; guarded by `calls`
};

} // namespace local_entropy
