#include "local_entropy/schedule/plane_launcher.h"

#include "common/devices.h"
#include "local_entropy/error.h"

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/device_stream.h"
#include "common/integer.h"
#include "local_entropy/library_errors.h"
#include "local_entropy/memory/device_memory.h"
#include "local_entropy/memory/launches.h"
#include "local_entropy/methods/second_look.h"
#include "local_entropy/schedule/same_filter.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <vector>
#endif

namespace local_entropy
{

#ifdef __CUDACC__

namespace
{

/// Memory that is handed out in the order of a stream, and kept from one launch to the next.
class Pool
{
public:
    explicit Pool(int device)
    {
        cudaMemPoolProps properties{};
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location = {cudaMemLocationTypeDevice, device};
        CUDA_CHECK(cudaMemPoolCreate(&pool, &properties));
        std::uint64_t keep = ~std::uint64_t(0);
        CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    }
    ~Pool() { cudaMemPoolDestroy(pool); }
    Pool(const Pool &) = delete;
    Pool &operator=(const Pool &) = delete;

    cudaMemPool_t get() const { return pool; }

private:
    cudaMemPool_t pool = nullptr;
};

/// A piece of it, from here to the end of this scope, in the order of a stream.
class Workspace
{
public:
    Workspace(const Pool &pool, std::size_t bytes, cudaStream_t stream) : stream(stream)
    {
        CUDA_CHECK(cudaMallocFromPoolAsync(&data, bytes, pool.get(), stream));
    }
    ~Workspace() { cudaFreeAsync(data, stream); }
    Workspace(const Workspace &) = delete;
    Workspace &operator=(const Workspace &) = delete;

    char *at(std::size_t offset) const { return static_cast<char *>(data) + offset; }

private:
    cudaStream_t stream;
    void *data = nullptr;
};

/// The plans for a filter and a type of result.
struct Plans
{
    Filter filter;
    bool isDouble;
    std::unique_ptr<const PlanePlan> first, second; ///< second: null if nothing is left undecided

    bool isFor(const Problem &problem) const
    {
        return isDouble == problem.result.isDouble && isSame(filter, problem.filter);
    }
};

/// What there is for one GPU, which is current whenever it is used.
class OfDevice
{
public:
    OfDevice(const Method &method, int device)
        : method(method), pool(device), bad(common::upload(&kNoBadCell, 1))
    {
    }

    void enqueue(const Problem &problem, cudaStream_t stream)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        const bool captured = isCaptured(stream); // then who launches the graph waits for it
        const std::shared_ptr<const Plans> plans = plansFor(problem, captured);
        const int place = captured ? 0 : launches.begin(stream);
        enqueue(problem, *plans, stream);
        if (!captured) launches.end(place, stream);
    }

    /// The first cell that was no level since this was asked last; kNoBadCell: none.
    BadCell badCell()
    {
        launches.waitForAll(); // while others may enqueue
        const std::lock_guard<std::mutex> lock(mutex);
        // And what they have enqueued meanwhile: it must not tell of a cell while that is reset.
        launches.waitForAll();
        BadCell cell = kNoBadCell;
        CUDA_CHECK(
            cudaMemcpyAsync(&cell, bad.data(), sizeof cell, cudaMemcpyDeviceToHost, own.get()));
        own.wait();
        if (cell == kNoBadCell) return cell;
        CUDA_CHECK(cudaMemsetAsync(bad.data(), 0xFF, sizeof cell, own.get()));
        own.wait();
        return cell;
    }

private:
    static constexpr std::size_t kMostPlans = 32;

    std::shared_ptr<const Plans> plansFor(const Problem &problem, bool captured)
    {
        for (const auto &one : kept)
            if (one->isFor(problem)) return one;
        if (captured)
            throw Error(Status::Unavailable,
                        "the stream is being captured into a graph, in which no tables can be "
                        "made: enqueue this filter once before");
        auto made = std::make_shared<Plans>(
            Plans{problem.filter, problem.result.isDouble, method.planePlan(problem), nullptr});
        if (made->first->leavesUndecided()) made->second = makeSecondLook(problem);
        if (kept.size() >= kMostPlans) {
            launches.waitForAll(); // they read the tables
            kept.clear();
        }
        kept.push_back(made);
        return made;
    }

