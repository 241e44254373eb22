#include "local_entropy/schedule/everywhere.h"

#ifdef __CUDACC__
#include "common/clock.h"
#include "common/device_stream.h"
#include "common/devices.h"
#include "common/error.h"
#include "common/part_times.h"
#include "common/threads.h"
#include "local_entropy/error.h"
#include "local_entropy/methods/bits/narrow.h"
#include "local_entropy/methods/words/hash.h"
#include "local_entropy/methods/words/words.h"
#include "local_entropy/schedule/staging.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>
#endif

namespace local_entropy
{

#ifdef __CUDACC__

namespace
{

/// The way of a tile through the current device: packed into pinned memory, up, computed, down into
/// pinned memory, and out to its place.
class Passage
{
public:
    static constexpr std::int64_t kCells = 1 << 20; ///< of a tile with its halo, at most
    static constexpr std::int64_t kPitch = 32;      ///< rows are padded to a multiple of it

    static bool fits(const Region &tile)
    {
        return (tile.width + 2 * kRadius + kPitch) * (tile.height + 2 * kRadius) <= kCells;
    }

    std::atomic<bool> taken{false}; ///< by a thread
    double entering = 0;            ///< seconds that enter() took
    std::int64_t cells = 0;         ///< of the tile

    /// Packs a tile and sends it on its way; false if one of its cells is none of 0..15.
    bool enter(const Problem &problem, const Region &tile)
    {
        const common::PartScope scope(common::Part::Up);
        const common::WallClock clock;
        const Image &image = problem.image;
        const auto *const sample = static_cast<const float *>(image.data);
        const std::int64_t left = std::max<std::int64_t>(tile.x - kRadius, 0);
        const std::int64_t right = std::min(tile.x + tile.width + kRadius, image.width);
        const std::int64_t top = std::max<std::int64_t>(tile.y - kRadius, 0);
        const std::int64_t bottom = std::min(tile.y + tile.height + kRadius, image.height);
        const std::int64_t skippedRows = tile.y - top;
        pitch = (right - left + kPitch - 1) / kPitch * kPitch;
        bool good = true;
        for (std::int64_t y = top; y < bottom; ++y) {
            std::uint8_t *row = up.data() + (y - top) * pitch;
            good &= packBytes(sample + y * image.stride + left, right - left, row);
            std::memset(row + (right - left), words::kNoCell, pitch - (right - left));
        }
        if (!good) return false;
        const std::size_t bytes = pitch * (bottom - top);
        CUDA_CHECK(
            cudaMemcpyAsync(input.data(), up.data(), bytes, cudaMemcpyHostToDevice, stream.get()));
        gpu.launch(pitch, bottom - top, input.data(), output.data(), skippedRows,
                   skippedRows + tile.height, stream.get());
        CUDA_CHECK(cudaMemcpyAsync(down.data(), output.data() + skippedRows * pitch,
                                   tile.height * pitch * sizeof(float),
                                   cudaMemcpyDeviceToHost, stream.get()));
        skipped = tile.x - left;
        width = tile.width;
        cells = tile.width * tile.height;
        const Result &result = problem.result;
        stride = result.stride;
        target = static_cast<float *>(result.data) + (tile.y - problem.region.y) * stride +
                 (tile.x - problem.region.x);
        entering = clock.seconds();
        return true;
    }

    bool hasArrived() const
    {
        const cudaError_t status = cudaStreamQuery(stream.get());
        if (status != cudaErrorNotReady) CUDA_CHECK(status);
        return status == cudaSuccess;
    }

    void wait() const { stream.wait(); }

    /// Puts the results in their place, once they have arrived.
    void leave()
    {
        const common::PartScope scope(common::Part::Down);
        for (std::int64_t y = 0; y < cells / width; ++y)
            copyResults(down.data() + y * pitch + skipped, width, target + y * stride);
    }

    /// After an error: waits for what is on its way and forgets it.
    void abandon()
    {
        cudaStreamSynchronize(stream.get());
        taken = false;
    }

private:
    float *target = nullptr; ///< of the tile's first result
    std::int64_t stride = 0, width = 0, pitch = 0, skipped = 0;
    common::Stream stream;
    words::Gpu gpu;
    common::PinnedArray<std::uint8_t> up{kCells};
    common::PinnedArray<float> down{kCells};
    common::DeviceArray<std::uint8_t> input{kCells};
    common::DeviceArray<float> output{kCells};
};

/// What a cell costs a thread on one of two ways. Threads add to it now and then; a lost update
/// matters little.
class Cost
{
public:
    void add(double seconds, std::int64_t cells)
    {
        const double now = seconds / static_cast<double>(cells);
        const double before = perCell;
        perCell = before > 0 ? before + (now - before) / 8 : now; // the last few count most
    }
    double get() const { return perCell; } ///< seconds; 0 while unknown

private:
    std::atomic<double> perCell{0};
};

/// The passages through one device.
struct Device
{
    explicit Device(int number) : number(number) {}

    /// One that nobody has; null if there is none. It is given back by `taken = false`.
    Passage *claim()
    {
        for (Passage &passage : passages)
            if (!passage.taken.exchange(true)) return &passage;
        return nullptr;
    }

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
class Devices
{
public:
    std::mutex inUse; ///< by one call at a time

