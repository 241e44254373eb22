// The ceiling that times are compared with: copying the same floats, in the same run.
// Include it from .cu files only: they are all compiled by nvcc or all by the host compiler.
#pragma once

#include "common/devices.h"
#include "common/host_array.h"
#include "common/measure.h"
#include "common/steady.h"
#include "common/threads.h"

#include <cstring>
#include <exception>
#include <string>

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/launch.h"
#endif

namespace common
{

/// Copies `size` floats between two arrays in host memory, both touched before, by all threads.
inline Timing hostCopy(std::size_t size)
{
    const HostArray<float> from = allocateHost<float>(size), to = allocateHost<float>(size);
    const int threads = threadsFor(static_cast<std::int64_t>(size), 1 << 16);
    const auto forEachPart = [&](auto work) {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int part = 0; part < threads; ++part) {
            const std::size_t begin = size * part / threads, end = size * (part + 1) / threads;
            work(begin, (end - begin) * sizeof(float));
        }
    };
    forEachPart([&](std::size_t begin, std::size_t bytes) {
        std::memset(&from[begin], 1, bytes);
        std::memset(&to[begin], 2, bytes);
    });
    const auto copy = [&] {
        forEachPart([&](std::size_t begin, std::size_t bytes) {
            std::memcpy(&to[begin], &from[begin], bytes);
        });
        return 0;
    };
    return measure(copy, [](int) {});
}

/// Copies `size` floats within the memory of device 0.
inline Timing deviceCopy([[maybe_unused]] std::size_t size)
{
#ifdef __CUDACC__
    const DeviceScope device(0);
    const DeviceArray<float> from = poisoned<float>(size);
    DeviceArray<float> to = poisoned<float>(size);
    return measureOnDevice([&] {
        CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), to.bytes(), cudaMemcpyDeviceToDevice));
    });
#else
    throw Error(whyNoDevice());
#endif
}

/// Both; no device copy without a GPU, or where it has too little memory.
inline Copies measureCopies(std::size_t size)
{
    Copies copies;
    copies.host = hostCopy(size);
    try {
        if (deviceCount() > 0) copies.device = deviceCopy(size);
    } catch (const Unavailable &) {
    }
    return copies;
}

/// What distrust() says of the copies before a table and of those made here, after it. Throws
/// nothing, as the table's rows would be lost with it: where the copies fail, as they do once a
/// version has left the device in ruins, it says so and counts a failure.
inline std::string distrustAfter(const Copies &before, std::size_t size, int &failures)
{
    try {
        return distrust(before, measureCopies(size));
    } catch (const Unavailable &error) {
        return std::string("no copies to compare with: ") + error.what() + "\n";
    } catch (const std::exception &error) {
        ++failures;
        return std::string("the copies FAILED: ") + error.what() + "\n";
    }
}

} // namespace common
