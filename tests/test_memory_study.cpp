// What is special about sources/entropy/cores/memory_study.cu.
#include "entropy/core.h"
#include "entropy/every_window.h"
#include "entropy/log_table.h"
#include "larger_error.h"

#include <gtest/gtest.h>
#include <string>

// The versions that compute in float keep five decimals: every window there can be, its levels
// added up in every order.
TEST(ShortAndFloat, AreRightForEveryWindow)
{
    const auto table = entropy::makeLogTable<float>();
    const auto add = [&](float sum, int n) { return entropy::multiplyAdd(n, table.ln[n], sum); };
    entropy::FloatSum sums(add);
    double largestError = 0;
    for (int total = 1; total <= entropy::kWindowCells; ++total)
        for (const entropy::Counts &counts : entropy::partitions(total, total)) {
            const auto [low, high] = sums.overAllOrders(counts);
            for (const float sum : {low, high}) {
                const float result = table.ln[total] - sum / total;
                largestError = largerError(largestError,
                                           std::fabs(result - entropy::entropyOf(counts, total)));
            }
        }
    EXPECT_LT(largestError, entropy::kTolerance / 4);
    EXPECT_GT(largestError, 1e-7) << "double would do better: this is not float";
}

TEST(Table, StudiesEachFactorOnItsOwn)
{
    std::vector<std::string> names;
    for (const entropy::Version &version : entropy::versions()) {
        names.push_back(version.name);
        EXPECT_FALSE(version.probe);
    }
    const std::vector<std::string> expected = {
        "log_none",    "log_global",   "log_private",      "log_shared",        "log_constant",
        "matrix_flat", "sizes_global", "sizes_constant",   "types_short_float", "block_8x8",
        "block_16x16", "block_32x32",  "block_64x16",      "block_128x8",       "block_256x4",
        "block_512x2", "managed",      "managed_prefetch", "rows_alloc",        "combined",
        "openmp"};
    EXPECT_EQ(names, expected);
    EXPECT_EQ(entropy::versions().back().unavailable, "");
}
