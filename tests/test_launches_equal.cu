// Equality counts in the memory of a GPU: random questions (launches.h), and hard ones.
#include "launches.h"

#ifdef __CUDACC__
#include <algorithm>

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

} // namespace

TEST_F(Launches, OfEqualGiveTheBitsOfTheCpu)
{
    ask<std::uint8_t>("equal", 1000, 600, 226);
    ask<std::uint16_t>("equal", 20000, 400, 138);
    ask<std::int16_t>("equal", 30000, 200, 64);
    ask<float>("equal", 40000, 300, 103);
}

// A few counts leave a sum of few bits undecided: every way to share up to 25 cells between levels
// is the window around some cell.
TEST_F(Launches, OfEqualRoundEveryShare)
{
    EngineOptions options;
    options.method = "equal";
    Engine cpu, gpu(options);
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
