// Sliding ranks against the judge: every path that works here, both sizes of cells.

#include "judge.h"
#include "local_entropy/memory/scratch.h"
#include "local_entropy/methods/ranks/sliding_plan.h"
#include "local_entropy/problem/type_of.h"
#include "own_queue.h"
#include "question.h"
#include "used_scratch.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <vector>

using namespace local_entropy;

namespace
{

/// The ranks of these are in different tables: few, the first and the last, none, those between.
enum class Content { Random, Natural, Sparse, Flat, Stripes, Thirds };
constexpr Content kContents[] = {Content::Random, Content::Natural, Content::Sparse,
                                 Content::Flat,   Content::Stripes, Content::Thirds};

std::vector<Path> pathsHere()
{
    std::vector<Path> paths;
    for (const Path path : {Path::Avx512Vbmi, Path::Avx512, Path::Avx2})
        if (pathWorksHere(path)) paths.push_back(path);
    return paths;
}

/// An image, its filter and its results, which end where memory cannot be touched.
template <typename Cell>
class Case
{
public:
    Filter filter;
    Region region;
    int threads = 1; ///< that tiles are made for
    int every = 1;   ///< one result of so many is judged
    GuardedArray<Cell> image;

    Case(std::int64_t width, std::int64_t height, int windowWidth, int windowHeight, int levels,
         std::int64_t gap = 0)
        : image(width, height, gap), width(width), height(height), random(width * 31 + height)
    {
        filter.window.width = windowWidth;
        filter.window.height = windowHeight;
        filter.levels.count = levels;
        region = {0, 0, width, height};
    }

    void fill(Content content, int levels)
    {
        for (std::int64_t y = 0; y < height; ++y)
            for (std::int64_t x = 0; x < width; ++x) {
                const int any = static_cast<int>(random() % levels);
                const int noise = static_cast<int>(random() % 5 + random() % 5);
                image.at(x, y) = static_cast<Cell>(
                    content == Content::Random ? any
                    : content == Content::Natural
                        ? std::min<int>((x / 9 + y / 7 + noise) % 997, levels - 1)
                    : content == Content::Sparse ? random() % 50 ? levels - 1 : any
                    : content == Content::Thirds ? (random() % 3 ? levels - 1 : 0)
                    : content == Content::Flat   ? levels / 2
                                                 : (x / 3 + y / 2) % levels);
            }
    }

    /// Keeps the cells of which isKept(x, y).
    template <typename IsKept>
    void keep(const IsKept &isKept)
    {
        mask = std::make_unique<GuardedArray<std::uint8_t>>(width, height, 0);
        for (std::int64_t y = 0; y < height; ++y)
            for (std::int64_t x = 0; x < width; ++x) mask->at(x, y) = isKept(x, y);
    }

    /// Keeps all but one in `one`, and blanks a block, so that windows are empty.
    void maskCells(int one)
    {
        keep([&](std::int64_t x, std::int64_t y) {
            return random() % one != 0 && (x > 40 || y < 10 || y > 50);
        });
    }

    void check(Path path)
    {
        GuardedArray<float> result(region.width, region.height, 3);
        result.poison();
        compute(path, result);
        ASSERT_TRUE(result.gapsArePoisoned());
        const auto all = image.view();
        const View<const Cell> cells = {all.data, all.width, all.height, all.stride};
        View<const std::uint8_t> kept;
        if (mask) kept = {mask->view().data, width, height, mask->view().stride};
        for (std::int64_t y = 0; y < region.height; ++y)
            for (std::int64_t x = 0; x < region.width; ++x) {
                if ((x + 5 * y) % every != 0) continue;
                const long double truth =
                    judge::resultOf(filter, cells, kept, region.x + x, region.y + y);
                ASSERT_TRUE(judge::isNearest(result.at(x, y), truth))
                    << pathName(path) << ", image " << width << " x " << height << ", window "
                    << filter.window.width << " x " << filter.window.height << ", result " << x
                    << ", " << y << ": " << result.at(x, y) << " instead of "
                    << static_cast<double>(truth);
            }
    }

private:
    void compute(Path path, const GuardedArray<float> &result)
    {
        const auto all = image.view();
        const Image source = {all.data, typeOf<Cell>(), width, height, all.stride};
        Mask kept;
        if (mask) kept = {mask->view().data, width, height, mask->view().stride};
        const Result to = {result.view().data, false, region.width, region.height,
                           result.view().stride};
        const Problem problem = checkedProblem(filter, source, kept, to, region);
        ASSERT_TRUE(slidingRanksMethod().can(problem, path));
        const auto plan = slidingRanksMethod().plan(problem, path);
        OwnQueue queue(problem.region, plan->tileSize(problem, threads));
        Scratch scratch;
        leaveMuch(scratch);
        plan->work(problem, *queue, scratch);
    }

