// Filters and arrays that are not possible are refused with a sentence.

#include "judge.h"
#include "local_entropy/error.h"
#include "local_entropy/problem/border.h"
#include "local_entropy/problem/problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace
{

using namespace local_entropy;

/// An image of bytes with a result, and what may be spoilt.
struct Question
{
    std::vector<std::uint8_t> cells = std::vector<std::uint8_t>(12 * 9, 3);
    std::vector<float> values = std::vector<float>(12 * 9);
    Filter filter;
    Image image{cells.data(), CellType::Uint8, 12, 9, 0};
    Mask mask;
    Result result{values.data(), false, 12, 9, 0};
    Region region;

    void ofType(CellType type)
    {
        static const std::vector<float> memory(12 * 9, 1.0f);
        image.type = type, image.data = memory.data();
    }
    Problem problem() const { return checkedProblem(filter, image, mask, result, region); }
    bool isPossible() const
    {
        try {
            problem();
            return true;
        } catch (const Error &error) {
            EXPECT_EQ(error.status(), Status::BadArgument) << error.what();
            return false;
        }
    }
};

constexpr CellType kTypes[] = {CellType::Uint8, CellType::Uint16, CellType::Int16,
                               CellType::Float32, CellType::Bool};

struct Spoilt
{
    const char *expected; ///< the sentence
    std::function<void(Question &)> spoil;
};

TEST(LocalEntropyProblem, RefusesWhatIsNotPossible)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    static const std::uint8_t mask[12 * 9] = {};
    const Spoilt all[] = {
        {"the window is 0 x 5 cells, expected 1 to 255 each way",
         [](auto &q) { q.filter.window.width = 0; }},
        {"the window is 256 x 5 cells, expected 1 to 255 each way",
         [](auto &q) { q.filter.window.width = 256; }},
        {"the window is 5 x 0 cells, expected 1 to 255 each way",
         [](auto &q) { q.filter.window.height = 0; }},
        {"the window is 5 x 256 cells, expected 1 to 255 each way",
         [](auto &q) { q.filter.window.height = 256; }},
        {"the footprint is 64 x 5 cells, expected 1 to 63 each way",
         [](auto &q) {
             q.filter.window = {64, 5, 0, 0, std::vector<std::uint8_t>(64 * 5, 1)};
             q.filter.window.footprint[7] = 0;
         }},
        {"the footprint is 5 x 64 cells, expected 1 to 63 each way",
         [](auto &q) {
             q.filter.window = {5, 64, 0, 0, std::vector<std::uint8_t>(64 * 5, 1)};
         }},
        {"the footprint is 3 x 0 cells, expected 1 to 63 each way",
         [](auto &q) {
             q.filter.window = {3, 0, 0, 0, {1, 0, 1}};
         }},
        {"the footprint has 10 cells, expected 3 x 3 = 9",
         [](auto &q) {
             q.filter.window = {3, 3, 0, 0, std::vector<std::uint8_t>(10, 1)};
         }},
        {"the footprint has 8 cells, expected 3 x 3 = 9",
         [](auto &q) {
             q.filter.window = {3, 3, 0, 0, std::vector<std::uint8_t>(8, 1)};
         }},
        {"no cell of the footprint counts",
         [](auto &q) {
             q.filter.window = {3, 3, 0, 0, std::vector<std::uint8_t>(9, 0)};
         }},
        {"originX is 3, expected -2 to 2 for a side of 5",
         [](auto &q) { q.filter.window.originX = 3; }},
        {"originX is -3, expected -2 to 2 for a side of 5",
         [](auto &q) { q.filter.window.originX = -3; }},
        {"originY is -3, expected -2 to 2 for a side of 5",
         [](auto &q) { q.filter.window.originY = -3; }},
        {"originY is 3, expected -2 to 2 for a side of 5",
         [](auto &q) { q.filter.window.originY = 3; }},
        {"originX is 2, expected -2 to 1 for a side of 4",
         [](auto &q) {
             q.filter.window = {4, 6, 2, 0, {}};
         }},
        {"originY is -3, expected -2 to 1 for a side of 4",
         [](auto &q) {
             q.filter.window = {6, 4, 0, -3, {}};
         }},
        {"1 levels, expected 2 to 65536", [](auto &q) { q.filter.levels.count = 1; }},
        {"65537 levels, expected 2 to 65536", [](auto &q) { q.filter.levels.count = 65537; }},
        {"the bins are from -1.7e+308 to 1.7e+308, expected low below high",
         [](auto &q) {
             q.filter.levels = {16, true, -1.7e308, 1.7e308, false};
         }},
        {"cells that are true or false are levels 0 and 1: there is nothing to bin",
         [](auto &q) {
             q.image.type = CellType::Bool;
             q.filter.levels = {2, true, 0, 1, false};
         }},
        {"cells that are true or false are levels 0 and 1: there is nothing to bin",
         [](auto &q) {
             q.image.type = CellType::Bool;
             q.filter.levels = {2, false, 1, 0, false};
         }},
        {"the result is not at a multiple of 8 bytes",
         [](auto &q) {
             q.result = {&q.values[1], true, 12, 9, 0};
         }},
        {"the first level is 0.5, expected an integer of at most "
         "16777216 either way, since cells are integers",
         [](auto &q) { q.filter.levels.low = 0.5; }},
        {"the first level is 16777217, expected an integer of at most "
         "16777216 either way, since cells are integers",
         [](auto &q) { q.filter.levels.low = 16777217; }},
        {"the first level is -16777217, expected an integer of at most "
         "16777216 either way, since cells are integers",
         [](auto &q) { q.filter.levels.low = -16777217; }},
        {"the bins are from 0 to 0, expected low below high",
         [](auto &q) { q.filter.levels.binned = true; }},
        {"the bins from 0 to 1e-304 are narrower than a double can tell",
         [](auto &q) {
             q.filter.levels = {65536, true, 0, 1e-304, false};
         }},
        {"the range of the levels is not finite", [=](auto &q) { q.filter.levels.low = nan; }},
        {"the range of the levels is not finite",
         [](auto &q) {
             q.filter.levels = {16, true, 0, INFINITY, false};
         }},
        {"there is no such border", [](auto &q) { q.filter.border = static_cast<Border>(-1); }},
        {"there is no such border", [](auto &q) { q.filter.border = static_cast<Border>(6); }},
        {"there is no such measure", [](auto &q) { q.filter.measure = static_cast<Measure>(-1); }},
        {"there is no such measure", [](auto &q) { q.filter.measure = static_cast<Measure>(4); }},
        {"there is no such base", [](auto &q) { q.filter.base = static_cast<Base>(-1); }},
        {"there is no such base", [](auto &q) { q.filter.base = static_cast<Base>(3); }},
        {"the order of a Hill number is -1, expected 0 or more",
         [](auto &q) { q.filter.measure = Measure::Hill, q.filter.order = -1; }},
        {"the order of a Hill number is nan, expected 0 or more",
         [=](auto &q) { q.filter.measure = Measure::Hill, q.filter.order = nan; }},
        {"the constant of the border, 256, is not a cell that has a level",
         [](auto &q) { q.filter.border = Border::Constant, q.filter.constant = 256; }},
        {"the constant of the border, nan, is not a cell that has a level",
         [=](auto &q) { q.filter.border = Border::Constant, q.filter.constant = nan; }},
        {"the constant of the border, nan, is not a cell that has a level",
         [=](auto &q) {
             q.ofType(CellType::Float32);
             q.filter.border = Border::Constant, q.filter.constant = nan;
             q.filter.nanIsError = true;
         }},
        {"the image is 0 x 9 cells, expected at least 1 x 1", [](auto &q) { q.image.width = 0; }},
        {"the image is 12 x -1 cells, expected at least 1 x 1",
         [](auto &q) { q.image.height = -1; }},
        {"the image has rows of 12 cells 11 apart: the stride is too small",
         [](auto &q) { q.image.stride = 11; }},
        {"the image is too large: 9 rows 2305843009213693951 cells apart",
         [](auto &q) { q.image.stride = std::numeric_limits<std::int64_t>::max() / 4; }},
        {"the result is too large: 9 rows 2305843009213693951 cells apart",
         [](auto &q) { q.result.stride = std::numeric_limits<std::int64_t>::max() / 4; }},
        {"the image has no data", [](auto &q) { q.image.data = nullptr; }},
        {"the image is not at a multiple of 2 bytes",
         [](auto &q) {
             q.image = {q.cells.data() + 1, CellType::Uint16, 5, 4, 0};
             q.result = {q.values.data(), false, 5, 4, 0};
         }},
        {"the image is not at a multiple of 4 bytes",
         [](auto &q) {
             q.ofType(CellType::Float32);
             q.image.data = reinterpret_cast<const char *>(q.values.data()) + 2;
         }},
        {"the mask is 12 x 8 cells, the image 12 x 9",
         [](auto &q) {
             q.mask = {mask, 12, 8, 0};
         }},
        {"the mask is 11 x 9 cells, the image 12 x 9",
         [](auto &q) {
             q.mask = {mask, 11, 9, 0};
         }},
        {"the mask has rows of 12 cells 11 apart: the stride is too small",
         [](auto &q) {
             q.mask = {mask, 12, 9, 11};
         }},
        {"the mask is 12 x 0 cells, expected at least 1 x 1",
         [](auto &q) {
             q.mask = {mask, 12, 0, 0};
         }},
        {"the region of 8 x 7 cells at x 5, y 1 is not inside the image of 12 x 9",
         [](auto &q) {
             q.region = {5, 1, 8, 7};
         }},
        {"the region of 8 x 9 cells at x -1, y 0 is not inside the image of 12 x 9",
         [](auto &q) {
             q.region = {-1, 0, 8, 9};
         }},
        {"the region of 8 x 9 cells at x 2, y -1 is not inside the image of 12 x 9",
         [](auto &q) {
             q.region = {2, -1, 8, 9};
         }},
        {"the region of 8 x 7 cells at x 1, y 3 is not inside the image of 12 x 9",
         [](auto &q) {
             q.region = {1, 3, 8, 7};
         }},
        {"the region of 2 x 7 cells at x 1, y 3 is not inside the image of 12 x 9",
         [](auto &q) {
             q.region = {1, 3, 2, 7};
         }},
        {"the region of -8 x 7 cells at x 1, y 2 is not inside the image of 12 x 9",
         [](auto &q) {
             q.region = {1, 2, -8, 7};
         }},
        {"the region of 3 x 0 cells at x 1, y 2 is not inside the image of 12 x 9",
         [](auto &q) {
             q.region = {1, 2, 3, 0};
         }},
        {"the region of 3 x -1 cells at x 0, y 0 is not inside the image of 12 x 9",
         [](auto &q) {
             q.region = {0, 0, 3, -1};
         }},
        {"the region of 8 x 9 cells at x 9223372036854775807, y 0 "
         "is not inside the image of 12 x 9",
         [](auto &q) {
             q.region = {std::numeric_limits<std::int64_t>::max(), 0, 8, 9};
         }},
        {"the region of 8 x 9 cells at x 0, y 9223372036854775807 "
         "is not inside the image of 12 x 9",
         [](auto &q) {
             q.region = {0, std::numeric_limits<std::int64_t>::max(), 8, 9};
         }},
        {"the result is 12 x 9 cells, expected 3 x 2",
         [](auto &q) {
             q.region = {1, 1, 3, 2};
         }},
        {"the result is 11 x 9 cells, expected 12 x 9", [](auto &q) { q.result.width = 11; }},
        {"the result is 12 x 10 cells, expected 12 x 9", [](auto &q) { q.result.height = 10; }},
        {"the result is 12 x 0 cells, expected at least 1 x 1",
         [](auto &q) { q.result.height = 0; }},
        {"the result has rows of 12 cells 11 apart: the stride is too small",
         [](auto &q) { q.result.stride = 11; }},
        {"the result has no data", [](auto &q) { q.result.data = nullptr; }},
        {"the result and the image overlap",
         [](auto &q) {
             q.result = {q.cells.data() + 8, false, 5, 4, 0};
             q.region = {0, 0, 5, 4};
         }},
        {"the result and the mask overlap",
         [](auto &q) {
             q.mask = {reinterpret_cast<const std::uint8_t *>(q.values.data()) + 7, 12, 9, 0};
         }},
    };
    for (const Spoilt &spoilt : all) {
        Question question;
        spoilt.spoil(question);
        try {
            question.problem();
            ADD_FAILURE() << "accepted, expected: " << spoilt.expected;
        } catch (const Error &error) {
            EXPECT_EQ(error.status(), Status::BadArgument) << error.what();
            EXPECT_STREQ(error.what(), spoilt.expected);
        }
    }
    EXPECT_NO_THROW(Question().problem());
}

