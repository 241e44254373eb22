// What has been put into streams of callers, who may destroy them: points to wait for. For .cu
// files that nvcc compiles.
#pragma once

#include "common/device_stream.h"

#include <atomic>
#include <cstdint>
#include <mutex>

namespace local_entropy
{

/// The last launches on the GPU that was current when this was made, by their place in a ring. A
/// launch waits, in its stream, for the one that had its place before: long ago.
class Launches
{
public:
    static constexpr int kPlaces = 64;

    Launches() = default;
    Launches(const Launches &) = delete;
    Launches &operator=(const Launches &) = delete;
    /// Waits, as waitForAll() does, whatever has failed.
    ~Launches()
    {
        for (int place = 0; place < kPlaces; ++place) try {
                waitFor(place);
            } catch (const common::Error &) { // of a failed GPU: nothing runs any more
            }
    }

    /// Calls launch(place), which puts something into that stream; what it throws may come after a
    /// part, which is waited for, too. By one thread at a time.
    template <typename Launch>
    void put(cudaStream_t stream, const Launch &launch)
    {
        const int place = static_cast<int>(next++ % kPlaces);
        ended[place].holdBack(stream);
        try {
            launch(place);
        } catch (...) {
            end(place, stream);
            throw;
        }
        end(place, stream);
    }

    /// Waits until all of it has ended. From any thread, while others may begin.
    void waitForAll()
    {
        for (int place = 0; place < kPlaces; ++place) waitFor(place);
    }

    /// Calls use(any) when all of it has ended, and none can begin: `mutex` is locked by who
    /// begins. `any`: something was put since this last returned. If nothing was, CUDA is not
    /// asked: each question takes microseconds, and there are many places.
    template <typename Use>
    auto whenAllHaveEnded(std::mutex &mutex, const Use &use)
    {
        waitForAll(); // while others may begin
        const std::lock_guard<std::mutex> lock(mutex);
        waitForAll(); // for what they have begun meanwhile
        const bool any = open != 0;
        const auto answer = use(any);
        open = 0; // not before: who asks again after an error shall wait again
        return answer;
    }

private:
    void waitFor(int place)
    {
        if (open >> place & 1) ended[place].wait();
    }

    /// Where nobody could wait for it later, it is waited for now.
    void end(int place, cudaStream_t stream)
    {
        open |= std::uint64_t(1) << place; // first: it was put, whatever comes of its mark
        try {
            ended[place].record(stream);
        } catch (const common::Error &) {
            common::quietly(cudaStreamSynchronize(stream));
            throw;
        }
    }

    unsigned next = 0;
    common::Event ended[kPlaces];
    std::atomic<std::uint64_t> open{0}; ///< a bit for each place that may not have ended
    static_assert(kPlaces == 64, "a bit for each place");
};

} // namespace local_entropy