    std::int64_t width, height;
    std::mt19937 random;
    std::unique_ptr<GuardedArray<std::uint8_t>> mask;
};

constexpr int kWindows[][2] = {{7, 7},  {9, 9},  {15, 15}, {6, 5},  {5, 6},  {13, 3},  {3, 13},
                               {30, 8}, {8, 30}, {45, 5},  {27, 1}, {1, 27}, {11, 11}, {1, 255}};

template <typename Cell>
void checkShapes(Path path, int levels)
{
    const int sizes[][2] = {{1, 1}, {7, 3}, {3, 40}, {33, 33}, {101, 21}, {530, 7}, {17, 190}};
    int number = 0;
    for (const auto &size : sizes)
        for (const auto &window : kWindows) {
            const Content content = kContents[number++ % 6];
            Case<Cell> wanted(size[0], size[1], window[0], window[1], levels, number % 3);
            wanted.fill(content, number % 2 ? levels : 3);
            wanted.filter.border = static_cast<Border>(number % 6);
            wanted.filter.base = static_cast<Base>(number % 3);
            if (number % 7 == 0) wanted.filter.measure = Measure::Simpson;
            if (size[0] * size[1] > 2000) wanted.every = 3;
            ASSERT_NO_FATAL_FAILURE(wanted.check(path));
        }
}

} // namespace

TEST(SlidingRanks, AwkwardShapesOfBytes)
{
    for (const Path path : pathsHere()) checkShapes<std::uint8_t>(path, 256);
}

TEST(SlidingRanks, AwkwardShapesOfWords)
{
    for (const Path path : pathsHere()) checkShapes<std::uint16_t>(path, 4096);
}

TEST(SlidingRanks, AllContentsInTilesOfAllLayouts)
{
    for (const Path path : pathsHere())
        for (const Content content : kContents)
            for (const int side : {7, 9, 15})
                for (const int width : {260, 1700}) {
                    Case<std::uint8_t> wanted(width, width == 260 ? 130 : 72, side, side, 256);
                    wanted.fill(content, 256);
                    wanted.threads = width == 260 ? 1 : 16;
                    wanted.every = 29;
                    wanted.region = {3, 2, width - 5, width == 260 ? 125 : 69};
                    ASSERT_NO_FATAL_FAILURE(wanted.check(path));
                }
}

/// Where one level has most cells of a large window, ranks need many tables, up to the last.
TEST(SlidingRanks, RanksUpToTheLastTable)
{
    std::mt19937 random(77);
    for (const Path path : pathsHere())
        for (const auto &window : {std::pair{15, 17}, {13, 19}, {17, 15}})
            for (const int some : {12, 20, 60}) {
                Case<std::uint8_t> wanted(260, 110, window.first, window.second, 256);
                for (std::int64_t y = 0; y < 110; ++y)
                    for (std::int64_t x = 0; x < 260; ++x)
                        wanted.image.at(x, y) = random() % some ? 7 : random() % 256;
                wanted.filter.border = Border::Nearest;
                wanted.every = 7;
                ASSERT_NO_FATAL_FAILURE(wanted.check(path));
            }
}

/// At the edge of what is flat, cells leave or enter that need all tables, and none of the others
/// needs more than the first. The image is so wide that all lanes are in the same rows.
TEST(SlidingRanks, TablesOfWhatLeavesOrEntersAlone)
{
    std::mt19937 random(78);
    for (const Path path : pathsHere())
        for (const bool isFlatAbove : {true, false}) {
            Case<std::uint8_t> wanted(1100, 40, 15, 15, 256);
            for (std::int64_t y = 0; y < 40; ++y)
                for (std::int64_t x = 0; x < 1100; ++x)
                    wanted.image.at(x, y) = (y < 20) == isFlatAbove ? 0 : 1 + random() % 255;
            wanted.every = 29;
            ASSERT_NO_FATAL_FAILURE(wanted.check(path));
        }
}

