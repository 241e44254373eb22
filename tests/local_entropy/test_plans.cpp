// Which plans an engine keeps, and for how long.

#include "local_entropy/methods/plain/plain.h"
#include "local_entropy/methods/ranks/ranks.h"
#include "local_entropy/problem/problem.h"
#include "local_entropy/schedule/plans.h"
#include "local_entropy/schedule/same_filter.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>

using namespace local_entropy;

namespace
{

constexpr int kSide = 9;
std::uint16_t cells[kSide * kSide];
double values[kSide * kSide];

Problem problemOf(CellType type, bool isDouble, const Filter &filter = {})
{
    return checkedProblem(filter, {cells, type, kSide, kSide, 0}, {},
                          {values, isDouble, kSide, kSide, 0}, {});
}

} // namespace

TEST(Plans, AreKeptForWhatTheyWereMadeFor)
{
    Plans plans;
    const Problem bytes = problemOf(CellType::Uint8, false);
    const auto first = plans.get(plainMethod(), bytes, Path::Portable);
    EXPECT_EQ(plans.get(plainMethod(), bytes, Path::Portable), first);

    EXPECT_NE(plans.get(ranksMethod(), bytes, Path::Portable), first);
    EXPECT_NE(plans.get(plainMethod(), bytes, Path::Ssse3), first);
    EXPECT_NE(plans.get(plainMethod(), problemOf(CellType::Int16, false), Path::Portable), first);
    EXPECT_NE(plans.get(plainMethod(), problemOf(CellType::Uint8, true), Path::Portable), first);
    Problem other = bytes;
    other.mayMiss = !other.mayMiss;
    EXPECT_NE(plans.get(plainMethod(), other, Path::Portable), first);
    Filter filter;
    filter.empty = -1;
    other = problemOf(CellType::Uint8, false, filter);
    EXPECT_NE(plans.get(plainMethod(), other, Path::Portable), first);

    EXPECT_EQ(plans.get(plainMethod(), bytes, Path::Portable), first);
}

TEST(Plans, OfManyFiltersAreForgotten)
{
    Plans plans;
    const std::weak_ptr<const Plan> first =
        plans.get(plainMethod(), problemOf(CellType::Uint8, false), Path::Portable);
    EXPECT_FALSE(first.expired());
    for (int others = 1; others <= 32; ++others) { // so many are kept, with the first
        EXPECT_FALSE(first.expired()) << others;
        Filter filter;
        filter.levels.count = 1 + others;
        plans.get(plainMethod(), problemOf(CellType::Uint8, false, filter), Path::Portable);
    }
    EXPECT_TRUE(first.expired());
}

// Each member by itself, to the last bit: what is kept for one is not for the other.
TEST(SameFilter, EveryMemberCounts)
{
    const std::function<void(Filter &)> changes[] = {
        [](Filter &filter) { filter.window.width = 7; },
        [](Filter &filter) { filter.window.height = 7; },
        [](Filter &filter) { filter.window.originX = 1; },
        [](Filter &filter) { filter.window.originY = 1; },
        [](Filter &filter) { filter.window.footprint.clear(); },
        [](Filter &filter) { filter.window.footprint[24] = 0; },
        [](Filter &filter) { filter.levels.count = 17; },
        [](Filter &filter) { filter.levels.binned = true; },
        [](Filter &filter) { filter.levels.low = 1; },
        [](Filter &filter) { filter.levels.high = 1; },
        [](Filter &filter) { filter.levels.clamp = true; },
        [](Filter &filter) { filter.border = Border::Wrap; },
        [](Filter &filter) { filter.constant = 1; },
        [](Filter &filter) { filter.measure = Measure::Simpson; },
        [](Filter &filter) { filter.order = 2; },
        [](Filter &filter) { filter.base = Base::Ten; },
        [](Filter &filter) { filter.empty = -0.0; },
        [](Filter &filter) { filter.empty = NAN; },
        [](Filter &filter) { filter.nodata.reset(); },
        [](Filter &filter) { filter.nodata = 0; },
        [](Filter &filter) { filter.nanIsError = true; },
    };
    Filter usual;
    usual.window.footprint.assign(25, 1);
    usual.nodata = 3;
    EXPECT_TRUE(isSame(usual, usual));
    for (const auto &change : changes) {
        Filter other = usual;
        change(other);
        EXPECT_FALSE(isSame(usual, other)) << &change - changes;
        EXPECT_FALSE(isSame(other, usual)) << &change - changes;
        EXPECT_TRUE(isSame(other, Filter(other))) << &change - changes;
    }
}
