// The method bits: exact on every path, for every window there can be, and safe on any input.
#include "bits_call.h"
#include "entropy/reference.h"
#include "gallery.h"
#include "local_entropy/answers/answers.h"
#include "local_entropy/answers/partitions.h"
#include "local_entropy/engine.h"
#include "same_bits.h"
#include "shapes.h"
#include "temporary.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <random>
#include <set>
#include <thread>

using local_entropy::Partition;
using Choice = BitsOptions::Choice;

namespace
{

/// What one path computes, with NaN behind the last cell and wherever nothing was written.
std::vector<float> compute(std::int64_t width, std::int64_t height,
                           const std::vector<float> &sample, const BitsOptions &options)
{
    std::vector<float> result(sample.size() + 1, NAN);
    entropyOnCpu(width, height, sample.data(), result.data(), 0, height, options);
    EXPECT_TRUE(std::isnan(result.back())) << "written beyond the end";
    result.pop_back();
    return result;
}

/// Every way to look up and to write, for a way.
std::vector<BitsOptions> variants(Way way)
{
    std::vector<BitsOptions> all;
    for (const Choice gather : {Choice::No, Choice::Yes})
        for (const Choice stream : {Choice::No, Choice::Yes}) {
            BitsOptions options;
            options.way = way;
            options.gather = gather;
            options.stream = stream;
            all.push_back(options);
        }
    return all;
}

class EnginePath : public testing::TestWithParam<Way>
{
protected:
    void SetUp() override
    {
        if (!local_entropy::pathWorksHere(pathOf(GetParam())))
            GTEST_SKIP() << "this processor cannot run " << wayName(GetParam());
    }
};

} // namespace

TEST(Partitions, AreAllThere)
{
    // Partitions of n into at most 16 parts: 1891 of 25 (1958 in all, less those of 17 and more).
    EXPECT_EQ(local_entropy::partitionsOf(1).size(), 1u);
    EXPECT_EQ(local_entropy::partitionsOf(5).size(), 7u);
    EXPECT_EQ(local_entropy::partitionsOf(16).size(), 231u);
    EXPECT_EQ(local_entropy::partitionsOf(25).size(), 1891u);
    EXPECT_EQ(local_entropy::windowSizes(),
              (std::vector<int>{1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 20, 25}));
    std::set<std::array<int, 9>> sums;
    for (const Partition &partition : local_entropy::partitionsOf(25)) {
        EXPECT_EQ(partition.cells(), 25);
        sums.insert(partition.sumOfLogs());
    }
    EXPECT_EQ(sums.size(), 1188u);
}

// Throws where the precision would not do; and double precision, of another code, must agree.
TEST(Partitions, EveryEntropyIsRoundedWithCertainty)
{
    for (const int cells : local_entropy::windowSizes())
        for (const Partition &partition : local_entropy::partitionsOf(cells)) {
            double entropy = 0;
            for (int n = 1; n <= cells; ++n)
                entropy -= partition.levels[n] * (double(n) / cells * std::log(double(n) / cells));
            EXPECT_NEAR(local_entropy::exactEntropy(partition), entropy, 1.2e-7);
        }
    Partition sixteen; // all levels once
    sixteen.levels[1] = 16;
    EXPECT_EQ(local_entropy::exactEntropy(sixteen), 2.772588722239781f);
}

// The library's other way, by integers of 128 bits and more, shares nothing with long double.
TEST(Partitions, EveryEntropyIsTheOneThatIntegersFind)
{
    for (const int cells : local_entropy::windowSizes()) {
        const local_entropy::Answers answers(local_entropy::Measure::Entropy, 0,
                                             local_entropy::Base::E, cells, -1);
        for (const Partition &partition : local_entropy::partitionsOf(cells)) {
            std::vector<int> counts;
            for (int n = 1; n <= cells; ++n) counts.insert(counts.end(), partition.levels[n], n);
            EXPECT_EQ(local_entropy::exactEntropy(partition),
                      answers.floatOf(counts.data(), static_cast<int>(counts.size())));
        }
    }
}

