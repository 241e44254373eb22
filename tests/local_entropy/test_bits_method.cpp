// The method bits behind an engine: when it is chosen, and that a cell which is NaN, a callback and
// a region change none of its bits. What it computes is tested in tests/test_bits.cpp.

#include "../same_bits.h"
#include "guarded_array.h"
#include "local_entropy/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <random>

namespace
{

using namespace local_entropy;

struct Image
{
    std::int64_t width, height;
    std::vector<float> cells;

    Image(std::int64_t width, std::int64_t height) : width(width), height(height)
    {
        std::mt19937 random(9);
        for (std::int64_t i = 0; i < width * height; ++i)
            cells.push_back(static_cast<float>(random() % 16));
    }
    View<const float> view() const { return {cells.data(), width, height}; }
};

Filter sixteen()
{
    Filter filter;
    filter.levels.count = 16;
    return filter;
}

EngineOptions with(const std::string &path, const std::string &method, int threads)
{
    EngineOptions options;
    options.path = path;
    options.method = method;
    options.threads = threads;
    return options;
}

std::vector<float> run(Engine &engine, const Image &image, const RunOptions &options = {})
{
    const Region region =
        options.region.width ? options.region : Region{0, 0, image.width, image.height};
    std::vector<float> values(region.width * region.height, NAN);
    engine.run(sixteen(), image.view(), View<float>{values.data(), region.width, region.height},
               options);
    return values;
}

using Names = std::vector<std::string>;

TEST(LocalEntropyBits, IsChosenForItsFilterAtEverySize)
{
    for (const std::string &path : Engine::paths()) {
        // There ranks cost about as much; the costs of the one are taken for the other.
        if (path == "ssse3" || path == "neon") continue;
        const Engine engine(with(path, "", 2));
        for (const auto &[width, height] : {std::pair{1, 1},
                                            {5, 5},
                                            {17, 3},
                                            {64, 64},
                                            {150, 3000},
                                            {160, 400},
                                            {481, 7},
                                            {2000, 2}}) {
            const Image image(width, height);
            std::vector<float> values(image.cells.size());
            EXPECT_EQ(engine.methodsFor(sixteen(), image.view(),
                                        View<float>{values.data(), width, height}),
                      Names{"bits"})
                << width << " x " << height << " on " << path;
        }
    }
}

TEST(LocalEntropyBits, RefusesOtherQuestions)
{
    Engine engine(with("", "bits", 1));
    const Image image(40, 30);
    std::vector<float> values(image.cells.size());
    std::vector<double> doubles(image.cells.size());
    std::vector<std::uint8_t> mask(image.cells.size(), 1);
    const View<float> result{values.data(), 40, 30};
    const auto isUnavailable = [](const auto &call) {
        try {
            call();
            return false;
        } catch (const Error &error) {
            return error.status() == Status::Unavailable;
        }
    };
    const auto refuses = [&](auto change) {
        Filter filter = sixteen();
        change(filter);
        return isUnavailable([&] { engine.run(filter, image.view(), result); });
    };
    EXPECT_FALSE(refuses([](Filter &) {}));
    EXPECT_TRUE(refuses([](Filter &filter) { filter.levels.count = 17; }));
    EXPECT_TRUE(refuses([](Filter &filter) { filter.levels.low = -1; }));
    EXPECT_TRUE(refuses([](Filter &filter) { filter.levels.clamp = true; }));
    EXPECT_TRUE(refuses([](Filter &filter) { filter.levels = {16, true, 0, 20, false}; }));
    for (const int side : {3, 4, 6}) {
        EXPECT_TRUE(refuses([&](Filter &filter) { filter.window.width = side; })) << side;
        EXPECT_TRUE(refuses([&](Filter &filter) { filter.window.height = side; })) << side;
    }
    EXPECT_TRUE(refuses([](Filter &filter) { filter.window.originX = 1; }));
    EXPECT_TRUE(refuses([](Filter &filter) { filter.window.originY = 1; }));
    EXPECT_TRUE(refuses([](Filter &filter) {
        filter.window.footprint.assign(25, 1);
        filter.window.footprint[0] = 0;
    }));
    EXPECT_TRUE(refuses([](Filter &filter) { filter.border = Border::Wrap; }));
    EXPECT_TRUE(refuses([](Filter &filter) { filter.base = Base::Two; }));
    EXPECT_TRUE(refuses([](Filter &filter) { filter.measure = Measure::Simpson; }));
    EXPECT_TRUE(refuses([](Filter &filter) { filter.nodata = 3; }));
    const auto refusesArrays = [&](auto cells, auto values, const RunOptions &options = {}) {
        return isUnavailable([&] { engine.run(sixteen(), cells, values, options); });
    };
    const View<const float> narrow{image.cells.data(), 36, 30};
    EXPECT_FALSE(refusesArrays(narrow, View<float>{values.data(), 36, 30}));
    EXPECT_TRUE(refusesArrays(View<const std::uint8_t>{mask.data(), 40, 30}, result));
    EXPECT_TRUE(refusesArrays(image.view(), View<double>{doubles.data(), 40, 30}));
    EXPECT_TRUE(refusesArrays(View<const float>{image.cells.data(), 36, 30, 40},
                              View<float>{values.data(), 36, 30}));
    EXPECT_TRUE(refusesArrays(narrow, View<float>{values.data(), 36, 30, 40}));
    RunOptions masked;
    masked.mask = {mask.data(), 40, 30};
    EXPECT_TRUE(refusesArrays(image.view(), result, masked));
    RunOptions columns;
    columns.region = {1, 0, 39, 30};
    values.resize(40 * 31);
    for (const std::int64_t stride : {39, 40})
        EXPECT_TRUE(
            refusesArrays(image.view(), View<float>{values.data(), 39, 30, stride}, columns));
}

// 1024 floats are a page: no memory can be touched before the first row and behind the last.
TEST(LocalEntropyBits, ReadsNothingBeyondTheImage)
{
    const Image image(1024, 60);
    const GuardedArray<float> cells(1024, 60, 0), values(1024, 60, 0);
    std::copy(image.cells.begin(), image.cells.end(), cells.view().data);
    for (const std::string &path : Engine::paths()) {
        Engine engine(with(path, "bits", 2));
        values.poison();
        engine.run(sixteen(), View<const float>{cells.view().data, 1024, 60}, values.view());
        EXPECT_EQ(std::memcmp(run(engine, image).data(), values.view().data, 4 * 1024 * 60), 0);
    }
}

TEST(LocalEntropyBits, ComputesRowsAsThePartOfTheWhole)
{
    const Image image(700, 900);
    Engine engine(with("", "bits", 3));
    const auto whole = run(engine, image);
    for (const auto &[y, height] : {std::pair{0, 1}, {1, 899}, {450, 77}, {899, 1}}) {
        RunOptions options;
        options.region = {0, y, 700, height};
        EXPECT_TRUE(sameBits(run(engine, image, options),
                             {whole.begin() + y * 700, whole.begin() + (y + height) * 700}))
            << y;
    }
}

// The kernels find bad cells by flags of the processor, which a callback raises too.
TEST(LocalEntropyBits, HearsNothingOfTheCallbacksArithmetic)
{
    for (const auto &[width, height] : {std::pair{3000, 4000}, {9, 1000000}}) {
        const Image image(width, height);
        Engine engine(with("", "bits", 2)), plain(with("", "ranks", 2));
        RunOptions options;
        volatile double third = 1, none = 0;
        int calls = 0;
        options.progress = [&](double part) {
            ++calls;
            third = third / 3 + none / none;
            return part <= 1;
        };
        const auto values = run(engine, image, options);
        EXPECT_TRUE(sameBits(values, run(plain, image)));
        options.progress = [&](double) { return false; };
        for (int i = 0; i < 20; ++i) // until it is asked: not before 20 milliseconds
            try {
                run(engine, image, options);
            } catch (const Error &error) {
                EXPECT_EQ(error.status(), Status::Cancelled);
                break;
            }
        EXPECT_TRUE(sameBits(values, run(engine, image)));
    }
}

TEST(LocalEntropyBits, KeepsTheFlagsOfItsCaller)
{
    const Image image(900, 300);
    Engine engine(with("", "bits", 1));
    std::feclearexcept(FE_ALL_EXCEPT);
    std::feraiseexcept(FE_DIVBYZERO);
    run(engine, image);
    EXPECT_TRUE(std::fetestexcept(FE_DIVBYZERO));
    std::feclearexcept(FE_ALL_EXCEPT);
}

TEST(LocalEntropyBits, NamesNanWhereThatIsAnError)
{
    for (const std::int64_t side : {7, 300, 1500}) {
        std::vector<float> cells(side * side, 5), values(side * side);
        cells[side * 5 + 3] = NAN;
        for (const char *const method : {"", "bits", "ranks", "plain"}) {
            EngineOptions options;
            options.method = method;
            Engine engine(options);
            Filter filter;
            filter.levels.count = 16;
            filter.nanIsError = true;
            try {
                engine.run(filter, View<const float>{cells.data(), side, side, 0},
                           View<float>{values.data(), side, side, 0});
                ADD_FAILURE() << method << " accepted NaN at " << side;
            } catch (const Error &error) {
                EXPECT_EQ(error.status(), Status::BadLevel);
                EXPECT_STREQ(error.what(),
                             "the cell at x 3, y 5 is nan, expected an integer 0..15");
            }
        }
    }
}

TEST(LocalEntropyBits, LeavesNanOutAndNamesOtherBadCells)
{
    for (const std::string &path : Engine::paths())
        for (const auto &[width, height] : {std::pair{5, 5}, {900, 300}, {9, 4000}}) {
            Image image(width, height);
            Engine engine(with(path, "", 2)), plain(with(path, "plain", 2));
            for (std::size_t i = 3; i < image.cells.size(); i += 20011) image.cells[i] = NAN;
            EXPECT_TRUE(sameBits(run(engine, image), run(plain, image))) << path;
            image.cells.back() = 16;
            try {
                run(engine, image);
                ADD_FAILURE() << "took 16";
            } catch (const Error &error) {
                EXPECT_EQ(error.status(), Status::BadLevel);
                EXPECT_EQ(error.what(), "the cell at x " + std::to_string(width - 1) + ", y " +
                                            std::to_string(height - 1) +
                                            " is 16, expected an integer 0..15");
            }
        }
}

// What is computed again, in pieces of 128 cells, is all that sees it.
TEST(LocalEntropyBits, LeavesOutNanWherePiecesMeet)
{
    const Image usual(300, 300);
    Engine plain(with("", "plain", 1));
    for (const std::string &path : Engine::paths())
        for (const int first : {124, 252}) {
            Engine engine(with(path, "bits", 1));
            for (int at = first; at < first + 8; ++at) {
                Image image = usual;
                image.cells[at * 300 + at] = NAN;
                RunOptions around;
                around.region = {at - 4, at - 4, 9, 9};
                const auto values = run(engine, image), expected = run(plain, image, around);
                for (int y = 0; y < 9; ++y)
                    ASSERT_EQ(std::memcmp(&values[(at - 4 + y) * 300 + at - 4], &expected[y * 9],
                                          9 * sizeof(float)),
                              0)
                        << path << ": at " << at << ", row " << y - 4;
            }
        }
}

TEST(LocalEntropyEngine, TakesAsManyThreadsAsACallAllows)
{
    const Image image(1500, 1000);
    Engine engine(with("", "", 8));
    const auto expected = run(engine, image);
    for (const int threads : {1, 2, 5, 100}) {
        RunOptions options;
        options.threads = threads;
        EXPECT_TRUE(sameBits(run(engine, image, options), expected)) << threads;
    }
    RunOptions options;
    options.threads = -1;
    EXPECT_THROW(run(engine, image, options), Error);
}

TEST(LocalEntropyEngine, RefusesToEnqueueWhatIsInHostMemory)
{
    const Image image(10, 10);
    std::vector<float> values(100, -1);
    Engine engine;
    const auto statusOf = [&](const Filter &filter) {
        try {
            engine.enqueue(filter, image.view(), View<float>{values.data(), 10, 10});
        } catch (const Error &error) {
            return error.status();
        }
        return Status::Ok;
    };
    // There is no GPU, or these arrays are not in its memory.
    for (const Filter &filter : {sixteen(), Filter{}}) {
        const Status status = statusOf(filter);
        EXPECT_TRUE(status == Status::Unavailable || status == Status::BadArgument);
    }
    Filter bad;
    bad.levels.count = 1;
    EXPECT_EQ(statusOf(bad), Status::BadArgument);
    EXPECT_EQ(values, std::vector<float>(100, -1));
}

} // namespace
