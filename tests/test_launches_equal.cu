// Equality counts in the memory of a GPU: random questions (launches.h), and hard ones.
#include "launches.h"

#ifdef __CUDACC__
#include "local_entropy/answers/answers.h"
#include "local_entropy/methods/equal/share_scale.h"

#include <algorithm>
#include <random>

namespace
{

using namespace local_entropy;

/// All ways to have counts that do not ascend, of at most `cells` cells.
void addCounts(int cells, int largest, std::vector<int> &counts, std::vector<std::vector<int>> &all)
{
    if (!counts.empty()) all.push_back(counts);
    for (int n = std::min(cells, largest); n >= 1; --n) {
        counts.push_back(n);
        addCounts(cells - n, n, counts, all);
        counts.pop_back();
    }
}

/// Random questions have small images: these are so wide that they stay where they are, with as
/// many levels as their type has or less, and most windows are whole, many rows long.
template <typename Cell>
void askOfWideImages(unsigned seed, int questions)
{
    constexpr int kSides[][2] = {{3, 3}, {5, 5}, {3, 3}, {7, 7}, {3, 3}, {4, 3}, {5, 4}, {9, 8}};
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    Engine cpu, gpu = engineOf("equal");
    for (int i = 0; i < questions; ++i) {
        Filter filter;
        filter.window.width = kSides[i % 8][0];
        filter.window.height = kSides[i % 8][1];
        const int most = 1 << (8 * sizeof(Cell)), larger = sizeof(Cell) > 1 ? 257 : 2;
        filter.levels.count = below(2) ? most : larger + below(most - larger);
        filter.border = static_cast<Border>(below(6));
        filter.constant = below(filter.levels.count);
        filter.base = static_cast<Base>(below(3));
        const int width = 1000 + 4 * below(225) + (below(2) ? 0 : below(4)), height = 1 + below(90);
        GuardedArray<Cell> image(width, height, below(2) ? 0 : below(9));
        const int alike = below(4); // how often a cell is like one before
        const int levels = below(2) ? filter.levels.count : std::min(filter.levels.count, 5);
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                image.at(x, y) = x > 0 && below(alike + 1)   ? image.at(x - 1, y)
                                 : y > 0 && below(alike + 1) ? image.at(x, y - 1)
                                                             : static_cast<Cell>(below(levels));
        RunOptions part;
        if (below(2)) {
            part.region.x = below(60);
            part.region.y = below(height);
            part.region.width = width - part.region.x - below(9);
            part.region.height = 1 + below(height - static_cast<int>(part.region.y));
        } else {
            part.region = {0, 0, width, height};
        }
        GuardedArray<float> values(part.region.width, part.region.height, below(2) ? 0 : below(9));
        const View<const Cell> view{&image.at(0, 0), width, height, image.view().stride};
        ASSERT_TRUE(enqueuesTheBitsOfTheCpu(cpu, gpu, filter, view, values.view(), part))
            << filter.window.width << " x " << filter.window.height << " of " << width << " x "
            << height << ", stride " << view.stride << ", levels " << filter.levels.count
            << ", border " << static_cast<int>(filter.border) << ", base "
            << static_cast<int>(filter.base) << ", region " << part.region.x << ", "
            << part.region.y << " " << part.region.width << " x " << part.region.height
            << ", stride " << values.view().stride << ", question " << i;
    }
}

} // namespace

TEST_F(Launches, OfEqualGiveTheBitsOfTheCpuWhereImagesStay)
{
    askOfWideImages<std::uint8_t>(1, 160);
    askOfWideImages<std::uint16_t>(2, 120);
}

TEST_F(Launches, OfEqualGiveTheBitsOfTheCpu)
{
    ask<std::uint8_t>("equal", 1000, 600);
    ask<std::uint16_t>("equal", 20000, 400);
    ask<std::int16_t>("equal", 30000, 200);
    ask<float>("equal", 40000, 300);
}

// No GPU is needed: of all cells of a window, the product is right, or it is among the middles, and
// then the right answer is listed.
TEST(ShareScale, RoundsEveryShareOfAllCells)
{
    for (const int cells : {9, 15, 20, 24, 25})
        for (const Base base : {Base::E, Base::Two, Base::Ten}) {
            const equal::ShareScale scale(cells, base);
            const Answers answers(Measure::Entropy, 1, base, cells, 0);
            std::vector<std::vector<int>> all;
            std::vector<int> counts;
            addCounts(cells, cells, counts, all);
            for (const std::vector<int> &share : all) {
                std::int64_t difference = scale.sums[cells];
                int rest = cells;
                for (const int n : share) difference -= scale.sums[n], rest -= n;
                if (rest > 0) continue;
                const double value = static_cast<double>(difference) * scale.scales[cells];
                std::uint64_t bits;
                std::memcpy(&bits, &value, sizeof bits);
                auto found = static_cast<float>(value);
                if (scale.middles.hold(static_cast<std::uint32_t>(bits)))
                    for (const Exception &one : scale.exceptions)
                        if (one.key == equal::exceptionKey(cells, difference)) found = one.answer;
                ASSERT_EQ(found, answers.floatOf(share.data(), static_cast<int>(share.size())))
                    << cells << " cells, base " << static_cast<int>(base);
            }
        }
}

// A few counts leave a sum of few bits undecided: every way to share up to 25 cells between levels
// is the window around some cell.
TEST_F(Launches, OfEqualRoundEveryShare)
{
    Engine cpu, gpu = engineOf("equal");
    for (const int side : {3, 5}) {
        std::vector<std::vector<int>> all;
        std::vector<int> counts;
        addCounts(side * side, side * side, counts, all);
        const auto width = static_cast<std::int64_t>(side * all.size());
        std::vector<std::uint16_t> cells(width * side, 1000); // nodata
        for (std::size_t i = 0; i < all.size(); ++i)
            for (std::size_t level = 0, place = 0; level < all[i].size(); ++level)
                for (int n = 0; n < all[i][level]; ++n, ++place)
                    cells[place / side * width + i * side + place % side] =
                        static_cast<std::uint16_t>(level);
        const View<const std::uint16_t> view{cells.data(), width, side, width};
        OnDevice<const std::uint16_t> image(view);
        for (const Base base : {Base::E, Base::Two, Base::Ten}) {
            Filter filter;
            filter.window.width = filter.window.height = side;
            filter.levels.count = 512;
            filter.nodata = 1000;
            filter.base = base;
            std::vector<float> values(cells.size());
            const View<float> result{values.data(), width, side, width};
            OnDevice<float> found(result);
            cpu.run(filter, view, result);
            OnDevice<float> expected(result);
            gpu.enqueue(filter, image.view(), found.view());
            gpu.synchronize();
            EXPECT_TRUE(found.bytes() == expected.bytes())
                << side << " x " << side << ", base " << static_cast<int>(base);
        }
    }
}

#else

TEST_F(Launches, OfEqualNeedCuda) {}

#endif
