// Every kernel of the library is launched under every border, with a mask and without, on images so
// small that the tools of compute-sanitizer end soon (tools/sanitize.sh). The last word has what
// counted the launches: no kernel may be missing.
#include "../local_entropy/windows.h"
#include "../second_looks.h"
#include "every_kernel.h"
#include "launched.h"

#ifdef __CUDACC__
#include "local_entropy/methods/words/plan.h"
#include "local_entropy/methods/words/words.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#endif

class EveryKernel : public Launches
{
};

#ifdef __CUDACC__

namespace
{

using namespace local_entropy;
using namespace kernels;
using trial_windows::disk;

constexpr Size kStrips{300, 24};  ///< strips that are cut, and strips that are not
constexpr Size kStaying{1500, 9}; ///< so wide that the middle of the image is not loaded

/// A launch for each type of cells, of each size that levels may have in a plane. What loads cells
/// is asked under every border, in brief too.
template <typename Cell>
void loadAll(Asker &asker)
{
    for (const int count : {2, 60, 1000, 65536})
        for (const bool binned : {false, true})
            for (const bool masked : {false, true}) {
                constexpr bool kIsTruth = std::is_same_v<Cell, bool>;
                if (kIsTruth && binned) continue;
                Filter filter = filterOf(3, 3, count);
                filter.levels.binned = binned;
                filter.levels.high = sizeof(Cell) == 1 ? 250 : 30000;
                if (std::is_same_v<Cell, std::int16_t> && !binned) filter.levels.low = -count / 2;
                const Size size = count == 65536 ? Size{20, 3} : Size{70, 5};
                if (count == 60)
                    asker.askUnderAll<Cell>(filter, size, masked);
                else
                    asker.ask<Cell>(filter, size, masked);
                if (!binned) asker.ask<Cell, double>(filter, size, masked);
            }
}

} // namespace

TEST_F(EveryKernel, OfBytesIsRight)
{
    Asker asker("plain");
    loadAll<std::uint8_t>(asker);
}

TEST_F(EveryKernel, OfTruthsIsRight)
{
    Asker asker("plain");
    loadAll<bool>(asker);
}

TEST_F(EveryKernel, OfShortsIsRight)
{
    Asker asker("plain");
    loadAll<std::uint16_t>(asker);
}

TEST_F(EveryKernel, OfSignedShortsIsRight)
{
    Asker asker("plain");
    loadAll<std::int16_t>(asker);
}

TEST_F(EveryKernel, OfFloatsIsRight)
{
    Asker asker("plain");
    loadAll<float>(asker);
}

// Windows of at most 25 cells, and those that are wider.
TEST_F(EveryKernel, OfHistogramsOfFewCellsIsRight)
{
    Asker asker("histogram");
    for (int width = 1; width <= 8; ++width) {
        for (const bool masked : {false, true})
            asker.ask<std::uint8_t>(filterOf(width, 3, 60), kStrips, masked);
        asker.ask<std::uint16_t>(filterOf(width, 3, 300), kStrips, width % 2);
    }
}

TEST_F(EveryKernel, OfHistogramsInBytesIsRight)
{
    Asker asker("histogram");
    for (const int width : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 15}) {
        const Filter filter = filterOf(width, 26 / width + 1, 60);
        for (const bool masked : {false, true}) asker.ask<std::uint8_t>(filter, {280, 34}, masked);
    }
}

// Few warps have room for so many levels.
TEST_F(EveryKernel, OfHistogramsOfFewWarpsIsRight)
{
    Asker asker("histogram");
    for (const int width : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 15})
        asker.ask<std::uint8_t>(filterOf(width, 26 / width + 1, 256), {280, 34}, false);
}

TEST_F(EveryKernel, OfHistogramsOfShortsIsRight)
{
    Asker asker("histogram");
    for (const int width : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 15})
        asker.ask<std::uint16_t>(filterOf(width, 26 / width + 1, 300), {280, 34}, width % 2);
}

TEST_F(EveryKernel, OfHistogramsInPairsOfBytesIsRight)
{
    Asker asker("histogram");
    for (const int width : {9, 11, 15, 21, 31}) {
        const int height = 255 / width + 1;
        for (const bool masked : {false, true})
            asker.ask<std::uint8_t>(filterOf(width, height, 60), {200, height + 9}, masked);
        asker.ask<std::uint16_t>(filterOf(width, height, 300), {200, height + 9}, width % 4 == 1);
    }
}

