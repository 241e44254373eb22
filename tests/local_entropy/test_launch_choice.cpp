// Which method computes in the memory of a GPU, by the shared memory that its blocks may have. No
// GPU is needed to ask; without CUDA some methods say that they need none.
#include "launched_by.h"
#include "local_entropy/methods/block_memory.h"
#include "local_entropy/methods/equal/equal.h"
#include "local_entropy/methods/histogram/foot_changes.h"
#include "local_entropy/methods/histogram/foot_method.h"
#include "local_entropy/methods/histogram/histogram.h"
#include "local_entropy/methods/histogram/wide.h"
#include "local_entropy/methods/levels/levels.h"
#include "local_entropy/methods/plain/plain.h"
#include "local_entropy/methods/words/method.h"
#include "local_entropy/schedule/launchers.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace local_entropy;

namespace
{

constexpr int kKiB = 1024;
/// Of every GPU, and what a block may have from compute capability 7.5 to 12.
constexpr int kLimits[] = {48 * kKiB, 64 * kKiB, 99 * kKiB, 163 * kKiB, 227 * kKiB};

/// No cell is read: arrays are addresses only.
Problem problemOf(const Filter &filter, CellType type, std::int64_t width, std::int64_t height,
                  bool isDouble = false, bool masked = false)
{
    const auto *const bytes = reinterpret_cast<char *>(std::uintptr_t(1) << 32);
    constexpr std::size_t kApart = std::size_t(1) << 44;
    Mask mask;
    if (masked) mask = {reinterpret_cast<const std::uint8_t *>(bytes + kApart), width, height, 0};
    return checkedProblem(filter, {bytes, type, width, height, 0}, mask,
                          {const_cast<char *>(bytes + 2 * kApart), isDouble, width, height, 0}, {});
}

Filter filterOf(int width, int height, int levels)
{
    Filter filter;
    filter.window.width = width;
    filter.window.height = height;
    filter.levels.count = levels;
    return filter;
}

std::string nameOf(const Problem &problem, int limit)
{
    const Method *const method = launchMethod(problem, nullptr, limit);
    return method ? method->name() : "none";
}

} // namespace

TEST(LaunchChoice, FitsEveryGpu)
{
    std::mt19937 random(14);
    const auto below = [&](int end) { return static_cast<int>(random() % end); };
    const CellType types[] = {CellType::Uint8, CellType::Uint16, CellType::Int16, CellType::Float32,
                              CellType::Bool};
    for (int i = 0; i < 20000; ++i) {
        const CellType type = types[below(5)];
        const int most = type == CellType::Bool ? 2 : type == CellType::Uint8 ? 256 : 65536;
        Filter filter = filterOf(1 + below(below(4) ? 31 : 255), 1 + below(below(4) ? 31 : 255),
                                 std::max(2, most >> below(16)));
        if (below(4) == 0) filter.levels.count = 2 + below(most - 1);
        if (below(3) == 0) {
            filter.window.width = 1 + filter.window.width % 63;
            filter.window.height = 1 + filter.window.height % 63;
            auto &footprint = filter.window.footprint;
            footprint.resize(filter.window.width * filter.window.height);
            for (std::uint8_t &cell : footprint) cell = below(3) > 0;
            footprint[0] = 1;
        }
        if (type == CellType::Float32) filter.levels = {filter.levels.count, true, 0, 1};
        const Problem problem =
            problemOf(filter, type, 1 + below(5000), 1 + below(5000), below(8) == 0, below(4) == 0);
        for (const int limit : kLimits) {
            const Method *const method = launchMethod(problem, nullptr, limit);
            ASSERT_TRUE(method) << limit;
            ASSERT_LE(method->sharedBytes(problem), limit) << method->name();
            ASSERT_LE(leastLaunchCost(problem), method->launchCost(problem)) << method->name();
            for (const Method *only : methods()) {
                const Method *const same = launchMethod(problem, only, limit);
                ASSERT_EQ(same != nullptr,
                          only->canLaunch(problem) && only->sharedBytes(problem) <= limit)
                    << only->name();
            }
        }
    }
}

