// Few levels in the memory of a GPU (launches.h), in images that stay where they are.
#include "launches.h"

#ifdef __CUDACC__
#include <random>

using namespace local_entropy;

namespace
{

Engine ofLevels()
{
    EngineOptions options;
    options.method = "levels";
    return Engine(options);
}

/// Pictures as wide as images are that stay where they are, at any address, with rows of any
/// stride; most windows are whole, some have one level, and parts of them are asked for.
struct WideQuestion
{
    explicit WideQuestion(unsigned seed) : random(seed)
    {
        constexpr int kCounts[] = {1, 2, 2, 3, 4, 7, 8, 12, 16, 16, 30, 32};
        constexpr int kSides[] = {1, 3, 5, 8, 9, 15, 16, 17, 31, 33, 64};
        filter.levels.count = kCounts[below(12)];
        filter.window.width = kSides[below(11)];
        filter.window.height = kSides[below(filter.window.width > 20 ? 9 : 11)];
        filter.border = static_cast<Border>(below(6));
        filter.base = static_cast<Base>(below(3));
        filter.empty = 7;
        region = {below(2) * below(90), below(2) * below(30), 1200 + below(900), 40 + below(100)};
        width = static_cast<int>(region.x + region.width) + below(2) * below(90);
        height = static_cast<int>(region.y + region.height) + below(2) * below(30);
        gap = below(3) ? below(9) : 0;
    }

    int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }

    void fill(const GuardedArray<std::uint8_t> &image)
    {
        const int alike = below(4), levels = filter.levels.count;
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) // often the one before; sometimes a whole area
                image.at(x, y) = static_cast<std::uint8_t>(
                    x > 0 && (below(alike + 1) || x / 100 % 5 == 4) ? image.at(x - 1, y)
                                                                    : below(levels));
    }

    std::string text() const
    {
        std::string all;
        for (const std::int64_t number :
             {std::int64_t(filter.levels.count), std::int64_t(filter.window.width),
              std::int64_t(filter.window.height), std::int64_t(filter.border), region.x, region.y,
              region.width, region.height, std::int64_t(width), std::int64_t(height),
              std::int64_t(gap)})
            all += std::to_string(number) + " ";
        return "levels, window, border, region, image, gap: " + all;
    }

    std::mt19937 random;
    Filter filter;
    Region region;
    int width, height, gap;
};

/// What the levels method says of an image of level 0 with one cell of `level`; empty: nothing.
std::string complaintOf(const Filter &filter, int width, int height, const Region &region, int x,
                        int y, int level)
{
    std::vector<std::uint8_t> cells(static_cast<std::size_t>(width) * height);
    cells[static_cast<std::size_t>(y) * width + x] = static_cast<std::uint8_t>(level);
    std::vector<float> values(static_cast<std::size_t>(region.width * region.height));
    OnDevice<const std::uint8_t> image(
        View<const std::uint8_t>{cells.data(), width, height, width});
    OnDevice<float> result(
        View<float>{values.data(), region.width, region.height, region.width});
    Engine engine = ofLevels();
    RunOptions options;
    options.region = region;
    engine.enqueue(filter, image.view(), result.view(), nullptr, options);
    try {
        engine.synchronize();
    } catch (const Error &error) {
        EXPECT_EQ(error.status(), Status::BadLevel);
        return error.what();
    }
    return "";
}

} // namespace

TEST_F(Launches, OfLevelsGiveTheBitsOfTheCpuWhereImagesStay)
{
    Engine cpu, gpu = ofLevels();
    for (unsigned seed = 0; seed < 70; ++seed) {
        WideQuestion question(seed);
        const Region &region = question.region;
        GuardedArray<std::uint8_t> image(question.width, question.height, question.gap);
        GuardedArray<float> values(region.width, region.height, question.below(9));
        question.fill(image);
        std::memset(static_cast<void *>(values.view().data), 0xFF,
                    ((region.height - 1) * values.view().stride + region.width) * sizeof(float));
        const View<const std::uint8_t> cells{&image.at(0, 0), question.width, question.height,
                                             image.view().stride};
        OnDevice<const std::uint8_t> cellsThere(cells);
        OnDevice<float> found(values.view());
        RunOptions options;
        options.region = region;
        cpu.run(question.filter, cells, values.view(), options);
        OnDevice<float> expected(values.view());
        gpu.enqueue(question.filter, cellsThere.view(), found.view(), nullptr, options);
        gpu.synchronize();
        ASSERT_EQ(found.bytes(), expected.bytes()) << question.text() << "seed " << seed;
    }
}

// The kernel looks for such cells itself, in what it reads.
TEST_F(Launches, OfLevelsTellABadCellWhereverItIs)
{
    constexpr int kWidth = 1501, kHeight = 300;
    for (const int count : {2, 12, 16}) {
        Filter filter;
        filter.levels.count = count;
        filter.window.width = filter.window.height = 9;
        const Region all{0, 0, kWidth, kHeight}, part{100, 100, 1200, 50};
        for (const int x : {0, 7, 240, 244, 700, 1490, 1500})
            for (const int y : {0, 150, kHeight - 1}) {
                const std::string place =
                    "x " + std::to_string(x) + ", y " + std::to_string(y) + " ";
                for (const int level : {count, 127, 128, 255})
                    EXPECT_NE(
                        complaintOf(filter, kWidth, kHeight, all, x, y, level).find(place),
                        std::string::npos)
                        << place << level << " of " << count;
                EXPECT_EQ(complaintOf(filter, kWidth, kHeight, all, x, y, count - 1), "");
            }
        for (const int x : {95, 96, 1303, 1304}) // those between are reached by a window
            EXPECT_EQ(complaintOf(filter, kWidth, kHeight, part, x, 120, 255).empty(),
                      x < 96 || x > 1303);
        for (const int y : {95, 96, 153, 154})
            EXPECT_EQ(complaintOf(filter, kWidth, kHeight, part, 700, y, 255).empty(),
                      y < 96 || y > 153);
        filter.border = Border::Wrap;
        for (const int y : {kHeight - 5, kHeight - 4}) // reached by the first row's windows
            EXPECT_EQ(complaintOf(filter, kWidth, kHeight, {0, 0, kWidth, 10}, 700, y, 255).empty(),
                      y < kHeight - 4);
    }
}

#else

TEST_F(Launches, OfLevelsNeedCuda) {}

#endif