    /// Those that can be used: a device without memory for its passages, or that is kept by others,
    /// is left out.
    Devices() : devices(common::deviceCount())
    {
        const int count = static_cast<int>(devices.size());
#pragma omp parallel for schedule(static, 1) num_threads(count)
        for (int device = 0; device < count; ++device) try {
                const common::DeviceScope current(device);
                devices[device] = std::make_unique<Device>(device);
            } catch (const std::runtime_error &) {
            }
        devices.erase(std::remove(devices.begin(), devices.end(), nullptr), devices.end());
    }

    bool none() const { return devices.empty(); }

    /// Feeding a device takes a thread's time too: to pack a tile and to put its results in place.
    /// It pays if that is clearly less than computing the tile takes.
    bool areCheaper() const
    {
        constexpr double kClearly = 0.8;
        return throughDevice.get() < kClearly * onCpu.get();
    }

    /// Whether a call shall have the devices. Where they do not pay, one call of many tries again
    /// with a few tiles: what either way costs depends on what else is going on.
    bool wanted()
    {
        constexpr int kTryAgain = 64;
        const bool known = throughDevice.get() > 0 && onCpu.get() > 0;
        if (known && !areCheaper() && ++callsWithout < kTryAgain) return false;
        callsWithout = 0;
        return true;
    }

    /// What thread `number` does: computes tiles until there are none left; `compute(tile)` does it
    /// on the CPU.
    template <typename Compute>
    void work(int number, const Problem &problem, Sharing &sharing, TileQueue &queue,
              Compute compute)
    {
        Device &device = *devices[number % devices.size()];
        const common::DeviceScope current(device.number);
        constexpr int kMost = 2;
        Passage *mine[kMost] = {}; // tiles that this thread has on their way
        const auto leave = [&](Passage *&passage) {
            passage->wait();
            const common::WallClock clock;
            passage->leave();
            throughDevice.add(passage->entering + clock.seconds(), passage->cells);
            passage->taken = false;
            passage = nullptr;
        };
        try {
            for (;;) {
                for (Passage *&passage : mine)
                    if (passage && passage->hasArrived()) leave(passage);
                Region tile;
                if (!queue.take(tile)) break;
                Passage **const room = std::find(mine, mine + kMost, nullptr);
                const bool pass = room != mine + kMost && Passage::fits(tile) && toDevice(sharing);
                if (pass && (*room = device.claim())) {
                    if ((*room)->enter(problem, tile)) {
                        ++sharing.throughDevices;
                        continue;
                    }
                    std::exchange(*room, nullptr)->taken = false;
                }
                const common::WallClock clock;
                compute(tile);
                onCpu.add(clock.seconds(), tile.width * tile.height);
            }
            for (Passage *&passage : mine)
                if (passage) leave(passage);
        } catch (...) {
            for (Passage *passage : mine)
                if (passage) passage->abandon();
            throw;
        }
    }

private:
    bool toDevice(Sharing &sharing)
    {
        if (sharing.choice == ThroughDevices::IfThereIsRoom) return true;
        return areCheaper() || sharing.tries.fetch_sub(1) > 0;
    }

    std::vector<std::unique_ptr<Device>> devices;
    Cost onCpu, throughDevice;
    int callsWithout = 0; ///< since a call had the devices; guarded by inUse
};

/// Null where no GPU can be used.
Devices *sharedDevices()
{
    // Never freed: the driver may end before static objects do.
    static Devices *const kept = common::deviceCount() > 0 ? new Devices : nullptr;
    return kept && !kept->none() ? kept : nullptr;
}

} // namespace

struct Everywhere::Parts
{
    Devices &devices;
    std::unique_lock<std::mutex> mine;
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
    Devices *const shared = sharedDevices();
    if (!shared) return nullptr;
    std::unique_lock<std::mutex> mine(shared->inUse, std::try_to_lock);
    if (!mine.owns_lock()) return nullptr;
    if (choice == ThroughDevices::IfCheaper && !shared->wanted()) return nullptr;
    std::unique_ptr<Parts> parts(new Parts{*shared, std::move(mine), {choice}});
    return std::unique_ptr<Everywhere>(new Everywhere(std::move(parts)));
}

/// Those that the CPU likes, but higher ones of narrow arrays.
TileSize Everywhere::tileSize(const bits::BitsPlan &plan, const Problem &problem,
                              int threads) const
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
    try {
        parts->devices.work(parts->threads++, problem, parts->sharing, queue, compute);
    } catch (const common::Unavailable &error) {
        throw Error(Status::Unavailable, error.what());
    } catch (const common::Error &error) {
        throw Error(Status::Internal, error.what());
    }
}

std::int64_t Everywhere::tiles() const { return parts->sharing.throughDevices; }

#else

struct Everywhere::Parts
{
};
Everywhere::~Everywhere() = default;
std::unique_ptr<Everywhere> Everywhere::of(const Problem &, ThroughDevices) { return nullptr; }
TileSize Everywhere::tileSize(const bits::BitsPlan &plan, const Problem &problem,
                              int threads) const
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
