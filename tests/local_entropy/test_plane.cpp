// What a GPU's methods can read as one plane (problem/plane.h).
#include "local_entropy/problem/plane.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <utility>

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

// A cell that is no level is told by 32 bits of x and of y.
TEST(Plane, OfAPartIsOfAnImageWhosePlacesCanBeTold)
{
    constexpr std::int64_t kLast = 0xFFFFFFFF;
    EXPECT_TRUE(fitsPlane(problemOf(CellType::Float32, 256, kLast, {9, 0, 9, 1})));
    EXPECT_FALSE(fitsPlane(problemOf(CellType::Float32, 256, kLast + 1, {9, 0, 9, 1})));
    EXPECT_TRUE(fitsPlane(problemOf(CellType::Float32, 256, 9, {0, kLast - 9, 9, 9})));
    EXPECT_FALSE(fitsPlane(problemOf(CellType::Float32, 256, 9, {0, kLast - 8, 9, 9})));
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

TEST(Plane, CountsTheRowsOfRegionAndImageAsItsColumns)
{
    EXPECT_FALSE(fitsPlane(problemOf(CellType::Float32, 256, 1, {0, 0, 1, kMost + 1})));
    EXPECT_FALSE(fitsPlane(problemOf(CellType::Uint8, 256, 1, {0, kMost - 8, 1, 9})));
    EXPECT_TRUE(fitsPlane(problemOf(CellType::Float32, 256, 1, {0, kMost - 8, 1, 9})));
}

TEST(Plane, HasNoRowsOutsideTheImageWhereTheEdgeCuts)
{
    Problem problem = problemOf(CellType::Uint8, 16, 50, {0, 30, 50, 10});
    const int above = problem.shape.top, below = problem.shape.height - 1 - above;
    ASSERT_GT(below, 0);
    for (const int missing : {below, 1, 0}) {
        problem.image.height = 40 + below - missing;
        const Plane plane = planeFor(problem);
        EXPECT_EQ(plane.top, 0);
        EXPECT_EQ(plane.bottom, plane.height - missing);
    }
}

// The least power of two that holds the levels: what is more than that is masked away.
TEST(Plane, OfAnImageThatStaysHasTheValuesOfItsMask)
{
    for (const auto &[levels, values] : {std::pair{128, 128}, {129, 256}, {255, 256}, {256, 256}}) {
        const Plane plane =
            planeFor(problemOf(CellType::Uint8, levels, 5000, {0, 0, 5000, 40}), true);
        ASSERT_FALSE(plane.isLoaded);
        EXPECT_EQ(plane.values, values);
        EXPECT_EQ(plane.mask, (values - 1) * 0x01010101u);
        EXPECT_EQ(plane.isChecked, levels == 256) << "others may be no levels";
    }
}

// Kernels load words, which begin before the cells that they need, or end behind them.
TEST(Plane, TheMiddleIsEightCellsInsideTheImage)
{
    constexpr int kWidth = 5000;
    for (const int x : {0, 5, 100})
        for (const int right : {0, 5, 100}) {
            const Problem problem =
                problemOf(CellType::Uint8, 256, kWidth, {x, 0, kWidth - x - right, 40});
            const Plane plane = planeFor(problem);
            ASSERT_FALSE(plane.isLoaded);
            const int first = x - problem.shape.left; // column of the image
            EXPECT_EQ(plane.innerBegin, std::max(8 - first, 0));
            EXPECT_EQ(plane.innerEnd, std::min(kWidth - 8 - first, plane.width));
        }
}

// Two bytes whose levels fit one would become narrower: they are loaded, and so are words with
// levels that fit bytes.
TEST(Plane, WordsStayOnlyAsWords)
{
    const auto planeOf = [](CellType type, int levels) {
        return planeFor(problemOf(type, levels, 5000, {0, 0, 5000, 40}), true);
    };
    for (const int levels : {2, 255, 256}) EXPECT_TRUE(planeOf(CellType::Uint16, levels).isLoaded);
    for (const auto &[levels, values] : {std::pair{257, 512}, {4096, 4096}, {4097, 8192}}) {
        const Plane plane = planeOf(CellType::Uint16, levels);
        ASSERT_FALSE(plane.isLoaded);
        EXPECT_EQ(plane.mask, (values - 1) * 0x00010001u);
    }
}

// A strip may begin in the last column of an end and reach as far as it is broad; what a kernel
// reads behind it is there, too.
TEST(Plane, EndsHaveAllThatTheirStripsRead)
{
    for (int width = 5000; width < 5070; width += 3)
        for (const CellType type : {CellType::Uint8, CellType::Uint16}) {
            const Problem problem =
                problemOf(type, type == CellType::Uint8 ? 256 : 65536, width, {0, 0, width, 40});
            const Plane plane = planeFor(problem);
            ASSERT_FALSE(plane.isLoaded);
            const int strip = kMostStrip + problem.shape.width;
            EXPECT_GE(plane.endColumns, plane.innerBegin + strip + kPlaneSlack);
            EXPECT_LE(firstColumnAfter(plane), plane.innerEnd - strip);
            EXPECT_GE(firstColumnAfter(plane) + plane.endColumns, plane.width + kPlaneSlack);
        }
}

// One behind the other: the left end, the right one, and a row that is beyond the edge.
TEST(Plane, ItsPartsLieBesideEachOtherInItsMemory)
{
    for (const CellType type : {CellType::Uint8, CellType::Uint16}) {
        Problem problem =
            problemOf(type, type == CellType::Uint8 ? 256 : 65536, 5069, {3, 7, 5058, 40});
        problem.image.stride = 5100;
        Plane plane = planeFor(problem);
        ASSERT_FALSE(plane.isLoaded);
        char *const memory = reinterpret_cast<char *>(std::uintptr_t{1} << 46);
        placePlane(problem, plane, memory);
        const auto *image = static_cast<const char *>(problem.image.data);
        const std::ptrdiff_t end = std::ptrdiff_t{plane.endColumns} * plane.height * plane.bytes;
        EXPECT_EQ(plane.before.cells, memory);
        EXPECT_EQ(static_cast<const char *>(plane.after.cells) +
                      firstColumnAfter(plane) * plane.bytes,
                  memory + end);
        EXPECT_EQ(plane.beyond, memory + 2 * end);
        EXPECT_GE(plane.size, 2 * end + (plane.width + kPlaneSlack) * plane.bytes);
        const int x = 3 - problem.shape.left, y = 7 - problem.shape.top;
        EXPECT_EQ(plane.middle.cells, image + (y * 5100 + x) * plane.bytes);
        EXPECT_EQ(plane.middle.stride, 5100);
        EXPECT_EQ(plane.middle.top, -y);
        EXPECT_EQ(plane.middle.rows, problem.image.height);
    }
}

// The rows above the image are not fewer where the plane is narrow.
TEST(Plane, ANarrowOneHasAllRowsAboveTheImage)
{
    Problem problem = problemOf(CellType::Uint8, 16, 1, {0, 0, 1, 5});
    problem.shape.width = 1, problem.shape.left = 0;
    problem.shape.height = 101, problem.shape.top = 50;
    const Plane plane = planeFor(problem);
    EXPECT_EQ(plane.width, 1);
    EXPECT_EQ(plane.top, 50);
    EXPECT_EQ(plane.bottom, 55);
}
