// A GPU whose memory is taken: what needs some says so, what can do without computes, and all do so
// again once there is some.
#include "common/devices.h"

#include <gtest/gtest.h>

#ifdef __CUDACC__
#include "entropy/core.h"
#include "entropy/reference.h"
#include "entropy/run.h"
#include "whichever.h"

#include <vector>

namespace
{

/// All memory of the GPU that can be had, while it lives.
class FullGpu
{
public:
    FullGpu()
    {
        for (std::size_t bytes = std::size_t(64) << 30; bytes >= 4096; bytes /= 2)
            while (void *one = taken(bytes)) all.push_back(one);
    }
    ~FullGpu()
    {
        for (void *one : all) common::quietly(cudaFree(one));
    }
    FullGpu(const FullGpu &) = delete;
    FullGpu &operator=(const FullGpu &) = delete;

private:
    static void *taken(std::size_t bytes)
    {
        void *one = nullptr;
        return common::quietly(cudaMalloc(&one, bytes)) == cudaSuccess ? one : nullptr;
    }

    std::vector<void *> all;
};

constexpr int kWidth = 3000, kHeight = 2000;

/// What a version says; "right" or "wrong" if it computes.
std::string saidBy(const entropy::Version &version, std::vector<float> &sample,
                   const std::vector<float> &gold)
{
    bool passed = false;
    const std::string sentence = messageOf([&] {
        const auto result = entropy::run(version.callback, kWidth, kHeight, sample.data());
        passed = entropy::compare(kWidth, kHeight, result.get(), gold.data()).passed;
    });
    return !sentence.empty() ? sentence : passed ? "right" : "wrong";
}

} // namespace

TEST_F(Faults, OfAFullGpuAreToldOrMadeUpFor)
{
    std::vector<float> sample(kWidth * kHeight);
    for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = static_cast<float>(i * i / 7 % 16);
    const std::vector<float> gold = entropy::reference(kWidth, kHeight, sample.data());
    for (const entropy::Version &version : entropy::versions()) {
        if (version.platform == entropy::Platform::OpenMp) continue;
        SCOPED_TRACE(version.name);
        EXPECT_EQ(saidBy(version, sample, gold), "right");
        const int before = calls::live();
        std::string said;
        {
            const FullGpu full;
            said = saidBy(version, sample, gold);
        }
        const bool isTold =
            said.find(version.name) != std::string::npos &&
            said.find(cudaGetErrorString(cudaErrorMemoryAllocation)) != std::string::npos;
        EXPECT_TRUE(isTold || said == "right") << said;
        if (version.name == std::string("v0")) EXPECT_TRUE(isTold) << "the GPU was not full";
        // Those that share may start devices in any call.
        if (version.platform == entropy::Platform::Cuda) EXPECT_EQ(calls::live(), before);
        EXPECT_EQ(saidBy(version, sample, gold), "right") << "after it";
    }
}

#endif
