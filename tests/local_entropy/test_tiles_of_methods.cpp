// What the CPU computes beside devices (schedule/everywhere.h): tiles that begin where a method's
// tiles do, but are of other heights, in no order.
#include "../same_bits.h"
#include "common/integer.h"
#include "local_entropy/answers/default_rounding.h"
#include "local_entropy/engine.h"
#include "local_entropy/methods/method.h"
#include "local_entropy/schedule/parts.h"
#include "local_entropy/schedule/shared_tiles.h"
#include "own_queue.h"
#include "used_scratch.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <type_traits>
#include <utility>

namespace
{

using namespace local_entropy;

struct Wanted
{
    int window, levels;
    std::int64_t width, height;
};

template <typename Cell>
class Scene
{
public:
    explicit Scene(const Wanted &wanted)
        : width(wanted.width), height(wanted.height), cells(width * height), values(cells.size()),
          expected(cells.size())
    {
        std::mt19937 random(11);
        for (Cell &cell : cells) cell = static_cast<Cell>(random() % wanted.levels);
        filter.window.width = filter.window.height = wanted.window;
        filter.levels.count = wanted.levels;
        Engine engine;
        engine.run(filter, View<const Cell>{cells.data(), width, height},
                   View<float>{expected.data(), width, height});
    }

    /// False if a bit of it is wrong.
    bool isRight(const Method &method, std::int64_t rows)
    {
        const CellType type = std::is_same_v<Cell, float> ? CellType::Float32 : CellType::Uint8;
        const Problem problem = checkedProblem(filter, {cells.data(), type, width, height, 0}, {},
                                               {values.data(), false, width, height, 0}, {});
        const Path path = bestPath();
        if (!method.can(problem, path)) return true;
        const auto plan = method.plan(problem, path);
        if (!plan->takesTiles()) return true;
        ++asked;
        std::memset(values.data(), 0xFF, values.size() * sizeof(float));
        const std::int64_t across = std::min(plan->tileSize(problem, 3).width, width);
        const std::function<bool(double)> nobody;
        Progress progress(nobody, problem.region);
        SharedTiles tiles(problem.region, {2 * across, 3 * rows + 1}, {across, rows}, progress);
        const DefaultRounding rounding;
        Scratch scratch;
        leaveMuch(scratch);
        Region tile;
        while (tiles.takeLarge(tile)) {
            tiles.giveBack(tile);
            if (!tiles.takeSmall(tile)) break;
            compute(problem, *plan, tile, scratch);
        }
        while (tiles.takeSmall(tile)) compute(problem, *plan, tile, scratch);
        return sameBits(values, expected);
    }

    int asked = 0; ///< methods that could

private:
    static void compute(const Problem &problem, const Plan &plan, const Region &tile,
                        Scratch &scratch)
    {
        OwnQueue queue(tile, {tile.width, tile.height});
        plan.work(problem, *queue, scratch);
    }

    const std::int64_t width, height;
    std::vector<Cell> cells;
    std::vector<float> values, expected;
    Filter filter;
};

template <typename Cell>
void ask(const std::vector<Wanted> &all)
{
    for (const Wanted &wanted : all) {
        Scene<Cell> scene(wanted);
        for (const Method *method : methods())
            for (const std::int64_t rows : {1, 7, 60})
                EXPECT_TRUE(scene.isRight(*method, rows))
                    << method->name() << ", " << rows << " rows, " << wanted.window << "x"
                    << wanted.window << " of " << wanted.width << "x" << wanted.height;
        EXPECT_GT(scene.asked, 3);
    }
}

} // namespace

TEST(TilesOfMethods, OfAnyHeightAreRight)
{
    ask<std::uint8_t>({{3, 256, 700, 90}, {9, 256, 500, 120}, {9, 3, 700, 100}, {21, 2, 600, 70}});
}

// The method bits too: cell by cell, narrow and wide images.
TEST(TilesOfMethods, OfSixteenLevelsOfAnyHeightAreRight)
{
    ask<float>({{5, 16, 60, 20}, {5, 16, 33, 3000}, {5, 16, 1500, 300}, {5, 16, 4100, 64}});
}

// It computes whole images.
TEST(TilesOfMethods, OfWordsThereAreNone)
{
    const std::vector<float> cells(100 * 100);
    std::vector<float> values(cells.size());
    Filter filter;
    filter.levels.count = 16;
    const Problem problem = checkedProblem(filter, {cells.data(), CellType::Float32, 100, 100, 0},
                                           {}, {values.data(), false, 100, 100, 0}, {});
    const auto isNamed = [](const char *name) {
        return [name](const Method *method) { return !std::strcmp(method->name(), name); };
    };
    for (const char *name : {"words", "bits"}) {
        const auto method = std::find_if(methods().begin(), methods().end(), isNamed(name));
        ASSERT_NE(method, methods().end());
        const bool takes = (*method)->plan(problem, bestPath())->takesTiles();
        EXPECT_EQ(takes, !std::strcmp(name, "bits")) << name;
    }
}