TEST_F(EveryKernel, OfDisksIsRight)
{
    Asker asker("footprint");
    for (int radius = 1; radius <= 10; ++radius)
        for (const bool masked : {false, true}) {
            Filter filter = filterOf(0, 0, 60);
            filter.window = disk(radius);
            asker.ask<std::uint8_t>(filter, {180, 2 * radius + 7}, masked);
        }
}

TEST_F(EveryKernel, OfFootprintsIsRight)
{
    Asker asker("footprint");
    for (const int side : {6, 18}) // at most 255 cells, and more
        for (const bool masked : {false, true}) {
            Filter filter = filterOf(side, side, 60);
            filter.window.footprint.assign(side * side, 1);
            filter.window.footprint[side + 2] = 0;
            asker.ask<std::uint8_t>(filter, {180, 26}, masked);
            filter.levels.count = 300;
            asker.ask<std::uint16_t>(filter, {180, 26}, masked);
        }
}

namespace
{

template <typename Cell>
void askEqual(int levels)
{
    Asker asker("equal");
    for (int width = 2; width <= 11; ++width)
        for (const int height : {3, width}) { // 3 x 3, 5 x 5 and 7 x 7 have kernels of their own
            if (height != 3 && width != 5 && width != 7) continue;
            for (const bool masked : {false, true}) {
                const Filter filter = filterOf(width, height, levels);
                // That of 3 x 3 has one more where rows of results are aligned.
                if (width == 3)
                    asker.askUnderAll<Cell>(filter, {280, 16}, masked);
                else
                    asker.ask<Cell>(filter, {280, 16}, masked);
            }
        }
    for (const bool masked : {false, true})
        asker.ask<Cell>(filterOf(3, 4, levels), {280, 16}, masked);
}

} // namespace

TEST_F(EveryKernel, OfEqualBytesIsRight) { askEqual<std::uint8_t>(60); }

TEST_F(EveryKernel, OfEqualShortsIsRight) { askEqual<std::uint16_t>(1000); }

TEST_F(EveryKernel, OfFewLevelsIsRight)
{
    Asker asker("levels");
    for (const int levels : {2, 4, 8, 16, 30}) {
        for (const bool masked : {false, true})
            asker.ask<std::uint8_t>(filterOf(5, 5, levels), {300, 30}, masked);
        asker.ask<std::uint8_t>(filterOf(17, 16, levels), {300, 30}, false); // counters of 16 bits
    }
}

TEST_F(EveryKernel, OfManyLevelsIsRight)
{
    Asker asker("wide");
    for (const int width : {5, 40})
        for (const int height : {4, 9, 52}) { // at most 255 cells, and more; wide ones, too
            if (width == 40 && height == 52) continue;
            for (const bool masked : {false, true}) {
                asker.ask<std::uint8_t>(filterOf(width, height, 60), {90, height + 6}, masked);
                asker.ask<std::uint16_t>(filterOf(width, height, 1000), {90, height + 6}, masked);
            }
        }
}

// An image that stays where it is has ends that are loaded, and is checked where it may have cells
// that are no levels.
TEST_F(EveryKernel, OfImagesThatStayIsRight)
{
    int turn = 0;
    for (const char *method : {"histogram", "footprint", "levels", "equal"}) {
        Asker asker(method, turn);
        turn += 4; // at most so many questions each
        for (const int levels : {16, 100, 256}) {
            Filter filter = filterOf(5, 5, levels);
            if (std::string(method) == "levels" && levels > 16) continue;
            if (std::string(method) == "footprint") filter.window = disk(2);
            asker.ask<std::uint8_t>(filter, kStaying, false);
        }
        if (std::string(method) == "levels") continue;
        Filter ofShorts = filterOf(5, 5, 300);
        if (std::string(method) == "footprint") ofShorts.window = disk(2);
        asker.ask<std::uint16_t>(ofShorts, kStaying, false);
    }
}

