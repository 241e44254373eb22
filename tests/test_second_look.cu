// The second look at results that methods leave undecided in the memory of a GPU: at all results of
// random questions (launches.h), and at windows that 64 bits cannot decide.
#include "launches.h"
#include "local_entropy/boundary_windows.h"
#include "second_looks.h"

#ifdef __CUDACC__

namespace
{

using namespace local_entropy;

/// How what a second look at every result gives differs from the CPU's answer.
template <typename Cell, typename Value>
std::string differenceOfSecondLook(Engine &cpu, const Question<Cell> &question, cudaStream_t stream)
{
    GuardedArray<Value> values(question.region.width, question.region.height, question.gap);
    std::memset(static_cast<void *>(values.view().data), 0xFF,
                ((question.region.height - 1) * values.view().stride + question.region.width) *
                    sizeof(Value));
    OnDevice<const Cell> image(question.view());
    OnDevice<const std::uint8_t> mask(question.maskView());
    OnDevice<Value> found(values.view());
    RunOptions options;
    options.region = question.region;
    options.mask = question.maskView();
    cpu.run(question.filter, question.view(), values.view(), options);
    OnDevice<Value> expected(values.view());
    const auto cells = image.view();
    const auto counts = mask.view();
    const auto results = found.view();
    const Result result{results.data, sizeof(Value) == sizeof(double), results.width,
                        results.height, results.stride};
    lookAtAll(checkedProblem(question.filter,
                             {cells.data, typeOf<Cell>(), cells.width, cells.height, cells.stride},
                             {counts.data, counts.width, counts.height, counts.stride}, result,
                             question.region),
              stream);
    return found.bytes() == expected.bytes() ? "" : question.text();
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

#else

TEST_F(Launches, OfASecondLookNeedCuda) {}

#endif
