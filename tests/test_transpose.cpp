// The matrix transpose: every version against the reference, bit for bit. The program as its users
// meet it: test_transpose_program.cpp.
#include "common/error.h"
#include "messages.h"
#include "sanitized.h"
#include "transpose/core.h"
#include "transpose/matrix.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <omp.h>
#include <ostream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using transpose::Version;

namespace transpose
{
static void PrintTo(const Version &version, std::ostream *out) { *out << version.name; }
} // namespace transpose

namespace
{

struct Shape
{
    int rows, columns;
};

/// A shape for every edge: single cells and lines, one more and one less than a tile, primes,
/// multiples of 4 and of no tile, higher than wide and the reverse.
const std::vector<Shape> kShapes = {
    {1, 1},     {1, 2},     {2, 1},   {1, 1000}, {1000, 1}, {3, 3},     {4, 4},    {4, 1000},
    {1000, 3},  {8, 8},     {15, 17}, {31, 33},  {32, 32},  {33, 31},   {64, 64},  {65, 63},
    {36, 100},  {100, 36},  {68, 60}, {63, 64},  {64, 66},  {128, 64},  {64, 128}, {132, 68},
    {127, 251}, {251, 127}, {512, 8}, {8, 512},  {513, 77}, {516, 1028}};

/// Numbers that say where they come from, or bits of every kind: infinities, NaNs, denormals.
std::vector<float> makeMatrix(Shape shape, bool everyBits)
{
    std::vector<float> matrix(static_cast<std::size_t>(shape.rows) * shape.columns);
    for (std::size_t cell = 0; cell < matrix.size(); ++cell) {
        const std::uint32_t bits = static_cast<std::uint32_t>(cell + 1) * 2654435761u;
        if (everyBits)
            std::memcpy(&matrix[cell], &bits, sizeof bits);
        else
            matrix[cell] = static_cast<float>(bits >> 8) + 1;
    }
    return matrix;
}

std::string expectRight(const Version &version, Shape shape, int block, bool everyBits = false)
{
    const std::vector<float> input = makeMatrix(shape, everyBits);
    constexpr std::size_t kGuard = 8; // floats behind the output that must stay as they are
    const std::size_t cells = input.size() + kGuard;
    std::vector<float> output(cells), expected(cells);
    transpose::poison(output.data(), cells);
    transpose::poison(expected.data(), cells);
    transpose::reference(shape.rows, shape.columns, input.data(), expected.data());
    run(version, shape.rows, shape.columns, input.data(), output.data(), block);

    const std::size_t wrong = transpose::firstDifference(output.data(), expected.data(), cells);
    if (wrong == cells) return "";
    return std::string(version.name) + ", block " + std::to_string(block) + ", " +
           std::to_string(shape.rows) + " x " + std::to_string(shape.columns) + ": wrong at row " +
           std::to_string(wrong / shape.rows) + ", column " + std::to_string(wrong % shape.rows) +
           " of the output" + (wrong < input.size() ? "" : ", which is behind its end");
}

std::vector<int> blocksOf(const Version &version)
{
    return version.blocks ? transpose::kBlocks : std::vector<int>{0};
}

class Transpose : public testing::TestWithParam<Version>
{
protected:
    void SetUp() override
    {
        if (!GetParam().unavailable.empty())
            GTEST_SKIP() << GetParam().name << " " << GetParam().unavailable;
    }
};

/// What the call throws; empty if nothing.
std::string refusal(const Version &version, int rows, int columns, const float *input,
                    float *output, int block)
{
    return messageOf([&] { run(version, rows, columns, input, output, block); });
}

} // namespace

TEST_P(Transpose, MatchesReferenceOnEveryShapeAndBlock)
{
    for (const Shape shape : kShapes)
        for (const int block : blocksOf(GetParam()))
            EXPECT_EQ(expectRight(GetParam(), shape, block), "");
}

// Also run under compute-sanitizer.
TEST_P(Transpose, MatchesReferenceOnSmallShapes)
{
    for (const Shape shape : {Shape{1, 1}, Shape{1, 70}, Shape{33, 31}, Shape{68, 36}})
        for (const int block : blocksOf(GetParam()))
            EXPECT_EQ(expectRight(GetParam(), shape, block), "");
}

