// The transposes on arrays that are aligned to a float and no further, which only device memory can
// show, and the fast ones on awkward sides. Without a GPU, or without nvcc, skipped by name.
#include "brief.h"
#include "common/devices.h"
#include "transpose/core.h"
#include "transpose/matrix.h"

#include <gtest/gtest.h>

#ifdef __CUDACC__
#include "common/device_array.h"

#include <functional>
#include <string>
#include <utility>

namespace transpose::t10
{
void transposeByWindows(int rows, int columns, const float *input, float *output);
}

namespace
{

using Sides = std::pair<int, int>; ///< rows and columns

constexpr std::size_t kGuard = 8; // floats more than the output needs, which must stay as they are

/// Input and output begin so many floats behind addresses that are aligned to all.
struct Offsets
{
    std::size_t input, output;
};

/// Empty if `transposes(rows, columns, input, output)` on the device does so, and nothing else.
template <typename Transposes>
std::string whatIsWrong(Transposes transposes, Sides sides, Offsets offsets)
{
    const auto [rows, columns] = sides;
    const std::size_t cells = std::size_t(rows) * columns, guarded = cells + kGuard;
    std::vector<float> input(offsets.input + cells), expected(guarded);
    transpose::fillRandom(input.data(), input.size());
    const auto deviceInput = common::upload(input.data(), input.size());
    auto deviceOutput = common::poisoned<float>(guarded);
    transposes(rows, columns, deviceInput.data() + offsets.input,
               deviceOutput.data() + offsets.output);

    transpose::poison(expected.data(), guarded);
    transpose::reference(rows, columns, input.data() + offsets.input,
                         expected.data() + offsets.output);
    const auto output = common::download(deviceOutput);
    const std::size_t wrong = transpose::firstDifference(output.get(), expected.data(), guarded);
    if (wrong == guarded) return "";
    return std::to_string(rows) + " x " + std::to_string(columns) + ", input + " +
           std::to_string(offsets.input) + ", output + " + std::to_string(offsets.output) +
           ": wrong at " + std::to_string(wrong);
}

/// Calls `test` with every version that runs here on a GPU.
void forEachVersion(const std::function<void(const transpose::Version &)> &test)
{
    for (const transpose::Version &version : transpose::versions())
        if (version.platform == transpose::Platform::Cuda && version.unavailable.empty())
            test(version);
}

} // namespace
#endif

TEST(TransposeDevice, UnalignedArraysSmallShapes)
{
    if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
#ifdef __CUDACC__
    forEachVersion([](const transpose::Version &version) {
        const auto transposes = [&](int rows, int columns, const float *input, float *output) {
            version.callback(rows, columns, input, output, 8);
        };
        for (const std::size_t input : {0, 1, 2})
            for (const std::size_t output : {0, 3, 4}) {
                if (isBrief() && output != 4 - input % 2) continue; // (0, 4), (1, 3), (2, 4)
                EXPECT_EQ(whatIsWrong(transposes, {68, 36}, {input, output}), "") << version.name;
            }
    });
#endif
}

// Sides around those of tiles and windows, and more than one band of tiles, at every place in a
// quad and in a sector.
TEST(TransposeDevice, WindowsOfSmallShapes)
{
    if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
#ifdef __CUDACC__
    for (const Sides &sides : {Sides{1, 1},
                               {1, 9},
                               {9, 1},
                               {3, 3},
                               {5, 5},
                               {7, 8},
                               {8, 7},
                               {56, 59},
                               {57, 60},
                               {58, 61},
                               {64, 64},
                               {65, 57},
                               {66, 121},
                               {131, 67},
                               {67, 130},
                               {2100, 122}})
        for (const std::size_t input : {0, 1, 2, 3})
            for (const std::size_t output : {0, 1, 2, 3, 4, 5, 6, 7}) {
                if (isBrief() && output % 4 != input) continue;
                EXPECT_EQ(whatIsWrong(transpose::t10::transposeByWindows, sides, {input, output}),
                          "");
            }
#endif
}

TEST(TransposeDevice, AwkwardSides)
{
    if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
#ifdef __CUDACC__
    forEachVersion([](const transpose::Version &version) {
        if (version.blocks) return; // those that leave the choice of a block are the slow ones
        const auto transposes = [&](int rows, int columns, const float *input, float *output) {
            version.callback(rows, columns, input, output, 8);
        };
        for (const Sides &sides : {Sides{511, 512},
                                   {512, 513},
                                   {513, 511},
                                   {2044, 2052},
                                   {1, 70001},
                                   {70001, 1},
                                   {3, 100000},
                                   {100000, 3},
                                   {193, 50001},
                                   {50001, 193},
                                   {30001, 961},
                                   {8191, 8190}})
            for (const Offsets offsets : {Offsets{0, 0}, Offsets{1, 6}})
                EXPECT_EQ(whatIsWrong(transposes, sides, offsets), "") << version.name;
    });
#endif
}