TEST(LocalEntropyProblem, AcceptsWhatIsJustPossible)
{
    const std::function<void(Question &)> all[] = {
        [](auto &q) { q.filter.window.width = q.filter.window.height = 255; },
        [](auto &q) {
            q.filter.window = {63, 63, -31, 31, std::vector<std::uint8_t>(63 * 63, 1)};
        },
        [](auto &q) {
            q.filter.window = {4, 6, -2, 2, {}};
        },
        [](auto &q) {
            q.filter.window = {6, 4, 2, -2, {}};
        },
        [](auto &q) {
            q.filter.window = {4, 6, 1, -3, {}};
        },
        [](auto &q) { q.filter.levels.count = 2; },
        [](auto &q) { q.filter.levels.count = 65536; },
        [](auto &q) { q.filter.levels.low = 16777216; },
        [](auto &q) { q.filter.levels.low = -16777216; },
        [](auto &q) {
            q.filter.levels = {16, true, -0.5, 0.25, false};
        },
        [](auto &q) { q.filter.levels.high = INFINITY; }, // of no bins
        [](auto &q) { q.filter.measure = Measure::Hill, q.filter.order = 0; },
        [](auto &q) { q.filter.measure = Measure::Hill, q.filter.order = INFINITY; },
        [](auto &q) { q.filter.order = -1; },    // of no Hill number
        [](auto &q) { q.filter.constant = -1; }, // of another border
        [](auto &q) { q.filter.constant = -1, q.filter.border = Border::Nearest; },
        [](auto &q) { q.filter.constant = -1, q.filter.border = Border::Wrap; },
        [](auto &q) { q.image.stride = q.result.stride = 12; },
        [](auto &q) {
            q.region = {0, 0, 0, 7}; // of no width
        },
        [](auto &q) {
            q.region = {11, 8, 1, 1}, q.result.width = q.result.height = 1;
        },
        [](auto &q) { q.image.width = q.image.height = q.result.width = q.result.height = 1; },
    };
    for (const auto &change : all) {
        Question question;
        change(question);
        EXPECT_NO_THROW(question.problem()) << &change - all;
    }
}