TEST_P(Transpose, MovesBitsNotNumbers)
{
    if (!GetParam().copiesBits) GTEST_SKIP() << GetParam().name << " multiplies by 1";
    for (const Shape shape : {Shape{64, 100}, Shape{101, 67}})
        for (const int block : blocksOf(GetParam()))
            EXPECT_EQ(expectRight(GetParam(), shape, block, true), "");
}

// More tiles than a grid holds in its second dimension: right, or refused by name.
TEST_P(Transpose, LongMatricesAreRightOrRefused)
{
    for (const Shape shape : {Shape{2100000, 3}, Shape{3, 2100000}, Shape{2100000, 4},
                              Shape{4, 2100000}, Shape{2100001, 1}, Shape{1, 2100001}})
        for (const int block : blocksOf(GetParam())) try {
                EXPECT_EQ(expectRight(GetParam(), shape, block), "");
            } catch (const common::Unavailable &refusal) {
                EXPECT_TRUE(GetParam().blocks) << refusal.what();
                EXPECT_TRUE(holds(refusal.what(), GetParam().name + std::string(": 2100")))
                    << refusal.what();
            }
}

// Many tiles down and across: whole ones, and parts at both edges.
TEST_P(Transpose, MatchesReferenceOnLargeMatrices)
{
    for (const Shape shape : {Shape{2048, 1024}, Shape{1540, 1996}, Shape{1543, 1999}})
        for (const int block : blocksOf(GetParam()))
            EXPECT_EQ(expectRight(GetParam(), shape, block), "");
}

TEST_P(Transpose, TwiceIsWhereItStarted)
{
    const std::vector<float> input = makeMatrix({77, 140}, false);
    std::vector<float> once(input.size()), twice(input.size());
    run(GetParam(), 77, 140, input.data(), once.data(), 16);
    run(GetParam(), 140, 77, once.data(), twice.data(), 16);
    EXPECT_EQ(input, twice);
}

TEST_P(Transpose, RefusesBadArgumentsByName)
{
    float cell = 1;
    const std::string name = GetParam().name + std::string(": ");
    EXPECT_EQ(refusal(GetParam(), 0, 5, &cell, &cell, 8).find(name + "the matrix is 0 x 5"), 0u);
    EXPECT_EQ(refusal(GetParam(), 5, -1, &cell, &cell, 8).find(name + "the matrix is 5 x -1"), 0u);
    constexpr int kMost = std::numeric_limits<int>::max();
    const std::string sides = ", expected sides of 1..2147483519"; // room for the last block
    EXPECT_EQ(refusal(GetParam(), kMost, 1, &cell, &cell, 8),
              name + "the matrix is 2147483647 x 1" + sides);
    EXPECT_EQ(refusal(GetParam(), 1, kMost - 127, &cell, &cell, 8),
              name + "the matrix is 1 x 2147483520" + sides);
    EXPECT_EQ(refusal(GetParam(), 1, 1, nullptr, &cell, 8), name + "input is null");
    EXPECT_EQ(refusal(GetParam(), 1, 1, &cell, nullptr, 8), name + "output is null");
    if (!GetParam().blocks) return;
    EXPECT_EQ(refusal(GetParam(), 1, 1, &cell, &cell, 64),
              name + "a block of 64 x 64 has 4096 threads, a GPU runs at most 1024 in one: "
                     "expected 8, 16 or 32");
    EXPECT_TRUE(holds(refusal(GetParam(), 1, 1, &cell, &cell, 12), "no block of 12 x 12"));
    EXPECT_TRUE(holds(refusal(GetParam(), 1, 1, &cell, &cell, -8), "no block of -8 x -8"));
}

TEST_P(Transpose, WorksFromSeveralThreadsAtOnce)
{
    std::vector<std::string> outcomes(4, "did not run");
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&, i] {
            outcomes[i] = expectRight(GetParam(), {100 + i, 90 - i}, 16);
        });
    for (std::thread &thread : threads) thread.join();
    for (const std::string &outcome : outcomes) EXPECT_EQ(outcome, "");
}

