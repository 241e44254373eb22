// Every filter by CPU and GPUs together: random questions from a fixed seed, cut into small tiles
// that both take, against the CPU alone, bit for bit. Without a GPU, or without nvcc, each test is
// skipped by name.
#include "common/devices.h"
#include "common/threads.h"
#include "cuda_faults.h"
#include "local_entropy/engine.h"
#include "local_entropy/methods/method.h"
#include "local_entropy/methods/words/method.h"
#include "local_entropy/problem/type_of.h"
#include "local_entropy/question.h"
#include "local_entropy/schedule/everywhere.h"
#include "same_bits.h"
#ifdef __CUDACC__
#include "local_entropy/schedule/shared_devices.h"
#endif
#include "messages.h"
#include "shared_call.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>

namespace
{

using namespace local_entropy;

class EverywhereFilters : public testing::Test
{
protected:
    void SetUp() override
    {
        if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    }
};

template <typename Cell, typename Value>
Problem problemOf(const Question<Cell> &question, const View<Value> &values)
{
    const auto image = question.view();
    const auto mask = question.maskView();
    return checkedProblem(
        question.filter, {image.data, typeOf<Cell>(), image.width, image.height, image.stride},
        {mask.data, mask.width, mask.height, mask.stride},
        {values.data, std::is_same_v<Value, double>, values.width, values.height, values.stride},
        question.region);
}

/// Tiles that went through a device; the answers are those of the CPU.
template <typename Cell, typename Value>
std::int64_t ask(Engine &cpu, const Question<Cell> &question, const Sharing &sharing, int threads)
{
    const Region &region = question.region;
    GuardedArray<Value> expected(region.width, region.height, question.gap);
    GuardedArray<Value> found(region.width, region.height, question.gap);
    const std::size_t bytes =
        ((region.height - 1) * found.view().stride + region.width) * sizeof(Value);
    for (const auto *array : {&expected, &found})
        std::memset(static_cast<void *>(array->view().data), 0xFF, bytes);
    RunOptions options;
    options.region = region;
    options.mask = question.maskView();
    cpu.run(question.filter, question.view(), expected.view(), options);
    const std::int64_t tiles = computeShared(problemOf(question, found.view()), sharing, threads);
    EXPECT_EQ(std::memcmp(found.view().data, expected.view().data, bytes), 0) << question.text();
    return tiles;
}

template <typename Cell>
void askAll(unsigned seed, int questions)
{
    Engine cpu;
    std::int64_t tiles = 0;
    for (int i = 0; i < questions && !testing::Test::HasFailure(); ++i) {
        const Question<Cell> question(seed + static_cast<unsigned>(i));
        const Sharing sharing{ThroughDevices::IfThereIsRoom, {5 + i % 40, 3 + i % 29}, {7, 5}};
        tiles += question.asDouble ? ask<Cell, double>(cpu, question, sharing, 1 + i % 3)
                                   : ask<Cell, float>(cpu, question, sharing, 1 + i % 3);
    }
    EXPECT_GT(tiles, questions);
}

} // namespace

TEST_F(EverywhereFilters, GiveTheBitsOfTheCpu)
{
    askAll<std::uint8_t>(1000, 60);
    askAll<std::uint16_t>(20000, 40);
    askAll<std::int16_t>(30000, 20);
    askAll<float>(40000, 60);
    askAll<bool>(50000, 20);
}

// Where floats travel as bytes, these have no NaN for what does not count beyond the edge.
TEST_F(EverywhereFilters, LeaveOutCellsBeyondTheEdge)
{
    constexpr std::int64_t kWidth = 90, kHeight = 70;
    for (const int count : {16, 100, 256}) {
        std::vector<float> cells(kWidth * kHeight);
        for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<float>(i * i % count);
        std::vector<float> values(cells.size(), NAN), expected = values;
        Filter filter;
        filter.levels.count = count;
        filter.border = Border::Constant;
        filter.constant = NAN;
        Engine cpu;
        cpu.run(filter, View<const float>{cells.data(), kWidth, kHeight},
                View<float>{expected.data(), kWidth, kHeight});
        const Problem problem =
            checkedProblem(filter, {cells.data(), CellType::Float32, kWidth, kHeight, 0}, {},
                           {values.data(), false, kWidth, kHeight, 0}, {});
        EXPECT_EQ(computeShared(problem, {ThroughDevices::All, {30, 20}, {10, 10}}, 1), 3 * 4);
        EXPECT_TRUE(sameBits(values, expected));
    }
}

/// 300 x 200 cells of 256 levels.
struct Plain
{
    std::vector<std::uint8_t> cells = std::vector<std::uint8_t>(300 * 200);
    std::vector<float> values = std::vector<float>(cells.size(), NAN), expected = values;
    Filter filter;
    const Sharing sharing{ThroughDevices::IfThereIsRoom, {60, 50}, {10, 10}};

