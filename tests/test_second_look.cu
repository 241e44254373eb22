// The second look at results that methods leave undecided in the memory of a GPU: at all results of
// random questions (launches.h), at windows that 64 bits cannot decide, and at those whose answers
// are in a list.
#include "launches.h"
#include "local_entropy/boundary_windows.h"
#include "local_entropy/counts.h"
#include "second_looks.h"

#ifdef __CUDACC__
#include "local_entropy/answers/exceptions.h"
#include "local_entropy/memory/current_gpu.h"
#include "local_entropy/methods/second_look_counters.h"
#include "local_entropy/methods/second_look_queue.h"

#include <limits>

namespace
{

using namespace local_entropy;

/// How what a second look at every result gives differs from the CPU's answer.
template <typename Cell, typename Value>
std::string differenceOfSecondLook(Engine &cpu, const Question<Cell> &question, cudaStream_t stream)
{
    GuardedArray<Value> values(question.region.width, question.region.height, question.gap);
    RunOptions options;
    options.region = question.region;
    options.mask = question.maskView();
    return secondLooksAreRight(cpu, question.filter, question.view(), values.view(), options,
                               stream)
               ? ""
               : question.text();
}

/// Some results of an image that is one period of a plane, with a window as large as it: every
/// window has the counts that are given. (One warp computes them all.)
template <typename Value>
std::vector<Value> ofAPeriod(const std::vector<int> &counts, int width, int height, Base base,
                             cudaStream_t stream)
{
    constexpr int kResults = 3;
    std::vector<std::uint8_t> cells;
    for (std::size_t level = 0; level < counts.size(); ++level)
        cells.insert(cells.end(), counts[level], static_cast<std::uint8_t>(level));
    Filter filter;
    filter.window.width = width;
    filter.window.height = height;
    filter.border = Border::Wrap;
    filter.base = base;
    const auto image = common::upload(cells.data(), cells.size());
    auto values = common::poisoned<Value>(kResults);
    lookAtAll(
        checkedProblem(filter, {image.data(), CellType::Uint8, width, height, width}, {},
                       {values.data(), sizeof(Value) == sizeof(double), kResults, 1, kResults},
                       {0, 0, kResults, 1}),
        stream);
    std::vector<Value> found(values.size());
    common::download(values, found.data());
    return found;
}

/// All ways to share so many cells between levels of which the second look has a list.
std::vector<counting::Counts> listedShares(const Answers &answers, int cells)
{
    const std::vector<Exception> list = undecidedShares(answers, cells);
    std::vector<counting::Counts> shares;
    counting::forPartitions(cells, [&](const counting::Counts &counts) {
        float answer;
        if (lookUp(list.data(), static_cast<int>(list.size()), counting::sumOf(answers, counts),
                   answer))
            shares.push_back(counts);
    });
    return shares;
}

constexpr int kNodata = 250;

/// A tile of the window's size again and again: a window that no edge cuts has these counts, unless
/// it holds the first cell, which is kNodata where one `isMissing`.
template <typename Cell>
std::vector<Cell> tiled(const counting::Counts &counts, const Window &window, int width, int height,
                        bool isMissing)
{
    std::vector<Cell> tile, cells;
    for (std::size_t level = 0; level < counts.size(); ++level)
        tile.insert(tile.end(), counts[level], static_cast<Cell>(5 * level));
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            cells.push_back(tile[y % window.height * window.width + x % window.width]);
    if (isMissing) cells.front() = kNodata;
    return cells;
}

/// Looks at all windows of such an image, and has it computed by the engines, too: how often that
/// differs from the CPU. `right` is the answer of whole windows.
template <typename Cell>
int lookAtTiles(const Filter &filter, const counting::Counts &counts, float right,
                const std::vector<Engine *> &engines, cudaStream_t stream)
{
    const int width = 9 * filter.window.width + 3, height = 4 * filter.window.height + 3;
    const auto cells = tiled<Cell>(counts, filter.window, width, height, filter.nodata.has_value());
    const View<const Cell> view{cells.data(), width, height, width};
    std::vector<float> values(cells.size(), std::numeric_limits<float>::quiet_NaN());
    const View<float> host{values.data(), width, height, width};
    OnDevice<const Cell> image(view);
    OnDevice<float> looked(host);
    std::vector<OnDevice<float>> found;
    for (std::size_t i = 0; i < engines.size(); ++i) found.emplace_back(host);

    Engine().run(filter, view, host);
    OnDevice<float> expected(host);
    EXPECT_EQ(values[height / 2 * width + width / 2], right);
    const auto from = image.view();
    const auto to = looked.view();
    lookAtAll(checkedProblem(filter, {from.data, typeOf<Cell>(), width, height, width}, {},
                             {to.data, false, width, height, width}, {0, 0, width, height}),
              stream);
    int wrong = looked.bytes() != expected.bytes();
    for (std::size_t i = 0; i < engines.size(); ++i) {
        engines[i]->enqueue(filter, from, found[i].view(), stream);
        engines[i]->synchronize();
        wrong += found[i].bytes() != expected.bytes();
    }
    return wrong;
}

template <typename Cell>
void askSecondLook(unsigned seed, int questions)
{
    Engine cpu;
    const common::Stream stream;
    for (int i = 0; i < questions; ++i) {
        const Question<Cell> question(seed + static_cast<unsigned>(i));
        ASSERT_EQ(question.asDouble
                      ? (differenceOfSecondLook<Cell, double>(cpu, question, stream.get()))
                      : (differenceOfSecondLook<Cell, float>(cpu, question, stream.get())),
                  "");
    }
}

} // namespace

