// Launches (memory/launches.h): that a launch waits for the one whose place it takes, and that who
// waits for all waits for each. Without a GPU, or without nvcc, each test is skipped by name.
#include "common/devices.h"

#include <gtest/gtest.h>

#ifdef __CUDACC__
#include "common/device_stream.h"
#include "local_entropy/memory/launches.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>
#endif

class LaunchRing : public testing::Test
{
protected:
    void SetUp() override
    {
        if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    }
};

#ifdef __CUDACC__

namespace
{

using local_entropy::Launches;

/// What stops a stream until it is opened.
class Gate
{
public:
    ~Gate() { open(); }
    void put(cudaStream_t stream)
    {
        CUDA_CHECK(cudaLaunchHostFunc(
            stream,
            [](void *gate) {
                while (!static_cast<Gate *>(gate)->isOpen)
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
            },
            this));
    }
    void open() { isOpen = true; }

private:
    std::atomic<bool> isOpen{false};
};

bool hasCome(const common::Stream &stream)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const cudaError_t status = cudaStreamQuery(stream.get());
    if (status != cudaErrorNotReady) CUDA_CHECK(status);
    return status == cudaSuccess;
}

void launch(Launches &launches, const common::Stream &stream)
{
    launches.put(stream.get(), [](int) {});
}

} // namespace

TEST_F(LaunchRing, APlaceIsWaitedFor)
{
    const common::Stream slow, quick;
    Launches launches;
    Gate gate;
    int first = -1, again = -1;
    launches.put(slow.get(), [&](int place) {
        first = place;
        gate.put(slow.get());
    });
    for (int i = 1; i < Launches::kPlaces; ++i) launch(launches, quick);
    quick.wait(); // they have other places
    launches.put(quick.get(), [&](int place) { again = place; });
    EXPECT_EQ(again, first);
    EXPECT_FALSE(hasCome(quick)) << "a launch did not wait for the one that had its place";
    gate.open();
    quick.wait();
    slow.wait();
}

namespace
{

/// Waits for all launches: not before the gate is open.
void expectToWait(Launches &launches, Gate &gate)
{
    std::atomic<bool> ended{false};
    std::thread waiter([&] {
        launches.waitForAll();
        ended = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(ended);
    gate.open();
    waiter.join();
}

} // namespace

TEST_F(LaunchRing, AllAreWaitedFor)
{
    const common::Stream slow, quick;
    Launches launches;
    Gate gate;
    launches.put(slow.get(), [&](int) { gate.put(slow.get()); });
    for (int i = 0; i < 5; ++i) launch(launches, quick);
    expectToWait(launches, gate);
}

// What has been found to have ended is not waited for again; what comes then is.
TEST_F(LaunchRing, WhoAsksIsToldWhetherAnythingWasPutSince)
{
    const common::Stream slow, quick;
    Launches launches;
    std::mutex mutex;
    const auto any = [&] { return launches.whenAllHaveEnded(mutex, [](bool put) { return put; }); };
    EXPECT_FALSE(any());
    for (int i = 0; i < Launches::kPlaces + 3; ++i) launch(launches, quick);
    const auto fails = [](bool) -> bool { throw std::runtime_error("it could not be asked"); };
    EXPECT_THROW(launches.whenAllHaveEnded(mutex, fails), std::runtime_error);
    EXPECT_TRUE(any()) << "an error has made it forgotten";
    EXPECT_FALSE(any());
    for (int i = 0; i < Launches::kPlaces; ++i) { // in every place, after the first round
        Gate gate;
        launches.put(slow.get(), [&](int) { gate.put(slow.get()); });
        std::atomic<bool> told{false};
        std::thread waiter([&] { told = any(); });
        if (i % 16 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_FALSE(told) << i;
        gate.open();
        waiter.join();
        EXPECT_TRUE(told) << i;
    }
}

TEST_F(LaunchRing, WhatHasThrownIsWaitedFor)
{
    const common::Stream slow;
    Launches launches;
    Gate gate;
    const auto throws = [&](int) {
        gate.put(slow.get());
        throw std::runtime_error("after a part of it");
    };
    EXPECT_THROW(launches.put(slow.get(), throws), std::runtime_error);
    expectToWait(launches, gate);
}

#else

TEST_F(LaunchRing, NeedsCuda) {}

#endif
