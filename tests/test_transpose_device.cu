// The fast transpose on arrays that are aligned to a float and no further, which only device memory
// can show. Without a GPU, or without nvcc, skipped by name.
#include "common/devices.h"
#include "transpose/core.h"
#include "transpose/matrix.h"

#include <gtest/gtest.h>

#ifdef __CUDACC__
#include "common/device_array.h"
#endif

TEST(TransposeDevice, UnalignedArraysSmallShapes)
{
    if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
#ifdef __CUDACC__
    for (const transpose::Version &version : transpose::versions()) {
        if (version.platform != transpose::Platform::Cuda || !version.unavailable.empty()) continue;
        for (const int inputOffset : {0, 1, 2})
            for (const int outputOffset : {0, 3, 4}) {
                constexpr int rows = 68, columns = 36;
                std::vector<float> input(rows * columns + 8);
                transpose::fillRandom(input.data(), input.size());
                const auto deviceInput = common::upload(input.data(), input.size());
                auto deviceOutput = common::poisoned<float>(input.size());
                version.callback(rows, columns, deviceInput.data() + inputOffset,
                                 deviceOutput.data() + outputOffset, 8);

                std::vector<float> expected(input.size());
                transpose::poison(expected.data(), expected.size());
                transpose::reference(rows, columns, input.data() + inputOffset,
                                     expected.data() + outputOffset);
                const auto output = common::download(deviceOutput);
                EXPECT_EQ(transpose::firstDifference(output.get(), expected.data(), input.size()),
                          input.size())
                    << version.name << ", input + " << inputOffset << ", output + " << outputOffset;
            }
    }
#endif
}
