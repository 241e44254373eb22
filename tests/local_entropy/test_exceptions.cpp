// Ways to share few cells between levels that 48 bits leave undecided: each is in the list, with
// the right answer, and no other is.
#include "local_entropy/answers/exceptions.h"

#include "counts.h"
#include "local_entropy/answers/answers.h"

#include <gtest/gtest.h>
#include <map>

namespace
{

using namespace local_entropy;
using counting::Counts;
using counting::kBases;

/// Tries every way to share the cells, by itself: how many are undecided. Each must be in the list,
/// and each key of the list must be the sum of one.
int undecidedOf(const Answers &answers, int cells, const std::vector<Exception> &list)
{
    int undecided = 0;
    std::map<std::int64_t, float> found;
    counting::forPartitions(cells, [&](const Counts &counts) {
        const std::int64_t sum = counting::sumOf(answers, counts);
        if (!answers.undecided(sum, cells)) return;
        ++undecided;
        const float right = answers.floatOf(counts.data(), static_cast<int>(counts.size()));
        float answer = -1;
        EXPECT_TRUE(lookUp(list.data(), static_cast<int>(list.size()), sum, answer)) << sum;
        EXPECT_EQ(answer, right) << sum;
        found[sum] = right;
    });
    EXPECT_EQ(found.size(), list.size());
    return undecided;
}

TEST(UndecidedShares, AreThoseOfABruteSearch)
{
    for (const int cells : {1, 2, 9, 30, 36, 46, 49})
        for (const Base base : kBases) {
            const Answers answers(Measure::Entropy, 1, base, cells, 0);
            const int undecided = undecidedOf(answers, cells, undecidedShares(answers, cells));
            // Common ones of 7x7 cells; all others that there are.
            EXPECT_EQ(undecided, cells == 49 && base == Base::E     ? 14
                                 : cells == 46 && base == Base::Two ? 15
                                                                    : 0)
                << cells << " cells, base " << static_cast<int>(base);
        }
}

// Fewer bits leave many ways undecided, of any size.
TEST(UndecidedShares, AreThoseOfABruteSearchWithFewBits)
{
    for (const int cells : {12, 25, 30})
        for (const Base base : kBases) {
            const Answers answers(Measure::Entropy, 1, base, cells, 0, 27);
            const std::vector<Exception> list = undecidedShares(answers, cells);
            EXPECT_GT(undecidedOf(answers, cells, list), 0) << cells;
            for (std::size_t i = 1; i < list.size(); ++i) EXPECT_LT(list[i - 1].key, list[i].key);
        }
}

// Apart from what the library computes with.
TEST(UndecidedShares, HaveTheNearestFloat)
{
    constexpr int kCells = 49;
    const Answers answers(Measure::Entropy, 1, Base::E, kCells, 0);
    const std::vector<Exception> list = undecidedShares(answers, kCells);
    int listed = 0;
    counting::forPartitions(kCells, [&](const Counts &counts) {
        float answer;
        if (!lookUp(list.data(), static_cast<int>(list.size()), counting::sumOf(answers, counts),
                    answer))
            return;
        ++listed;
        EXPECT_EQ(answer, counting::floatOfTrue(counting::trueEntropy(counts)));
    });
    EXPECT_EQ(listed, 14);
}

TEST(UndecidedShares, AreNotSearchedWhereTheyAreNotAskedFor)
{
    for (const int cells : {kMostCellsOfShares, kMostCellsOfShares + 1}) {
        const Answers few(Measure::Entropy, 1, Base::E, cells, 0, 40); // leave some undecided
        EXPECT_EQ(undecidedShares(few, cells).empty(), cells > kMostCellsOfShares) << cells;
    }
    for (const Measure measure : {Measure::Simpson, Measure::Richness, Measure::Hill})
        EXPECT_TRUE(undecidedShares(Answers(measure, 3, Base::E, 49, 0), 49).empty());
}

// A sum that two ways have in common, and their answers do not, says too little.
TEST(Exceptions, OfOneKeyAgreeOrAreLeftOut)
{
    const std::vector<Exception> list =
        agreed({{7, 1.5f}, {3, 2.0f}, {7, 1.5f}, {5, 1.0f}, {9, 4.0f}, {5, 1.25f}, {5, 1.0f}});
    ASSERT_EQ(list.size(), 3U);
    EXPECT_EQ(list[0].key, 3);
    EXPECT_EQ(list[0].answer, 2.0f);
    EXPECT_EQ(list[1].key, 7);
    EXPECT_EQ(list[1].answer, 1.5f);
    EXPECT_EQ(list[2].key, 9);
    EXPECT_TRUE(agreed({}).empty());
}

TEST(Exceptions, AreLookedUp)
{
    constexpr Exception kList[] = {{3, 2.0f}, {std::int64_t{1} << 60, 1.5f}, {-9, 4.0f}};
    float answer = 0;
    EXPECT_FALSE(lookUp(kList, 3, 0, answer));
    EXPECT_FALSE(lookUp(kList, 2, -9, answer)); // behind the last
    EXPECT_FALSE(lookUp(nullptr, 0, 3, answer));
    EXPECT_EQ(answer, 0);
    EXPECT_TRUE(lookUp(kList, 3, std::int64_t{1} << 60, answer));
    EXPECT_EQ(answer, 1.5f);
}

} // namespace
