// What a GPU's methods can read as one plane (problem/plane.h).
#include "local_entropy/problem/plane.h"

#include <cstdint>
#include <gtest/gtest.h>

using namespace local_entropy;

namespace
{

constexpr std::int64_t kMost = 1 << 30;

/// Arrays that are nowhere, far from each other: no cell is read, nor is a result written.
Problem problemOf(CellType type, int levels, std::int64_t imageWidth, const Region &region,
                  bool hasNodata = false)
{
    const auto at = [](std::uintptr_t address) { return reinterpret_cast<void *>(address); };
    void *const cells = at(std::uintptr_t{1} << 40), *const values = at(std::uintptr_t{1} << 44);
    Filter filter;
    filter.levels.count = levels;
    if (hasNodata) filter.nodata = 3;
    return checkedProblem(filter, {cells, type, imageWidth, region.y + region.height, 0}, {},
                          {values, false, region.width, region.height, 0}, region);
}

} // namespace

TEST(Plane, HasAtMostTwoToTheThirtiethColumnsAndRows)
{
    EXPECT_TRUE(fitsPlane(problemOf(CellType::Uint8, 256, kMost, {0, 0, kMost, 1})));
    EXPECT_FALSE(fitsPlane(problemOf(CellType::Uint8, 256, kMost + 1, {0, 0, kMost + 1, 1})));
    EXPECT_FALSE(fitsPlane(problemOf(CellType::Uint8, 256, 1, {0, 0, 1, kMost + 1})));
    EXPECT_FALSE(fitsPlane(problemOf(CellType::Float32, 256, kMost + 1, {0, 0, kMost + 1, 1})));
}

// A part of a wide image: loaded it fits, where it lies its columns have too large numbers.
TEST(Plane, OfAPartCountsTheImageOnlyWhereItMayStay)
{
    EXPECT_FALSE(fitsPlane(problemOf(CellType::Uint8, 256, kMost + 1, {kMost - 9, 0, 9, 1})));
    EXPECT_TRUE(fitsPlane(problemOf(CellType::Float32, 256, kMost + 1, {kMost - 9, 0, 9, 1})));
}

// One more than there are levels where cells may be missing.
TEST(Plane, HasBytesForEveryValueThatOccurs)
{
    const auto bytes = [](int levels, bool hasNodata) {
        return planeFor(problemOf(CellType::Uint16, levels, 50, {0, 0, 50, 40}, hasNodata), false)
            .bytes;
    };
    for (const bool hasNodata : {false, true}) {
        EXPECT_EQ(bytes(256 - hasNodata, hasNodata), 1);
        EXPECT_EQ(bytes(257 - hasNodata, hasNodata), 2);
        EXPECT_EQ(bytes(65536 - hasNodata, hasNodata), 2);
    }
    EXPECT_EQ(bytes(65536, true), 4);
}