INSTANTIATE_TEST_SUITE_P(Versions, Transpose, testing::ValuesIn(transpose::versions()),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(TransposeTable, AnUnavailableVersionSaysWhy)
{
    float cell = 1;
    for (const Version &version : transpose::versions()) {
        if (version.unavailable.empty()) continue;
        EXPECT_EQ(refusal(version, 1, 1, &cell, &cell, 8),
                  version.name + (": " + version.unavailable));
    }
}

TEST(TransposeTable, TheSwitchPicksARow)
{
    const auto &versions = transpose::versions();
    const Version &active = transpose::activeVersion();
    EXPECT_TRUE(&active >= versions.data() && &active < versions.data() + versions.size());
    const std::vector<float> input = {1, 2, 3, 4, 5, 6};
    std::vector<float> output(6);
    try {
        transpose::matrixTranspose(2, 3, input.data(), output.data(), 8);
    } catch (const common::Unavailable &reason) {
        GTEST_SKIP() << reason.what();
    }
    EXPECT_EQ(output, (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

// OpenMP's threads stay behind, and would be waited for.
TEST(TransposeTable, OpenMpWorksInAForkedProcess)
{
    if (kThreadSanitizer) GTEST_SKIP() << "the thread sanitizer ends a forked process";
    for (const Version &version : transpose::versions()) {
        if (version.platform != transpose::Platform::OpenMp) continue;
        const std::vector<float> input = makeMatrix({301, 517}, false);
        std::vector<float> output(input.size()), again(input.size());
        const int before = omp_get_max_threads();
        omp_set_num_threads(3);
        transpose::run(version, 301, 517, input.data(), output.data(), 8);
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);
            transpose::run(version, 301, 517, input.data(), again.data(), 8);
            _exit(again == output ? 0 : 1);
        }
        omp_set_num_threads(before);
        int status = -1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0) << version.name;
    }
}

TEST(TransposeMatrix, TheReferenceIsRight)
{
    const std::vector<float> input = {1, 2, 3, 4, 5, 6};
    std::vector<float> output(6);
    transpose::reference(2, 3, input.data(), output.data());
    EXPECT_EQ(output, (std::vector<float>{1, 4, 2, 5, 3, 6}));
    const std::vector<float> large = makeMatrix({1001, 517}, false); // by several threads
    output.resize(large.size());
    transpose::reference(1001, 517, large.data(), output.data());
    for (std::size_t y = 0; y < 1001; ++y)
        for (std::size_t x = 0; x < 517; ++x)
            ASSERT_EQ(output[x * 1001 + y], large[y * 517 + x]) << y << ", " << x;
}

TEST(TransposeMatrix, AnyDifferentBitIsFound)
{
    const std::size_t cells = 300001;
    std::vector<float> a(cells), b(cells);
    transpose::fillRandom(a.data(), cells);
    b = a;
    EXPECT_EQ(transpose::firstDifference(a.data(), b.data(), cells), cells);
    for (const std::size_t cell : {std::size_t(0), std::size_t(16384), cells - 1, cells / 2}) {
        b = a;
        b[cell] = std::nextafter(a[cell], 2.0f);
        EXPECT_EQ(transpose::firstDifference(a.data(), b.data(), cells), cell);
    }
    transpose::poison(b.data(), cells);
    EXPECT_EQ(transpose::firstDifference(a.data(), b.data(), cells), 0u);
    EXPECT_EQ(transpose::firstDifference(b.data(), b.data(), cells), cells) << "NaN, the same bits";
}

TEST(TransposeMatrix, PoisonIsInEveryByte)
{
    std::vector<float> matrix(200003, 1.0f);
    transpose::poison(matrix.data(), matrix.size() - 1);
    EXPECT_EQ(matrix.back(), 1.0f);
    const std::vector<unsigned char> all((matrix.size() - 1) * sizeof(float), 0xFF);
    EXPECT_EQ(std::memcmp(matrix.data(), all.data(), all.size()), 0);
}

TEST(TransposeMatrix, RandomNumbersAreInRangeAndNotAllAlike)
{
    std::vector<float> cells(1000);
    transpose::fillRandom(cells.data(), cells.size());
    double sum = 0;
    for (const float cell : cells) {
        ASSERT_TRUE(cell >= 0 && cell < 1) << cell;
        sum += cell;
    }
    EXPECT_NEAR(sum / 1000, 0.5, 0.05);
}

TEST(TransposeMatrix, RandomNumbersAreTheSameWhateverTheThreads)
{
    const std::size_t cells = 300001; // enough for several
    std::vector<float> byOne(cells), byThree(cells);
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    transpose::fillRandom(byOne.data(), cells);
    omp_set_num_threads(3);
    transpose::fillRandom(byThree.data(), cells);
    omp_set_num_threads(before);
    EXPECT_EQ(transpose::firstDifference(byOne.data(), byThree.data(), cells), cells);
}
