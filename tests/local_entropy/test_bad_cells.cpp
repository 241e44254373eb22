// Cells that are no levels, anywhere in an image, and regions of it: one that the windows of a
// region reach is named, the first of them row by row; all others change nothing and are not seen.
// Whatever the method, path and number of threads, for random questions from a fixed seed.

#include "all_engines.h"
#include "judged.h"
#include "local_entropy/engine.h"
#include "local_entropy/problem/load.h"
#include "question.h"
#include "spoilt.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace
{

using namespace local_entropy;

constexpr char kCannot[] = "this method cannot do that";

/// What a run says; "" if it computed.
template <typename Cell>
std::string sentenceOf(Engine &engine, const Question<Cell> &question, const View<float> &values)
{
    RunOptions options;
    options.mask = question.maskView();
    options.region = question.region;
    try {
        engine.run(question.filter, question.view(), values, options);
    } catch (const Error &error) {
        return error.status() == Status::Unavailable ? kCannot : error.what();
    }
    return "";
}

int named = 0, unseen = 0; ///< questions with such an answer

template <typename Cell>
void ask(std::vector<std::pair<std::string, Engine>> &engines, unsigned seed,
         bool asForBits = false)
{
    constexpr unsigned kQuestions = 60;
    for (unsigned i = 0; i < kQuestions; ++i) {
        const Spoilt<Cell> spoilt(seed + i, asForBits);
        const Question<Cell> &question = spoilt.question;
        const Place *const first = spoilt.first();
        if (spoilt.places.empty()) continue;
        ++(first ? named : unseen);
        const std::string cell = first ? "the cell at x " + std::to_string(first->x) + ", y " +
                                             std::to_string(first->y) + " is "
                                       : "";
        GuardedArray<float> values(question.region.width, question.region.height, question.gap);
        for (auto &[who, engine] : engines) {
            values.poison();
            const std::string sentence = sentenceOf(engine, question, values.view());
            if (sentence == kCannot) continue;
            ASSERT_EQ(sentence.substr(0, first ? cell.size() : std::string::npos), cell)
                << who << ": " << question.text();
            ASSERT_TRUE(first || !question.exact() || areNearest(question, values))
                << who << ": " << question.text();
        }
    }
}

} // namespace

TEST(LocalEntropyBadCells, AreNamedWhereARegionReachesThemAndUnseenElsewhere)
{
    auto engines = allEngines();
    ask<std::uint8_t>(engines, 1000);
    ask<std::uint16_t>(engines, 20000);
    ask<std::int16_t>(engines, 30000);
    ask<float>(engines, 40000);
    ask<float>(engines, 50000, true);
    EXPECT_GT(named, 50);
    EXPECT_GT(unseen, 50);
}

// Of an image that several threads compute: rows and columns just within and just beyond the reach.
TEST(LocalEntropyBadCells, AtTheRimOfALargeRegion)
{
    constexpr std::int64_t kWidth = 900, kHeight = 700;
    std::vector<float> image(kWidth * kHeight);
    std::mt19937 random(4);
    for (float &cell : image) cell = static_cast<float>(random() % 16);
    Filter filter; // 5x5
    filter.levels.count = 16;
    RunOptions options;
    options.region = {0, 200, kWidth, 300};
    std::vector<float> values(kWidth * 300), expected(values);
    const auto sentence = [&](Engine &engine, std::vector<float> &to) -> std::string {
        try {
            engine.run(filter, View<const float>{image.data(), kWidth, kHeight},
                       View<float>{to.data(), kWidth, 300}, options);
        } catch (const Error &error) {
            return error.status() == Status::Unavailable ? kCannot : error.what();
        }
        return "";
    };
    auto engines = allEngines();
    for (auto &[who, engine] : engines) {
        if (sentence(engine, expected) == kCannot) continue;
        for (const std::int64_t y : {197, 198, 501, 502})
            for (const std::int64_t x : {std::int64_t(0), std::int64_t(450), kWidth - 1}) {
                const float before = std::exchange(image[y * kWidth + x], -1.0f);
                const std::string seen = sentence(engine, values);
                image[y * kWidth + x] = before;
                const bool isReached = y >= 198 && y < 502;
                ASSERT_EQ(seen, isReached
                                    ? "the cell at x " + std::to_string(x) + ", y " +
                                          std::to_string(y) + " is -1, expected an integer 0..15"
                                    : "")
                    << who;
                ASSERT_TRUE(isReached || values == expected) << who;
            }
    }
}