TEST(LaunchChoice, LeavesLargeHistogramsToWhoNeedsLess)
{
    const Problem many = problemOf(filterOf(15, 15, 45000), CellType::Uint16, 1000, 1000);
    const Problem few = problemOf(filterOf(15, 15, 256), CellType::Uint8, 1000, 1000);
    EXPECT_EQ(nameOf(few, 48 * kKiB), "histogram"); // 32 KiB of it, and its differences
    EXPECT_NE(nameOf(few, 32 * kKiB), "histogram");
    if (wordsMethod().sharedBytes(few) == 0) GTEST_SKIP() << "without CUDA they say they need none";
    EXPECT_EQ(nameOf(many, 227 * kKiB), "wide");
    EXPECT_EQ(nameOf(many, 163 * kKiB), "plain"); // 180 KB of it
}

TEST(LaunchChoice, OfMoreColumnsThanPlanesHaveIsPlain)
{
    const std::int64_t wide = (std::int64_t(1) << 31) + 5;
    for (const int levels : {2, 16, 256})
        for (const int width : {3, 5, 15})
            EXPECT_EQ(
                nameOf(problemOf(filterOf(width, 4, levels), CellType::Uint8, wide, 2), 227 * kKiB),
                "plain");
}

// With the least, a call may be held to be worth the start of GPUs that have not been asked yet.
TEST(LaunchChoice, TheLeastCostIsThatOfAGpuWithRoomForAll)
{
    const auto costOf = [](const Method &method, const Problem &problem) {
        return method.launchCost(problem);
    };
    const Problem bytes = problemOf(filterOf(15, 15, 256), CellType::Uint8, 1000, 1000);
    EXPECT_EQ(leastLaunchCost(bytes), costOf(*launchMethod(bytes, nullptr, 227 * kKiB), bytes));
    const Problem many = problemOf(filterOf(15, 15, 45000), CellType::Uint16, 1000, 1000);
    EXPECT_EQ(leastLaunchCost(many), costOf(*launchMethod(many, nullptr, 227 * kKiB), many));
    const Problem doubles = problemOf(filterOf(15, 15, 256), CellType::Uint8, 1000, 1000, true);
    EXPECT_EQ(leastLaunchCost(doubles), costOf(plainMethod(), doubles));
}

// Each window is counted by itself. So a call knows how much of it the CPU takes.
TEST(LaunchChoice, PlainCostsMoreInLargerWindows)
{
    double last = 0;
    for (const int side : {3, 31, 101, 201}) {
        const Problem problem =
            problemOf(filterOf(side, side, 16), CellType::Uint8, 500, 500, true);
        const Method *const method = launchMethod(problem, nullptr, 227 * kKiB);
        ASSERT_STREQ(method->name(), "plain") << side;
        EXPECT_GT(method->launchCost(problem), 2 * last) << side;
        last = method->launchCost(problem);
    }
}

TEST(LaunchChoice, ABlockMayHaveAllTheMemoryThatThereIs)
{
    const Problem problem = problemOf(filterOf(9, 9, 16), CellType::Uint8, 1000, 1000);
    int some = 0;
    for (const Method *method : methods()) {
        if (!method->canLaunch(problem)) continue;
        const int bytes = method->sharedBytes(problem);
        EXPECT_EQ(launchMethod(problem, method, bytes), method) << method->name();
        EXPECT_FALSE(launchMethod(problem, method, bytes - 1)) << method->name();
        ++some;
    }
    EXPECT_GT(some, 1);
}

namespace
{

template <typename Cell>
int launchedBy(const char *method, unsigned seed, int questions)
{
    int launched = 0;
    for (int i = 0; i < questions; ++i)
        launched +=
            isLaunchedBy(method, Question<Cell>(seed + static_cast<unsigned>(i)), 227 * kKiB);
    return launched;
}

} // namespace