TEST(SlidingRanks, MissingCells)
{
    for (const Path path : pathsHere())
        for (const int one : {2, 7, 1000}) {
            Case<std::uint8_t> bytes(230, 80, 9, 7, 256);
            bytes.fill(Content::Random, one == 7 ? 256 : 4); // all 256, and one more
            bytes.maskCells(one);
            bytes.filter.empty = std::nan("");
            ASSERT_NO_FATAL_FAILURE(bytes.check(path));
            Case<std::uint16_t> words(90, 70, 15, 15, 65536);
            words.fill(Content::Natural, 4096);
            words.maskCells(one);
            words.filter.measure = Measure::Simpson;
            ASSERT_NO_FATAL_FAILURE(words.check(path));
        }
}

// In an image that repeats with the window's size, every window has the same counts. These lie so
// near to the middle of two floats that 37 bits of fraction, and for the first 42, do not decide.
// Those of the third are on the wrong side of it, by 334 units of a double's last place. The same
// in windows that have a column more, whose cells do not count.
TEST(SlidingRanks, WindowsNextToTheMiddleOfTwoFloats)
{
    std::vector<int> tie = {18, 10, 3, 2, 2};
    tie.insert(tie.end(), 14, 1);
    std::vector<int> close = {3, 3, 3, 3, 3};
    close.insert(close.end(), 13, 2);
    close.insert(close.end(), 40, 1);
    const std::vector<int> wrong = {12, 9, 5, 5, 3, 3, 3, 2, 2, 2, 2, 1};
    for (const auto &counts : {tie, close, wrong}) {
        std::vector<int> cells;
        for (std::size_t level = 0; level < counts.size(); ++level)
            cells.insert(cells.end(), counts[level], static_cast<int>(level));
        const int side = cells.size() == 49 ? 7 : 9;
        ASSERT_EQ(cells.size(), static_cast<std::size_t>(side * side));
        const Answers answers(Measure::Entropy, 1, Base::E, side * side, 0,
                              DeltaPlanes::kFractionBits);
        std::int64_t sum = 0;
        for (const int count : counts) sum += answers.sums()[count];
        EXPECT_TRUE(answers.undecided(sum, side * side));
        std::shuffle(cells.begin(), cells.end(), std::mt19937(1));
        for (const Path path : pathsHere())
            for (const int more : {0, 1}) {
                const int columns = side + more;
                Case<std::uint8_t> wanted(301, 90, columns, side, 256);
                wanted.every = 13;
                for (int y = 0; y < 90; ++y)
                    for (int x = 0; x < 301; ++x)
                        wanted.image.at(x, y) = static_cast<std::uint8_t>(
                            x % columns < side ? cells[y % side * side + x % columns] : 77);
                if (more) wanted.keep([&](auto x, auto) { return x % columns < side; });
                ASSERT_NO_FATAL_FAILURE(wanted.check(path));
                // Others above them, and beside: it is these windows that are looked at again.
                for (std::int64_t y = 0; y < wanted.region.height; ++y)
                    for (std::int64_t x = 0; x < wanted.region.width; ++x)
                        if (y < 12 || x < 12) wanted.image.at(x, y) = 99;
                ASSERT_NO_FATAL_FAILURE(wanted.check(path));
                // Others here and there: one of a vector is looked at again, its neighbour is not.
                for (std::int64_t y = 0; y < wanted.region.height; ++y)
                    for (std::int64_t x = 0; x < wanted.region.width; ++x)
                        if ((x / 31 + y / 17) % 2) wanted.image.at(x, y) = 99;
                ASSERT_NO_FATAL_FAILURE(wanted.check(path));
            }
    }
}

