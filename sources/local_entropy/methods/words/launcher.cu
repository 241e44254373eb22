#include "local_entropy/methods/words/launcher.h"

#include "common/devices.h"
#include "local_entropy/error.h"

#ifdef __CUDACC__
#include "common/device_stream.h"
#include "local_entropy/library_errors.h"
#include "local_entropy/memory/device_memory.h"
#include "local_entropy/memory/launches.h"
#include "local_entropy/methods/words/method.h"
#include "local_entropy/methods/words/words.h"
#include "local_entropy/schedule/plane_launcher.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>
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
    OfDevice() : gpu(std::numeric_limits<int>::max(), Launches::kPlaces) {}

    void enqueue(const Problem &problem, cudaStream_t stream)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        const int counter = launches.begin(stream);
        const Image &image = problem.image;
        const Region &rows = problem.region;
        const Area area{image.width, image.height, image.stride,        0,
                        image.width, rows.y,       rows.y + rows.height};
        auto *const result = static_cast<float *>(problem.result.data);
        if (image.type == CellType::Float32) // as if the result were as large as the image
            gpu.launch(image.width, image.height, static_cast<const float *>(image.data),
                       result - rows.y * rows.width, area.begin, area.end, stream, counter);
        else
            gpu.launch(area, problem.filter.levels.count, static_cast<const Level *>(image.data),
                       result, problem.result.stride, stream, counter);
        launches.end(counter, stream);
    }

    BadCell firstBadCell()
    {
        launches.waitForAll(); // while others may enqueue
        const std::lock_guard<std::mutex> lock(mutex);
        // And what they have enqueued meanwhile: it must not tell of a bad cell while that is
        // reset.
        launches.waitForAll();
        return gpu.firstBadCell(own.get());
    }

private:
    Gpu gpu;
    const common::Stream own;
    std::mutex mutex; ///< guards what follows, and what `gpu` has seen
    Launches launches;
};

/// A graph could be launched in several streams at once, of which nobody here would hear.
void expectNoCapture(cudaStream_t stream)
{
    if (isCaptured(stream))
        throw Error(Status::Unavailable, "the stream is being captured into a graph, which is not "
                                         "possible yet: launch outside of it");
}

void throwBadCell(BadCell cell)
{
    if (cell == kNoBadCell) return;
    const BadCell x = cell & ((BadCell(1) << kBadCellBits) - 1), y = cell >> kBadCellBits;
    throw Error(Status::BadLevel, "the cell at x " + std::to_string(x) + ", y " +
                                      std::to_string(y) +
                                      " of an image that was put into a stream is not a level");
}

/// Reads images where they are, or has them loaded.
class WordsLauncher : public Launcher
{
public:
    void enqueue(const Problem &problem, void *stream) override
    {
        withLibraryErrors([&] {
            if (!isReadInPlace(problem)) return planes->enqueue(problem, stream);
            const int device = currentDevice();
            expectNoCapture(static_cast<cudaStream_t>(stream));
            checkDeviceMemory("image", problem.image.data, device);
            checkDeviceMemory("result", problem.result.data, device);
            made(device).enqueue(problem, static_cast<cudaStream_t>(stream));
        });
    }

    void synchronize() override
    {
        withLibraryErrors([&] {
            OfDevice *const current = find(currentDevice());
            if (current) throwBadCell(current->firstBadCell());
        });
        planes->synchronize();
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
        if (!devices[device]) devices[device] = std::make_unique<OfDevice>();
        return *devices[device];
    }

    const std::unique_ptr<Launcher> planes = makePlaneLauncher(wordsMethod());
    std::mutex mutex;
    std::vector<std::unique_ptr<OfDevice>> devices; ///< null: not used yet
};

} // namespace

std::unique_ptr<Launcher> makeLauncher()
{
    if (common::deviceCount() == 0)
        throw Error(Status::Unavailable, "enqueue " + common::whyNoDevice());
    return std::make_unique<WordsLauncher>();
}

#else

std::unique_ptr<Launcher> makeLauncher()
{
    throw Error(Status::Unavailable, "enqueue " + common::whyNoDevice());
}

#endif

} // namespace local_entropy::words
