#include "local_entropy/methods/words/tiles.h"

#ifdef __CUDACC__

#include "common/devices.h"
#include "common/integer.h"
#include "common/threads.h"
#include "local_entropy/answers/default_rounding.h"
#include "local_entropy/error.h"
#include "local_entropy/memory/device_memory.h"
#include "local_entropy/schedule/passage.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace local_entropy::words
{
namespace
{

/// The passages through one device, made when they are wanted: page-locked memory is dear.
class Passages
{
public:
    explicit Passages(int device) : device(device) {}

    /// One that nobody has, which is given back by `taken = false`; null if all are on their way.
    Passage *claim()
    {
        for (int i = 0; i < count; ++i)
            if (!passages[i]->taken.exchange(true)) return passages[i].get();
        const std::lock_guard<std::mutex> lock(mutex);
        if (count == kMost) return nullptr;
        try {
            passages[count] = std::make_unique<Passage>();
        } catch (const common::Unavailable &) { // no memory for more: fewer will do
            if (count == 0) throw;
            return nullptr;
        }
        passages[count]->taken = true;
        return passages[count++].get();
    }

    const int device;

private:
    static constexpr int kMost = 24; ///< while some are packed or emptied, others are on the bus
    std::array<std::unique_ptr<Passage>, kMost> passages;
    std::atomic<int> count{0}; ///< that there are
    std::mutex mutex;          ///< guards what is made
};

/// Of the current device. Never freed: the driver may end before static objects do.
Passages &currentPassages()
{
    static std::mutex mutex;
    static auto &all = *new std::vector<std::unique_ptr<Passages>>;
    const std::lock_guard<std::mutex> lock(mutex);
    const int device = currentDevice();
    for (const auto &one : all)
        if (one->device == device) return *one;
    all.push_back(std::make_unique<Passages>(device));
    return *all.back();
}

/// The tiles of an array, which are dealt one by one.
class Tiles
{
public:
    Tiles(std::int64_t width, std::int64_t height, int threads) : width(width), height(height)
    {
        constexpr std::int64_t kWidest = 16384; // wider ones would be low
        constexpr std::int64_t kLowest = 16;    // lower ones are mostly what they share with others
        across = common::ceilDiv(width, kWidest);
        columns = common::ceilDiv(width, across);
        const std::int64_t most =
            Passage::kCells / (columns + 2 * kRadius + Passage::kPitch) - 2 * kRadius;
        const std::int64_t twoEach = common::ceilDiv(height * across, std::int64_t(2) * threads);
        rows = std::min(most, std::max(twoEach, kLowest));
        total = across * common::ceilDiv(height, rows);
    }

    /// False once all are taken, or after stop().
    bool take(Region &tile)
    {
        const std::int64_t number = next++;
        if (stopped || number >= total) return false;
        const std::int64_t x = number % across * columns, y = number / across * rows;
        tile = {x, y, std::min(columns, width - x), std::min(rows, height - y)};
        return true;
    }
    void stop() { stopped = true; }

private:
    const std::int64_t width, height;
    std::int64_t across = 1, columns = 0, rows = 0, total = 0;
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> stopped{false};
};

/// The tiles that one thread has on their way. Those that are still there at the end, after an
/// error, are abandoned.
class Travellers
{
public:
    explicit Travellers(Passages &passages) : passages(passages) {}
    ~Travellers()
    {
        for (Passage *const passage : mine) passage->abandon();
    }
    Travellers(const Travellers &) = delete;
    Travellers &operator=(const Travellers &) = delete;

    void send(const Problem &problem, const Region &tile)
    {
        constexpr std::size_t kMost = 2;
        if (mine.size() == kMost) takeOutFirst();
        mine.push_back(claim());
        if (!mine.back()->enter(problem, tile))
            throw Error(Status::BadLevel, "a cell is not an integer 0..15");
    }
    void takeOutAll()
    {
        while (!mine.empty()) takeOutFirst();
    }

private:
    Passage *claim()
    {
        for (;;) {
            if (Passage *const passage = passages.claim()) return passage;
            if (mine.empty())
                std::this_thread::yield();
            else
                takeOutFirst();
        }
    }
    void takeOutFirst()
    {
        Passage *const first = mine.front();
        first->wait();
        first->leave();
        mine.erase(mine.begin());
        first->taken = false;
    }

    Passages &passages;
    std::vector<Passage *> mine; ///< as they were sent
};

} // namespace

void entropyByTiles(const Problem &problem)
{
    constexpr std::int64_t kCellsAThread = 1 << 18;
    Passages &passages = currentPassages();
    const std::int64_t width = problem.image.width, height = problem.image.height;
    const int threads = common::threadsFor(width * height, kCellsAThread);
    Tiles tiles(width, height, threads);
    common::FirstError error;
#pragma omp parallel num_threads(threads)
    error.guard([&] {
        try {
            const DefaultRounding rounding;
            const common::DeviceScope current(passages.device);
            Travellers travellers(passages);
            Region tile;
            while (tiles.take(tile)) travellers.send(problem, tile);
            travellers.takeOutAll();
        } catch (...) {
            tiles.stop();
            throw;
        }
    });
    error.rethrow();
}

} // namespace local_entropy::words

#endif
