// The method words computes on the GPU that is current in the caller's thread, whatever thread does
// it, and makes nothing ready on others. Machines of two GPUs are rare: CUDA is made to answer as
// on one (cuda_faults.h). Most tests need nvcc, but no GPU.
#include "common/devices.h"
#include "cuda_faults.h"
#include "local_entropy/engine.h"
#include "same_bits.h"

#include <gtest/gtest.h>

#ifdef __CUDACC__
#include "bits_call.h"
#include "common/device_array.h"
#include "common/kernel_times.h"
#include "local_entropy/methods/words/method.h"
#include "local_entropy/schedule/pool.h"
#include "local_entropy/schedule/question.h"
#include "local_entropy/schedule/shared_devices.h"

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using namespace local_entropy;

namespace
{

/// The number of the GPU that is current in this thread.
int current()
{
    int device = -1;
    CUDA_CHECK(cudaGetDevice(&device));
    return device;
}

/// Computes as words does, but only notes where.
class NotingMethod : public Method
{
public:
    mutable int computedOn = -1;

    const char *name() const override { return "noting"; }
    bool can(const Problem &, Path) const override { return true; }
    double cost(const Problem &, Path) const override { return 1; }
    std::unique_ptr<const local_entropy::Plan> plan(const Problem &, Path) const override
    {
        return std::make_unique<NotingPlan>(*this);
    }

private:
    class NotingPlan : public local_entropy::Plan
    {
    public:
        explicit NotingPlan(const NotingMethod &method) : method(method) {}
        TileSize tileSize(const Problem &problem, int) const override
        {
            return {problem.region.width, problem.region.height};
        }
        bool takesTiles() const override { return false; }
        const Method *throughDevice() const override { return &wordsMethod(); }
        void work(const Problem &, TileQueue &queue, Scratch &) const override
        {
            Region all;
            while (queue.take(all)) method.computedOn = current();
        }

    private:
        const NotingMethod &method;
    };
};

/// The assignment's question of one image.
struct Sample
{
    explicit Sample(int side)
        : side(side), cells(static_cast<std::size_t>(side) * side), found(cells.size(), NAN),
          expected(found)
    {
        for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<float>(i * i % 13);
        entropyOnCpu(side, side, cells.data(), expected.data(), 0, side);
        filter.levels.count = 16;
        filter.nanIsError = true;
    }
    Problem problem()
    {
        return checkedProblem(filter, {cells.data(), CellType::Float32, side, side, 0}, {},
                              {found.data(), false, side, side, 0}, {});
    }
    bool isRight() const { return sameBits(found, expected); }

    const int side;
    Filter filter;
    std::vector<float> cells, found, expected;
};

/// A call from this thread by that method whose whole image another thread computes; what that
/// throws.
std::string inAnotherThread(const Problem &problem, const Method &method)
{
    const common::KernelTimes timed; // whole images, not tiles
    Plans plans;
    Share share({problem, &method, 1e9}, problem, plans, bestPath());
    const std::function<bool(double)> nobody;
    Progress progress(nobody, problem.region);
    share.begin(1, false, progress);
    std::string message;
    std::thread([&] {
        try {
            Scratch scratch;
            share.work(scratch);
        } catch (const std::exception &error) {
            message = error.what();
        }
    }).join();
    return message;
}

} // namespace

// ---- whose GPU computes -------------------------------------------------------------------------

TEST(CallersGpu, ComputesWhateverThreadHasTheImage)
{
    Sample image(8);
    const NotingMethod method;
    const CudaFault fault(CudaFault::TwoGpus);
    for (const int gpu : {1, 0}) {
        const common::DeviceScope scope(gpu);
        EXPECT_EQ(inAnotherThread(image.problem(), method), "");
        EXPECT_EQ(method.computedOn, gpu);
        EXPECT_EQ(current(), gpu);
    }
}

TEST(CallersGpu, IsTheOneOfWords)
{
    Sample image(8);
    const auto plan = wordsMethod().plan(image.problem(), bestPath());
    EXPECT_EQ(plan->throughDevice(), &wordsMethod());
    const common::KernelTimes timed;
    EXPECT_EQ(plan->throughDevice(), &wordsMethod());
}

