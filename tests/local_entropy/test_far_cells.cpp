// Arrays of more cells than 32 bits count: rows that lie far apart, and regions far from the first
// cell. Nobody has touched most of their pages, so that they take no memory.

#include "all_engines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace
{

using namespace local_entropy;

/// All cells have addresses; those that are not written are 0.
template <typename T>
class FarArray
{
public:
    FarArray(std::int64_t width, std::int64_t height, std::int64_t stride)
        : width(width), height(height), stride(stride),
          bytes(((height - 1) * stride + width) * sizeof(T)),
          pages(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
    {
    }
    ~FarArray()
    {
        if (isThere()) munmap(pages, bytes);
    }
    FarArray(const FarArray &) = delete;
    FarArray &operator=(const FarArray &) = delete;

    bool isThere() const { return pages != MAP_FAILED; }
    T *row(std::int64_t y) const { return static_cast<T *>(pages) + y * stride; }
    View<T> view() const { return {static_cast<T *>(pages), width, height, stride}; }

private:
    const std::int64_t width, height, stride;
    const std::size_t bytes;
    void *const pages;
};

/// An image, and the region of it that is asked.
struct Far
{
    const char *what;
    std::int64_t width, height, stride;
    Region region;
};

constexpr std::int64_t kFar = std::int64_t(1) << 32, kApart = kFar / 8 + 64;
constexpr Far kAll[] = {
    {"rows far apart", 70, 30, kApart, {0, 0, 70, 20}},      // not to the last: read in place
    {"all rows, far apart", 70, 30, kApart, {0, 0, 70, 30}}, // whose last ones are a part
    {"columns far to the right", kFar + 99, 7, kFar + 99, {kFar + 39, 0, 60, 7}},
    {"few rows far down", 20, kFar / 16, 20, {0, kFar / 16 - 30, 20, 30}},
    {"some rows far down", 20, kFar / 16, 20, {0, kFar / 16 - 300, 20, 300}},
    {"many rows far down", 20, kFar / 16, 20, {0, kFar / 16 - 1000, 20, 1000}},
};

/// A far image, and what its windows reach of it in an image of its own.
template <typename Cell, typename Value>
class Scene
{
public:
    Scene(const Far &far, int side, int levels, bool isMasked)
        : far(far), isMasked(isMasked), image(far.width, far.height, far.stride),
          counts(far.width, far.height, far.stride),
          result(far.region.width, far.region.height,
                 far.stride == kApart ? kApart : far.region.width)
    {
        filter.window.width = filter.window.height = side;
        filter.levels.count = levels;
        near.x = std::max<std::int64_t>(far.region.x - side, 0);
        near.y = std::max<std::int64_t>(far.region.y - side, 0);
        near.width = std::min(far.region.x + far.region.width + side, far.width) - near.x;
        near.height = std::min(far.region.y + far.region.height + side, far.height) - near.y;
    }

    bool isThere() const { return image.isThere() && counts.isThere() && result.isThere(); }

    void fill()
    {
        std::mt19937 random(6);
        for (std::int64_t y = near.y; y < near.y + near.height; ++y)
            for (std::int64_t x = near.x; x < near.x + near.width; ++x) {
                cells.push_back(static_cast<Cell>(random() % filter.levels.count));
                kept.push_back(random() % 8 != 0);
                image.row(y)[x] = cells.back();
                counts.row(y)[x] = kept.back();
            }
        RunOptions options;
        options.region = {far.region.x - near.x, far.region.y - near.y, far.region.width,
                          far.region.height};
        if (isMasked) options.mask = {kept.data(), near.width, near.height};
        expected.resize(far.region.width * far.region.height);
        Engine().run(filter, View<const Cell>{cells.data(), near.width, near.height},
                     View<Value>{expected.data(), far.region.width, far.region.height}, options);
    }

    /// Whether all results are as of the image by itself; or this engine cannot compute them.
    bool isRight(Engine &engine)
    {
        const std::int64_t width = far.region.width;
        for (std::int64_t y = 0; y < far.region.height; ++y)
            std::fill_n(result.row(y), width, Value(-1));
        RunOptions options;
        options.region = far.region;
        const View<std::uint8_t> mask = counts.view();
        if (isMasked) options.mask = {mask.data, mask.width, mask.height, mask.stride};
        try {
            engine.run(filter, image.view(), result.view(), options);
        } catch (const Error &error) {
            return error.status() == Status::Unavailable;
        }
        for (std::int64_t y = 0; y < far.region.height; ++y)
            if (!std::equal(result.row(y), result.row(y) + width, &expected[y * width]))
                return false;
        return true;
    }

private:
    const Far &far;
    const bool isMasked;
    const FarArray<Cell> image;
    const FarArray<std::uint8_t> counts;
    const FarArray<Value> result;
    Filter filter;
    Region near;
    std::vector<Cell> cells;
    std::vector<std::uint8_t> kept;
    std::vector<Value> expected;
};

using Engines = std::vector<std::pair<std::string, Engine>>;

template <typename Cell, typename Value>
void ask(Engines &engines, const Far &far, int side, int levels, bool isMasked)
{
    Scene<Cell, Value> scene(far, side, levels, isMasked);
    if (!scene.isThere()) GTEST_SKIP() << "needs addresses without memory";
    scene.fill();
    for (auto &[who, engine] : engines)
        EXPECT_TRUE(scene.isRight(engine)) << who << ", window of " << side << ": " << far.what;
}

TEST(LocalEntropyFarCells, AreAsCellsNearTheFirst)
{
    Engines engines = allEngines();
    for (const Far &far : kAll)
        for (const int side : {5, 9}) {
            if (side == 9 && far.region.height > 30) continue; // the same, and takes long
            ask<std::uint8_t, float>(engines, far, side, 16, false);
            ask<float, float>(engines, far, side, 16, false);
            ask<std::uint16_t, double>(engines, far, side, 300, true);
        }
}

// The bad cell is looked for where it is.
TEST(LocalEntropyFarCells, AreNamedWhereTheyAreBad)
{
    const FarArray<std::uint16_t> image(70, 9, kApart);
    const FarArray<std::uint8_t> counts(70, 9, kApart);
    if (!image.isThere() || !counts.isThere()) GTEST_SKIP() << "needs addresses without memory";
    image.row(8)[3] = image.row(8)[4] = 16;
    for (int y = 0; y < 9; ++y) std::fill_n(counts.row(y), 70, std::uint8_t(1));
    counts.row(8)[3] = 0;
    Filter filter; // 5x5
    filter.levels.count = 16;
    std::vector<float> values(70 * 9);
    RunOptions options;
    const View<std::uint8_t> mask = counts.view();
    options.mask = {mask.data, mask.width, mask.height, mask.stride};
    std::string said;
    try {
        Engine().run(filter, image.view(), View<float>{values.data(), 70, 9}, options);
    } catch (const Error &error) {
        said = error.what();
    }
    EXPECT_EQ(said, "the cell at x 4, y 8 is 16, expected an integer 0..15");
}

} // namespace