namespace
{

/// Of an image that ends where its memory does, or of a part of it, in memory that nobody has
/// written to before: what is read beyond either one is seen.
void expectNothingElse(const char *method, Filter filter, Size size, Border border,
                       const Region &part)
{
    filter.border = border;
    const Picture<std::uint8_t> picture(size, filter.levels, false, 0);
    std::vector<float> expected(static_cast<std::size_t>(part.width * part.height));
    RunOptions run;
    run.region = part;
    Engine().run(filter, picture.view(), View<float>{expected.data(), part.width, part.height},
                 run);
    const auto image =
        common::upload(picture.view().data, static_cast<std::size_t>(size.width) * size.height);
    auto result = common::poisoned<float>(expected.size());
    EngineOptions options;
    options.method = method;
    Engine gpu(options);
    const View<const std::uint8_t> from{image.data(), size.width, size.height};
    const View<float> to{result.data(), part.width, part.height};
    common::DeviceArray<char> memory(gpu.workspaceBytes(filter, from, to, run));
    run.workspace = {memory.data(), memory.bytes()};
    gpu.enqueue(filter, from, to, nullptr, run);
    gpu.synchronize();
    const auto found = common::download(result);
    EXPECT_EQ(std::memcmp(found.get(), expected.data(), result.bytes()), 0)
        << method << ", border " << static_cast<int>(border);
}
void expectNothingElse(const char *method, const Filter &filter, Size size, Border border)
{
    expectNothingElse(method, filter, size, border, {0, 0, size.width, size.height});
}

} // namespace

TEST_F(EveryKernel, OfImagesThatEndWithTheirMemoryIsRight)
{
    Filter round = filterOf(0, 0, 200);
    round.window = disk(2);
    // Bytes that 16 does not divide; of 1503 columns the last 16 that are loaded at once end with
    // the image, but for a byte.
    for (const Size size : {Size{1500, 9}, Size{1501, 9}, Size{1503, 9}})
        for (const Border border : {Border::Cut, Border::Constant, Border::Wrap}) {
            expectNothingElse("equal", filterOf(3, 3, 200), size, border);
            expectNothingElse("equal", filterOf(5, 5, 200), size, border);
            expectNothingElse("histogram", filterOf(5, 5, 200), size, border);
            expectNothingElse("footprint", round, size, border);
            expectNothingElse("levels", filterOf(5, 5, 2), size, border);
            expectNothingElse("levels", filterOf(5, 5, 16), size, border);
        }
}

// The last strip of such a part ends with the columns that its windows reach: what is read behind
// these, of a row beyond the edge, is its slack.
TEST_F(EveryKernel, OfPartsOfImagesThatStayIsRight)
{
    constexpr Size kImage{1700, 12};
    for (const Region part : {Region{0, 0, 1280, 5}, Region{0, 7, 1280, 5}})
        for (const Border border : {Border::Cut, Border::Constant})
            for (const int side : {5, 9})
                expectNothingElse("histogram", filterOf(side, side, 200), kImage, border, part);
}

// ---- words --------------------------------------------------------------------------------------

// Borders but Cut have the image loaded.
TEST_F(EveryKernel, OfWordsIsRight)
{
    Asker asker("words");
    Filter filter = filterOf(5, 5, 16);
    filter.nanIsError = true;
    for (const int width : {12, 256, 253}) { // several rows a warp; aligned rows, and others
        asker.askUnderAll<std::uint8_t>(filter, {width, 14}, false);
        asker.askUnderAll<float>(filter, {width, 14}, false);
        for (const bool aligned : {false, true}) {
            const Region rows{0, 5, width, 200};
            asker.askOnce<std::uint8_t>(filter, {width, 220}, rows, false, aligned);
            asker.askOnce<float>(filter, {width, 220}, rows, false, aligned);
        }
    }
}

namespace
{

/// Of floats and of bytes, whose arrays end where the image does.
void expectWords(words::Gpu &gpu, int width, int height)
{
    const Filter filter = filterOf(5, 5, 16);
    const Picture<std::uint8_t> picture({width, height}, filter.levels, false, 0);
    const std::size_t cells = static_cast<std::size_t>(width) * height;
    std::vector<float> expected(cells);
    Engine().run(filter, picture.view(), View<float>{expected.data(), width, height});
    const std::vector<float> floats(picture.view().data, picture.view().data + cells);
    std::vector<words::Level> levels(cells);
    std::memcpy(levels.data(), picture.view().data, cells);
    const auto bytes = common::upload(levels.data(), cells);
    const auto input = common::upload(floats.data(), cells);
    for (const bool isFloat : {false, true}) {
        auto output = common::poisoned<float>(cells);
        if (isFloat)
            gpu.launch(width, height, input.data(), output.data(), 0, height);
        else
            gpu.launch({width, height, width, 0, width, 0, height}, 16, bytes.data(), output.data(),
                       width);
        EXPECT_FALSE(gpu.sawBadCell()) << width;
        const auto found = common::download(output);
        EXPECT_EQ(std::memcmp(found.get(), expected.data(), sizeof(float) * cells), 0)
            << width << " x " << height << ", floats: " << isFloat;
    }
}

} // namespace