// To make the first GPU current again in a thread of the engine would make a context there, which
// takes memory of a GPU that nobody uses.
TEST(CallersGpu, IsCurrentAgainAfterwardsButInThreadsOfTheEngine)
{
    const CudaFault fault(CudaFault::TwoGpus);
    int after[2] = {-1, -1};
    Pool(2).run(2, [&](int number) {
        {
            const common::DeviceScope scope(1);
        }
        after[number] = current();
    });
    EXPECT_EQ(after[0], 0) << "the caller's thread";
    EXPECT_EQ(after[1], 1);
}

TEST(CallersGpu, ThatCannotBeCurrentAgainLeavesNoError)
{
    std::optional<CudaFault> fault(CudaFault::TwoGpus);
    std::optional<common::DeviceScope> scope(1);
    fault.reset();
    fault.emplace(CudaFault::FirstIsGone);
    const cudaError_t gone = cudaSetDevice(0);
    EXPECT_EQ(cudaGetLastError(), gone);
    scope.reset();
    EXPECT_NE(cudaGetLastError(), gone);
}

// The other one cannot compute anything.
TEST(CallersGpu, ComputesWhereAnotherHasNoMemoryLeft)
{
    if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    if (common::deviceCount() == 1) GTEST_SKIP() << "needs two GPUs: there is one";
    Sample image(4096);
    std::vector<common::DeviceArray<char>> all;
    for (std::size_t size = std::size_t(1) << 34; size >= 1 << 22;) try {
            all.emplace_back(size);
        } catch (const common::Unavailable &) {
            size /= 2;
        }
    const common::DeviceScope scope(1);
    EXPECT_EQ(inAnotherThread(image.problem(), wordsMethod()), "");
    EXPECT_TRUE(image.isRight());
}

// ---- what is made ready -------------------------------------------------------------------------

TEST(CallersGpu, IsMadeReadyWithoutTheOthers)
{
    if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    const CudaFault fault(CudaFault::TwoGpus);
    SharedDevices shared(2);
    const int before = pinnedArrays(), each = 2 * 12;
    const std::vector<Device *> one = shared.only(1);
    EXPECT_EQ(pinnedArrays() - before, each);
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0]->number, 1);
    EXPECT_FALSE(shared.areStarted());
    const std::vector<Device *> all = shared.all();
    EXPECT_EQ(pinnedArrays() - before, 2 * each);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0]->number, 0);
    EXPECT_EQ(all[1], one[0]);
    EXPECT_TRUE(shared.areStarted());
}

// One number more than there are GPUs.
TEST(CallersGpu, ThatDoesNotExistIsLeftOut)
{
    const int count = common::deviceCount();
    SharedDevices shared(count + 1);
    EXPECT_TRUE(shared.only(count).empty());
    EXPECT_EQ(shared.all().size(), static_cast<std::size_t>(count));
    EXPECT_TRUE(shared.only(count).empty());
    EXPECT_TRUE(shared.areStarted());
}

namespace
{

/// In a process that has not computed yet: what is wrong with its first image; empty: nothing.
std::string firstImageOfWords()
{
    const CudaFault fault(CudaFault::TwoGpus);
    EngineOptions options;
    options.method = "words";
    Engine engine(options);
    Sample image(700);
    engine.run(image.filter, View<const float>{image.cells.data(), image.side, image.side},
               View<float>{image.found.data(), image.side, image.side});
    if (!image.isRight()) return "other bits";
    if (pinnedArrays() != 2 * 12)
        return std::to_string(pinnedArrays()) + " arrays of page-locked memory";
    return "";
}

} // namespace

TEST(CallersGpuDeathTest, IsTheOnlyOneThatTheFirstImageUses)
{
    if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    testing::GTEST_FLAG(death_test_style) = "threadsafe"; // in a process of its own
    EXPECT_EXIT(leaveAfter(firstImageOfWords), testing::ExitedWithCode(0), "");
}

#else

TEST(CallersGpu, NeedsCuda) { GTEST_SKIP() << common::whyNoDevice(); }

#endif