    void enqueue(const Problem &problem, const Plans &plans, cudaStream_t stream)
    {
        constexpr std::size_t kBoundary = 256;
        const auto rounded = [](std::size_t bytes) {
            return common::ceilDiv(bytes, kBoundary) * kBoundary;
        };
        Plane plane = planeFor(problem, plans.first->masksCells());
        const std::int64_t wordsARow = common::ceilDiv<std::int64_t>(problem.region.width, 32);
        const std::size_t planeBytes = rounded(plane.size);
        const std::size_t bits =
            plans.second ? sizeof(std::uint32_t) * wordsARow * problem.region.height : 0;
        std::size_t scratchBytes = plans.first->scratchBytes(problem, plane);
        if (plans.second)
            scratchBytes = std::max(scratchBytes, plans.second->scratchBytes(problem, plane));

        const Workspace memory(pool, planeBytes + rounded(bits) + scratchBytes, stream);
        placePlane(problem, plane, memory.at(0));
        const PlanePart task{
            problem, plane, memory.at(planeBytes + rounded(bits)),
            Undecided{reinterpret_cast<std::uint32_t *>(memory.at(planeBytes)), wordsARow}};
        fillPlane(problem, plane, bad.data(), stream);
        if (bits) CUDA_CHECK(cudaMemsetAsync(task.undecided.words, 0, bits, stream));
        plans.first->launch(task, stream);
        if (plans.second) plans.second->launch(task, stream);
    }

    const Method &method;
    const Pool pool;
    common::DeviceArray<BadCell> bad;
    const common::Stream own;
    std::mutex mutex; ///< guards what follows, and `bad`
    std::vector<std::shared_ptr<const Plans>> kept;
    Launches launches; ///< the last member: it waits for all before the others go
};

class PlaneLauncher : public Launcher
{
public:
    explicit PlaneLauncher(const Method &method) : method(method) {}

    void enqueue(const Problem &problem, void *stream) override
    {
        withLibraryErrors([&] {
            const int device = currentDevice();
            checkDeviceMemory("image", problem.image.data, device);
            checkDeviceMemory("result", problem.result.data, device);
            if (problem.mask.data) checkDeviceMemory("mask", problem.mask.data, device);
            made(device).enqueue(problem, static_cast<cudaStream_t>(stream));
        });
    }

    void synchronize() override
    {
        withLibraryErrors([&] {
            OfDevice *const current = find(currentDevice());
            const BadCell cell = current ? current->badCell() : kNoBadCell;
            if (cell == kNoBadCell) return;
            const BadCell x = cell & ((BadCell(1) << kBadCellBits) - 1), y = cell >> kBadCellBits;
            throw Error(Status::BadLevel,
                        "the cell at x " + std::to_string(x) + ", y " + std::to_string(y) +
                            " of an image that was put into a stream is not a level");
        });
    }

private:
    OfDevice *find(int device)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        return device < static_cast<int>(devices.size()) ? devices[device].get() : nullptr;
    }

    OfDevice &made(int device)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        if (device >= static_cast<int>(devices.size())) devices.resize(device + 1);
        if (!devices[device]) devices[device] = std::make_unique<OfDevice>(method, device);
        return *devices[device];
    }

    const Method &method;
    std::mutex mutex;
    std::vector<std::unique_ptr<OfDevice>> devices; ///< null: not used yet
};

} // namespace

std::unique_ptr<Launcher> makePlaneLauncher(const Method &method)
{
    if (common::deviceCount() == 0)
        throw Error(Status::Unavailable, "enqueue " + common::whyNoDevice());
    return std::make_unique<PlaneLauncher>(method);
}

#else

std::unique_ptr<Launcher> makePlaneLauncher(const Method &)
{
    throw Error(Status::Unavailable, "enqueue " + common::whyNoDevice());
}

#endif

} // namespace local_entropy
