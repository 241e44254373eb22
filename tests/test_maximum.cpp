// The maximum of a matrix: every version against std::max_element. The program around them:
// test_maximum_program.cpp.
#include "brief.h"
#include "maximum/call.h"
#include "maximum/core.h"
#include "maximum/matrix.h"
#include "messages.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <gtest/gtest.h>
#include <ostream>
#include <random>
#include <string>
#include <vector>

using maximum::Version;

namespace maximum
{
static void PrintTo(const Version &version, std::ostream *out) { *out << version.name; }
} // namespace maximum

namespace
{

struct Size
{
    std::int64_t rows, columns;
};

// Single elements, rows and columns; one more and one less than a warp (32), a block (256, 1024)
// and the elements that a block of m8 and m9 reads at once (4096); primes; sizes that are no
// multiple of 4; more rows than a grid is high (65535); one more and one less than what m4 and m5
// reduce in two launches (2^20); what takes m6 to m9 several turns a block.
const std::vector<Size> kSizes = {
    {1, 1},       {1, 2},      {2, 1},     {1, 3},     {3, 1},       {1, 5},       {1, 31},
    {1, 32},      {1, 33},     {33, 1},    {31, 33},   {7, 11},      {1, 255},     {1, 257},
    {1, 1023},    {1, 1024},   {1, 1025},  {1025, 1},  {3, 2049},    {1, 4095},    {1, 4096},
    {1, 4097},    {1, 16383},  {2, 8193},  {97, 89},   {256, 1024},  {257, 1023},  {1, 70001},
    {70001, 1},   {65537, 3},  {3, 65537}, {1009, 13}, {1025, 1023}, {1024, 1024}, {17, 61681},
    {2048, 2048}, {1, 6291469}};

std::string nameOf(Size size)
{
    return std::to_string(size.rows) + " x " + std::to_string(size.columns);
}

std::vector<int> randomElements(Size size, int smallest, int largest)
{
    std::vector<int> elements(size.rows * size.columns);
    std::mt19937_64 generator(7 * size.rows + size.columns);
    const auto values = static_cast<std::uint64_t>(std::int64_t(largest) - smallest) + 1;
    for (int &element : elements)
        element = smallest + static_cast<std::int64_t>(generator() % values);
    return elements;
}

/// Empty if `callback` finds the maximum and leaves the elements alone, otherwise what is wrong.
std::string wrong(maximum::Callback callback, Size size, const std::vector<int> &elements,
                  const std::string &content)
{
    const std::vector<int> before = elements;
    const int found = callback(size.rows, size.columns, elements.data());
    const int right = *std::max_element(before.begin(), before.end());
    if (elements != before) return nameOf(size) + ", " + content + ": the matrix was changed";
    if (found == right) return "";
    return nameOf(size) + ", " + content + ": found " + std::to_string(found) + ", right is " +
           std::to_string(right);
}

/// Random, negative and flat contents; every name says what it is.
void expectRightOnContents(maximum::Callback callback, Size size)
{
    const auto flat = [&](int value) { return std::vector<int>(size.rows * size.columns, value); };
    EXPECT_EQ(wrong(callback, size, randomElements(size, 1, 2018), "1..2018"), "");
    EXPECT_EQ(wrong(callback, size, randomElements(size, -2000000000, -1000), "negative"), "");
    EXPECT_EQ(wrong(callback, size, randomElements(size, INT_MIN, INT_MAX), "any"), "");
    EXPECT_EQ(wrong(callback, size, flat(INT_MIN), "INT_MIN only"), "");
    EXPECT_EQ(wrong(callback, size, flat(0), "zeros"), "");
    EXPECT_EQ(wrong(callback, size, flat(-1), "-1 only"), "");
}

/// The maximum at the corners, beside them, in the middle, and at places spread over the matrix.
void expectRightWhereverItIs(maximum::Callback callback, Size size)
{
    const std::int64_t last = size.rows * size.columns - 1;
    std::vector<std::int64_t> places = {
        0,        1,        size.columns - 1, size.columns, last / 2,
        last - 3, last - 2, last - 1,         last,         last - size.columns + 1};
    for (int i = 1; i < 8; ++i) places.push_back(last / 8 * i + i);
    std::vector<int> elements(last + 1, INT_MIN);
    for (const std::int64_t place : places) {
        if (place < 0 || place > last) continue;
        for (const int value : {INT_MAX, INT_MIN + 1}) {
            elements[place] = value;
            EXPECT_EQ(wrong(callback, size, elements,
                            std::to_string(value) + " at " + std::to_string(place)),
                      "");
        }
        elements[place] = INT_MIN;
    }
}

class Maximum : public testing::TestWithParam<Version>
{
protected:
    void SetUp() override
    {
        if (!GetParam().unavailable.empty())
            GTEST_SKIP() << GetParam().name << " " << GetParam().unavailable;
    }
};

} // namespace

TEST_P(Maximum, RightOnEverySizeAndContent)
{
    for (const Size size : kSizes) expectRightOnContents(GetParam().callback, size);
}

TEST_P(Maximum, RightWhereverTheMaximumIs)
{
    for (const Size size : kSizes) expectRightWhereverItIs(GetParam().callback, size);
}

// Every place of a matrix in turn: nothing is left out, at no boundary.
TEST_P(Maximum, NoElementIsOverlooked)
{
    for (const Size size : {Size{3, 37}, Size{1, 101}, Size{67, 1}, Size{1, 1030}}) { // two blocks
        std::vector<int> elements(size.rows * size.columns, -5);
        for (int &element : elements) {
            element = -4;
            EXPECT_EQ(wrong(GetParam().callback, size, elements, "one -4"), "");
            element = -5;
        }
    }
}