namespace
{

/// The tiles that a method wants for an image of bytes; none: it cannot compute the filter.
std::optional<TileSize> tilesOf(const Method &method, const Filter &filter, std::int64_t width,
                                std::int64_t height, int threads)
{
    const std::vector<std::uint8_t> cells(width * height);
    std::vector<float> values(cells.size());
    const Problem problem =
        checkedProblem(filter, {cells.data(), CellType::Uint8, width, height, 0}, {},
                       {values.data(), false, width, height, 0}, {});
    if (!method.can(problem, bestPath())) return std::nullopt;
    const auto plan = method.plan(problem, bestPath());
    if (!plan->takesTiles()) return std::nullopt;
    return plan->tileSize(problem, threads);
}

const Method &named(const char *name)
{
    return **std::find_if(methods().begin(), methods().end(),
                          [&](const Method *method) { return !std::strcmp(method->name(), name); });
}

std::int64_t numberOf(const TileSize &tiles, std::int64_t width, std::int64_t height)
{
    return common::ceilDiv(width, tiles.width) * common::ceilDiv(height, tiles.height);
}

} // namespace

TEST(TilesOfMethods, AreForEveryThread)
{
    constexpr std::int64_t kSide = 600;
    constexpr int kThreads = 8;
    for (const auto &[window, levels] : {std::pair{5, 16}, {9, 256}, {9, 2}}) {
        Filter filter;
        filter.window.width = filter.window.height = window;
        filter.levels.count = levels;
        int asked = 0;
        for (const Method *method : methods()) {
            const auto size = tilesOf(*method, filter, kSide, kSide, kThreads);
            if (!size) continue;
            ++asked;
            EXPECT_GE(numberOf(*size, kSide, kSide), kThreads)
                << method->name() << ", window of " << window;
        }
        EXPECT_GE(asked, 3) << window;
    }
    // Here they are made narrower for that.
    EXPECT_GE(numberOf(*tilesOf(named("histogram"), Filter(), 300, 300, kThreads), 300, 300),
              kThreads);
}

// The strips of a frame come last in a call: one that is one tile keeps all threads but one
// waiting.
TEST(TilesOfMethods, OfTheFrameAreForSeveralThreads)
{
    constexpr std::int64_t kSide = 512;
    const std::vector<std::uint8_t> cells(kSide * kSide);
    std::vector<float> values(cells.size());
    Filter filter;
    filter.window.width = filter.window.height = 31;
    filter.levels.count = 256;
    const Problem whole = checkedProblem(filter, {cells.data(), CellType::Uint8, kSide, kSide, 0},
                                         {}, {values.data(), false, kSide, kSide, 0}, {});
    const std::vector<Problem> parts = partsOf(whole);
    ASSERT_EQ(parts.size(), 5u);
    const auto tiles = [](const Problem &part, int threads) {
        const TileSize size = named("histogram").plan(part, bestPath())->tileSize(part, threads);
        return numberOf(size, part.region.width, part.region.height);
    };
    for (const Problem &part : parts) {
        const bool isStrip = &part != &parts.front();
        EXPECT_EQ(tiles(part, 16), isStrip ? 4 : 31) << part.region.x << ", " << part.region.y;
        EXPECT_EQ(tiles(part, 2), isStrip ? 2 : 16) << part.region.x << ", " << part.region.y;
        EXPECT_EQ(tiles(part, 1), isStrip ? 1 : 4) << part.region.x << ", " << part.region.y;
    }
}

// The first window of a walk costs as much as many steps; of the largest ones, one is a tile.
TEST(TilesOfMethods, OfLargeWindowsAreLongAndNotEmpty)
{
    Filter filter;
    filter.window.width = 200;
    filter.window.height = 3;
    filter.levels.count = 256;
    const auto across = tilesOf(named("histogram"), filter, 4000, 100, 1);
    ASSERT_TRUE(across);
    EXPECT_GE(across->width, 8 * 200);
    filter.window.width = filter.window.height = 255;
    const auto plain = tilesOf(named("plain"), filter, 300, 300, 1);
    ASSERT_TRUE(plain);
    EXPECT_GE(plain->height, 1);
    EXPECT_GE(plain->width, 1);
}
