#include "local_entropy/methods/words/launcher.h"

#include "common/devices.h"
#include "local_entropy/error.h"

#ifdef __CUDACC__
#include "common/device_stream.h"
#include "local_entropy/library_errors.h"
#include "local_entropy/memory/device_memory.h"
#include "local_entropy/memory/launches.h"
#include "local_entropy/methods/words/words.h"

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
        const Region &rows = problem.region;
        // As if the result were as large as the image.
        float *const result = static_cast<float *>(problem.result.data) - rows.y * rows.width;
        gpu.launch(problem.image.width, problem.image.height,
                   static_cast<const float *>(problem.image.data), result, rows.y,
                   rows.y + rows.height, stream, counter);
        launches.end(counter, stream);
    }

    bool sawBadCell()
    {
        launches.waitForAll(); // while others may enqueue
        const std::lock_guard<std::mutex> lock(mutex);
        // And what they have enqueued meanwhile: it must not tell of a bad cell while that is
        // reset.
        launches.waitForAll();
        return gpu.sawBadCell(own.get());
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

class WordsLauncher : public Launcher
{
public:
    void enqueue(const Problem &problem, const Workspace &, void *stream) override
    {
        withLibraryErrors([&] {
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
            if (current && current->sawBadCell())
                throw Error(Status::BadLevel, "a cell of an image that was put into a stream is "
                                              "not an integer 0..15");
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
        if (!devices[device]) devices[device] = std::make_unique<OfDevice>();
        return *devices[device];
    }

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
