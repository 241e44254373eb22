#include "local_entropy/schedule/everywhere.h"

#include "common/clock.h"
#include "common/devices.h"
#include "common/error.h"
#include "common/part_times.h"
#include "common/threads.h"
#include "local_entropy/answers/partitions.h"
#include "local_entropy/answers/default_rounding.h"
#include "local_entropy/methods/bits/bits.h"
#include "local_entropy/methods/bits/cells.h"
#include "local_entropy/methods/bits/narrow.h"
#include "local_entropy/methods/bits/run.h"
#include "local_entropy/schedule/staging.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#ifdef __CUDACC__
#include "common/device_stream.h"
#include "local_entropy/methods/words/hash.h"
#include "local_entropy/methods/words/words.h"
#endif

namespace local_entropy
{

#ifdef __CUDACC__

namespace
{

/// An array that is being computed.
struct Array
{
    std::int64_t width, height;
    const float *sample;
    float *result;
    ThroughDevices choice;
    std::atomic<bool> suspicious{false};         ///< some cell is none of 0..15
    std::atomic<int> tries{8};                   ///< tiles for a device that may not pay
    std::atomic<std::int64_t> throughDevices{0}; ///< tiles
};

/// The way of a tile through the current device: packed into pinned memory, up, computed, down into
/// pinned memory, and out to its place.
class Passage
{
public:
    static constexpr std::int64_t kCells = 1 << 20; ///< of a tile with its halo, at most
    static constexpr std::int64_t kPitch = 32;      ///< rows are padded to a multiple of it

    static bool fits(const bits::Tile &tile)
    {
        return (tile.right - tile.left + 2 * kRadius + kPitch) *
                   (tile.bottom - tile.top + 2 * kRadius) <=
               kCells;
    }

    std::atomic<bool> taken{false}; ///< by a thread
    double entering = 0;            ///< seconds that enter() took
    std::int64_t cells = 0;         ///< of the tile

    /// Packs a tile and sends it on its way.
    void enter(Array &whole, const bits::Tile &next)
    {
        const common::PartScope scope(common::Part::Up);
        const common::WallClock clock;
        array = &whole;
        tile = next;
        cells = (tile.right - tile.left) * (tile.bottom - tile.top);
        const std::int64_t left = std::max<std::int64_t>(tile.left - kRadius, 0);
        const std::int64_t right = std::min(tile.right + kRadius, array->width);
        const std::int64_t top = std::max<std::int64_t>(tile.top - kRadius, 0);
        const std::int64_t bottom = std::min(tile.bottom + kRadius, array->height);
        pitch = (right - left + kPitch - 1) / kPitch * kPitch;
        bool good = true;
        for (std::int64_t y = top; y < bottom; ++y) {
            std::uint8_t *row = up.data() + (y - top) * pitch;
            good &= packBytes(array->sample + y * array->width + left, right - left, row);
            std::memset(row + (right - left), words::kNoCell, pitch - (right - left));
        }
        if (!good) array->suspicious = true;
        const std::size_t bytes = pitch * (bottom - top);
        CUDA_CHECK(
            cudaMemcpyAsync(input.data(), up.data(), bytes, cudaMemcpyHostToDevice, stream.get()));
        gpu.launch(pitch, bottom - top, input.data(), output.data(), tile.top - top,
                   tile.bottom - top, stream.get());
        CUDA_CHECK(cudaMemcpyAsync(down.data(), output.data() + (tile.top - top) * pitch,
                                   (tile.bottom - tile.top) * pitch * sizeof(float),
                                   cudaMemcpyDeviceToHost, stream.get()));
        skipped = tile.left - left;
        entering = clock.seconds();
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
        for (std::int64_t y = tile.top; y < tile.bottom; ++y)
            copyResults(down.data() + (y - tile.top) * pitch + skipped, tile.right - tile.left,
                        array->result + y * array->width + tile.left);
    }

    /// After an error: waits for what is on its way and forgets it.
    void abandon()
    {
        cudaStreamSynchronize(stream.get());
        taken = false;
    }

private:
    Array *array = nullptr;
    bits::Tile tile{};
    std::int64_t pitch = 0, skipped = 0;
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