TEST_F(Launches, OfASecondLookAtEverythingGiveTheBitsOfTheCpu)
{
    askSecondLook<std::uint8_t>(100000, 400);
    askSecondLook<std::uint16_t>(120000, 300);
    askSecondLook<std::int16_t>(130000, 100);
    askSecondLook<float>(140000, 200);
    askSecondLook<bool>(150000, 60);
}

/// A block's queue is just full, or has no room for one window.
TEST_F(Launches, OfASecondLookComputeWindowsThatFillAQueue)
{
    struct Words
    {
        int width, ofBlock; ///< windows of a word, and words of a block
    };
    static_assert(32 * 32 == second_look::kQueue && 25 * 41 == second_look::kQueue + 1);
    const common::Stream stream;
    const int blocks = multiprocessorsOfGpu() * second_look::kBlocks;
    for (const auto &[width, ofBlock] : {Words{32, 32}, Words{25, 41}}) {
        const int height = (ofBlock - 1) * blocks + 1; // so many words: the last is one block's
        std::vector<std::uint8_t> cells(static_cast<std::size_t>(width) * height);
        for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = i * i % 251;
        std::vector<float> values(cells.size());
        Filter filter;
        filter.window.width = filter.window.height = 3;
        Engine().run(filter, View<const std::uint8_t>{cells.data(), width, height},
                     View<float>{values.data(), width, height});
        const auto image = common::upload(cells.data(), cells.size());
        auto looked = common::poisoned<float>(values.size());
        lookAtAll(checkedProblem(filter, {image.data(), CellType::Uint8, width, height, width}, {},
                                 {looked.data(), false, width, height, width},
                                 {0, 0, width, height}),
                  stream.get());
        std::vector<float> found(values.size());
        common::download(looked, found.data());
        EXPECT_EQ(found, values) << width;
    }
}

/// What 64 bits cannot decide.
TEST_F(Launches, OfASecondLookDecideWindowsNextToABoundary)
{
    const common::Stream stream;
    int tried = 0;
    for (const boundary_windows::Window &window : boundary_windows::kWindows) {
        int cells = 0, width = 255;
        for (const int count : window.counts) cells += count;
        while (width > 1 && cells % width) --width;
        if (cells / width > 255 || window.counts.size() > 256) continue;
        ++tried;
        const int height = cells / width;
        const auto floats =
            ofAPeriod<float>(window.counts, width, height, window.base, stream.get());
        EXPECT_EQ(floats, std::vector<float>(floats.size(), window.nearestFloat)) << cells;
        const auto doubles =
            ofAPeriod<double>(window.counts, width, height, window.base, stream.get());
        EXPECT_EQ(doubles, std::vector<double>(doubles.size(), window.nearestDouble)) << cells;
    }
    EXPECT_GT(tried, 3);
}

/// What 48 bits cannot decide, though windows have few cells.
TEST_F(Launches, OfASecondLookHaveTheAnswersOfTheirList)
{
    const common::Stream stream;
    EngineOptions comparing;
    comparing.method = "equal";
    Engine any, equal(comparing);
    int shares = 0;
    for (const Base base : {Base::E, Base::Two}) {
        Filter filter;
        filter.base = base;
        filter.window.width = base == Base::E ? 7 : 2;
        filter.window.height = base == Base::E ? 7 : 23;
        const int cells = filter.window.width * filter.window.height;
        const Answers answers(Measure::Entropy, 1, base, cells, 0);
        for (const counting::Counts &counts : listedShares(answers, cells)) {
            ++shares;
            const float right = answers.floatOf(counts.data(), static_cast<int>(counts.size()));
            for (const bool isMissing : {false, true}) {
                if (isMissing)
                    filter.nodata = kNodata;
                else
                    filter.nodata.reset();
                filter.levels.count = isMissing ? kNodata : 256; // bytes
                EXPECT_EQ(
                    lookAtTiles<std::uint8_t>(filter, counts, right, {&any, &equal}, stream.get()),
                    0)
                    << cells << isMissing;
                filter.levels.count = 65536; // two bytes, or four
                EXPECT_EQ(lookAtTiles<std::uint16_t>(filter, counts, right, {&any}, stream.get()),
                          0)
                    << cells << isMissing;
            }
        }
    }
    EXPECT_EQ(shares, 14 + 15);
}

#else

TEST_F(Launches, OfASecondLookNeedCuda) {}

#endif