// Warps that walk side by side: on a large image, or where a GPU has few multiprocessors. Aligned
// rows, and others.
TEST_F(EveryKernel, OfTeamsOfWordsIsRight)
{
    words::Gpu gpu(1);
    for (const int width : {512, 509}) expectWords(gpu, width, 431);
}

// One item has all rows of a strip: where there are few, or many strips for each warp.
TEST_F(EveryKernel, OfWordsFromTheTopIsRight)
{
    words::Gpu gpu(1);
    for (const int width : {1028, 1025})
        for (const int height : {2, 8}) {
            const words::Area area{width, height, width, 0, width, 0, height};
            EXPECT_TRUE(words::makePlan(area, 128, 16).fromTop) << width << " x " << height;
            expectWords(gpu, width, height);
        }
}

// ---- second looks -------------------------------------------------------------------------------

namespace
{

/// At all results, of both types, under all borders; in brief under one with a mask and another
/// one without.
template <typename Cell, typename Value>
void lookAgain(Borders &borders, int side, int levels)
{
    Engine cpu;
    const common::Stream stream;
    for (const bool masked : {false, true})
        for (const int border : borders.next()) {
            Filter filter = filterOf(side, side, levels);
            filter.border = static_cast<Border>(border);
            const Picture<Cell> picture({75, 6}, filter.levels, masked, 1);
            std::vector<Value> values(75 * 6);
            const View<Value> view{values.data(), 75, 6, 75};
            RunOptions options;
            options.mask = picture.maskView();
            EXPECT_TRUE(
                secondLooksAreRight(cpu, filter, picture.view(), view, options, stream.get()))
                << sizeof(Cell) << " bytes, window " << side << ", border " << border;
        }
}

} // namespace

TEST_F(EveryKernel, OfSecondLooksIsRight)
{
    Borders borders;
    lookAgain<std::uint8_t, float>(borders, 9, 60);
    lookAgain<std::uint8_t, double>(borders, 9, 60);
    for (const int side : {3, 13}) { // several windows a warp, and one
        lookAgain<std::uint16_t, float>(borders, side, 1000);
        lookAgain<std::uint16_t, double>(borders, side, 1000);
        lookAgain<float, float>(borders, side, 65536);
        lookAgain<float, double>(borders, side, 65536);
    }
}

// ---- none is missing ----------------------------------------------------------------------------

namespace
{

/// After all tests of this file: the library's kernels must have been launched. Those of cores and
/// labs are for the tests of small shapes, which may have been left out.
class NoneIsMissing : public testing::Environment
{
public:
    /// The tools want to see a GPU in use, also where a process has been given tests of CPUs alone.
    void SetUp() override
    {
        if (common::deviceCount() > 0) CUDA_CHECK(cudaFree(nullptr));
    }
    void TearDown() override
    {
        if (common::deviceCount() == 0) return;
        EXPECT_GT(number(), 0u) << "what registers kernels is not wrapped";
        const auto missing = notLaunched();
        const bool hasRun = haveAllRun();
        for (const std::string &name : missing) {
            const bool isOfLibrary = name.find("local_entropy::") != std::string::npos;
            EXPECT_FALSE(hasRun && isOfLibrary) << "not launched: " << name;
        }
        std::printf("%zu of %zu kernels were launched\n", number() - missing.size(), number());
        if (!hasRun) return;
        for (const std::string &name : missing) std::printf("not launched: %s\n", name.c_str());
    }

private:
    static bool haveAllRun()
    {
        const auto &all = *testing::UnitTest::GetInstance();
        for (int i = 0; i < all.total_test_suite_count(); ++i) {
            const testing::TestSuite &suite = *all.GetTestSuite(i);
            if (std::string(suite.name()) == "EveryKernel")
                return suite.test_to_run_count() == suite.total_test_count();
        }
        return false;
    }
};

[[maybe_unused]] testing::Environment *const noneIsMissing =
    testing::AddGlobalTestEnvironment(new NoneIsMissing);

} // namespace

#else

TEST_F(EveryKernel, NeedsCuda) {}

#endif
