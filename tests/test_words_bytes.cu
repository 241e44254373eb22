// The GPU engine on a GPU, cells of one byte: rectangles of levels, levels that are too high, and
// bytes that are no cells.
#include "same_bits.h"
#include "words_device.h"

#ifdef __CUDACC__
#include "local_entropy/methods/words/hash.h"

#include <algorithm>
#include <random>
#include <utility>

using namespace engine_gpu;

// Levels with gaps between the rows, and a rectangle of results: what lies beside it is of its
// windows, the gaps and what is further away are not.
TEST_F(EngineGpu, ComputesRectanglesOfLevels)
{
    words::Gpu gpu;
    std::mt19937 random(11);
    const auto upTo = [&](int most) { return static_cast<int>(random() % (most + 1)); };
    for (int round = 0; round < 300; ++round) {
        const int width = 1 + upTo(round % 3 ? 300 : 30), height = 1 + upTo(60);
        const int stride = (width + upTo(9) + 3) / (round % 2 ? 1 : 4) * (round % 2 ? 1 : 4);
        const int left = round % 4 ? 0 : upTo(std::min(width - 1, 9));
        const int right = round % 4 ? width : width - upTo(std::min(width - left - 1, 9));
        const int begin = upTo(height - 1), end = begin + 1 + upTo(height - begin - 1);
        const int resultStride = right - left + upTo(5), offset = round % 5 ? 0 : upTo(9);
        const auto sample = makeSample("random", {width, height});
        std::vector<words::Level> cells(std::size_t(stride) * height + offset, words::Level(255));
        for (std::size_t i = 0; i < sample.size(); ++i)
            cells[offset + i / width * stride + i % width] =
                static_cast<words::Level>(static_cast<int>(sample[i]));
        std::vector<float> whole(sample.size());
        entropyOnCpu(width, height, sample.data(), whole.data(), 0, height);
        std::vector<float> expected = poison(std::size_t(resultStride) * (end - begin));
        for (int y = begin; y < end; ++y)
            std::copy_n(&whole[std::size_t(y) * width + left], right - left,
                        &expected[std::size_t(y - begin) * resultStride]);
        const auto input = common::upload(cells.data(), cells.size());
        auto output = common::poisoned<float>(expected.size());
        gpu.launch({width, height, stride, left, right, begin, end}, 16, input.data() + offset,
                   output.data(), resultStride);
        const auto result = common::download(output);
        const std::vector<float> found(result.get(), result.get() + expected.size());
        ASSERT_TRUE(sameBits(found, expected))
            << width << " x " << height << ", stride " << stride << ", columns " << left << " to "
            << right << ", rows " << begin << " to " << end;
        ASSERT_FALSE(gpu.sawBadCell()) << width << " x " << height;
    }
}

// Every byte that is no level is seen, wherever it is, and no level is taken for one.
TEST_F(EngineGpu, SeesEveryLevelThatIsTooHigh)
{
    words::Gpu gpu;
    for (const Shape shape : {Shape{7, 100}, Shape{128, 20}, Shape{131, 20}}) {
        const std::size_t size = std::size_t(shape.width) * shape.height;
        auto output = common::poisoned<float>(size);
        for (int levels = 2; levels <= 16; ++levels) {
            std::vector<words::Level> cells(size, static_cast<words::Level>(levels - 1));
            const auto sees = [&] {
                const auto input = common::upload(cells.data(), size);
                gpu.launch(
                    {shape.width, shape.height, shape.width, 0, shape.width, 0, shape.height},
                    levels, input.data(), output.data(), shape.width);
                return gpu.sawBadCell();
            };
            ASSERT_FALSE(sees()) << levels << " levels";
            for (const std::size_t place : {std::size_t(0), size / 2, size / 3 + 1, size - 1})
                for (int bad = levels; bad < 256; bad += bad < 20 || bad > 250 ? 1 : 29) {
                    const words::Level before = std::exchange(cells[place], words::Level(bad));
                    EXPECT_TRUE(sees()) << bad << " of " << levels << " at " << place;
                    cells[place] = before;
                }
        }
    }
}

#endif
