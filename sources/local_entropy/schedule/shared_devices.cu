#include "local_entropy/schedule/shared_devices.h"

#include "common/clock.h"
#include "common/devices.h"
#include "local_entropy/error.h"
#include "local_entropy/problem/load.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>
#include <thread>

namespace local_entropy
{

// ---- devices -----------------------------------------------------------------------------------

Passage *Device::claim()
{
    for (Passage &passage : passages)
        if (passage.claim()) return &passage;
    return nullptr;
}

Passage *Device::oldest(bool (Passage::*holds)() const)
{
    Passage *found = nullptr;
    for (Passage &passage : passages)
        if ((passage.*holds)() && (!found || passage.number() < found->number())) found = &passage;
    return found;
}

void Device::abandon()
{
    for (Passage &passage : passages) { // whoever holds one has left, by what a callback has thrown
        passage.abandon();
        passage.release();
    }
}

bool Device::isWell() const
{
    try {
        const common::DeviceScope current(number);
        for (const Passage &passage : passages)
            if (!passage.isWell()) return false;
        return true;
    } catch (const std::exception &) {
        return false;
    }
}

std::vector<Device *> SharedDevices::get(int begin, int end)
{
    return devices.get(begin, end, [](int number) {
        const common::DeviceScope current(number);
        return std::make_unique<Device>(number);
    });
}

Told SharedDevices::ask(Device &device)
{
    try {
        const common::DeviceScope current(device.number);
        launchers.synchronize();
        return Told::OnlyLevels;
    } catch (const Error &error) {
        if (error.status() == Status::BadLevel) return Told::BadCell;
    } catch (const std::exception &) {
    }
    // It has failed, or cannot even be made the current one. Or memory was lacking to ask it, and
    // nobody knows: that is taken for a failure. The next call looks whether it is well again.
    device.hasFailed = true;
    return Told::Nothing;
}

// ---- a call ------------------------------------------------------------------------------------

SharedWork::SharedWork(SharedDevices &shared, const std::vector<Device *> &devices,
                       const Problem &problem, const Sharing &sharing, double secondsOfDevice,
                       int threads, WayCosts &costs, Progress &progress)
    : shared(shared), devices(devices), problem(problem), sharing(sharing),
      secondsOfDevice(secondsOfDevice), threads(threads), costs(costs),
      tiles(problem.region, sharing.large, sharing.small, progress)
{
    for (Device *device : devices) // it may be well again; what it tells is of another call
        if (device->hasFailed)
            device->hasFailed = !device->isWell() || shared.ask(*device) == Told::Nothing;
}

SharedWork::~SharedWork()
{
    if (process.isLeft()) return; // a callback has forked: here are no devices
    for (Device *device : devices) device->abandon();
    if (begun == 0 || areAsked) return;
    for (Device *device : devices) shared.ask(*device); // the next call shall not hear of it
}

/// Feeding a device takes a thread's time too: to pack a tile and to put its results in place. It
/// pays if that is clearly less than computing the tile takes.
bool SharedWork::toDevice()
{
    if (sharing.choice != ThroughDevices::IfCheaper) return true;
    return costs.devicesAreCheaper() || tries.fetch_sub(1) > 0;
}

/// Whether tiles go through devices.
bool SharedWork::usesDevices() const
{
    return sharing.choice != ThroughDevices::IfCheaper || costs.devicesAreCheaper();
}

Feeding SharedWork::feeding() const
{
    const auto count = static_cast<int>(devices.size());
    return {costs.onCpu.get(),
            costs.throughDevice.get(),
            secondsOfDevice / count,
            threads,
            sharing.small.width * sharing.small.height,
            sharing.large.width * sharing.large.height,
            count * static_cast<int>(std::size(devices.front()->passages))};
}

/// Whether the thread has nothing to do but to feed devices.
bool SharedWork::isLeftToDevices(const Device &device, int number) const
{
    if (device.hasFailed || tiles.leftInLarge() == 0) return false;
    return sharing.choice == ThroughDevices::All || (usesDevices() && feeding().feedsOnly(number));
}

/// Whether the CPU may take a large tile that nobody has had.
bool SharedWork::mayBegin(const Device &device) const
{
    if (sharing.choice == ThroughDevices::All || device.hasFailed || !usesDevices()) return true;
    const Feeding known = feeding();
    const std::int64_t arrived = arrivedCells;
    const bool isMeasured = arrived >= 4 * known.large;
    const double perCell =
        isMeasured ? clock.seconds() / static_cast<double>(arrived) : known.devices;
    return known.mayBegin(tiles.leftInLarge(), underWay, perCell);
}

/// The CPU computes its tile.
void SharedWork::giveBack(Passage &held)
{
    tiles.giveBack(held.tile());
    held.release();
    --underWay;
}

/// Packs a tile.
bool SharedWork::packOne(Device &device)
{
    if (device.hasFailed) return false;
    Passage *const passage = device.claim();
    if (!passage) return false;
    Region tile;
    if (!toDevice() || !tiles.takeLarge(tile)) {
        passage->release();
        return false;
    }
    ++underWay;
    passage->give(tile);
    if (!Passage::fits(problem, tile) || !passage->pack(problem, begun++))
        giveBack(*passage); // the CPU can, or finds out why not
    return true;
}

/// Sends what is packed and asks what has arrived, unless another thread does; true if it has sent
/// a tile.
bool SharedWork::talk(Device &device)
{
    const OneAtATime::Lease mine(device.talks);
    if (!mine) return false;
    Passage *const packed = device.oldest(&Passage::isPacked);
    if (packed) send(device, *packed);
    Passage *awaited = nullptr;
    do awaited = device.oldest(&Passage::isAwaited);
    while (awaited && awaited->look());
    return packed;
}

void SharedWork::send(Device &device, Passage &packed)
{
    try {
        if (device.hasFailed || sharing.failingTile == packed.number())
            throw common::Error("a device fails, or has failed");
        packed.send(problem, shared.launchers, sharing.alone);
        ++sent;
    } catch (const std::exception &) {
        device.hasFailed = true; // it is used no more
        packed.abandon();
        giveBack(packed);
    }
}

/// The last slice of a tile frees its passage. If one was lost, the CPU computes all of it: no
/// other thread writes there any more.
void SharedWork::takeOut(Device &device, Passage &passage, int slice)
{
    if (passage.isLost()) {
        device.hasFailed = true;
    } else {
        const common::WallClock leaving;
        passage.leave(slice);
        const std::int64_t cells = passage.cellsOf(slice); // none, of a tile of few rows
        const double packing = passage.secondsOfPacking() * static_cast<double>(cells);
        if (cells > 0) costs.throughDevice.add(packing + leaving.seconds(), cells);
        arrivedCells += cells;
    }
    if (!passage.isLast()) return;
    if (passage.isLost()) return giveBack(passage);
    passage.release();
    --underWay;
}

bool SharedWork::takeOutOne(Device &device)
{
    for (Passage &passage : device.passages) {
        const int slice = passage.takeSlice();
        if (slice < 0) continue;
        takeOut(device, passage, slice);
        return true;
    }
    return false;
}

bool SharedWork::computeOne(const Device &device, int number, const Compute &compute)
{
    Region tile;
    if (isLeftToDevices(device, number) || !tiles.takeSmall(tile, mayBegin(device))) return false;
    const common::WallClock computing;
    compute(tile);
    costs.onCpu.add(computing.seconds(), tile.width * tile.height);
    return true;
}

void SharedWork::takeTiles(Device &device, int number, const Compute &compute)
{
    for (;;) {
        if (talk(device) || takeOutOne(device) || packOne(device) ||
            computeOne(device, number, compute))
            continue;
        // What is under way will arrive, or come back; or others hold what is left. But nobody may
        // talk to the device of a thread that has thrown.
        if (!hasThrown && (underWay > 0 || isLeftToDevices(device, number))) {
            std::this_thread::yield();
            continue;
        }
        Region tile;
        if (!tiles.takeSmall(tile)) break;
        compute(tile);
    }
}

bool SharedWork::work(int number, const Compute &compute)
{
    Device &device = *devices[number % devices.size()];
    std::optional<common::DeviceScope> current;
    try {
        current.emplace(device.number);
    } catch (const std::exception &) {
        device.hasFailed = true;
    }
    ++working;
    try {
        takeTiles(device, number, compute);
    } catch (...) {
        hasThrown = true;
        throw;
    }
    if (--working > 0) return false;
    if (sent > 0 && !areAsked.exchange(true)) checkCells(); // a thread may come when all is done
    return true;
}

/// Once all has arrived. What a device that does not answer cannot tell is looked for: it may have
/// failed after its last tile.
void SharedWork::checkCells()
{
    bool allAnswer = true, wereLevels = true;
    for (Device *device : devices) { // each of them, since what it tells is forgotten there
        const Told told = shared.ask(*device);
        allAnswer &= told != Told::Nothing;
        wereLevels &= told != Told::BadCell;
    }
    if (!allAnswer || !wereLevels) throwFirstBadCell(problem);
    if (!wereLevels) throw Error(Status::BadLevel, "a cell that a GPU has read was no level");
}

} // namespace local_entropy
