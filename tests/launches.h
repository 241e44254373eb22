// The library in the memory of a GPU, as tests ask it: random questions from a fixed seed, over
// types, levels, windows, footprints, borders, masks, strides and regions, against the CPU, bit for
// bit.
#pragma once

#include "common/devices.h"
#include "local_entropy/engine.h"
#include "local_entropy/launched_by.h"
#include "local_entropy/memory/shared_bytes.h"
#include "local_entropy/question.h"

#include <gtest/gtest.h>
#include <string>

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/device_stream.h"

#include <cstring>
#include <type_traits>
#endif

/// Without a GPU, or without nvcc, each test is skipped by name.
class Launches : public testing::Test
{
protected:
    void SetUp() override
    {
        if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    }
};

#ifdef __CUDACC__

/// Where an array begins: at a multiple of its type's size and no more, or of 256 bytes.
enum class Place { Anywhere, Aligned };

/// A copy, in the memory of a GPU, of what lies between the first and the last cell of a view,
/// among bytes that are 0xFF.
template <typename T>
class OnDevice
{
public:
    explicit OnDevice(const local_entropy::View<T> &host, Place place = Place::Anywhere)
        : host(host), before(place == Place::Aligned ? kGuard : kGuard - 23),
          cells(host.data ? (host.height - 1) * host.stride + host.width : 0),
          memory(common::poisoned<Cell>(cells + 2 * kGuard))
    {
        if (cells == 0) return;
        CUDA_CHECK(cudaMemcpy(first(), host.data, cells * sizeof(T), cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaDeviceSynchronize()); // other streams do not wait for this one
    }

    local_entropy::View<T> view()
    {
        return {host.data ? reinterpret_cast<T *>(first()) : nullptr, host.width, host.height,
                host.stride};
    }

    /// All of its bytes, the poison around it too.
    std::vector<char> bytes() const
    {
        std::vector<char> all(memory.bytes());
        CUDA_CHECK(cudaMemcpy(all.data(), memory.data(), all.size(), cudaMemcpyDeviceToHost));
        return all;
    }

private:
    using Cell = std::remove_const_t<T>;
    static constexpr std::size_t kGuard = 1024; ///< in cells

    Cell *first() { return memory.data() + before; }

    const local_entropy::View<T> host;
    const std::size_t before, cells;
    common::DeviceArray<Cell> memory;
};

/// Whether launch(image, values, options), of arrays in the memory of a GPU, writes the bits that
/// the CPU writes, and nothing else. `values` and the mask are in host memory, and the CPU's
/// results are in `values` afterwards.
template <typename Cell, typename Value, typename Launch>
bool writesTheBitsOfTheCpu(local_entropy::Engine &cpu, const local_entropy::Filter &filter,
                           const local_entropy::View<const Cell> &image,
                           const local_entropy::View<Value> &values,
                           local_entropy::RunOptions options, Place place, const Launch &launch)
{
    std::memset(static_cast<void *>(values.data), 0xFF,
                ((values.height - 1) * values.stride + values.width) * sizeof(Value));
    OnDevice<const Cell> cells(image, place);
    OnDevice<const std::uint8_t> mask(options.mask, place);
    OnDevice<Value> found(values, place);
    cpu.run(filter, image, values, options);
    OnDevice<Value> expected(values, place);
    options.mask = mask.view();
    launch(cells.view(), found.view(), options);
    return found.bytes() == expected.bytes();
}

/// The same of what an engine enqueues.
template <typename Cell, typename Value>
bool enqueuesTheBitsOfTheCpu(local_entropy::Engine &cpu, local_entropy::Engine &gpu,
                             const local_entropy::Filter &filter,
                             const local_entropy::View<const Cell> &image,
                             const local_entropy::View<Value> &values,
                             const local_entropy::RunOptions &options = {},
                             Place place = Place::Anywhere, cudaStream_t stream = nullptr)
{
    return writesTheBitsOfTheCpu(cpu, filter, image, values, options, place,
                                 [&](const auto &from, const auto &to, const auto &there) {
                                     gpu.enqueue(filter, from, to, stream, there);
                                     gpu.synchronize();
                                 });
}

/// How the GPU's answer differs from the CPU's; empty: not in a bit, and nothing else was written.
template <typename Cell, typename Value>
std::string difference(local_entropy::Engine &cpu, local_entropy::Engine &gpu,
                       const Question<Cell> &question, cudaStream_t stream)
{
    GuardedArray<Value> values(question.region.width, question.region.height, question.gap);
    // Strides that 4 divides: with addresses that 16 divides in half of the questions.
    const Place place = values.view().stride / 4 % 2 ? Place::Aligned : Place::Anywhere;
    local_entropy::RunOptions options;
    options.region = question.region;
    options.mask = question.maskView();
    const bool same = enqueuesTheBitsOfTheCpu(cpu, gpu, question.filter, question.view(),
                                              values.view(), options, place, stream);
    return same ? "" : question.text();
}

/// With the method that is named; empty: with its own choice.
inline local_entropy::Engine engineOf(const std::string &method)
{
    local_entropy::EngineOptions options;
    options.method = method;
    return local_entropy::Engine(options);
}

/// Of one type, with the method that is named, which answers those that it can; empty: with the
/// engine's choice, which answers all.
template <typename Cell>
void ask(const std::string &method, unsigned seed, int questions)
{
    local_entropy::Engine cpu, gpu = engineOf(method);
    const common::Stream stream;
    for (int i = 0; i < questions; ++i) {
        const Question<Cell> question(seed + static_cast<unsigned>(i));
        const bool answers =
            method.empty() || isLaunchedBy(method, question, local_entropy::sharedBytesOfBlock());
        try {
            const std::string wrong =
                question.asDouble ? difference<Cell, double>(cpu, gpu, question, stream.get())
                                  : difference<Cell, float>(cpu, gpu, question, stream.get());
            ASSERT_EQ(wrong, "") << method;
            ASSERT_TRUE(answers) << method << " has answered what it says that it cannot"
                                 << question.text();
        } catch (const local_entropy::Error &error) {
            ASSERT_EQ(error.status(), local_entropy::Status::Unavailable)
                << error.what() << question.text();
            ASSERT_FALSE(answers) << error.what() << question.text();
        }
    }
}

#endif