// Of long images: the place is right beyond what a tile, a block or two bytes can count.
TEST(LocalEntropyBadCells, FarFromTheFirst)
{
    constexpr std::int64_t kLong = 70007, kShort = 9;
    Filter filter; // 5x5
    filter.levels.count = 16;
    auto engines = allEngines();
    for (const bool isTall : {true, false}) {
        const std::int64_t width = isTall ? kShort : kLong, height = isTall ? kLong : kShort;
        std::vector<float> image(width * height, 3.0f), values(image);
        for (auto &[who, engine] : engines)
            for (const std::int64_t at : {5001, 65537, 70006}) {
                const std::int64_t x = isTall ? 7 : at, y = isTall ? at : 7;
                image[y * width + x] = -1;
                std::string said;
                try {
                    engine.run(filter, View<const float>{image.data(), width, height},
                               View<float>{values.data(), width, height});
                } catch (const Error &error) {
                    said = error.status() == Status::Unavailable ? kCannot : error.what();
                }
                image[y * width + x] = 3;
                if (said == kCannot) continue;
                ASSERT_EQ(said, "the cell at x " + std::to_string(x) + ", y " + std::to_string(y) +
                                    " is -1, expected an integer 0..15")
                    << who;
            }
    }
}

namespace
{

/// With so many levels, in the midst of cells of the last one.
template <typename Cell>
void expectTheFirstBeyondIsSeen(std::vector<std::pair<std::string, Engine>> &engines, int count)
{
    constexpr std::int64_t kWidth = 90, kHeight = 20, kX = 47, kY = 11;
    std::vector<Cell> cells(kWidth * kHeight, static_cast<Cell>(count - 1));
    std::vector<float> values(cells.size());
    Filter filter;
    filter.window.width = filter.window.height = 3;
    filter.levels.count = count;
    for (auto &[who, engine] : engines)
        for (const int cell : {count - 1, count}) {
            cells[kY * kWidth + kX] = static_cast<Cell>(cell);
            std::string said;
            try {
                engine.run(filter, View<const Cell>{cells.data(), kWidth, kHeight},
                           View<float>{values.data(), kWidth, kHeight});
            } catch (const Error &error) {
                said = error.status() == Status::Unavailable ? kCannot : error.what();
            }
            if (said == kCannot) continue;
            const std::string wanted =
                cell < count ? "" : "the cell at x 47, y 11 is " + std::to_string(count) + ", ";
            ASSERT_EQ(said.substr(0, std::max<std::size_t>(wanted.size(), 1)), wanted)
                << who << ", " << count << " levels";
        }
}

} // namespace

// Some tiles are read where they lie, and then no cell is settled: they are looked at before.
TEST(LocalEntropyBadCells, TheFirstValueThatIsNoLevelIsSeenWithAnyNumberOfLevels)
{
    auto engines = allEngines();
    for (const int count : {2, 16, 64, 100, 128, 129, 255})
        expectTheFirstBeyondIsSeen<std::uint8_t>(engines, count);
    for (const int count : {2, 255, 256, 257, 300, 4096, 20000, 32767, 32768, 32769, 50000, 65535})
        expectTheFirstBeyondIsSeen<std::uint16_t>(engines, count);
}

// Of a long call the error is not told at its end.
TEST(LocalEntropyBadCells, EndTheWorkOfAllThreads)
{
    constexpr std::int64_t kWidth = 300, kHeight = 2000;
    std::vector<std::uint8_t> cells(kWidth * kHeight, 3);
    cells[0] = 99; // which the first of many tiles meets
    constexpr float kUnwritten = -1;
    std::vector<float> values(cells.size(), kUnwritten);
    Filter filter;
    filter.window.width = filter.window.height = 21;
    filter.levels.count = 16;
    filter.border = Border::Mirror;
    EngineOptions options;
    options.threads = 2;
    options.method = "plain";
    Engine engine(options);
    EXPECT_THROW(engine.run(filter, View<const std::uint8_t>{cells.data(), kWidth, kHeight},
                            View<float>{values.data(), kWidth, kHeight}),
                 Error);
    EXPECT_GT(std::count(values.begin(), values.end(), kUnwritten), kWidth * kHeight / 2);
}

