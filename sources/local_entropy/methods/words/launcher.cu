#include "local_entropy/methods/words/launcher.h"

#include "local_entropy/memory/current_gpu.h"

#ifdef __CUDACC__
#include "common/device_stream.h"
#include "local_entropy/library_errors.h"
#include "local_entropy/memory/device_memory.h"
#include "local_entropy/memory/each_gpu.h"
#include "local_entropy/memory/launches.h"
#include "local_entropy/memory/stream_memory.h"
#include "local_entropy/methods/words/method.h"
#include "local_entropy/methods/words/words.h"
#include "local_entropy/problem/bad_cells.h"
#include "local_entropy/schedule/plane_launcher.h"

#include <atomic>
#include <exception>
#include <mutex>
#endif

namespace local_entropy::words
{

#ifdef __CUDACC__

namespace
{

/// What there is for one GPU, which is current whenever it is used.
///
/// Streams of callers know nothing of each other, but launches with one counter must not run at
/// once. So each launch takes the next of many counters, and waits, in its stream, for the launch
/// that had it before: long ago.
class OfDevice
{
public:
    explicit OfDevice(int device)
        : gpu(std::numeric_limits<int>::max(), Launches::kPlaces), pool(poolOf(device))
    {
    }

    void enqueue(const Problem &problem, cudaStream_t stream)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        const Area area = areaOf(problem);
        auto *const result = static_cast<float *>(problem.result.data);
        launches.put(stream, [&](int counter) {
            if (problem.image.type == CellType::Float32) // as if the result were as large as it
                gpu.launch(area.width, area.height, floatsOf(problem),
                           result - area.begin * area.width, area.begin, area.end, stream, counter);
            else
                gpu.launch(area, problem.filter.levels.count, levelsOf(problem), result,
                           problem.result.stride, stream, counter);
        });
    }

    /// Into a graph, which has a counter of its own; who launches the graph waits for it.
    void capture(const Problem &problem, cudaStream_t stream)
    {
        isGraphed = true;
        const Area area = areaOf(problem);
        const Result &result = problem.result;
        auto *const first = static_cast<float *>(result.data);
        const StreamMemory memory(*pool, sizeof(unsigned), stream, "enqueue it outside of a graph");
        auto *const counter = reinterpret_cast<unsigned *>(memory.at(0));
        if (problem.image.type == CellType::Float32)
            gpu.launch(area, floatsOf(problem), first, result.stride, counter, stream);
        else
            gpu.launch(area, problem.filter.levels.count, levelsOf(problem), first, result.stride,
                       counter, stream);
    }

    BadCell firstBadCell()
    {
        return launches.whenAllHaveEnded(mutex, [&](bool any) {
            return any || isGraphed ? gpu.firstBadCell(own.get()) : kNoBadCell;
        });
    }

private:
    static Area areaOf(const Problem &problem)
    {
        const Image &image = problem.image;
        const Region &rows = problem.region;
        return {image.width, image.height, image.stride,        0,
                image.width, rows.y,       rows.y + rows.height};
    }
    static const float *floatsOf(const Problem &problem)
    {
        return static_cast<const float *>(problem.image.data);
    }
    static const Level *levelsOf(const Problem &problem)
    {
        return static_cast<const Level *>(problem.image.data);
    }

    Gpu gpu;
    const std::shared_ptr<DevicePool> pool; ///< of graphs' counters
    const common::Stream own;
    std::atomic<bool> isGraphed{false}; ///< then launches of graphs may have seen cells, too
    std::mutex mutex;                   ///< guards what follows, and what `gpu` has seen
    Launches launches;
};

/// Reads images where they are, or has them loaded.
class WordsLauncher : public Launcher
{
public:
    void enqueue(const Problem &problem, const Workspace &workspace, void *stream) override
    {
        withLibraryErrors([&] {
            if (!isReadInPlace(problem)) return planes->enqueue(problem, workspace, stream);
            const int device = currentDevice();
            const auto in = static_cast<cudaStream_t>(stream);
            checkArrays(problem, device);
            if (!isCaptured(in)) {
                const auto make = [&] { return std::make_unique<OfDevice>(device); };
                return devices.get(device, make).enqueue(problem, in);
            }
            OfDevice *const current = devices.find(device);
            if (!current) refuseCapture();
            current->capture(problem, in);
        });
    }

    std::size_t workspaceBytes(const Problem &problem) override
    {
        return isReadInPlace(problem) ? 0 : planes->workspaceBytes(problem);
    }

    /// Waits for loaded images, too, whatever has come of the others.
    void synchronize() override
    {
        BadCell cell = kNoBadCell;
        std::exception_ptr failure;
        try {
            cell = withLibraryErrors([&] {
                OfDevice *const current = devices.find(currentDevice());
                return current ? current->firstBadCell() : kNoBadCell;
            });
        } catch (...) {
            failure = std::current_exception();
        }
        try {
            planes->synchronize();
        } catch (...) {
            if (!failure) throw;
        }
        if (failure) std::rethrow_exception(failure);
        throwIfBad(cell);
    }

private:
    const std::unique_ptr<Launcher> planes = makePlaneLauncher(wordsMethod());
    EachGpu<OfDevice> devices;
};

} // namespace

int sharedBytes() { return Gpu::sharedBytes(); }

std::unique_ptr<Launcher> makeLauncher() { return std::make_unique<WordsLauncher>(); }

#else

int sharedBytes() { return 0; }

std::unique_ptr<Launcher> makeLauncher() { refuseWithoutGpu(); }

#endif

} // namespace local_entropy::words
