// Which calls of CUDA fail, and what they leave behind: needs nvcc, but no GPU.
#include <gtest/gtest.h>

#ifdef __CUDACC__
#include "calls.h"
#include "common/cuda_check.h"

namespace
{

/// A call that says the same each time, on a machine as it is.
cudaError_t ask()
{
    int count = 0;
    return cudaGetDeviceCount(&count);
}

} // namespace

TEST(FaultyCalls, OneFailsAndTheNextDoesNot)
{
    const cudaError_t usual = common::quietly(ask());
    ASSERT_NE(usual, cudaErrorUnknown);
    const calls::Failing failing(2, cudaErrorUnknown);
    EXPECT_EQ(common::quietly(ask()), usual);
    EXPECT_EQ(failing.name(), "");
    EXPECT_EQ(ask(), cudaErrorUnknown);
    EXPECT_EQ(failing.name(), "cudaGetDeviceCount");
    EXPECT_EQ(calls::lastErrors(), 1);
    EXPECT_EQ(cudaGetLastError(), cudaErrorUnknown);
    EXPECT_EQ(calls::lastErrors(), 0);
    EXPECT_EQ(common::quietly(ask()), usual);
}

TEST(FaultyCalls, AllFailOnceTheGpuIsLostUntilItIsBack)
{
    const cudaError_t usual = common::quietly(ask());
    {
        const calls::Failing failing(2, cudaErrorUnknown, calls::Fault::Lost);
        EXPECT_EQ(common::quietly(ask()), usual);
        for (int times = 0; times < 3; ++times) EXPECT_EQ(common::quietly(ask()), cudaErrorUnknown);
        EXPECT_EQ(common::quietly(cudaEventQuery(nullptr)), cudaErrorUnknown);
        EXPECT_EQ(failing.name(), "cudaGetDeviceCount");
    }
    EXPECT_EQ(common::quietly(ask()), usual);
    EXPECT_EQ(calls::lastErrors(), 0);
}

TEST(FaultyCalls, WhoWaitsForAnEventMakesOneCall)
{
    const calls::Failing failing(3, cudaErrorUnknown);
    common::quietly(ask());
    for (int times = 0; times < 5; ++times)
        EXPECT_NE(common::quietly(cudaEventQuery(nullptr)), cudaErrorUnknown);
    EXPECT_EQ(failing.name(), "");
    EXPECT_EQ(common::quietly(ask()), cudaErrorUnknown);
}

#endif
