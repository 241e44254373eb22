// Windows of 3x3 cells in the memory of a GPU (launches.h): results, images and masks at any
// address, in rows of any stride, whole and regions. The kernel stores rows of results by 16 bytes,
// at whatever column they have such an address.
#include "launches.h"

#ifdef __CUDACC__
#include <algorithm>
#include <initializer_list>
#include <random>

namespace
{

using namespace local_entropy;

struct NineQuestion
{
    int width, height, levels;
    Border border;
    bool masked;
    int shift, gap; ///< cells of the image before its first one, and between its rows
    Region region;  ///< of the results, in the image

    std::string text() const
    {
        std::string all = masked ? "mask; " : "";
        for (const std::int64_t number : std::initializer_list<std::int64_t>{
                 width, height, levels, static_cast<int>(border), shift, gap, region.x, region.y,
                 region.width, region.height})
            all += std::to_string(number) + " ";
        return all + "(width, height, levels, border, shift, gap; region x, y, width, height)";
    }
};

/// The same result in all places of one array, poison around it: behind an address that 16 divides
/// by 0 ... 3 floats, with strides that are 0 ... 3 more than a multiple of four.
class Places
{
public:
    static constexpr int kNumber = 16;

    Places(int width, int height) : width(width), height(height) {}

    std::size_t size() const { return kNumber * room() + kGuard; }
    View<float> in(float *all, int place) const
    {
        return {all + kGuard + place * room() + place / 4, width, height, fours() + place % 4};
    }

private:
    static constexpr std::size_t kGuard = 64;

    int fours() const { return (width + 3) / 4 * 4; }
    std::size_t room() const { return static_cast<std::size_t>(height) * (fours() + 4) + kGuard; }

    const int width, height;
};

/// `result` in all places of an array that is poisoned else.
std::vector<float> inAllPlaces(const Places &places, const View<const float> &result)
{
    std::vector<float> all(places.size());
    std::memset(all.data(), 0xFF, all.size() * sizeof(float));
    for (int place = 0; place < Places::kNumber; ++place) {
        const View<float> to = places.in(all.data(), place);
        for (int y = 0; y < result.height; ++y)
            std::copy_n(result.data + y * result.stride, result.width, to.data + y * to.stride);
    }
    return all;
}

/// Which place, and where in it, is the first that is not as expected; empty: none.
std::string firstDifference(const Places &places, std::vector<float> &found,
                            const std::vector<float> &expected)
{
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (std::memcmp(&found[i], &expected[i], sizeof(float)) == 0) continue;
        int place = Places::kNumber - 1;
        while (place > 0 && places.in(found.data(), place).data > &found[i]) --place;
        const View<float> view = places.in(found.data(), place);
        const std::int64_t at = &found[i] - view.data;
        return "at float " + std::to_string(at) + " of place " + std::to_string(place) +
               " with stride " + std::to_string(view.stride);
    }
    return "";
}

class NineAsker
{
public:
    NineAsker() : gpu(engineOf("equal")) {}

    template <typename Cell>
    std::string ask(const NineQuestion &question)
    {
        const int stride = question.shift + question.width + question.gap;
        std::vector<Cell> cells(static_cast<std::size_t>(stride) * question.height);
        std::vector<std::uint8_t> counts(question.masked ? cells.size() : 0);
        for (Cell &cell : cells) cell = static_cast<Cell>(below(below(3) ? 4 : question.levels));
        for (std::uint8_t &count : counts) count = below(9) != 0;
        // With the cells before the first one, which stand where 256 divides the address.
        const auto whole = [&](const auto *data) {
            return View<const std::decay_t<decltype(*data)>>{data, question.shift + question.width,
                                                             question.height, stride};
        };
        const auto image = [&](auto view) {
            if (view.data) view.data += question.shift, view.width -= question.shift;
            return view;
        };
        OnDevice<const Cell> cellsThere(whole(cells.data()), Place::Aligned);
        OnDevice<const std::uint8_t> countsThere(
            question.masked ? whole(counts.data()) : View<const std::uint8_t>{}, Place::Aligned);

        Filter filter;
        filter.window.width = filter.window.height = 3;
        filter.levels.count = question.levels;
        filter.border = question.border;
        filter.constant = 1;
        const int width = static_cast<int>(question.region.width),
                  height = static_cast<int>(question.region.height);
        std::vector<float> values(static_cast<std::size_t>(width) * height);
        const View<float> result{values.data(), width, height, width};
        RunOptions options;
        options.region = question.region;
        if (question.masked) options.mask = image(whole(counts.data()));
        cpu.run(filter, image(whole(cells.data())), result, options);

        const Places places(width, height);
        auto there = common::poisoned<float>(places.size());
        options.mask = image(countsThere.view());
        for (int place = 0; place < Places::kNumber; ++place)
            gpu.enqueue(filter, image(cellsThere.view()), places.in(there.data(), place), nullptr,
                        options);
        gpu.synchronize();
        std::vector<float> found(places.size());
        common::download(there, found.data());
        const std::vector<float> expected =
            inAllPlaces(places, {result.data, result.width, result.height, result.stride});
        const std::string where = firstDifference(places, found, expected);
        return where.empty() ? "" : where + "; " + question.text();
    }

private:
    int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }

    std::mt19937 random{3};
    Engine cpu, gpu;
};