// At least, of the questions that Launches.*GiveTheBitsOfTheCpu ask where there is a GPU: those
// that a method leaves to others tell nothing about it.
TEST(LaunchChoice, EachMethodAnswersItsShareOfTheQuestions)
{
    EXPECT_GE(launchedBy<float>("plain", 40000, 200), 200);
    EXPECT_GE(launchedBy<std::uint8_t>("histogram", 1000, 600), 301);
    EXPECT_GE(launchedBy<std::uint16_t>("histogram", 20000, 400), 139);
    EXPECT_GE(launchedBy<std::int16_t>("histogram", 30000, 200), 67);
    EXPECT_GE(launchedBy<float>("histogram", 40000, 300), 102);
    EXPECT_GE(launchedBy<bool>("histogram", 50000, 100), 53);
    EXPECT_GE(launchedBy<std::uint8_t>("levels", 80000, 200), 70);
    EXPECT_GE(launchedBy<std::uint16_t>("levels", 90000, 80), 17);
    EXPECT_GE(launchedBy<std::int16_t>("levels", 100000, 80), 20);
    EXPECT_GE(launchedBy<float>("levels", 110000, 160), 42);
    EXPECT_GE(launchedBy<bool>("levels", 120000, 80), 42);
    EXPECT_GE(launchedBy<std::uint8_t>("wide", 130000, 120), 65);
    EXPECT_GE(launchedBy<std::uint16_t>("wide", 140000, 160), 89);
    EXPECT_GE(launchedBy<std::int16_t>("wide", 150000, 80), 35);
    EXPECT_GE(launchedBy<float>("wide", 160000, 80), 44);
    EXPECT_GE(launchedBy<std::uint8_t>("equal", 1000, 600), 226);
    EXPECT_GE(launchedBy<std::uint16_t>("equal", 20000, 400), 138);
    EXPECT_GE(launchedBy<std::int16_t>("equal", 30000, 200), 64);
    EXPECT_GE(launchedBy<float>("equal", 40000, 300), 99);
    EXPECT_GE(launchedBy<std::uint8_t>("footprint", 1000, 300), 43);
}

// What a refusal says is what would be computed.
TEST(LaunchChoice, LimitsAreThoseThatAreTold)
{
    const auto can = [](const Method &method, int width, int height, int levels,
                        bool masked = false) {
        return method.canLaunch(
            problemOf(filterOf(width, height, levels), CellType::Uint8, 5000, 5000, false, masked));
    };
    EXPECT_STREQ(levelsMethod().launches(),
                 "entropies as float of rectangles up to 64 cells wide and of up to 8192 cells, of "
                 "at most 32 levels, or 31 where cells may be missing");
    EXPECT_TRUE(can(levelsMethod(), 64, 128, 32));
    EXPECT_FALSE(can(levelsMethod(), 65, 3, 32));
    EXPECT_FALSE(can(levelsMethod(), 64, 129, 32));
    EXPECT_FALSE(can(levelsMethod(), 64, 128, 33));
    EXPECT_TRUE(can(levelsMethod(), 64, 128, 31, true));
    EXPECT_FALSE(can(levelsMethod(), 64, 128, 32, true));
    EXPECT_STREQ(wideMethod().launches(),
                 "entropies as float of rectangles up to 61 cells wide and of up to 4096 cells, of "
                 "so many levels as have a word each in the shared memory of a GPU");
    EXPECT_TRUE(can(wideMethod(), 32, 128, 256));
    EXPECT_TRUE(can(wideMethod(), 61, 67, 256));
    EXPECT_FALSE(can(wideMethod(), 62, 3, 256));
    EXPECT_FALSE(can(wideMethod(), 32, 129, 256));
    EXPECT_STREQ(
        histogramMethod().launches(),
        "entropies as float of rectangles of up to 255 cells, at most 9, 11 or 15 wide, or "
        "of more, 9, 11, 15, 21 or 31 wide, of few hundred levels");
    for (int width = 1; width <= 40; ++width) {
        const bool isOfEither = width == 9 || width == 11 || width == 15;
        const int rows = 255 / width;
        EXPECT_EQ(can(histogramMethod(), width, rows, 200), width < 9 || isOfEither) << width;
        if (rows == 255) continue; // no more can be
        EXPECT_EQ(can(histogramMethod(), width, rows + 1, 200),
                  isOfEither || width == 21 || width == 31)
            << width;
    }
    EXPECT_STREQ(equalMethod().launches(),
                 "entropies as float of rectangles of 2 to 11 columns and few rows");
    for (int width = 1; width <= 40; ++width)
        EXPECT_EQ(can(equalMethod(), width, 2, 200), width >= 2 && width <= 11) << width;
    EXPECT_FALSE(can(equalMethod(), 2, 100, 200));
    EXPECT_STREQ(
        footprintMethod().launches(),
        "entropies as float of footprints, of so many levels that a histogram fits a block");
    EXPECT_FALSE(can(footprintMethod(), 3, 3, 200));
    EXPECT_STREQ(wordsMethod().launches(),
                 "windows of 5x5 cells around theirs, of at most 16 levels, where all cells count "
                 "(NaN is an error, no mask, no nodata), to the entropy in base e as float");
    EXPECT_EQ(plainMethod().launches(), nullptr); // everything
}