// All windows there can be, of every shape, at every path: not samples, a proof.
TEST_P(EnginePath, IsExactForEveryWindow)
{
    std::size_t windows = 0;
    for (int across = 1; across <= local_entropy::kWindow; ++across)
        for (int down = 1; down <= local_entropy::kWindow; ++down) {
            const auto partitions = local_entropy::partitionsOf(across * down);
            std::vector<float> exact;
            std::vector<std::vector<float>> cells;
            for (std::size_t i = 0; i < partitions.size(); ++i) {
                exact.push_back(local_entropy::exactEntropy(partitions[i]));
                cells.push_back(cellsOf(partitions[i], static_cast<int>(i)));
            }
            // A window of 5 across is one of many in a wide array; the others are arrays of their
            // own, and so is one of less than 5 down.
            const bool together = across == local_entropy::kWindow;
            const std::size_t step = together ? cells.size() : 1;
            for (const BitsOptions &options : variants(GetParam()))
                for (std::size_t first = 0; first < cells.size(); first += step) {
                    const Gallery gallery =
                        hang({cells.begin() + first, cells.begin() + first + step}, across, down);
                    const auto result =
                        compute(gallery.width, gallery.height, gallery.sample, options);
                    for (std::size_t i = 0; i < step; ++i, ++windows)
                        ASSERT_EQ(result[gallery.centres[i]], exact[first + i])
                            << across << " x " << down << ", partition " << first + i;
                }
        }
    EXPECT_GT(windows, 4 * 3000u);
}

// The same inside a larger array, where windows have neighbours: cut by its left or right, upper or
// lower edge, or by none.
TEST_P(EnginePath, IsExactForEveryWindowThatAnEdgeCuts)
{
    constexpr int kWidth = 11, kHeight = 9;
    BitsOptions options;
    options.way = GetParam();
    for (int across = 3; across <= local_entropy::kWindow; ++across)
        for (int down = 3; down <= local_entropy::kWindow; ++down) {
            int turn = 0;
            for (const Partition &partition : local_entropy::partitionsOf(across * down)) {
                const auto cells = cellsOf(partition, ++turn);
                const bool right = turn % 2, bottom = turn / 2 % 2;
                const int left = across == 5 ? 3 : right ? kWidth - across : 0;
                const int top = down == 5 ? 2 : bottom ? kHeight - down : 0;
                const int x = across == 5 || right ? left + 2 : across - 3;
                const int y = down == 5 || bottom ? top + 2 : down - 3;
                std::vector<float> sample(kWidth * kHeight, static_cast<float>(turn % 16));
                for (int cell = 0; cell < across * down; ++cell)
                    sample[(top + cell / across) * kWidth + left + cell % across] = cells[cell];
                ASSERT_EQ(compute(kWidth, kHeight, sample, options)[y * kWidth + x],
                          local_entropy::exactEntropy(partition))
                    << across << " x " << down << ", partition " << turn;
            }
        }
}

TEST_P(EnginePath, MatchesReferenceAndTheOtherPathsOnEveryShapeAndContent)
{
    std::vector<Shape> shapes = kShapes;
    for (const int width : {478, 479, 480, 481, 482, 483, 484, 959, 960, 961, 962, 963, 1447})
        shapes.push_back({width, width % 2 ? 7 : 12});
    for (const int width : {1, 2, 3, 4, 5, 10, 16, 61, 160, 161}) // from 960 rows on: narrow arrays
        shapes.push_back({width, 950 + 7 * width});
    for (const Shape shape : shapes)
        for (const std::string &content : kContents) {
            const std::vector<float> sample = makeSample(content, shape);
            const auto gold = entropy::reference(shape.width, shape.height, sample.data());
            BitsOptions plain;
            plain.way = Way::CellByCell;
            const auto expected = compute(shape.width, shape.height, sample, plain);
            for (const BitsOptions &options : variants(GetParam())) {
                const auto result = compute(shape.width, shape.height, sample, options);
                ASSERT_TRUE(sameBits(result, expected))
                    << content << " " << shape.width << " x " << shape.height;
                for (std::size_t i = 0; i < result.size(); ++i)
                    ASSERT_NEAR(result[i], gold[i], 2.4e-7); // the reference rounds twice
            }
        }
}

// Any part of the rows, at any alignment, leaves the rest alone; more threads than rows do no harm.
TEST_P(EnginePath, ComputesAnyRowsAtAnyAlignment)
{
    constexpr int kWidth = 523, kHeight = 61;
    const std::vector<float> sample = makeSample("random", {kWidth, kHeight});
    BitsOptions options;
    options.way = GetParam();
    const auto whole = compute(kWidth, kHeight, sample, options);
    for (int offset = 0; offset < 17; ++offset)
        for (const Choice stream : {Choice::No, Choice::Yes}) {
            const int begin = offset * 3 % 29, end = kHeight - offset % 7;
            std::vector<float> shifted(sample.size() + offset), result(sample.size() + offset, -1);
            std::copy(sample.begin(), sample.end(), shifted.begin() + offset);
            options.stream = stream;
            options.threads = 1 + offset % 3;
            entropyOnCpu(kWidth, kHeight, shifted.data() + offset, result.data() + offset, begin,
                         end, options);
            for (int i = 0; i < kWidth * kHeight; ++i) {
                const bool wanted = i / kWidth >= begin && i / kWidth < end;
                ASSERT_EQ(result[i + offset], wanted ? whole[i] : -1) << i << " at " << offset;
            }
        }
}

