// The table of sources/entropy/core.cu.
#include "entropy/core.h"

#include <gtest/gtest.h>

TEST(Table, HoldsTheFifteenVersionsInOrder)
{
    const auto &versions = entropy::versions();
    ASSERT_GE(versions.size(), 15u);
    for (std::size_t i = 0; i < versions.size(); ++i)
        EXPECT_EQ(versions[i].name, "v" + std::to_string(i));
    for (int i = 10; i <= 14; ++i) EXPECT_EQ(versions[i].unavailable, "");
}