TEST(SlidingRanks, RefusesWhatItCannotDo)
{
    std::vector<std::uint8_t> cells(100);
    std::vector<float> results(100);
    const auto can = [&](const Filter &filter, Path path, bool isDouble) {
        const Image image = {cells.data(), CellType::Uint8, 5, 5, 5};
        const Result result = {results.data(), isDouble, 5, 5, 5};
        return slidingRanksMethod().can(checkedProblem(filter, image, {}, result, {}), path);
    };
    Filter filter;
    filter.window.width = filter.window.height = 7;
    EXPECT_TRUE(can(filter, Path::Avx2, false));
    EXPECT_TRUE(can(filter, Path::Avx512, false));
    EXPECT_FALSE(can(filter, Path::Ssse3, false));
    EXPECT_FALSE(can(filter, Path::Portable, false));
    EXPECT_FALSE(can(filter, Path::Avx2, true));
    filter.measure = Measure::Hill;
    EXPECT_FALSE(can(filter, Path::Avx2, false));
    filter.measure = Measure::Entropy;
    filter.window.footprint.assign(49, 1);
    filter.window.footprint[3] = 0;
    EXPECT_FALSE(can(filter, Path::Avx2, false));
    filter.window.footprint.clear();
    filter.window.width = filter.window.height = 5;
    EXPECT_FALSE(can(filter, Path::Avx2, false));
    filter.window.width = filter.window.height = 16;
    EXPECT_FALSE(can(filter, Path::Avx2, false));
    for (const auto &[width, height] : {std::pair{13, 2}, {2, 13}, {17, 15}, {15, 17}}) {
        filter.window.width = width; // 26 cells, and 255
        filter.window.height = height;
        EXPECT_TRUE(can(filter, Path::Avx2, false)) << width << " x " << height;
    }
    filter.window.height = 5;
    for (const int width : {47, 48, 49, 50}) { // a strip has 48 columns at most
        filter.window.width = width;
        EXPECT_EQ(can(filter, Path::Avx2, false), width <= 48) << width;
    }
}

namespace
{

/// An image in which not every thread would have a tile of the usual height.
struct SmallImage
{
    static constexpr std::int64_t kSide = 512;

    /// With windows of these sides, of all its rows or of the first ones.
    Problem problem(int width, int height, std::int64_t rows = kSide)
    {
        Filter filter;
        filter.window.width = width;
        filter.window.height = height;
        return checkedProblem(filter, {cells.data(), CellType::Uint8, kSide, kSide, 0}, {},
                              {results.data(), false, kSide, rows, 0}, {0, 0, kSide, rows});
    }

    std::vector<std::uint8_t> cells = std::vector<std::uint8_t>(kSide * kSide);
    std::vector<float> results = std::vector<float>(kSide * kSide);
};

} // namespace

// Tiles whose starts cost little were so high that threads had none: a few at 512 x 512, for any
// number of threads.
TEST(SlidingRanks, HasATileForEachThreadOfASmallImage)
{
    SmallImage image;
    for (const int side : {7, 9, 15})
        for (const Path path : pathsHere()) {
            const Problem problem = image.problem(side, side);
            const auto plan = slidingRanksMethod().plan(problem, path);
            for (const int threads : {1, 2, 3, 16, 64, 500}) {
                const TileSize size = plan->tileSize(problem, threads);
                const auto ofSide = [](std::int64_t part) {
                    return (SmallImage::kSide + part - 1) / part;
                };
                EXPECT_GE(ofSide(size.width) * ofSide(size.height), std::min(threads, 30))
                    << side << ", " << threads << " threads, " << pathName(path);
                EXPECT_GE(size.height, 16) << side << ", " << threads << " threads";
            }
        }
}

// Tiles of a number of rows that 16 does not divide are evened out: about 16 rows, never a rest.
TEST(SlidingRanks, TilesOfASmallImageAreAboutAsHigh)
{
    SmallImage image;
    for (const std::int64_t rows : {17, 40, 100, 511})
        for (const Path path : pathsHere()) {
            const Problem problem = image.problem(15, 15, rows);
            const auto plan = slidingRanksMethod().plan(problem, path);
            const std::int64_t height = plan->tileSize(problem, 500).height;
            const std::int64_t last = rows - (rows - 1) / height * height;
            EXPECT_LE(height, 16) << rows << " rows, " << pathName(path);
            EXPECT_GE(height, 9) << rows << " rows, " << pathName(path);
            EXPECT_GE(last, height / 2) << rows << " rows, " << pathName(path);
        }
}

// Where a start costs little, tiles are lower than that anyway, and stay so.
TEST(SlidingRanks, ManyThreadsNeverMakeTilesHigher)
{
    SmallImage image;
    for (const int height : {1, 3, 15})
        for (const Path path : pathsHere()) {
            const Problem problem = image.problem(15, height);
            const auto plan = slidingRanksMethod().plan(problem, path);
            std::int64_t least = SmallImage::kSide;
            for (const int threads : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512}) {
                const std::int64_t rows = plan->tileSize(problem, threads).height;
                EXPECT_LE(rows, least)
                    << height << ", " << threads << " threads, " << pathName(path);
                least = rows;
            }
        }
}