TEST(LocalEntropyProblem, TheConstantIsACellOfTheImagesType)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const CellType type : kTypes)
        for (const double constant : {0.0, 255.0, -1.0, 256.0, 0.25, double(INFINITY), nan}) {
            Question question;
            question.ofType(type);
            question.filter.border = Border::Constant;
            question.filter.constant = constant;
            const bool isNaN = std::isnan(constant), isLevel = constant == 0 || constant == 255;
            const bool isPossible = type == CellType::Bool ? !isNaN : isLevel;
            EXPECT_EQ(question.isPossible(), isPossible || (isNaN && type == CellType::Float32))
                << constant << " in type " << static_cast<int>(type);
            question.filter.nanIsError = true;
            EXPECT_EQ(question.isPossible(), isPossible)
                << constant << " in type " << static_cast<int>(type) << ", NaN is an error";
        }
}

TEST(LocalEntropyProblem, ASixteenthOfAllOffsetsIsTheLargestArray)
{
    std::vector<double> memory(2 * 12 * 9);
    double *const first = memory.data(), *const second = &memory[12 * 9]; // the large one
    const auto strideOf = [](int bytes) {
        return std::numeric_limits<std::int64_t>::max() / 16 / bytes / 9;
    };
    for (const int more : {0, 1}) {
        for (const CellType type : kTypes) {
            Question question;
            question.image = {second, type, 12, 9, strideOf(cellBytes(type)) + more};
            question.result.data = first;
            EXPECT_EQ(question.isPossible(), more == 0) << static_cast<int>(type);
        }
        for (const bool isDouble : {false, true}) {
            Question question;
            question.image.data = first;
            question.result = {second, isDouble, 12, 9, strideOf(isDouble ? 8 : 4) + more};
            EXPECT_EQ(question.isPossible(), more == 0) << isDouble;
        }
        Question question;
        question.mask = {reinterpret_cast<std::uint8_t *>(second), 12, 9, strideOf(1) + more};
        question.result.data = first;
        EXPECT_EQ(question.isPossible(), more == 0);
    }
}

