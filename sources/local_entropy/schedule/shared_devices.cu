#include "local_entropy/schedule/shared_devices.h"

#include "common/clock.h"
#include "common/devices.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace local_entropy
{
namespace
{

/// The tiles that one thread has on their way through a device. Those that are still there at the
/// end, after an error, are abandoned.
class Travellers
{
public:
    Travellers(Device &device, Cost &cost) : device(device), cost(cost) {}
    ~Travellers()
    {
        for (Passage *passage : mine)
            if (passage) passage->abandon();
    }
    Travellers(const Travellers &) = delete;
    Travellers &operator=(const Travellers &) = delete;

    bool haveRoom() { return room() != mine + kMost; }

    /// False if the device has no passage left, or a cell of the tile is none of 0..15.
    bool send(const Problem &problem, const Region &tile)
    {
        Passage *&passage = *room();
        passage = device.claim();
        if (!passage) return false;
        if (passage->enter(problem, tile)) return true;
        std::exchange(passage, nullptr)->taken = false;
        return false;
    }

    void takeOutArrived()
    {
        for (Passage *&passage : mine)
            if (passage && passage->hasArrived()) takeOut(passage);
    }
    void takeOutAll()
    {
        for (Passage *&passage : mine)
            if (passage) takeOut(passage);
    }

private:
    static constexpr int kMost = 2;

    Passage **room() { return std::find(mine, mine + kMost, nullptr); }

    void takeOut(Passage *&passage)
    {
        passage->wait();
        const common::WallClock clock;
        passage->leave();
        cost.add(passage->entering + clock.seconds(), passage->cells);
        passage->taken = false;
        passage = nullptr;
    }

    Device &device;
    Cost &cost;
    Passage *mine[kMost] = {};
};

} // namespace

void Cost::add(double seconds, std::int64_t cells)
{
    const double now = seconds / static_cast<double>(cells);
    const double before = perCell;
    perCell = before > 0 ? before + (now - before) / 8 : now; // the last few count most
}

Passage *Device::claim()
{
    for (Passage &passage : passages)
        if (!passage.taken.exchange(true)) return &passage;
    return nullptr;
}

SharedDevices::SharedDevices() : devices(common::deviceCount())
{
    const int count = static_cast<int>(devices.size());
#pragma omp parallel for schedule(static, 1) num_threads(count)
    for (int device = 0; device < count; ++device) try {
            const common::DeviceScope current(device);
            devices[device] = std::make_unique<Device>(device);
        } catch (const std::exception &) {
        }
    devices.erase(std::remove(devices.begin(), devices.end(), nullptr), devices.end());
}

/// Feeding a device takes a thread's time too: to pack a tile and to put its results in place. It
/// pays if that is clearly less than computing the tile takes.
bool SharedDevices::areCheaper() const
{
    constexpr double kClearly = 0.8;
    return throughDevice.get() < kClearly * onCpu.get();
}

bool SharedDevices::wanted()
{
    constexpr int kTryAgain = 64;
    const bool known = throughDevice.get() > 0 && onCpu.get() > 0;
    if (known && !areCheaper() && ++callsWithout < kTryAgain) return false;
    callsWithout = 0;
    return true;
}

bool SharedDevices::toDevice(Sharing &sharing) const
{
    if (sharing.choice == ThroughDevices::IfThereIsRoom) return true;
    return areCheaper() || sharing.tries.fetch_sub(1) > 0;
}

void SharedDevices::work(int number, const Problem &problem, Sharing &sharing, TileQueue &queue,
                         const std::function<void(const Region &)> &compute)
{
    Device &device = *devices[number % devices.size()];
    const common::DeviceScope current(device.number);
    Travellers travellers(device, throughDevice);
    for (;;) {
        travellers.takeOutArrived();
        Region tile;
        if (!queue.take(tile)) break;
        if (travellers.haveRoom() && Passage::fits(tile) && toDevice(sharing) &&
            travellers.send(problem, tile)) {
            ++sharing.throughDevices;
            continue;
        }
        const common::WallClock clock;
        compute(tile);
        onCpu.add(clock.seconds(), tile.width * tile.height);
    }
    travellers.takeOutAll();
}

} // namespace local_entropy
