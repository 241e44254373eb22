// What a call is cut into (schedule/parts.h): windows that an edge cuts, and those that none does.

#include "local_entropy/schedule/parts.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace local_entropy;

namespace
{

/// Whether all cells of the window of a result are in the image.
bool isInner(const Problem &problem, std::int64_t x, std::int64_t y)
{
    const Shape &shape = problem.shape;
    return x >= shape.left && x - shape.left + shape.width <= problem.image.width &&
           y >= shape.top && y - shape.top + shape.height <= problem.image.height;
}

/// Which part has each cell of the region: each one, and where its result belongs.
std::vector<int> partOfCells(const Problem &whole, const std::vector<Problem> &parts)
{
    std::vector<int> of(whole.region.width * whole.region.height, -1);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Problem &part = parts[i];
        EXPECT_TRUE(part.region.width > 0 && part.region.height > 0) << "an empty part";
        EXPECT_EQ(part.result.width, part.region.width);
        EXPECT_EQ(part.result.height, part.region.height);
        EXPECT_EQ(part.result.stride, whole.result.stride);
        const std::int64_t x = part.region.x - whole.region.x, y = part.region.y - whole.region.y;
        const std::int64_t bytes = whole.result.isDouble ? 8 : 4;
        EXPECT_EQ(static_cast<char *>(part.result.data),
                  static_cast<char *>(whole.result.data) + (y * whole.result.stride + x) * bytes);
        for (std::int64_t row = y; row < y + part.region.height; ++row)
            for (std::int64_t column = x; column < x + part.region.width; ++column) {
                int &cell = of.at(row * whole.region.width + column);
                EXPECT_EQ(cell, -1) << "in two parts";
                cell = static_cast<int>(i);
            }
    }
    EXPECT_EQ(std::count(of.begin(), of.end(), -1), 0) << "in no part";
    return of;
}

/// An image of random sides, with a region of it.
struct Asked
{
    std::vector<float> cells = std::vector<float>(40 * 40);
    std::vector<double> values = std::vector<double>(45 * 40);
    std::vector<std::uint8_t> mask = std::vector<std::uint8_t>(40 * 40, 1);
    Filter filter;
    Image image;
    Result result;
    Region region;

    explicit Asked(std::mt19937 &random)
    {
        const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % n); };
        Window &window = filter.window;
        window.width = static_cast<int>(1 + below(9)),
        window.height = static_cast<int>(1 + below(9));
        window.originX = static_cast<int>(below(window.width)) - window.width / 2;
        window.originY = static_cast<int>(below(window.height)) - window.height / 2;
        image = {cells.data(), below(2) ? CellType::Uint8 : CellType::Float32, 1 + below(40),
                 1 + below(40), 0};
        region = {0, 0, image.width, image.height};
        if (below(2)) {
            region.x = below(image.width), region.y = below(image.height);
            region.width = 1 + below(image.width - region.x);
            region.height = 1 + below(image.height - region.y);
        }
        result = {values.data(), below(2) == 0, region.width, region.height,
                  region.width + below(5)};
    }
    Problem problem(const Mask &counting = {}) const
    {
        return checkedProblem(filter, image, counting, result, region);
    }
};

} // namespace

TEST(Parts, OfWholeWindowsIsTheLargestWhereItIsHalf)
{
    std::mt19937 random(12);
    int cut = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        Asked asked(random);
        asked.filter.nanIsError = trial % 3 == 0;
        const Problem whole = asked.problem();
        const std::vector<Problem> parts = partsOf(whole);
        const std::vector<int> part = partOfCells(whole, parts);
        std::int64_t inner = 0;
        for (std::size_t i = 0; i < part.size(); ++i)
            inner +=
                isInner(whole, whole.region.x + static_cast<std::int64_t>(i) % whole.region.width,
                        whole.region.y + static_cast<std::int64_t>(i) / whole.region.width);
        const std::int64_t all = whole.region.width * whole.region.height;
        if (inner == 0 || 2 * inner < all) {
            ASSERT_EQ(parts.size(), 1u);
            ASSERT_TRUE(parts[0].mayMiss);
            continue;
        }
        ++cut;
        const bool mayBeNaN = whole.image.type == CellType::Float32 && !whole.filter.nanIsError;
        for (std::size_t i = 0; i < parts.size(); ++i)
            ASSERT_EQ(parts[i].mayMiss, i > 0 || mayBeNaN);
        for (std::size_t i = 0; i < part.size(); ++i)
            ASSERT_EQ(part[i] == 0,
                      isInner(whole,
                              whole.region.x + static_cast<std::int64_t>(i) % whole.region.width,
                              whole.region.y + static_cast<std::int64_t>(i) / whole.region.width));
    }
    EXPECT_GT(cut, 500);
}

// Where cells may be missing anywhere, or none is, nothing is gained.
TEST(Parts, AreNoneWhereTheEdgeIsNotAllThatCuts)
{
    std::mt19937 random(13);
    for (int trial = 0; trial < 50; ++trial) {
        Asked asked(random);
        EXPECT_EQ(
            partsOf(asked.problem({asked.mask.data(), asked.image.width, asked.image.height, 0}))
                .size(),
            1u);
        asked.filter.nodata = 3;
        EXPECT_EQ(partsOf(asked.problem()).size(), 1u);
        asked.filter.nodata.reset();
        for (const Border border : {Border::Constant, Border::Nearest, Border::Wrap}) {
            asked.filter.border = border;
            const auto parts = partsOf(asked.problem());
            ASSERT_EQ(parts.size(), 1u);
            EXPECT_EQ(parts[0].mayMiss, asked.problem().mayMiss);
        }
    }
}
