// The gold answer against an independent computation, and the comparison that grades with it.
#include "entropy/every_window.h"
#include "entropy/reference.h"
#include "entropy/shared_sample.h"
#include "messages.h"
#include "shapes.h"

#include <gtest/gtest.h>
#include <limits>
#include <map>

namespace
{

// The array with a border of two "no cell" around it, so that no window needs cutting.
double entropyByPadding(Shape shape, const std::vector<float> &sample, int x, int y)
{
    const int paddedWidth = shape.width + 4;
    std::vector<int> padded(paddedWidth * (shape.height + 4), -1);
    for (int row = 0; row < shape.height; ++row)
        for (int column = 0; column < shape.width; ++column)
            padded[(row + 2) * paddedWidth + column + 2] = sample[row * shape.width + column];
    std::map<int, double> count;
    for (int i = 0; i < 25; ++i) ++count[padded[(y + i / 5) * paddedWidth + x + i % 5]];
    const double total = 25 - (count.count(-1) ? count[-1] : 0);
    double entropy = std::log(total);
    for (const auto &[level, n] : count)
        if (level >= 0) entropy -= n * std::log(n) / total;
    return entropy;
}

} // namespace

TEST(Reference, AgreesWithPaddedArraysInEveryCell)
{
    for (const Shape shape : {Shape{1, 1}, Shape{4, 4}, Shape{7, 3}, Shape{6, 11}, Shape{13, 9}})
        for (const std::string &content : kContents) {
            const std::vector<float> sample = makeSample(content, shape);
            const auto gold = entropy::reference(shape.width, shape.height, sample.data());
            for (int y = 0; y < shape.height; ++y)
                for (int x = 0; x < shape.width; ++x)
                    EXPECT_NEAR(gold[y * shape.width + x], entropyByPadding(shape, sample, x, y),
                                1e-6)
                        << content << " " << shape.width << " x " << shape.height << " at " << x
                        << ", " << y;
        }
}

TEST(Reference, WorkedExample)
{
    const std::vector<float> sample = {1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6, 4, 5, 6, 7};
    // ln 9 - (2 * 2 ln 2 + 3 ln 3) / 9 and so on. A corner is 1.5229551: often seen as 1.52295.
    const double c = 1.5229551, e = 1.7045513, m = 1.8407487;
    const std::vector<double> expected = {c, e, e, c, e, m, m, e, e, m, m, e, c, e, e, c};
    const auto gold = entropy::reference(4, 4, sample.data());
    for (int i = 0; i < 16; ++i) EXPECT_NEAR(gold[i], expected[i], 5e-6) << i;
}

TEST(Reference, SixteenDifferentLevelsInFourByFour)
{
    std::vector<float> sample(16);
    for (int i = 0; i < 16; ++i) sample[i] = i;
    const auto gold = entropy::reference(4, 4, sample.data());
    EXPECT_FLOAT_EQ(gold[0], std::log(9.0));
    EXPECT_FLOAT_EQ(gold[1], std::log(12.0));
    EXPECT_FLOAT_EQ(gold[5], std::log(16.0));
}

TEST(Comparison, FindsTheLargestErrorAndItsPlace)
{
    const std::vector<float> gold = {1, 1, 1, 1, 1, 1}, result = {1, 1, 1, 1, 1.5f, 0.9f};
    const auto comparison = entropy::compare(3, 2, result.data(), gold.data());
    EXPECT_FALSE(comparison.passed);
    EXPECT_DOUBLE_EQ(comparison.largestError, 0.5);
    EXPECT_EQ(comparison.x, 1);
    EXPECT_EQ(comparison.y, 1);
}

TEST(Comparison, FindsAWrongCellWhereverItIs)
{
    constexpr int kWidth = 37, kHeight = 29;
    const std::vector<float> gold(kWidth * kHeight, 1);
    std::vector<float> result = gold;
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) {
            float &cell = result[y * kWidth + x];
            cell = 0.5f;
            const auto comparison = entropy::compare(kWidth, kHeight, result.data(), gold.data());
            cell = 1;
            ASSERT_FALSE(comparison.passed) << x << ", " << y;
            EXPECT_EQ(comparison.wrongCells, 1u);
            for (const entropy::WrongCell &wrong : {comparison.first, comparison.worst}) {
                EXPECT_EQ(wrong.x, x);
                EXPECT_EQ(wrong.y, y);
                EXPECT_EQ(wrong.expected, 1);
                EXPECT_EQ(wrong.computed, 0.5f);
            }
        }
    EXPECT_TRUE(entropy::compare(kWidth, kHeight, result.data(), gold.data()).passed);
}

