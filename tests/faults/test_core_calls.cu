// The ladder and the labs, where one call of CUDA after the other fails: each version names the
// call and the cause.
#include "common/devices.h"

#include <gtest/gtest.h>

#ifdef __CUDACC__
#include "../v14_parts.h"
#include "common/kernel_times.h"
#include "entropy/core.h"
#include "entropy/reference.h"
#include "entropy/run.h"
#include "maximum/core.h"
#include "transpose/core.h"
#include "whichever.h"

#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

namespace
{

using entropy::Version;

/// A destructor makes the GPU current that was so before.
bool isOfDestructor(const std::string &name) { return name == "cudaSetDevice"; }

/// v14 takes the first GPU where none answers, and each of its parts has such a destructor.
bool isOfV14(const std::string &name)
{
    return name == "cudaGetDeviceCount" || isOfDestructor(name);
}
/// v15 asks the GPU again; v17 leaves all to the CPU.
auto goesOn(const Version &version)
{
    const std::string name = version.name;
    return name == "v15" || name == "v17" ? calls::anything
           : name == "v14"                ? isOfV14
                                          : calls::nothing;
}

std::vector<float> cellsOf(int size)
{
    std::vector<float> cells(size);
    for (int i = 0; i < size; ++i) cells[i] = static_cast<float>(i % 1000 * (i / 7 % 1000) % 16);
    return cells;
}

void tryVersion(const Version &version, int width, int height, calls::Fault fault, int most = 5000)
{
    SCOPED_TRACE(version.name);
    std::vector<float> sample = cellsOf(width * height);
    const auto gold = entropy::reference(width, height, sample.data());
    common::HostArray<float> result;
    calls::Trial trial;
    trial.call = [&] {
        result.reset();
        result = entropy::run(version.callback, width, height, sample.data());
    };
    trial.call(); // what is made for the whole process
    trial.wrong = [&] {
        const bool passed =
            result && entropy::compare(width, height, result.get(), gold.data()).passed;
        return passed ? "" : "a wrong answer";
    };
    trial.goesOn = goesOn(version);
    trial.fault = fault;
    trial.most = most;
    const int calls = calls::failOneAfterTheOther(trial);
    if (version.platform == entropy::Platform::Cuda) EXPECT_GT(calls, 5);
}

} // namespace

TEST_F(Faults, OfTheLadderAreTold)
{
    for (const Version &version : entropy::versions())
        if (version.platform != entropy::Platform::OpenMp)
            tryVersion(version, 700, 500, calls::Fault::OneCall);
}

// One part may fail and the others not.
TEST_F(Faults, OfPartsAreToldByV14)
{
    constexpr int kWidth = 70, kHeight = 51, kParts = 3;
    std::vector<float> sample = cellsOf(kWidth * kHeight), output(sample.size(), NAN);
    const auto gold = entropy::reference(kWidth, kHeight, sample.data());
    calls::Trial trial;
    trial.call = [&] {
        v14::cudaCallbackParts(kWidth, kHeight, sample.data(), output.data(), kParts);
    };
    trial.wrong = [&] {
        const bool passed = entropy::compare(kWidth, kHeight, output.data(), gold.data()).passed;
        output.assign(output.size(), NAN);
        return passed ? "" : "a wrong answer";
    };
    trial.goesOn = isOfV14;
    EXPECT_GT(calls::failOneAfterTheOther(trial), 15);
}

TEST_F(Faults, OfAGpuThatCannotBeMadeCurrentAreTold)
{
    const calls::Failing failing(2, cudaErrorUnknown); // the first asks which is current
    EXPECT_THROW(common::DeviceScope(0), std::runtime_error);
    EXPECT_EQ(failing.name(), "cudaSetDevice");
    EXPECT_EQ(calls::lastErrors(), 0);
}

// In the middle of a call. The next one finds the GPU again.
TEST_F(Faults, OfALostGpuAreToldByTheLadder)
{
    for (const Version &version : entropy::versions())
        if (version.platform != entropy::Platform::OpenMp)
            tryVersion(version, 700, 500, calls::Fault::Lost);
}

// Events too. The kernel is launched again and again, and so it goes on.
TEST_F(Faults, OfATimedKernelAreTold)
{
    const common::KernelTimes times;
    tryVersion(entropy::versions().front(), 64, 64, calls::Fault::OneCall, 60);
}

TEST_F(Faults, OfTheMaximumAreTold)
{
    std::vector<int> matrix(70 * 300, -5);
    matrix[12345] = 7;
    for (const maximum::Version &version : maximum::versions()) {
        if (version.platform != maximum::Platform::Cuda) continue;
        SCOPED_TRACE(version.name);
        int found = 0;
        calls::Trial trial;
        trial.call = [&] { found = version.callback(70, 300, matrix.data()); };
        trial.wrong = [&] {
            const bool right = std::exchange(found, 0) == 7;
            return right ? "" : "a wrong answer";
        };
        if (version.yardstick) trial.caller = "cub::DeviceReduce::Max";
        EXPECT_GT(calls::failOneAfterTheOther(trial), 3);
    }
}

TEST_F(Faults, OfTheTransposeAreTold)
{
    constexpr int kRows = 70, kColumns = 300;
    const std::vector<float> input = cellsOf(kRows * kColumns);
    std::vector<float> output(input.size());
    for (const transpose::Version &version : transpose::versions()) {
        if (version.platform != transpose::Platform::Cuda || !version.unavailable.empty()) continue;
        SCOPED_TRACE(version.name);
        calls::Trial trial;
        trial.call = [&] {
            transpose::run(version, kRows, kColumns, input.data(), output.data(), 16);
        };
        trial.goesOn = isOfDestructor;
        trial.wrong = [&] {
            bool right = true;
            for (int y = 0; y < kRows; ++y)
                for (int x = 0; x < kColumns; ++x)
                    right = right && output[x * kRows + y] == input[y * kColumns + x];
            output.assign(output.size(), NAN);
            return right ? "" : "a wrong answer";
        };
        EXPECT_GT(calls::failOneAfterTheOther(trial), 3);
    }
}

#endif
