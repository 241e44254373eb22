// Images that stay where they are in the memory of a GPU (launches.h), though their cells may be no
// levels: for the methods that look for such cells themselves.
#include "launches.h"

#ifdef __CUDACC__
#include <random>

using namespace local_entropy;

namespace
{

struct Asked
{
    const char *method;
    std::vector<int> levels, sides;
};

const Asked kLevels = {
    "levels", {2, 3, 4, 7, 8, 12, 16, 30, 32}, {1, 3, 5, 8, 9, 15, 16, 17, 31, 33, 64}};
const Asked kWide = {"wide", {300, 1000, 4096}, {1, 3, 9, 15, 16, 29, 31, 35, 61}};

/// Pictures as wide as images are that stay where they are, at any address, with rows of any
/// stride; most windows are whole, some have one level, and parts of them are asked for.
struct WideQuestion
{
    WideQuestion(const Asked &asked, unsigned seed) : random(seed)
    {
        filter.levels.count = among(asked.levels);
        filter.window.width = among(asked.sides);
        do filter.window.height = among(asked.sides);
        while (filter.window.width * filter.window.height > 2048);
        filter.border = static_cast<Border>(below(6));
        filter.base = static_cast<Base>(below(3));
        filter.empty = 7;
        region = {below(2) * below(90), below(2) * below(30), 1200 + below(900), 40 + below(100)};
        width = static_cast<int>(region.x + region.width) + below(2) * below(90);
        height = static_cast<int>(region.y + region.height) + below(2) * below(30);
        gap = below(3) ? below(9) : 0;
    }

    int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }
    int among(const std::vector<int> &numbers)
    {
        return numbers[below(static_cast<int>(numbers.size()))];
    }

    template <typename Cell>
    void fill(const GuardedArray<Cell> &image)
    {
        const int alike = below(4), levels = filter.levels.count;
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) // often the one before; sometimes a whole area
                image.at(x, y) = static_cast<Cell>(x > 0 && (below(alike + 1) || x / 100 % 5 == 4)
                                                       ? image.at(x - 1, y)
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

template <typename Cell>
void askInPlace(const Asked &asked, unsigned questions)
{
    Engine cpu, gpu = engineOf(asked.method);
    for (unsigned seed = 0; seed < questions; ++seed) {
        WideQuestion question(asked, seed);
        const Region &region = question.region;
        GuardedArray<Cell> image(question.width, question.height, question.gap);
        GuardedArray<float> values(region.width, region.height, question.below(9));
        question.fill(image);
        const View<const Cell> cells{&image.at(0, 0), question.width, question.height,
                                     image.view().stride};
        RunOptions options;
        options.region = region;
        ASSERT_TRUE(
            enqueuesTheBitsOfTheCpu(cpu, gpu, question.filter, cells, values.view(), options))
            << asked.method << ", " << question.text() << "seed " << seed;
    }
}

/// Rows are taken in batches: how far the last whole one is from the image's last row depends on
/// the height.
void askAtEveryHeight(int side)
{
    constexpr int kLevels = 1000, kColumns = 1500, kLeast = 40, kBatch = 16;
    Engine cpu, gpu = engineOf("wide");
    std::mt19937 random(3);
    for (int height = kLeast; height < kLeast + 2 * kBatch; ++height) {
        GuardedArray<std::uint16_t> image(kColumns, height, 0);
        GuardedArray<float> values(kColumns, height, 0);
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < kColumns; ++x)
                image.at(x, y) = static_cast<std::uint16_t>(random() % kLevels);
        Filter filter;
        filter.levels.count = kLevels;
        filter.window.width = filter.window.height = side;
        filter.border = Border::Reflect;
        const View<const std::uint16_t> cells{&image.at(0, 0), kColumns, height,
                                              image.view().stride};
        ASSERT_TRUE(enqueuesTheBitsOfTheCpu(cpu, gpu, filter, cells, values.view()))
            << "side " << side << ", height " << height;
    }
}

constexpr int kWidth = 1501, kHeight = 300;

/// What an engine says of an image of level 0 with one cell of `level`; empty: nothing.
template <typename Cell>
std::string complaintOf(Engine &engine, const Filter &filter, const Region &region, int x, int y,
                        int level)
{
    std::vector<Cell> cells(kWidth * kHeight);
    cells[y * kWidth + x] = static_cast<Cell>(level);
    std::vector<float> values(static_cast<std::size_t>(region.width * region.height));
    OnDevice<const Cell> image(View<const Cell>{cells.data(), kWidth, kHeight, kWidth});
    OnDevice<float> result(View<float>{values.data(), region.width, region.height, region.width});
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

template <typename Cell>
void tellBadCells(const char *method, int levels, const std::vector<int> &bad)
{
    Engine engine = engineOf(method);
    Filter filter;
    filter.levels.count = levels;
    filter.window.width = filter.window.height = 9;
    const Region all{0, 0, kWidth, kHeight}, part{100, 100, 1200, 50}, top{0, 0, kWidth, 10};
    const auto complains = [&](const Region &region, int x, int y) {
        return !complaintOf<Cell>(engine, filter, region, x, y, bad.back()).empty();
    };
    for (const int x : {0, 240, 247, 700, 1490, 1500})
        for (const int y : {0, 150, kHeight - 1}) {
            const std::string place = "x " + std::to_string(x) + ", y " + std::to_string(y) + " ";
            for (const int level : bad)
                EXPECT_NE(complaintOf<Cell>(engine, filter, all, x, y, level).find(place),
                          std::string::npos)
                    << method << ", " << place << level << " of " << levels;
            EXPECT_EQ(complaintOf<Cell>(engine, filter, all, x, y, levels - 1), "");
        }
    for (const int x : {95, 96, 1303, 1304}) // those between are reached by a window
        EXPECT_EQ(complains(part, x, 120), x >= 96 && x <= 1303) << method << ", x " << x;
    for (const int y : {95, 96, 153, 154})
        EXPECT_EQ(complains(part, 700, y), y >= 96 && y <= 153) << method << ", y " << y;
    filter.border = Border::Wrap;
    for (const int y : {kHeight - 5, kHeight - 4}) // reached by the first row's windows
        EXPECT_EQ(complains(top, 700, y), y == kHeight - 4) << method << ", y " << y;
}

} // namespace

TEST_F(Launches, OfLevelsGiveTheBitsOfTheCpuWhereImagesStay)
{
    askInPlace<std::uint8_t>(kLevels, 50);
}

TEST_F(Launches, OfWideGiveTheBitsOfTheCpuWhereImagesStay) { askInPlace<std::uint16_t>(kWide, 15); }

// Counters of bytes, and of pairs of them.
TEST_F(Launches, OfWideGiveTheBitsOfTheCpuAtEveryHeight)
{
    askAtEveryHeight(15);
    askAtEveryHeight(31);
}

TEST_F(Launches, OfLevelsTellABadCellWhereverItIs)
{
    for (const int levels : {2, 12, 16})
        tellBadCells<std::uint8_t>("levels", levels, {levels, 127, 128, 255});
}

TEST_F(Launches, OfWideTellABadCellWhereverItIs)
{
    for (const int levels : {300, 4096})
        tellBadCells<std::uint16_t>("wide", levels, {levels, 65535});
}

#else

TEST_F(Launches, InPlaceNeedCuda) {}

#endif