// Also run under compute-sanitizer.
TEST_P(Maximum, RightOnSmallShapes)
{
    for (const Size size :
         {Size{1, 1}, Size{1, 3}, Size{5, 7}, Size{33, 31}, Size{3, 1030}, Size{1, 4101}}) {
        if (isBrief()) { // who waits for whom does not depend on the elements
            const auto elements = randomElements(size, INT_MIN, INT_MAX);
            EXPECT_EQ(wrong(GetParam().callback, size, elements, "any"), "");
            continue;
        }
        expectRightOnContents(GetParam().callback, size);
        expectRightWhereverItIs(GetParam().callback, size);
    }
}

TEST_P(Maximum, RefusesBadArgumentsByName)
{
    const int element = 1;
    const auto message = [&](std::int64_t rows, std::int64_t columns, const int *matrix) {
        return messageOf([&] { GetParam().callback(rows, columns, matrix); });
    };
    const std::string name = GetParam().name;
    EXPECT_EQ(message(0, 5, &element).find(name + ": findMaximum: the matrix is 0 x 5"), 0u);
    EXPECT_EQ(message(5, -1, &element).find(name + ": findMaximum: the matrix is 5 x -1"), 0u);
    EXPECT_EQ(message(INT64_MAX, INT64_MAX, &element).find(name + ": findMaximum: the matrix"), 0u);
    EXPECT_EQ(message(1, 1, nullptr), name + ": findMaximum: matrix is null");
}

TEST(MaximumCall, HasRoomForSizesInBytes)
{
    const int element = 1;
    const auto message = [&](std::int64_t rows, std::int64_t columns) {
        return messageOf([&] { maximum::Call("m1", rows, columns, &element); });
    };
    constexpr std::int64_t kSide = std::int64_t(1) << 30;
    EXPECT_EQ(message(kSide, kSide), "");
    for (const std::int64_t more : {kSide + 1, 2 * kSide, 16 * kSide}) {
        EXPECT_TRUE(holds(message(kSide, more), ", 2^60 elements at most")) << more;
        EXPECT_TRUE(holds(message(more, kSide), ", 2^60 elements at most")) << more;
    }
}

INSTANTIATE_TEST_SUITE_P(Versions, Maximum, testing::ValuesIn(maximum::versions()),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(MaximumTable, HoldsTheTenVersionsInOrder)
{
    const auto &versions = maximum::versions();
    ASSERT_EQ(versions.size(), 10u);
    for (std::size_t i = 0; i < versions.size(); ++i)
        EXPECT_EQ(versions[i].name, "m" + std::to_string(i + 1));
    EXPECT_EQ(versions.front().unavailable, "");
    EXPECT_EQ(std::count_if(versions.begin(), versions.end(),
                            [](const Version &version) { return version.yardstick; }),
              1);
}

TEST(MaximumTable, AnUnavailableVersionSaysWhy)
{
    for (const Version &version : maximum::versions()) {
        if (version.unavailable.empty()) continue;
        const int element = 1;
        const std::string refusal = messageOf([&] { version.callback(1, 1, &element); });
        EXPECT_EQ(refusal.find(std::string(version.name) + ": "), 0u) << refusal;
    }
}

TEST(MaximumTable, TheSwitchPicksARow)
{
    const auto &versions = maximum::versions();
    const Version &active = maximum::activeVersion();
    EXPECT_TRUE(&active >= versions.data() && &active < versions.data() + versions.size());
    if (!active.unavailable.empty()) GTEST_SKIP() << active.name << " " << active.unavailable;
    const std::vector<int> elements = {3, 1, 4, 1, 5, 9};
    EXPECT_EQ(maximum::findMaximum(2, 3, elements.data()), 9);
}

// A 5 among zeros at every place in turn, the first and the last as well; large ones in parts by
// several threads.
TEST(MaximumMatrix, TheReferenceOverlooksNoElement)
{
    for (const Size size : {Size{1, 1}, Size{1, 2}, Size{3, 37}, Size{300, 700}}) {
        maximum::Matrix matrix(size.rows, size.columns);
        std::fill_n(matrix.elements.get(), matrix.size(), 0);
        for (std::int64_t i = 0; i < matrix.size();
             i += i + 1000 < matrix.size() ? 1 + i / 100 : 1) {
            matrix.elements[i] = 5;
            EXPECT_EQ(maximum::reference(matrix), 5) << nameOf(size) << ", at " << i;
            matrix.elements[i] = 0;
        }
        std::fill_n(matrix.elements.get(), matrix.size(), INT_MIN);
        EXPECT_EQ(maximum::reference(matrix), INT_MIN) << nameOf(size);
    }
}

TEST(MaximumMatrix, ElementsAreInRangeAndTheLargestOfTheHashedOnesIsTheLast)
{
    const maximum::Matrix random = maximum::randomMatrix(256, 1024);
    const auto [low, high] =
        std::minmax_element(random.elements.get(), random.elements.get() + random.size());
    EXPECT_EQ(*low, 1);
    EXPECT_EQ(*high, 2018);

    const maximum::Matrix hashed = maximum::hashedMatrix(300, 700);
    const int *const begin = hashed.elements.get(), *const last = begin + hashed.size() - 1;
    EXPECT_EQ(*last, 2019);
    EXPECT_EQ(*std::max_element(begin, last), 2018);
    EXPECT_EQ(*std::min_element(begin, last), 1);

    // The same matrix on every machine.
    const auto sumOf = [](const maximum::Matrix &matrix) {
        std::uint64_t sum = 0;
        for (std::int64_t i = 0; i < matrix.size(); ++i) sum = 31 * sum + matrix.elements[i];
        return sum;
    };
    EXPECT_EQ(sumOf(random), 4119505968436545531u);
    EXPECT_EQ(sumOf(hashed), 16610112330733824914u);
}