// The first of several, and the worst: of two that are as bad, the first.
TEST(Comparison, TellsTheFirstAndTheWorst)
{
    const std::vector<float> gold(12, 1), result = {1, 1, 1, 0.9f, 1, 0.5f, 1, 1.5f, 1, 1, 1, 0.9f};
    const auto comparison = entropy::compare(4, 3, result.data(), gold.data());
    EXPECT_EQ(comparison.wrongCells, 4u);
    EXPECT_EQ(comparison.first.x, 3);
    EXPECT_EQ(comparison.first.y, 0);
    EXPECT_EQ(comparison.first.computed, 0.9f);
    EXPECT_EQ(comparison.worst.x, 1);
    EXPECT_EQ(comparison.worst.y, 1);
    EXPECT_EQ(comparison.worst.computed, 0.5f);
}

TEST(Comparison, PassesAtTheToleranceAndFailsBeyond)
{
    const float gold = 0;
    for (const auto &[error, passes] : std::map<float, bool>{{4.9e-6f, true}, {5.1e-6f, false}})
        EXPECT_EQ(entropy::compare(1, 1, &error, &gold).passed, passes) << error;
}

TEST(Comparison, NaNFails)
{
    const float gold[] = {0, 0}, result[] = {0, std::numeric_limits<float>::quiet_NaN()};
    const auto comparison = entropy::compare(2, 1, result, gold);
    EXPECT_FALSE(comparison.passed);
    EXPECT_EQ(comparison.x, 1);
}

// Nothing is larger than it, and the first one stays.
TEST(Comparison, NaNIsTheLargestError)
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float gold[] = {0, 0, 0, 0}, result[] = {1, nan, 5, nan};
    const auto comparison = entropy::compare(4, 1, result, gold);
    EXPECT_TRUE(std::isnan(comparison.largestError));
    EXPECT_EQ(comparison.x, 1);
    EXPECT_EQ(comparison.worst.x, 1);
    EXPECT_EQ(comparison.first.x, 0);
    EXPECT_EQ(comparison.wrongCells, 4u);
}

// What tools hand to child processes, and let them check.
TEST(SharedSample, IsItsCellsAndTheirAnswerInEveryProcess)
{
    const entropy::SharedSample made(7, 5);
    std::vector<float> cells = made.copy();
    ASSERT_EQ(cells.size(), 35u);
    std::vector<float> answer = entropy::reference(7, 5, cells.data());
    std::vector<std::string> arguments = made.arguments();
    for (const std::size_t descriptor : {2, 3}) // it closes its own
        arguments.at(descriptor) = std::to_string(dup(std::stoi(arguments.at(descriptor))));
    const entropy::SharedSample child(arguments);
    EXPECT_EQ(child.width, 7);
    EXPECT_EQ(child.height, 5);
    EXPECT_EQ(child.copy(), cells);
    for (const entropy::SharedSample *sample : {&made, &child}) {
        EXPECT_NO_THROW(sample->check(answer.data()));
        answer[4 * 7 + 3] += 0.5f;
        EXPECT_EQ(messageOf([&] { sample->check(answer.data()); }),
                  "WRONG: error 0.5 at x 3, y 4");
        answer[4 * 7 + 3] -= 0.5f;
    }
}

// Of 17 cells all but one way, of 18 all but two: these have more levels than there are.
TEST(EveryWindow, IsSplitAmongTheLevelsThereAre)
{
    EXPECT_EQ(entropy::partitions(16, 16).size(), 231u);
    EXPECT_EQ(entropy::partitions(17, 17).size(), 297u - 1);
    EXPECT_EQ(entropy::partitions(18, 18).size(), 385u - 2);
    EXPECT_EQ(entropy::partitions(5, 2),
              (std::vector<entropy::Counts>{{2, 2, 1}, {2, 1, 1, 1}, {1, 1, 1, 1, 1}}));
    EXPECT_DOUBLE_EQ(entropy::entropyOf({2, 1, 1}, 4), 1.5 * std::log(2.0));
}

TEST(EveryWindow, ProductsMayBeRoundedOrNot)
{
    const float factor = 1 + 0x1p-12f;
    EXPECT_EQ(entropy::multiplyAdd(factor, factor, -1), std::pair(0x1p-11f, 0x1p-11f + 0x1p-24f));
}

// The least and the largest sum are those of all orders, one after the other.
TEST(EveryWindow, SumsAreThoseOfAllOrders)
{
    const auto add = [](float sum, int n) {
        const float term = 1 / std::sqrt(static_cast<float>(n));
        return std::pair(sum + term - 0x1p-24f * n, sum + term);
    };
    for (entropy::Counts counts : {entropy::Counts{7, 5, 3, 2, 1}, {11, 6, 4, 3}, {9}}) {
        std::pair<float, float> expected{INFINITY, -INFINITY};
        const entropy::Counts descending = counts;
        std::sort(counts.begin(), counts.end());
        do {
            float low = 0, high = 0;
            for (const int n : counts) low = add(low, n).first, high = add(high, n).second;
            expected.first = std::min(expected.first, low);
            expected.second = std::max(expected.second, high);
        } while (std::next_permutation(counts.begin(), counts.end()));
        EXPECT_EQ(entropy::FloatSum(add).overAllOrders(descending), expected);
        EXPECT_LT(expected.first, expected.second);
    }
}
