// What is special about sources/entropy/cores/bottleneck_study.cu.
#include "common/error.h"
#include "entropy/core.h"
#include "entropy/every_window.h"
#include "entropy/log_table.h"
#include "entropy/run.h"
#include "larger_error.h"
#include "shapes.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace
{

/// Largest error of H = -sum p ln p in float: every window there can be, its levels added up in
/// every order. lnOf(n, total) returns the smallest and largest value that ln p may take.
template <typename LnOf>
double largestError(LnOf lnOf)
{
    double largest = 0;
    for (int total = 1; total <= entropy::kWindowCells; ++total) {
        entropy::FloatSum sums([&](float sum, int n) {
            const float p = static_cast<float>(n) / total;
            const std::pair<float, float> ln = lnOf(n, total); // ln p <= 0: the lower adds more
            return std::pair(entropy::multiplyAdd(-p, ln.second, sum).first,
                             entropy::multiplyAdd(-p, ln.first, sum).second);
        });
        for (const entropy::Counts &counts : entropy::partitions(total, total)) {
            const auto [low, high] = sums.overAllOrders(counts);
            for (const float sum : {low, high})
                largest = largerError(largest, std::fabs(sum - entropy::entropyOf(counts, total)));
        }
    }
    return largest;
}

} // namespace

// CUDA's logf is right to within one unit in the last place: hence one up and one down.
TEST(Float, IsRightForEveryWindow)
{
    const double direct = largestError([](int n, int total) {
        const float ln = std::log(static_cast<float>(n) / total);
        return std::pair(std::nextafter(ln, -INFINITY), std::nextafter(ln, INFINITY));
    });
    EXPECT_LT(direct, entropy::kTolerance / 2);
    const auto table = entropy::makeLogTable<float>();
    const double tabled = largestError([&](int n, int total) {
        const float ln = table.ln[n] - table.ln[total];
        return std::pair(ln, ln);
    });
    EXPECT_LT(tabled, entropy::kTolerance / 2);
}

TEST(Table, ProbesAreLabelled)
{
    std::vector<std::string> probes, answers;
    for (const entropy::Version &version : entropy::versions())
        (version.probe ? probes : answers).push_back(version.name);
    EXPECT_EQ(probes, (std::vector<std::string>{"no_calc", "no_scan", "no_scan_no_malloc"}));
    EXPECT_EQ(answers, (std::vector<std::string>{"baseline", "time_memo", "pre_log", "static_memo",
                                                 "share_memo", "openmp"}));
    EXPECT_EQ(entropy::versionNamed("openmp").unavailable, "");
}

// A probe leaves work out, but not the writing: no cell is left as the poison (NaN) it was.
TEST(Probes, WriteEveryCell)
{
    for (const entropy::Version &version : entropy::versions()) {
        if (!version.probe) continue;
        if (!version.unavailable.empty()) GTEST_SKIP() << version.unavailable;
        for (const Shape shape : kShapes) {
            std::vector<float> sample = makeSample("random", shape);
            const auto result =
                entropy::run(version.callback, shape.width, shape.height, sample.data());
            EXPECT_TRUE(std::all_of(result.get(), result.get() + sample.size(),
                                    [](float cell) { return std::isfinite(cell); }))
                << version.name << ", " << shape.width << " x " << shape.height;
        }
    }
}

TEST(StaticArrays, ALargerArrayIsRefusedWithTheLimit)
{
    for (const char *name : {"static_memo", "no_scan_no_malloc"}) {
        if (!entropy::versionNamed(name).unavailable.empty())
            GTEST_SKIP() << entropy::versionNamed(name).unavailable;
        std::vector<float> sample(7000011, 1.0f);
        const entropy::Callback callback = entropy::versionNamed(name).callback;
        try {
            entropy::run(callback, 7000011, 1, sample.data());
            ADD_FAILURE() << name << " took it";
        } catch (const common::Unavailable &refusal) {
            EXPECT_EQ(refusal.what(), std::string(name) +
                                          ": cudaCallback: the array has 7000011 cells, the static "
                                          "device arrays hold 7000010");
        }
        EXPECT_TRUE(entropy::run(callback, 7000010, 1, sample.data())); // the largest that fits
    }
}