/// Of a width, for a question that is the next in turn; of so many levels at most, less with a
/// mask, so that "no cell" is one more.
NineQuestion questionOf(int width, int height, int turn, int mostLevels, int shifts)
{
    NineQuestion question{};
    question.width = width;
    question.height = height;
    question.border = static_cast<Border>(turn % 6);
    question.masked = turn / 6 % 2 != 0;
    question.levels = question.masked || turn / 12 % 2 ? mostLevels / 4 + 1 : mostLevels;
    question.shift = turn / 5 % shifts;
    question.gap = turn / 7 % 4;
    question.region = {0, 0, width, height};
    return question;
}

/// Results of a region that is so wide, with `right` columns of the image to its right.
NineQuestion regionOf(int width, int right, int turn, int mostLevels, int shifts)
{
    const int x = 1 + turn % 5, y = 1 + turn % 4, below = turn / 2 % 3, height = 7 + turn % 9;
    NineQuestion question =
        questionOf(x + width + right, y + height + below, turn, mostLevels, shifts);
    question.region = {x, y, width, height};
    return question;
}

} // namespace

TEST_F(Launches, OfNineGiveTheBitsOfTheCpuAtEveryAddress)
{
    NineAsker asker;
    for (int width = 1; width <= 300; ++width) {
        const int height = 1 + width * 5 % 13;
        ASSERT_EQ(asker.ask<std::uint8_t>(questionOf(width, height, width, 256, 4)), "");
        ASSERT_EQ(asker.ask<std::uint16_t>(questionOf(width, height, width, 65536, 2)), "");
    }
}

// Wider ones: most strips are cut by no edge, many rows long; without a mask the middle of the
// image stays where it is.
TEST_F(Launches, OfNineInWideImagesGiveTheBitsOfTheCpuAtEveryAddress)
{
    NineAsker asker;
    for (int turn = 0; turn < 48; ++turn) {
        const int width = 1080 + turn * 7 % 121, height = 30 + turn % 3;
        ASSERT_EQ(asker.ask<std::uint8_t>(questionOf(width, height, turn, 256, 4)), "");
        ASSERT_EQ(asker.ask<std::uint16_t>(questionOf(width, height, turn, 65536, 2)), "");
    }
}

// No edge at the left and the top, and none, or one, at the right and below. Three strips and more,
// of 120 or 124 columns, the last of which has 1 ... 4, or nearly all.
TEST_F(Launches, OfNineOfRegionsGiveTheBitsOfTheCpuAtEveryAddress)
{
    NineAsker asker;
    int turn = 0;
    for (const int columns : {120, 124})
        for (const int strips : {2, 3, 8})
            for (const int more : {1, 2, 3, 4, columns - 2, columns - 1, columns})
                for (const int right : {0, 1, 6}) {
                    const int width = strips * columns + more;
                    ++turn;
                    ASSERT_EQ(asker.ask<std::uint8_t>(regionOf(width, right, turn, 256, 4)), "");
                    ASSERT_EQ(asker.ask<std::uint16_t>(regionOf(width, right, turn, 65536, 2)), "");
                }
}

#else

TEST_F(Launches, OfNineNeedCuda) {}

#endif
