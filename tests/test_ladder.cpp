// The table of sources/entropy/core.cu.
#include "entropy/core.h"

#include <gtest/gtest.h>

TEST(Table, HoldsTheVersionsInOrder)
{
    const auto &versions = entropy::versions();
    ASSERT_GE(versions.size(), 16u);
    for (std::size_t i = 0; i < 15; ++i) EXPECT_EQ(versions[i].name, "v" + std::to_string(i));
    int last = 14; // beyond v14 a number may be missing, but the order holds
    for (std::size_t i = 15; i < versions.size(); ++i) {
        const int number = std::stoi(std::string(versions[i].name).substr(1));
        EXPECT_GT(number, last);
        last = number;
    }
    for (int i = 10; i <= 15; ++i) EXPECT_EQ(versions[i].unavailable, "");
}