TEST(LaunchChoice, WordsIsForItsQuestionAlone)
{
    const auto can = [](const Filter &filter, CellType type = CellType::Uint8,
                        bool isDouble = false, bool masked = false) {
        return wordsMethod().canLaunch(problemOf(filter, type, 100, 100, isDouble, masked));
    };
    Filter usual = filterOf(5, 5, 16);
    EXPECT_TRUE(can(usual));
    EXPECT_FALSE(can(usual, CellType::Uint8, true));
    EXPECT_FALSE(can(usual, CellType::Uint8, false, true));
    EXPECT_FALSE(can(usual, CellType::Float32)) << "where NaN does not count";
    using Change = void (*)(Filter &);
    int number = 0;
    for (const Change change :
         {Change([](Filter &filter) { filter.window.width = 3; }),
          Change([](Filter &filter) { filter.window.height = 7; }),
          Change([](Filter &filter) { filter.window.originX = 1; }),
          Change([](Filter &filter) { filter.window.originY = -1; }), Change([](Filter &filter) {
              filter.window.footprint = std::vector<std::uint8_t>(25, 1),
              filter.window.footprint[7] = 0;
          }),
          Change([](Filter &filter) { filter.levels.count = 17; }),
          Change([](Filter &filter) { filter.base = Base::Two; }),
          Change([](Filter &filter) { filter.measure = Measure::Simpson; }),
          Change([](Filter &filter) { filter.nodata = 3; })}) {
        Filter filter = usual;
        change(filter);
        EXPECT_FALSE(can(filter)) << number++;
    }
    usual.nanIsError = true;
    EXPECT_TRUE(can(usual, CellType::Float32));
}

// Its kernel goes from row to row of results by 32 bits.
// What it sends to a GPU and back is whole images in host memory.
TEST(LaunchChoice, WordsTakesNoPartsOfImagesInHostMemory)
{
    Filter filter = filterOf(5, 5, 16);
    filter.nanIsError = true;
    Problem problem = problemOf(filter, CellType::Float32, 100, 80);
    EXPECT_TRUE(wordsMethod().can(problem, Path::Portable));
    EXPECT_FALSE(wordsMethod().plan(problem, Path::Portable)->takesTiles());
    for (const Region &part : {Region{0, 0, 100, 79}, Region{0, 1, 100, 79}, Region{0, 0, 99, 80},
                               Region{1, 0, 99, 80}}) {
        problem.region = part;
        EXPECT_FALSE(wordsMethod().can(problem, Path::Portable)) << part.y << ' ' << part.width;
    }
}

TEST(LaunchChoice, WordsLeavesRowsThatAreTooFarApartToOthers)
{
    Filter filter = filterOf(5, 5, 16);
    filter.base = Base::E;
    Problem problem = problemOf(filter, CellType::Uint8, 400, 3);
    for (const auto &[stride, can] : {std::pair{0xFFFFFFFFll, true}, {0x100000000ll, false}}) {
        problem.result.stride = stride;
        EXPECT_EQ(wordsMethod().canLaunch(problem), can) << stride;
    }
}

TEST(LaunchChoice, ABlockHasAsManyWarpsAsItsMemoryIsEnoughFor)
{
    const BlockMemory memory{100, 50};
    EXPECT_EQ(memory.warps(150, 8), 1);
    EXPECT_EQ(memory.warps(299, 8), 3);
    EXPECT_EQ(memory.warps(9000, 8), 8);
    EXPECT_THROW(memory.warps(149, 8), Error);
}

TEST(LaunchChoice, DisksAreKnownByTheirCells)
{
    for (int radius = 1; radius <= 12; ++radius) {
        Window window;
        window.width = window.height = 2 * radius + 1;
        for (int y = -radius; y <= radius; ++y)
            for (int x = -radius; x <= radius; ++x)
                window.footprint.push_back(x * x + y * y <= radius * radius);
        EXPECT_EQ(footprint::diskRadius(shapeOf(window)), radius);
        window.footprint[radius] = 0; // its uppermost cell
        EXPECT_EQ(footprint::diskRadius(shapeOf(window)), 0) << radius;
    }
}
