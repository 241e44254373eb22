// Work that goes on beside other work: streams, and the host memory that they copy from and to.
#pragma once

#include "common/cuda_check.h"
#include "common/part_times.h"

#include <cstddef>

namespace common
{

/// A stream of the device that is current when it is made; it does not wait for the default stream.
class Stream
{
public:
    Stream() { CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
    ~Stream() { quietly(cudaStreamDestroy(stream)); }
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;
    cudaStream_t get() const { return stream; }

    /// Waits for all that was put into it.
    void wait() const { CUDA_CHECK(cudaStreamSynchronize(stream)); }

private:
    cudaStream_t stream = nullptr;
};

/// A point of a stream of the device that is current when it is made. It counts as passed until it
/// is recorded.
class Event
{
public:
    Event() { CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming)); }
    ~Event() { quietly(cudaEventDestroy(event)); }
    Event(const Event &) = delete;
    Event &operator=(const Event &) = delete;

    void record(cudaStream_t stream) { CUDA_CHECK(cudaEventRecord(event, stream)); }
    /// What is put into that stream from now on waits for the point.
    void holdBack(cudaStream_t stream) { CUDA_CHECK(cudaStreamWaitEvent(stream, event, 0)); }
    void wait() { CUDA_CHECK(cudaEventSynchronize(event)); }
    /// cudaErrorNotReady until all before it has been done; what has failed since, if something
    /// has.
    cudaError_t status() const { return quietly(cudaEventQuery(event)); }

private:
    cudaEvent_t event = nullptr;
};

/// `size` elements of page-locked host memory, which a device reads and writes without the help of
/// the CPU.
template <typename T>
class PinnedArray
{
public:
    explicit PinnedArray(std::size_t size)
    {
        const PartScope scope(Part::Allocate);
        CUDA_CHECK(cudaMallocHost(&elements, size * sizeof(T)));
    }
    ~PinnedArray()
    {
        const PartScope scope(Part::Free);
        quietly(cudaFreeHost(elements));
    }
    PinnedArray(const PinnedArray &) = delete;
    PinnedArray &operator=(const PinnedArray &) = delete;
    T *data() { return elements; }

private:
    T *elements = nullptr;
};

} // namespace common
