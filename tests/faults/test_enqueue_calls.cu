// The library in the memory of a GPU, where one call of CUDA after the other fails: in a new
// engine and in one that has all that it needs, in a graph, and when an engine ends.
#include "common/devices.h"

#include <gtest/gtest.h>

#ifdef __CUDACC__
#include "../same_bits.h"
#include "common/device_stream.h"
#include "local_entropy/engine.h"
#include "local_entropy/memory/launches.h"
#include "whichever.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

using namespace local_entropy;

namespace
{

constexpr std::int64_t kWidth = 200, kHeight = 90;

/// A method of GPUs and what it is asked, of bytes or, words, of floats too.
struct Asked
{
    std::string method;
    Filter filter;
    bool ofFloats = false;

    Asked(const char *method, int side, int levels, bool ofFloats = false)
        : method(method), ofFloats(ofFloats)
    {
        filter.window.width = filter.window.height = side;
        filter.levels.count = levels;
        filter.nanIsError = true;
    }
};

std::vector<Asked> questions()
{
    Asked footprint("footprint", 9, 64);
    footprint.filter.window.footprint.assign(81, 1);
    footprint.filter.window.footprint[0] = 0;
    return {{"words", 5, 16, true}, {"words", 5, 16}, {"levels", 9, 16}, {"histogram", 15, 256},
            {"wide", 31, 256},      footprint,        {"equal", 3, 256}, {"plain", 5, 64}};
}

/// An image in the memory of the GPU, its result, and what that should be.
class Arrays
{
public:
    explicit Arrays(const Asked &asked)
        : asked(asked), bytes(cells<std::uint8_t>()), floats(cells<float>()),
          expected(bytes.size()), found(bytes.size()),
          bytesThere(common::upload(bytes.data(), bytes.size())),
          floatsThere(common::upload(floats.data(), floats.size())),
          results(common::poisoned<float>(bytes.size()))
    {
        const View<float> result{expected.data(), kWidth, kHeight};
        if (asked.ofFloats)
            Engine().run(asked.filter, View<const float>{floats.data(), kWidth, kHeight}, result);
        else
            Engine().run(asked.filter, bytesOf(bytes.data()), result);
        CUDA_CHECK(cudaDeviceSynchronize()); // other streams do not wait for this one
    }

    void enqueue(Engine &engine, const RunOptions &options = {})
    {
        const View<float> result{results.data(), kWidth, kHeight};
        if (asked.ofFloats)
            engine.enqueue(asked.filter, View<const float>{floatsThere.data(), kWidth, kHeight},
                           result, stream.get(), options);
        else
            engine.enqueue(asked.filter, bytesOf(bytesThere.data()), result, stream.get(), options);
    }
    std::size_t workspaceBytes(Engine &engine)
    {
        return engine.workspaceBytes(asked.filter, bytesOf(bytesThere.data()),
                                     View<float>{results.data(), kWidth, kHeight});
    }

    /// Of the result, which is poisoned again.
    std::string wrong()
    {
        stream.wait();
        common::download(results, found.data());
        CUDA_CHECK(cudaMemset(results.data(), 0xFF, results.bytes()));
        CUDA_CHECK(cudaDeviceSynchronize());
        const bool same = sameBits(found, expected);
        return same ? "" : "other bits";
    }

    const common::Stream stream;

private:
    template <typename Cell>
    static std::vector<Cell> cells()
    {
        std::vector<Cell> all(kWidth * kHeight);
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Cell>(i * i / 7 % 16);
        return all;
    }
    static View<const std::uint8_t> bytesOf(const std::uint8_t *data)
    {
        return {data, kWidth, kHeight};
    }

    const Asked asked;
    const std::vector<std::uint8_t> bytes;
    const std::vector<float> floats;
    std::vector<float> expected, found;
    common::DeviceArray<std::uint8_t> bytesThere;
    common::DeviceArray<float> floatsThere, results;
};

Engine engineOf(const Asked &asked)
{
    EngineOptions options;
    options.method = asked.method;
    return Engine(options);
}

/// Whether there is a GPU need not be known where one is asked for what it has.
bool isNoGpu(const std::string &name) { return name == "cudaGetDeviceCount"; }

/// Besides, destructors wait for what is under way.
bool isWaitOfDestructor(const std::string &name)
{
    return isNoGpu(name) || name == "cudaEventSynchronize";
}

} // namespace

TEST_F(Faults, OfANewEngineAreTold)
{
    for (const Asked &asked : questions())
        for (const cudaError_t status : {cudaErrorUnknown, cudaErrorMemoryAllocation}) {
            SCOPED_TRACE(asked.method);
            Arrays arrays(asked);
            std::optional<Engine> engine;
            calls::Trial trial;
            trial.begin = [&] { engine = engineOf(asked); };
            trial.end = [&] { engine.reset(); };
            trial.call = [&] {
                arrays.enqueue(*engine);
                engine->synchronize();
            };
            trial.wrong = [&] { return arrays.wrong(); };
            // Where memory is lacking, it is asked for again.
            trial.goesOn = status == cudaErrorMemoryAllocation ? calls::anything : isNoGpu;
            EXPECT_GT(calls::failOneAfterTheOther(trial, status), 20);
        }
}

