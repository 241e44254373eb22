// The engine everywhere: the bits of the CPU's answer, however the tiles were shared. With a GPU
// the first tiles of a process go through it; later ones where that is cheaper.
#include "common/devices.h"
#include "common/error.h"
#include "local_entropy/methods/bits/bits.h"
#include "local_entropy/schedule/everywhere.h"
#include "local_entropy/schedule/staging.h"
#include "messages.h"
#include "shapes.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

namespace bits = local_entropy::bits;

using local_entropy::ThroughDevices;

namespace
{

std::vector<float> onCpu(Shape shape, const std::vector<float> &sample)
{
    std::vector<float> result(sample.size(), NAN);
    bits::entropyOnCpu(shape.width, shape.height, sample.data(), result.data(), 0, shape.height);
    return result;
}

/// The tiles that went through a GPU are added to `*passed`.
std::vector<float> everywhere(Shape shape, const std::vector<float> &sample,
                              ThroughDevices choice = ThroughDevices::IfCheaper,
                              std::int64_t *passed = nullptr)
{
    std::vector<float> result(sample.size() + 1, NAN);
    const std::int64_t tiles = local_entropy::entropyEverywhere(
        shape.width, shape.height, sample.data(), result.data(), choice);
    if (passed) *passed += tiles;
    EXPECT_TRUE(std::isnan(result.back())) << "written beyond the end";
    result.pop_back();
    return result;
}

void expectSameBits(const std::vector<float> &a, const std::vector<float> &b, Shape shape)
{
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        if (std::memcmp(&a[i], &b[i], sizeof a[i]) != 0)
            FAIL() << shape.width << " x " << shape.height << ", x " << i % shape.width << ", y "
                   << i / shape.width << ": " << a[i] << ", expected " << b[i];
}

TEST(EngineEverywhere, ComputesSmallArrays)
{
    for (const Shape shape : kShapes) {
        const std::vector<float> sample = makeSample("random", shape);
        expectSameBits(everywhere(shape, sample), onCpu(shape, sample), shape);
    }
}

/// Large enough to be shared: squarish, of odd width, wide and flat, narrow and long.
TEST(EngineEverywhere, SharesLargeArrays)
{
    for (const Shape shape :
         {Shape{4096, 4100}, Shape{4111, 4219}, Shape{1700003, 10}, Shape{10, 1700003}})
        for (const char *content : {"random", "dominant"}) {
            const std::vector<float> sample = makeSample(content, shape);
            const std::vector<float> expected = onCpu(shape, sample);
            std::int64_t passed = 0, kept = 0;
            expectSameBits(everywhere(shape, sample), expected, shape);
            expectSameBits(everywhere(shape, sample, ThroughDevices::IfThereIsRoom, &passed),
                           expected, shape);
            expectSameBits(everywhere(shape, sample, ThroughDevices::Never, &kept), expected,
                           shape);
            EXPECT_EQ(kept, 0);
            EXPECT_EQ(passed > 0, common::deviceCount() > 0)
                << shape.width << " x " << shape.height;
        }
}

TEST(EngineEverywhere, SeveralCallsAtOnce)
{
    const Shape shape{4096, 4096};
    const std::vector<float> sample = makeSample("smooth", shape);
    const std::vector<float> expected = onCpu(shape, sample);
    std::vector<float> results[3];
    std::vector<std::thread> threads;
    for (std::vector<float> &result : results)
        threads.emplace_back([&] { result = everywhere(shape, sample); });
    for (std::thread &thread : threads) thread.join();
    for (const std::vector<float> &result : results) expectSameBits(result, expected, shape);
}

TEST(EngineEverywhere, NamesABadCell)
{
    const Shape shape{4096, 4100};
    std::vector<float> sample = makeSample("random", shape);
    for (const float bad : {16.0f, -1.0f, 3.5f, NAN}) {
        const std::size_t place = 4096u * 2000 + 77;
        const float good = sample[place];
        sample[place] = bad;
        for (const ThroughDevices choice : {ThroughDevices::IfThereIsRoom, ThroughDevices::Never}) {
            const std::string message = messageOf([&] { everywhere(shape, sample, choice); });
            EXPECT_TRUE(holds(message, "x 77, y 2000")) << message;
        }
        sample[place] = good;
    }
    expectSameBits(everywhere(shape, sample), onCpu(shape, sample), shape);
}

// One thread sends the first tile through the device, which has room: nobody else sees its cells.
TEST(EngineEverywhere, NamesABadCellThatOnlyADeviceComputes)
{
    if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    for (const Shape shape : {Shape{4096, 4100}, Shape{10, 1700003}}) {
        std::vector<float> sample = makeSample("random", shape);
        std::vector<float> result(sample.size(), NAN);
        bits::CpuOptions oneThread;
        oneThread.threads = 1;
        const auto compute = [&] {
            return local_entropy::entropyEverywhere(shape.width, shape.height, sample.data(),
                                                    result.data(), ThroughDevices::IfThereIsRoom,
                                                    oneThread);
        };
        EXPECT_GT(compute(), 0);
        for (const float bad : {16.0f, -1.0f, 3.5f, NAN}) {
            sample[5] = bad;
            const std::string message = messageOf(compute);
            EXPECT_TRUE(holds(message, "x 5, y 0")) << bad << ": " << message;
        }
    }
}

TEST(EngineStaging, PacksLevelsAndFindsBadCells)
{
    std::vector<float> cells(1003);
    std::vector<std::uint8_t> bytes(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<float>(i % 16);
    ASSERT_TRUE(local_entropy::packBytes(cells.data(), cells.size(), bytes.data()));
    for (std::size_t i = 0; i < cells.size(); ++i) ASSERT_EQ(bytes[i], 8 * (i % 16));
    for (const float bad : {16.0f, -1.0f, 0.5f, 15.5f, 1e-30f, -1e-30f, 1e30f, INFINITY, NAN})
        for (const std::size_t place : {std::size_t(0), std::size_t(501), cells.size() - 1}) {
            const float good = cells[place];
            cells[place] = bad;
            EXPECT_FALSE(local_entropy::packBytes(cells.data(), cells.size(), bytes.data())) << bad;
            cells[place] = good;
        }
}

TEST(EngineStaging, CopiesAtAnyAlignment)
{
    std::vector<float> from(300), to(320);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
    for (std::size_t skip = 0; skip < 17; ++skip)
        for (const std::size_t size : {0, 1, 15, 16, 17, 33, 200}) {
            std::fill(to.begin(), to.end(), -1.0f);
            local_entropy::copyResults(&from[skip], size, &to[skip + 1]);
            for (std::size_t i = 0; i < to.size(); ++i) {
                const bool in = i > skip && i <= skip + size;
                ASSERT_EQ(to[i], in ? static_cast<float>(i - 1) : -1.0f);
            }
        }
}

} // namespace