TEST(LocalEntropyProblem, CellsMayBeMissingForFourReasons)
{
    static const std::uint8_t mask[12 * 9] = {};
    for (const CellType type : kTypes)
        for (const bool binned : {false, true}) {
            if (binned && type == CellType::Bool) continue;
            Question usual;
            usual.ofType(type);
            usual.filter.border = Border::Nearest;
            usual.filter.levels = {16, binned, 0, 16, false};
            EXPECT_EQ(usual.problem().mayMiss, type == CellType::Float32);
            usual.filter.nanIsError = true;
            EXPECT_FALSE(usual.problem().mayMiss);
            Question question = usual;
            question.filter.border = Border::Cut;
            EXPECT_TRUE(question.problem().mayMiss);
            question = usual;
            question.filter.nodata = 3;
            EXPECT_TRUE(question.problem().mayMiss);
            question = usual;
            question.mask = {mask, 12, 9, 0};
            EXPECT_TRUE(question.problem().mayMiss);
        }
}

// In one piece of memory, as those who manage their own have them.
TEST(LocalEntropyProblem, ArraysMayLieSideBySide)
{
    std::vector<float> memory(3 * 12 * 9);
    float *const middle = memory.data() + 12 * 9;
    const Result result{middle, false, 12, 9, 0};
    for (const float *place : {memory.data(), middle + 12 * 9}) {
        const Image image{place, CellType::Float32, 12, 9, 0};
        EXPECT_NO_THROW(checkedProblem({}, image, {}, result, {}));
        const Image overlapping{place < middle ? place + 1 : place - 1, CellType::Float32, 12, 9,
                                0};
        EXPECT_THROW(checkedProblem({}, overlapping, {}, result, {}), Error);
    }
}