// The engine is there, with its tables, and stays; the memory to work in is its own or the
// caller's.
TEST_F(Faults, OfAUsedEngineAreTold)
{
    for (const Asked &asked : questions())
        for (const bool ownMemory : {true, false}) {
            SCOPED_TRACE(asked.method + (ownMemory ? "" : ", workspace"));
            Arrays arrays(asked);
            Engine engine = engineOf(asked);
            arrays.enqueue(engine);
            engine.synchronize();
            common::DeviceArray<char> workspace(arrays.workspaceBytes(engine) + 256);
            RunOptions options;
            if (!ownMemory) options.workspace = {workspace.data(), workspace.bytes()};
            calls::Trial trial;
            trial.call = [&] {
                arrays.enqueue(engine, options);
                engine.synchronize();
            };
            trial.wrong = [&] { return arrays.wrong(); };
            trial.goesOn = isNoGpu;
            EXPECT_GT(calls::failOneAfterTheOther(trial), 12);
        }
}

// Or their arrays would be given back under their kernels.
TEST_F(Faults, OfWordsInPlaceAreToldOnceLoadedImagesHaveEnded)
{
    Arrays inPlace({"words", 5, 16});
    Asked reflected("words", 5, 16);
    reflected.filter.border = Border::Reflect;
    Arrays loaded(reflected);
    Engine engine = engineOf(reflected);
    inPlace.enqueue(engine);
    loaded.enqueue(engine);
    engine.synchronize();
    std::atomic<bool> hasEnded{false};
    const auto endLate = [](void *ended) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50)); // longer than a call takes
        *static_cast<std::atomic<bool> *>(ended) = true;
    };
    // Up to the first wait, all is of the image in place.
    std::string failed;
    for (int number = 1; failed != "cudaEventSynchronize"; ++number) {
        inPlace.enqueue(engine);
        hasEnded = false;
        CUDA_CHECK(cudaLaunchHostFunc(loaded.stream.get(), endLate, &hasEnded));
        loaded.enqueue(engine);
        std::string sentence;
        {
            const calls::Failing failing(number, cudaErrorUnknown);
            sentence = messageOf([&] { engine.synchronize(); });
            failed = failing.name();
        }
        EXPECT_TRUE(hasEnded) << failed;
        loaded.stream.wait(); // whatever was found: it uses what is here
        ASSERT_NE(failed, "");
        EXPECT_EQ(sentence.empty(), isNoGpu(failed)) << failed;
        common::quietly(cudaGetLastError());
        EXPECT_EQ(inPlace.wrong() + loaded.wrong(), "");
    }
}

// In the middle of a launch. The next one finds the GPU again.
TEST_F(Faults, OfALostGpuAreToldByEnqueue)
{
    for (const Asked &asked : questions()) {
        SCOPED_TRACE(asked.method);
        Arrays arrays(asked);
        Engine engine = engineOf(asked);
        calls::Trial trial;
        trial.call = [&] {
            arrays.enqueue(engine);
            engine.synchronize();
        };
        trial.call();
        trial.wrong = [&] { return arrays.wrong(); };
        trial.fault = calls::Fault::Lost;
        EXPECT_GT(calls::failOneAfterTheOther(trial), 12);
    }
}

TEST_F(Faults, OfAWholeLifeOfAnEngineLeakNothing)
{
    for (const Asked &asked : {questions()[0], questions()[3]}) {
        SCOPED_TRACE(asked.method);
        Arrays arrays(asked);
        calls::Trial trial;
        trial.call = [&] {
            Engine engine = engineOf(asked);
            arrays.enqueue(engine);
            engine.synchronize();
        };
        trial.wrong = [&] { return arrays.wrong(); };
        trial.goesOn = isWaitOfDestructor;
        EXPECT_GT(calls::failOneAfterTheOther(trial), 100);
    }
}

// What was captured before a call failed is in the graph, and can be launched: twice, since all
// memory that it takes it gives back.
TEST_F(Faults, OfACaptureAreTold)
{
    for (const Asked &asked : questions()) {
        SCOPED_TRACE(asked.method);
        Arrays arrays(asked);
        Engine engine = engineOf(asked);
        arrays.enqueue(engine);
        engine.synchronize();
        const cudaStream_t stream = arrays.stream.get();
        calls::Trial trial;
        trial.begin = [&] {
            CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        };
        trial.call = [&] { arrays.enqueue(engine); };
        trial.wrong = [] { return ""; };
        trial.goesOn = isNoGpu;
        trial.end = [&] {
            cudaGraph_t graph = nullptr;
            cudaGraphExec_t ready = nullptr;
            CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
            CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
            arrays.wrong(); // poisons
            for (int times = 0; times < 2; ++times) {
                CUDA_CHECK(cudaGraphLaunch(ready, stream));
                EXPECT_EQ(arrays.wrong(), "");
            }
            CUDA_CHECK(cudaGraphExecDestroy(ready));
            CUDA_CHECK(cudaGraphDestroy(graph));
        };
        EXPECT_GT(calls::failOneAfterTheOther(trial), 5);
    }
}

// Nobody could wait for it later.
TEST_F(Faults, WhatCannotBeMarkedIsWaitedForAtOnce)
{
    const common::Stream stream;
    Launches launches;
    std::atomic<bool> hasEnded{false};
    const auto endLate = [](void *ended) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50)); // longer than put() takes
        *static_cast<std::atomic<bool> *>(ended) = true;
    };
    const calls::Failing failing(2, cudaErrorUnknown); // the first one holds the stream back
    const std::string sentence = messageOf([&] {
        launches.put(stream.get(), [&](int) {
            CUDA_CHECK(cudaLaunchHostFunc(stream.get(), endLate, &hasEnded));
        });
    });
    EXPECT_TRUE(hasEnded);
    EXPECT_EQ(failing.name(), "cudaEventRecord") << sentence;
    EXPECT_NE(sentence, "");
    common::quietly(cudaGetLastError());
    stream.wait(); // whatever was found: it uses what is here
}

#else

TEST(Faults, NeedCuda) { GTEST_SKIP() << common::whyNoDevice(); }

#endif