    Plain()
    {
        for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = i * i % 251 % 100;
        filter.levels.count = 100;
    }
    Problem problem()
    {
        return checkedProblem(filter, {cells.data(), CellType::Uint8, 300, 200, 0}, {},
                              {values.data(), false, 300, 200, 0}, {});
    }
    void compute()
    {
        Engine engine;
        engine.run(filter, View<const std::uint8_t>{cells.data(), 300, 200},
                   View<float>{expected.data(), 300, 200});
    }
    bool isRight() const { return sameBits(values, expected); }
};

TEST_F(EverywhereFilters, AreDoneThoughADeviceFails)
{
    for (const std::int64_t failing : {0, 1, 5})
        for (const int threads : {1, 3}) {
            Plain plain;
            plain.compute();
            Sharing sharing = plain.sharing;
            sharing.failingTile = failing;
            const std::int64_t tiles = computeShared(plain.problem(), sharing, threads);
            const std::int64_t others = threads - 1; // that send one at the same time
            if (common::deviceCount() == 1) {        // else another device may have taken all
                EXPECT_LE(tiles, failing + others);
            }
            EXPECT_TRUE(plain.isRight()) << failing << " " << threads;
        }
}

// One thread for each of two GPUs. One of the first tiles is not sent, and of the others, some 315,
// the GPU that is left takes its share.
TEST_F(EverywhereFilters, GoOnThroughTheOtherGpuIfOneFails)
{
    if (common::deviceCount() == 1) GTEST_SKIP() << "needs two GPUs: there is one";
    constexpr std::int64_t kWidth = 1200, kHeight = 800;
    std::vector<std::uint8_t> cells(kWidth * kHeight);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = i * i % 251;
    std::vector<float> values(cells.size()), expected = values;
    Filter filter;
    filter.window.width = filter.window.height = 31; // slow enough for the CPU
    Engine cpu;
    cpu.run(filter, View<const std::uint8_t>{cells.data(), kWidth, kHeight},
            View<float>{expected.data(), kWidth, kHeight});
    const Problem problem =
        checkedProblem(filter, {cells.data(), CellType::Uint8, kWidth, kHeight, 0}, {},
                       {values.data(), false, kWidth, kHeight, 0}, {});
    Sharing sharing{ThroughDevices::IfThereIsRoom, {60, 50}, {10, 10}};
    computeShared(problem, sharing, 2); // both have their tables then
    for (int i = 0; i < 5; ++i) {
        std::fill(values.begin(), values.end(), NAN);
        sharing.failingTile = i; // of either thread
        EXPECT_GT(computeShared(problem, sharing, 2), 20 + i);
        EXPECT_TRUE(sameBits(values, expected));
    }
}

#ifdef __CUDACC__

// All its tiles have arrived, but it cannot say whether their cells were levels: these are looked
// at. The next call does not hear of them.
TEST_F(EverywhereFilters, AreDoneThoughADeviceFailsAfterItsLastTile)
{
    const auto share = [](Plain &plain) {
        EXPECT_GT(computeShared(plain.problem(), plain.sharing, 1), 0);
    };
    for (const bool isBad : {false, true}) {
        Plain plain, next;
        if (isBad) plain.cells[5] = 100; // of the first tile, which a device takes
        next.compute();
        {
            const CudaFault fault(CudaFault::EventsFail);
            const std::string message = messageOf([&] { share(plain); });
            EXPECT_TRUE(isBad ? holds(message, "x 5, y 0") : message.empty()) << message;
        }
        EXPECT_TRUE(isBad || plain.values == next.expected);
        EXPECT_NO_THROW(share(next));
        EXPECT_TRUE(next.isRight());
    }
}

// Each of two threads talks to a device of its own. What the one that throws has sent never
// arrives, since nobody else talks to that device: the other thread must not wait for it.
TEST_F(EverywhereFilters, EndThoughTheOnlyThreadOfADeviceHasThrown)
{
    Plain plain;
    const Problem problem = plain.problem();
    Sharing sharing = plain.sharing;
    sharing.failingTile = 5; // is computed by the CPU, while those before it are on their way
    Device first(0), second(0);
    SharedDevices shared(0);
    WayCosts costs;
    const std::function<bool(double)> nobody;
    Progress progress(nobody, problem.region);
    SharedWork work(shared, {&first, &second}, problem, sharing, 1e-9, 2, costs, progress);
    const auto throws = [](const Region &) { throw std::runtime_error("a tile of the CPU"); };
    EXPECT_THROW(work.work(1, throws), std::runtime_error);
    EXPECT_GT(work.throughDevices(), 0);
    auto other =
        std::async(std::launch::async, [&] { return work.work(0, [](const Region &) {}); });
    if (other.wait_for(std::chrono::seconds(60)) == std::future_status::timeout) {
        std::fputs("the other thread waits for ever\n", stderr);
        std::_Exit(EXIT_FAILURE);
    }
    EXPECT_FALSE(other.get()); // not all was done
}