// A region of an image that is larger than memory: of pages that nobody has touched.
TEST(LocalEntropyBadCells, IsNamedWithoutMemoryByTheSizeOfTheImage)
{
    constexpr std::int64_t kMany = std::int64_t{1} << 40, kX = kMany / 2;
    void *const pages = mmap(nullptr, kMany, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) GTEST_SKIP() << "needs addresses without memory";
    auto *const cells = static_cast<std::uint8_t *>(pages);
    cells[kX] = 16;
    Filter filter; // 5x5
    filter.levels.count = 16;
    Engine engine;
    float values[3];
    RunOptions options;
    for (const bool isTall : {false, true}) {
        const std::int64_t width = isTall ? 1 : kMany, height = isTall ? kMany : 1;
        options.region = isTall ? Region{0, kX - 3, 1, 3} : Region{kX - 3, 0, 3, 1};
        const View<float> result{values, isTall ? 1 : 3, isTall ? 3 : 1};
        std::string said;
        try {
            engine.run(filter, View<const std::uint8_t>{cells, width, height}, result, options);
        } catch (const Error &error) {
            said = error.what();
        }
        EXPECT_EQ(said, isTall
                            ? "the cell at x 0, y 549755813888 is 16, expected an integer 0..15"
                            : "the cell at x 549755813888, y 0 is 16, expected an integer 0..15");
    }
    munmap(pages, kMany);
}

// Row by row, also where a border takes a later cell for an earlier window.
TEST(LocalEntropyBadCells, TheFirstIsNamedThoughABorderTakesAnother)
{
    std::vector<std::uint8_t> image(100, 3);
    image[1] = image[99] = 16;
    Filter filter; // 5x5
    filter.levels.count = 16;
    filter.border = Border::Wrap;
    Engine engine;
    float values[2];
    RunOptions options;
    options.region = {0, 0, 2, 1};
    std::string said;
    try {
        engine.run(filter, View<const std::uint8_t>{image.data(), 100, 1},
                   View<float>{values, 2, 1}, options);
    } catch (const Error &error) {
        said = error.what();
    }
    EXPECT_EQ(said, "the cell at x 1, y 0 is 16, expected an integer 0..15");
}

// By every border, wherever it takes a cell from: of a row and of a column of six cells.
TEST(LocalEntropyBadCells, AreNamedWhereverABorderTakesThem)
{
    constexpr int kSize = 6;
    float values[kSize];
    Filter filter; // 5x5
    filter.levels.count = 16;
    for (const bool isTall : {false, true})
        for (int border = 0; border < 6; ++border)
            for (int origin = -2; origin <= 2; ++origin)
                for (int at = 0; at < kSize; ++at)
                    for (int begin = 0; begin < kSize; ++begin)
                        for (int end = begin + 1; end <= kSize; ++end) {
                            std::vector<std::uint8_t> cells(kSize, 3);
                            cells[at] = 16;
                            filter.border = static_cast<Border>(border);
                            (isTall ? filter.window.originY : filter.window.originX) = origin;
                            bool isReached = false;
                            for (int i = begin - 2 - origin; i < end + 2 - origin; ++i)
                                isReached |= judge::indexOf(filter.border, i, kSize) == at;
                            const std::int64_t size = end - begin;
                            const Region row{begin, 0, size, 1}, column{0, begin, 1, size};
                            const Image image{cells.data(), CellType::Uint8, isTall ? 1 : kSize,
                                              isTall ? kSize : 1, 0};
                            const Problem problem = checkedProblem(
                                filter, image, {},
                                {values, false, isTall ? 1 : size, isTall ? size : 1, 0},
                                isTall ? column : row);
                            bool isNamed = false;
                            try {
                                throwFirstBadCell(problem);
                            } catch (const Error &) {
                                isNamed = true;
                            }
                            ASSERT_EQ(isNamed, isReached)
                                << at << " of " << begin << " to " << end << ", border " << border
                                << ", origin " << origin;
                            filter.window = {};
                        }
}