TEST_P(EnginePath, ComputesAnyRowsOfNarrowArrays)
{
    constexpr int kWidth = 13, kHeight = 20011;
    std::vector<float> sample = makeSample("random", {kWidth, kHeight});
    BitsOptions options, plain;
    options.way = GetParam();
    plain.way = Way::CellByCell;
    const auto whole = compute(kWidth, kHeight, sample, plain);
    EXPECT_TRUE(sameBits(compute(kWidth, kHeight, sample, options), whole));
    for (const int begin : {0, 1, 2, 477, 3000}) {
        const int end = kHeight - begin / 2;
        std::vector<float> result(sample.size(), -1);
        entropyOnCpu(kWidth, kHeight, sample.data(), result.data(), begin, end, options);
        for (int i = 0; i < kWidth * kHeight; ++i) {
            const bool wanted = i / kWidth >= begin && i / kWidth < end;
            ASSERT_EQ(result[i], wanted ? whole[i] : -1) << i << " from row " << begin;
        }
    }
    sample[kWidth * 9999 + 12] = 16;
    EXPECT_THROW(compute(kWidth, kHeight, sample, options), local_entropy::Error);
}

TEST_P(EnginePath, NamesTheFirstCellThatIsNoLevel)
{
    constexpr int kWidth = 613, kHeight = 40;
    BitsOptions options;
    options.way = GetParam();
    const float inf = std::numeric_limits<float>::infinity();
    const std::pair<float, const char *> bad[] = {{16, "16"},
                                                  {-1, "-1"},
                                                  {3.5f, "3.5"},
                                                  {inf, "inf"},
                                                  {-inf, "-inf"},
                                                  {0.5f, "0.5"},
                                                  {1e-30f, "1e-30"},
                                                  {255, "255"},
                                                  {256, "256"},
                                                  {65536, "65536"},
                                                  {4294967296.f, "4.2949673e+09"},
                                                  {1e30f, "1"},
                                                  {-16, "-16"},
                                                  {15.000001f, "15.000001"},
                                                  {-0.03125f, "-0.03125"},
                                                  {1e-45f, "1."},
                                                  {8388608, "8388608"}};
    for (const auto &[value, text] : bad)
        for (const int x : {0, 1, 59, 60, 241, 300, 479, 480, 481, 611, 612})
            for (const int y : {0, 17, kHeight - 1}) {
                std::vector<float> sample = makeSample("random", {kWidth, kHeight});
                sample[y * kWidth + x] = value;
                sample[kWidth * kHeight - 1] = y < kHeight - 1 ? -7 : sample.back();
                std::string message = "no error";
                try {
                    compute(kWidth, kHeight, sample, options);
                } catch (const local_entropy::Error &error) {
                    message = error.what();
                }
                const std::string start = "the cell at x " + std::to_string(x) + ", y " +
                                          std::to_string(y) + " is " + text;
                ASSERT_NE(message.find(start), std::string::npos) << message << " not " << start;
                ASSERT_NE(message.find("expected an integer 0..15"), std::string::npos) << message;
            }
}

// Rows share words while they are packed, and are read beyond their ends.
TEST_P(EnginePath, BadCellsInRowsThatDoNotCountChangeNothing)
{
    const float inf = std::numeric_limits<float>::infinity();
    const float bad[] = {-1, 16, 255, -128, 4096, 0.5f, 1e30f, NAN, inf, -inf};
    std::mt19937 random(11);
    BitsOptions options, plain;
    options.way = GetParam();
    plain.way = Way::CellByCell;
    for (const Shape shape : {Shape{300, 40}, Shape{611, 31}, Shape{961, 23}, Shape{7, 1500}}) {
        const std::vector<float> good = makeSample("random", shape);
        const auto whole = compute(shape.width, shape.height, good, plain);
        for (int turn = 0; turn < 40; ++turn) {
            const int begin = random() % shape.height;
            const int end = begin + 1 + random() % (shape.height - begin);
            std::vector<float> sample = good, result(good.size(), NAN);
            for (int y = 0; y < shape.height; ++y)
                if (y < begin - local_entropy::kRadius || y >= end + local_entropy::kRadius)
                    for (int x = 0; x < shape.width; ++x)
                        if (random() % 4 == 0)
                            sample[y * shape.width + x] = bad[random() % std::size(bad)];
            entropyOnCpu(shape.width, shape.height, sample.data(), result.data(), begin, end,
                         options);
            for (int i = begin * shape.width; i < end * shape.width; ++i)
                ASSERT_EQ(result[i], whole[i])
                    << "x " << i % shape.width << ", y " << i / shape.width << " of rows " << begin
                    << " to " << end << " of " << shape.width << " x " << shape.height;
        }
    }
}