    /// Computes tiles until there are none left: `take(tile)` gets the next one and tells whether
    /// there was one, `compute()` computes what was taken last on the CPU.
    template <typename Take, typename Compute>
    void work(Array &array, Take take, Compute compute)
    {
        Device &device = *devices[omp_get_thread_num() % devices.size()];
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
                bits::Tile tile;
                if (!take(tile)) break;
                Passage **const room = std::find(mine, mine + kMost, nullptr);
                const bool pass = room != mine + kMost && Passage::fits(tile) && toDevice(array);
                if (pass && (*room = device.claim())) {
                    (*room)->enter(array, tile);
                    ++array.throughDevices;
                } else {
                    const common::WallClock clock;
                    compute();
                    onCpu.add(clock.seconds(), (tile.right - tile.left) * (tile.bottom - tile.top));
                }
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
    bool toDevice(Array &array)
    {
        if (array.choice == ThroughDevices::IfThereIsRoom) return true;
        return areCheaper() || array.tries.fetch_sub(1) > 0;
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

/// Narrow arrays have no blocks; their tiles are ranges of rows.
void computeNarrow(Array &array, Devices &shared, const bits::CpuOptions &options, int threads)
{
    const std::int64_t rows =
        std::max<std::int64_t>(Passage::kCells / 2 / (array.width + 2 * Passage::kPitch), 1);
    const common::PartScope scope(common::Part::Kernel);
    std::atomic<std::int64_t> next{0};
    bits::CpuOptions alone = options;
    alone.threads = 1;
    const auto work = [&] {
        const DefaultRounding rounding;
        bits::Tile tile{};
        const auto take = [&](bits::Tile &taken) {
            const std::int64_t top = next.fetch_add(rows);
            tile = taken = {0, array.width, top, std::min(top + rows, array.height)};
            return top < array.height;
        };
        const auto compute = [&] {
            try {
                bits::entropyOnCpu(array.width, array.height, array.sample, array.result, tile.top,
                                   tile.bottom, alone);
            } catch (const common::Unavailable &) {
                throw;
            } catch (const common::Error &) { // which cell is the first, the end will tell
                array.suspicious = true;
            }
        };
        shared.work(array, take, compute);
    };
    common::FirstError error;
#pragma omp parallel num_threads(threads)
    error.guard(work);
    error.rethrow();
}

/// The tiles of other arrays are the blocks that the CPU's kernel would take.
void computeBlocks(Array &array, Devices &shared, const bits::CpuOptions &options, int threads)
{
    bits::CpuOptions all = options;
    all.threads = threads;
    const auto worker = [&](const bits::Kernel &kernel, const bits::Task &task,
                            bits::Progress &progress, void *scratch) {
        bits::Progress one; // of the block that was taken last
        const auto take = [&](bits::Tile &tile) {
            const std::int64_t block = __atomic_fetch_add(&progress.nextBlock, 1, __ATOMIC_RELAXED);
            if (block >= progress.endBlock) return false;
            one = {block, block + 1};
            tile = bits::tileOf(task, bits::blockOf(task, block));
            return true;
        };
        const auto compute = [&] {
            kernel.run(task, one, scratch);
            if (one.suspicious) array.suspicious = true;
        };
        shared.work(array, take, compute);
    };
    bits::runOnCpu(array.width, array.height, array.sample, array.result, 0, array.height, all,
                   worker);
}

} // namespace

std::int64_t entropyEverywhere(std::int64_t width, std::int64_t height, const float *sample,
                               float *result, ThroughDevices choice,
                               const bits::CpuOptions &options)
{
    const DefaultRounding rounding;
    const int threads = options.threads > 0 ? std::min(options.threads, common::offeredThreads())
                                            : common::offeredThreads();
    constexpr std::int64_t kFewestCells = 1 << 24; // below, the CPU is done too soon to share
    const bool large = width > 0 && height > 0 && width * height >= kFewestCells;
    const bool mayShare = choice != ThroughDevices::Never && !omp_in_parallel() &&
                          !common::isForked(); // a process does not inherit devices
    Devices *const shared = large && mayShare ? sharedDevices() : nullptr;
    std::unique_lock<std::mutex> mine;
    if (shared) mine = std::unique_lock<std::mutex>(shared->inUse, std::try_to_lock);
    if (!mine.owns_lock() || (choice == ThroughDevices::IfCheaper && !shared->wanted())) {
        bits::entropyOnCpu(width, height, sample, result, 0, height, options);
        return 0;
    }
    Array array{width, height, sample, result, choice};
    if (bits::isNarrow(width, height))
        computeNarrow(array, *shared, options, threads);
    else
        computeBlocks(array, *shared, options, threads);
    if (array.suspicious) {
        bits::checkCells(width, sample, 0, height);
        throw common::Error("entropyEverywhere: a cell was bad and is no longer");
    }
    return array.throughDevices;
}

#else

std::int64_t entropyEverywhere(std::int64_t width, std::int64_t height, const float *sample,
                               float *result, ThroughDevices, const bits::CpuOptions &options)
{
    bits::entropyOnCpu(width, height, sample, result, 0, height, options);
    return 0;
}

#endif

} // namespace local_entropy