// An array ends with its last cell: what would be a gap behind that is somebody else's.
TEST(LocalEntropyProblem, ArraysMayLieInTheGapBehindTheLastRow)
{
    constexpr std::int64_t kStride = 20, kEnd = 8 * kStride + 12;
    std::vector<double> memory(kEnd + 12 * 9);
    for (const int less : {0, 1}) {
        Question question;
        const auto *const floats = reinterpret_cast<float *>(memory.data());
        question.image = {floats, CellType::Float32, 12, 9, kStride};
        question.result.data = const_cast<float *>(floats) + kEnd - less;
        EXPECT_EQ(question.isPossible(), less == 0) << "behind an image";

        question.image = {question.cells.data(), CellType::Uint8, 12, 9, 0};
        question.mask = {reinterpret_cast<std::uint8_t *>(memory.data()), 12, 9, kStride};
        question.result.data = reinterpret_cast<float *>(memory.data()) + kEnd / 4 - less;
        EXPECT_EQ(question.isPossible(), less == 0) << "behind a mask";
        question.mask = {};

        for (const bool isDouble : {false, true}) {
            question.result = {memory.data(), isDouble, 12, 9, kStride};
            question.image.data =
                reinterpret_cast<std::uint8_t *>(memory.data()) + kEnd * (isDouble ? 8 : 4) - less;
            EXPECT_EQ(question.isPossible(), less == 0) << "behind a result";
        }
    }
}

TEST(LocalEntropyBorder, IsTheOneOfSciPy)
{
    for (const Border border : {Border::Cut, Border::Constant, Border::Nearest, Border::Reflect,
                                Border::Mirror, Border::Wrap})
        for (std::int64_t size = 1; size < 7; ++size)
            for (std::int64_t i = -30; i < 30; ++i)
                EXPECT_EQ(borderIndex(border, i, size), judge::indexOf(border, i, size))
                    << static_cast<int>(border) << " " << i << " of " << size;
}

TEST(LocalEntropyShape, RunsAreTheCellsOfTheFootprint)
{
    const Shape shape = shapeOf({4, 3, 1, 0, {1, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1}});
    EXPECT_EQ(shape.cells, 7);
    EXPECT_FALSE(shape.rectangle);
    EXPECT_EQ(shape.left, 3);
    EXPECT_EQ(shape.top, 1);
    ASSERT_EQ(shape.runs.size(), 3u);
    EXPECT_EQ(shape.runs[1].row, 0);
    EXPECT_EQ(shape.runs[1].begin, 2);
    EXPECT_EQ(shape.runs[1].end, 4);
    EXPECT_TRUE(shapeOf({2, 2, 0, 0, {1, 1, 1, 1}}).rectangle);
}

} // namespace