TEST_P(EnginePath, StreamsToTheAddressOfAnyFloat)
{
    const Shape shape{1000, 9};
    const std::vector<float> sample = makeSample("random", shape);
    BitsOptions options, plain;
    options.way = GetParam();
    options.stream = Choice::Yes;
    plain.way = Way::CellByCell;
    const auto expected = compute(shape.width, shape.height, sample, plain);
    const std::size_t bytes = sample.size() * sizeof(float);
    for (const int offset : {0, 4, 8, 60}) {
        std::vector<char> memory(bytes + 64, 0x55);
        auto *const result = reinterpret_cast<float *>(memory.data() + offset);
        entropyOnCpu(shape.width, shape.height, sample.data(), result, 0, shape.height, options);
        EXPECT_EQ(std::memcmp(memory.data() + offset, expected.data(), bytes), 0) << offset;
        EXPECT_EQ(memory[bytes + offset], 0x55);
    }
}

TEST_P(EnginePath, TakesMinusZeroForZero)
{
    std::vector<float> sample = makeSample("random", {500, 9}), zeros = sample;
    for (std::size_t i = 0; i < sample.size(); i += 3) sample[i] = -0.0f, zeros[i] = 0.0f;
    BitsOptions options;
    options.way = GetParam();
    EXPECT_TRUE(sameBits(compute(500, 9, sample, options), compute(500, 9, zeros, options)));
}

TEST_P(EnginePath, WorksFromSeveralThreadsAtOnce)
{
    BitsOptions options;
    options.way = GetParam();
    std::vector<int> wrong(4, -1);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&, i] {
            const Shape shape{700 + i, 300 - i};
            const std::vector<float> sample = makeSample("random", shape);
            BitsOptions plain;
            plain.way = Way::CellByCell;
            const auto expected = compute(shape.width, shape.height, sample, plain);
            wrong[i] = 0;
            for (int run = 0; run < 5; ++run)
                wrong[i] +=
                    !sameBits(compute(shape.width, shape.height, sample, options), expected);
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

INSTANTIATE_TEST_SUITE_P(Paths, EnginePath, testing::ValuesIn(kWays),
                         [](const auto &info) { return wayName(info.param); });

TEST(Engine, ChoosesAPathByItself)
{
    for (const Shape shape : {Shape{1, 1}, Shape{5, 5}, Shape{64, 64}, Shape{3, 5000}}) {
        const std::vector<float> sample = makeSample("random", shape);
        BitsOptions plain;
        plain.way = Way::CellByCell;
        EXPECT_TRUE(sameBits(compute(shape.width, shape.height, sample, {}),
                             compute(shape.width, shape.height, sample, plain)));
    }
}

// An inline function in a file that is compiled for one processor could be the copy that the linker
// keeps for all, and crash on the others.
TEST(Engine, FilesForOneProcessorExportNoInlineFunctions)
{
    for (const std::string file : {"avx2", "avx512", "portable"}) {
        const Outcome outcome =
            runCommand("nm " BUILD_DIRECTORY "/objects/local_entropy/methods/bits/" + file + ".o");
        ASSERT_EQ(outcome.status, 0) << outcome.errors;
        EXPECT_EQ(outcome.output.find(" W "), std::string::npos) << outcome.output;
    }
}

// NaN does not count, as for every method; what is far from one keeps its bits.
TEST_P(EnginePath, LeavesNanOut)
{
    std::mt19937 random(3);
    for (const Shape shape : {Shape{1, 1}, Shape{7, 5}, Shape{611, 203}, Shape{13, 5003}})
        for (const int of : {1, 20, 100000}) {
            std::vector<float> sample = makeSample("random", shape);
            for (float &cell : sample)
                if (random() % of == 0) cell = NAN;
            sample[sample.size() / 2] = NAN;
            std::vector<float> expected(sample.size());
            local_entropy::EngineOptions plain;
            plain.method = "plain";
            local_entropy::Filter filter;
            filter.levels.count = 16;
            local_entropy::Engine(plain).run(
                filter, local_entropy::View<const float>{sample.data(), shape.width, shape.height},
                local_entropy::View<float>{expected.data(), shape.width, shape.height});
            for (const BitsOptions &options : variants(GetParam()))
                EXPECT_TRUE(sameBits(compute(shape.width, shape.height, sample, options), expected))
                    << shape.width << " x " << shape.height << ", one of " << of;
            sample[sample.size() / 3] = 3.5f;
            EXPECT_THROW(compute(shape.width, shape.height, sample, {}), local_entropy::Error);
        }
}
