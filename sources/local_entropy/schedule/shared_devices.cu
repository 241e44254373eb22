#include "local_entropy/schedule/shared_devices.h"

#include "common/clock.h"
#include "common/devices.h"
#include "local_entropy/problem/load.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <thread>

namespace local_entropy
{

// ---- devices -----------------------------------------------------------------------------------

Passage *Device::claim(Passage::State state)
{
    for (Passage &passage : passages)
        if (passage.claim(state)) return &passage;
    return nullptr;
}

void Device::abandon()
{
    for (Passage &passage : passages) { // whoever holds one has left, by what a callback has thrown
        passage.abandon();
        passage.release(Passage::State::Free);
    }
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

// ---- a call ------------------------------------------------------------------------------------

SharedWork::SharedWork(SharedDevices &shared, const Problem &problem, const Sharing &sharing,
                       WayCosts &costs, Progress &progress)
    : shared(shared), problem(problem), sharing(sharing), costs(costs),
      tiles(problem.region, sharing.large, sharing.small, progress)
{
    for (const auto &device : shared.devices) device->hasFailed = false; // it may be well again
}

SharedWork::~SharedWork()
{
    if (process.isLeft()) return; // a callback has forked: here are no devices
    for (const auto &device : shared.devices) device->abandon();
    if (begun == 0 || areAsked) return;
    try {
        askDevices();
    } catch (const std::exception &) { // of this call, which has failed anyway
    }
}

/// Feeding a device takes a thread's time too: to pack a tile and to put its results in place. It
/// pays if that is clearly less than computing the tile takes.
bool SharedWork::toDevice()
{
    if (sharing.choice != ThroughDevices::IfCheaper) return true;
    return costs.devicesAreCheaper() || tries.fetch_sub(1) > 0;
}

/// Whether a thread has better things to do than to compute: where a device costs it far less, a
/// tile that it computes keeps the device waiting. As many threads as there are passages can be of
/// use.
bool SharedWork::feeds(int number) const
{
    constexpr double kFarLess = 0.25;
    const auto passages = std::size(shared.devices.front()->passages) * shared.devices.size();
    return static_cast<std::size_t>(number) < passages &&
           costs.throughDevice.get() < kFarLess * costs.onCpu.get();
}

/// Whether the CPU has nothing to do but to feed devices: they will have done what is left before a
/// small tile is computed.
bool SharedWork::isLeftToDevices(const Device &device, int number) const
{
    constexpr std::int64_t kKnown = 4 * Passage::kCells;
    const std::int64_t left = tiles.leftInLarge(), arrived = arrivedCells;
    if (device.hasFailed || left == 0 || sharing.choice == ThroughDevices::IfThereIsRoom)
        return false;
    if (sharing.choice == ThroughDevices::All) return true;
    if (arrived < kKnown || !costs.devicesAreCheaper()) return false;
    if (feeds(number)) return true;
    const double perCell = clock.seconds() / static_cast<double>(arrived);
    return costs.onCpu.get() * static_cast<double>(tiles.cellsOfSmall()) >
           perCell * static_cast<double>(left);
}

/// The device is used no more, and the CPU computes what was on its way.
void SharedWork::fail(Device &device, Passage &held)
{
    device.hasFailed = true;
    tiles.giveBack(held.tile());
    held.abandon();
    held.release(Passage::State::Free);
}

bool SharedWork::sendOne(Device &device)
{
    if (device.hasFailed) return false;
    Passage *const passage = device.claim(Passage::State::Free);
    if (!passage) return false;
    Region tile;
    if (!toDevice() || !tiles.takeLarge(tile)) {
        passage->release(Passage::State::Free);
        return false;
    }
    passage->give(tile);
    try {
        if (sharing.failingTile == begun++) throw common::Error("a device fails, for a test");
        if (Passage::fits(problem, tile) && passage->enter(problem, shared.launchers)) {
            ++sent;
            passage->release(Passage::State::OnItsWay);
        } else { // the CPU can, or finds out why not
            tiles.giveBack(tile);
            passage->release(Passage::State::Free);
        }
    } catch (const std::exception &) {
        fail(device, *passage);
    }
    return true;
}

void SharedWork::takeOut(Device &device, Passage &passage)
{
    try {
        passage.wait();
        const common::WallClock leaving;
        passage.leave();
        const std::int64_t cells = passage.tile().width * passage.tile().height;
        costs.throughDevice.add(passage.secondsOfEntering() + leaving.seconds(), cells);
        arrivedCells += cells;
        passage.release(Passage::State::Free);
    } catch (const std::exception &) {
        fail(device, passage);
    }
}

bool SharedWork::takeOutOne(Device &device)
{
    for (Passage &passage : device.passages) {
        if (!passage.claim(Passage::State::OnItsWay)) continue;
        bool arrived = true; // a failure shows when it is waited for
        try {
            arrived = passage.hasArrived();
        } catch (const std::exception &) {
        }
        if (arrived) {
            takeOut(device, passage);
            return true;
        }
        passage.release(Passage::State::OnItsWay);
    }
    return false;
}

bool SharedWork::waitForOne(Device &device)
{
    Passage *const passage = device.claim(Passage::State::OnItsWay);
    if (passage) takeOut(device, *passage);
    return passage;
}

bool SharedWork::computeOne(const Device &device, int number, const Compute &compute)
{
    Region tile;
    if (isLeftToDevices(device, number) || !tiles.takeSmall(tile)) return false;
    const common::WallClock computing;
    compute(tile);
    costs.onCpu.add(computing.seconds(), tile.width * tile.height);
    return true;
}

void SharedWork::work(int number, const Compute &compute)
{
    Device &device = *shared.devices[number % shared.devices.size()];
    const common::DeviceScope current(device.number);
    ++working;
    for (;;) {
        while (takeOutOne(device)) {
        }
        if (sendOne(device) || computeOne(device, number, compute) || waitForOne(device)) continue;
        // Others hold what is left, or nothing is left.
        if (isLeftToDevices(device, number)) {
            std::this_thread::yield();
            continue;
        }
        Region tile;
        if (!tiles.takeSmall(tile)) break;
        compute(tile);
    }
    if (--working == 0 && sent > 0) checkCells();
}

/// Once all has arrived. A device that has failed may not be able to tell.
void SharedWork::checkCells()
{
    askDevices();
    if (std::any_of(shared.devices.begin(), shared.devices.end(),
                    [](const auto &device) { return device->hasFailed.load(); }))
        throwFirstBadCell(problem);
}

/// Each of them, since what one tells is forgotten there: the next call shall not hear of it.
void SharedWork::askDevices()
{
    areAsked = true;
    std::exception_ptr first;
    for (const auto &device : shared.devices) try {
            const common::DeviceScope current(device->number);
            shared.launchers.synchronize();
        } catch (const std::exception &) {
            if (!first && !device->hasFailed) first = std::current_exception();
        }
    if (first) std::rethrow_exception(first);
}

} // namespace local_entropy
