#include "local_entropy/methods/words/launcher.h"

#include "common/devices.h"
#include "local_entropy/error.h"

#ifdef __CUDACC__
#include "common/device_stream.h"
#include "local_entropy/library_errors.h"
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

/// A point of a stream. Until it is recorded it counts as passed.
class Event
{
public:
    Event() { CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming)); }
    ~Event() { cudaEventDestroy(event); }
    Event(const Event &) = delete;
    Event &operator=(const Event &) = delete;

    void record(cudaStream_t stream) { CUDA_CHECK(cudaEventRecord(event, stream)); }
    /// Lets the stream wait.
    void holdBack(cudaStream_t stream) { CUDA_CHECK(cudaStreamWaitEvent(stream, event, 0)); }
    /// Lets this thread wait.
    void wait() { CUDA_CHECK(cudaEventSynchronize(event)); }

private:
    cudaEvent_t event = nullptr;
};

/// What there is for one GPU, which is current whenever it is used.
///
/// Streams of callers know nothing of each other, but launches with one counter must not run at
/// once. So each launch takes the next of many counters, and waits, in its stream, for the launch
/// that had it before: long ago.
class OfDevice
{
public:
    OfDevice() : gpu(std::numeric_limits<int>::max(), kCounters) {}
    ~OfDevice()
    {
        for (Event &event : ended) try {
                event.wait();
            } catch (const common::Error &) { // of a failed GPU: nothing runs any more
            }
    }

    void enqueue(const Problem &problem, cudaStream_t stream)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        const int counter = next++ % kCounters;
        ended[counter].holdBack(stream);
        const Region &rows = problem.region;
        // As if the result were as large as the image.
        float *const result = static_cast<float *>(problem.result.data) - rows.y * rows.width;
        gpu.launch(problem.image.width, problem.image.height,
                   static_cast<const float *>(problem.image.data), result, rows.y,
                   rows.y + rows.height, stream, counter);
        ended[counter].record(stream);
    }

    bool sawBadCell()
    {
        for (Event &event : ended) event.wait(); // while others may enqueue
        const std::lock_guard<std::mutex> lock(mutex);
        // And what they have enqueued meanwhile: it must not tell of a bad cell while that is
        // reset.
        for (Event &event : ended) event.wait();
        return gpu.sawBadCell(own.get());
    }

private:
    static constexpr unsigned kCounters = 64;

    Gpu gpu;
    const common::Stream own;
    std::mutex mutex; ///< guards what follows, and what `gpu` has seen
    unsigned next = 0;
    Event ended[kCounters]; ///< the last launches with each counter
};

/// Throws Error (BadArgument) unless kernels of that device can use the memory there.
void checkMemory(const char *name, const void *data, int device)
{
    cudaPointerAttributes memory{};
    CUDA_CHECK(cudaPointerGetAttributes(&memory, data));
    if (memory.type == cudaMemoryTypeManaged) return;
    if (memory.type != cudaMemoryTypeDevice)
        throw Error(Status::BadArgument,
                    std::string("the ") + name + " is not in the memory of a GPU");
    if (memory.device != device)
        throw Error(Status::BadArgument, std::string("the ") + name + " is in the memory of GPU " +
                                             std::to_string(memory.device) + ", and GPU " +
                                             std::to_string(device) + " is the current one");
}

/// A graph could be launched in several streams at once, of which nobody here would hear.
void expectNoCapture(cudaStream_t stream)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    CUDA_CHECK(cudaStreamIsCapturing(stream, &status));
    if (status != cudaStreamCaptureStatusNone)
        throw Error(Status::Unavailable, "the stream is being captured into a graph, which is not "
                                         "possible yet: launch outside of it");
}

class WordsLauncher : public Launcher
{
public:
    void enqueue(const Problem &problem, void *stream) override
    {
        withLibraryErrors([&] {
            const int device = currentDevice();
            expectNoCapture(static_cast<cudaStream_t>(stream));
            checkMemory("image", problem.image.data, device);
            checkMemory("result", problem.result.data, device);
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
    static int currentDevice()
    {
        int device = 0;
        CUDA_CHECK(cudaGetDevice(&device));
        return device;
    }

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