/// Of every GPU all memory but so much is somebody else's.
class TakenMemory
{
public:
    explicit TakenMemory(std::size_t left)
    {
        for (int device = 0; device < common::deviceCount(); ++device) {
            const common::DeviceScope scope(device);
            std::size_t free = 0, all = 0, most = ~std::size_t(0);
            for (;;) {
                CUDA_CHECK(cudaMemGetInfo(&free, &all));
                if (free < left + kLeast || most < kLeast) break;
                void *memory = nullptr;
                most = std::min(most, free - left);
                if (common::quietly(cudaMalloc(&memory, most)) == cudaSuccess)
                    taken.push_back(memory);
                else // there is no piece of that size
                    most /= 2;
            }
        }
    }
    TakenMemory(const TakenMemory &) = delete;
    ~TakenMemory()
    {
        for (void *memory : taken) cudaFree(memory);
    }

private:
    static constexpr std::size_t kLeast = 4 << 20;
    std::vector<void *> taken;
};

// Image and result are 640 MiB, and every tile of them goes through a GPU.
TEST_F(EverywhereFilters, AreLargerThanTheMemoryOfAGpu)
{
    constexpr std::int64_t kWidth = 16384, kHeight = 8192;
    std::vector<std::uint8_t> cells(kWidth * kHeight);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = (i * i + (i >> 7)) % 251;
    std::vector<float> values(cells.size(), NAN), expected = values;
    Filter filter;
    Engine cpu;
    cpu.run(filter, View<const std::uint8_t>{cells.data(), kWidth, kHeight},
            View<float>{expected.data(), kWidth, kHeight});
    Plain first; // with it the GPUs are started
    computeShared(first.problem(), first.sharing, 1);
    const Problem problem =
        checkedProblem(filter, {cells.data(), CellType::Uint8, kWidth, kHeight, 0}, {},
                       {values.data(), false, kWidth, kHeight, 0}, {});
    const TakenMemory taken(std::size_t(256) << 20);
    const Sharing sharing{ThroughDevices::All, {2048, 512}, {256, 64}};
    EXPECT_EQ(computeShared(problem, sharing, common::offeredThreads()), 8 * 16);
    EXPECT_TRUE(sameBits(values, expected));
}

#endif

// Nor one that the devices of a call before saw: it was thrown by the CPU, or by one of them alone.
TEST_F(EverywhereFilters, DoNotNameACellOfTheCallBefore)
{
    for (const std::int64_t failing : {-1, 3})
        for (int i = 0; i < 5; ++i) {
            Plain bad, good;
            for (std::size_t cell = 0; cell < bad.cells.size(); cell += 7) bad.cells[cell] = 100;
            Sharing sharing = bad.sharing;
            sharing.failingTile = failing;
            EXPECT_THROW(computeShared(bad.problem(), sharing, 3), Error);
            good.compute();
            EXPECT_NO_THROW(computeShared(good.problem(), good.sharing, 3));
            EXPECT_TRUE(good.isRight());
        }
}

// Otherwise the devices would be used no more after some such calls.
TEST_F(EverywhereFilters, HaveTheDevicesAgainAfterACallbackHasThrown)
{
    for (int i = 0; i < 20; ++i) {
        Plain plain;
        const Problem problem = plain.problem();
        const std::function<bool(double)> throws = [](double) -> bool {
            throw std::runtime_error("from a callback");
        };
        Progress progress(throws, problem.region);
        WayCosts costs;
        const auto plan =
            chooseMethod(problem, bestPath(), &bitsMethod()).plan(problem, bestPath());
        const auto all = Everywhere::of(problem, *plan, 1e9, 1, costs, progress, plain.sharing);
        ASSERT_NE(all, nullptr);
        std::this_thread::sleep_for(std::chrono::milliseconds(25)); // the callback has its turn
        Scratch scratch;
        EXPECT_THROW(all->work(scratch), std::runtime_error);
    }
    Plain plain;
    plain.compute();
    EXPECT_GT(computeShared(plain.problem(), plain.sharing, 1), 0);
    EXPECT_TRUE(plain.isRight());
}

// Its plan computes whole images, not tiles of them.
TEST_F(EverywhereFilters, AreNotSharedByWords)
{
    Plain plain;
    const Problem problem = plain.problem();
    const auto plan = wordsMethod().plan(problem, bestPath());
    const std::function<bool(double)> nobody;
    Progress progress(nobody, problem.region);
    WayCosts costs;
    EXPECT_EQ(Everywhere::of(problem, *plan, 1e9, 1, costs, progress, plain.sharing), nullptr);
}

TEST_F(EverywhereFilters, NameABadCellWhereverItWent)
{
    for (const std::int64_t failing : {-1, 3}) // it was sent before a device failed
        for (const int place : {5, 299 + 300 * 199, 150 + 300 * 100}) {
            Plain plain;
            plain.cells[place] = 100;
            Sharing sharing = plain.sharing;
            sharing.failingTile = failing;
            const std::string message =
                messageOf([&] { computeShared(plain.problem(), sharing, 2); });
            EXPECT_TRUE(holds(message, "x " + std::to_string(place % 300) + ", y " +
                                           std::to_string(place / 300)))
                << message;
        }
}
