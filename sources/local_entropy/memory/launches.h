// What has been put into streams of callers, who may destroy them: points to wait for. For .cu
// files that nvcc compiles.
#pragma once

#include "common/device_stream.h"

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
    /// Waits, as waitForAll() does.
    ~Launches()
    {
        for (common::Event &point : ended) try {
                point.wait();
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
        for (common::Event &point : ended) point.wait();
    }

    /// Calls use() when all of it has ended, and none can begin: `mutex` is locked by who begins.
    template <typename Use>
    auto whenAllHaveEnded(std::mutex &mutex, const Use &use)
    {
        waitForAll(); // while others may begin
        const std::lock_guard<std::mutex> lock(mutex);
        waitForAll(); // for what they have begun meanwhile
        return use();
    }

private:
    /// Where nobody could wait for it later, it is waited for now.
    void end(int place, cudaStream_t stream)
    {
        try {
            ended[place].record(stream);
        } catch (const common::Error &) {
            common::quietly(cudaStreamSynchronize(stream));
            throw;
        }
    }

    unsigned next = 0;
    common::Event ended[kPlaces];
};

} // namespace local_entropy
