// What is special about sources/entropy/cores/variants_study.cu.
#include "entropy/core.h"
#include "entropy/every_window.h"
#include "entropy/log_table.h"
#include "entropy/reference.h"
#include "entropy/split.h"
#include "larger_error.h"
#include "messages.h"
#include "shapes.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

using entropy::Part;
using entropy::Range;

namespace rows
{
void cudaCallbackParts(int width, int height, float *sample, float *output, int parts);
}
namespace texture_devices
{
void cudaCallbackParts(int width, int height, float *sample, float *output, int parts);
}
namespace rows_back
{
void cudaCallbackParts(int width, int height, float *sample, float *output, int parts);
}
namespace longer_side
{
void cudaCallbackParts(int width, int height, float *sample, float *output, int parts);
}

namespace
{

/// Largest error of H = ln N - (1/N) sum n ln n in float with a float table: every window there can
/// be, its levels added up in every order. quotient(sum, total) returns the smallest and largest
/// value that sum / total may take.
template <typename Quotient>
double largestError(Quotient quotient)
{
    const auto table = entropy::makeLogTable<float>();
    const auto add = [&](float sum, int n) { return entropy::multiplyAdd(n, table.ln[n], sum); };
    entropy::FloatSum sums(add);
    double largest = 0;
    for (int total = 1; total <= entropy::kWindowCells; ++total)
        for (const entropy::Counts &counts : entropy::partitions(total, total)) {
            const auto [low, high] = sums.overAllOrders(counts);
            for (const float q : {quotient(low, total).first, quotient(high, total).second})
                largest = largerError(
                    largest, std::fabs(table.ln[total] - q - entropy::entropyOf(counts, total)));
        }
    return largest;
}

/// The cells that `part` reads of an array, as an array of its own.
std::vector<float> cut(const std::vector<float> &sample, int width, const Part &part)
{
    std::vector<float> cells;
    for (int y = part.rows.begin; y < part.rows.end; ++y)
        for (int x = part.columns.begin; x < part.columns.end; ++x)
            cells.push_back(sample[static_cast<std::size_t>(y) * width + x]);
    return cells;
}

} // namespace

TEST(Float, IsRightForEveryWindow)
{
    const double divided = largestError([](float sum, int total) {
        const float q = sum / total;
        return std::pair(q, q);
    });
    EXPECT_LT(divided, entropy::kTolerance / 4);
    // __fdividef is right to within two units in the last place.
    const double approximate = largestError([](float sum, int total) {
        const float q = sum / total, unit = std::nextafter(q, INFINITY) - q;
        return std::pair(q - 2 * unit, q + 2 * unit);
    });
    EXPECT_LT(approximate, entropy::kTolerance / 2);
    EXPECT_GT(approximate, divided);
}

TEST(Split, PartsCoverEveryRowOnce)
{
    for (const int length : {1, 2, 3, 7, 100, 1000000, 2000000000})
        for (int parts = 1; parts <= 9; ++parts) {
            int next = 0;
            for (int part = 0; part < parts; ++part) {
                const Range range = entropy::partOf(length, part, parts);
                EXPECT_EQ(range.begin, next) << length << " in " << parts;
                EXPECT_GE(range.size(), length / parts);
                EXPECT_LE(range.size(), length / parts + 1);
                next = range.end;
            }
            EXPECT_EQ(next, length);
        }
}

TEST(Split, APitchIsNoLongerThanAnInt)
{
    EXPECT_EQ(entropy::pitchOf(1), 4u);
    EXPECT_EQ(entropy::pitchOf(536870911), 2147483644u);
    for (const int width : {536870912, 2000000000}) {
        EXPECT_THROW(entropy::pitchOf(width), common::Unavailable);
        EXPECT_EQ(messageOf([&] { entropy::pitchOf(width); }),
                  "cudaCallback: rows of " + std::to_string(width) +
                      " cells are too long to be copied in parts");
    }
}

TEST(Split, HaloIsTwoMoreAtInnerEdgesOnly)
{
    const auto halo = [](int begin, int end, int length) {
        const Range range = withHalo(Range{begin, end}, length);
        return std::pair(range.begin, range.end);
    };
    EXPECT_EQ(halo(0, 100, 100), std::pair(0, 100));
    EXPECT_EQ(halo(0, 50, 100), std::pair(0, 52));
    EXPECT_EQ(halo(50, 100, 100), std::pair(48, 100));
    EXPECT_EQ(halo(1, 99, 100), std::pair(0, 100));
    EXPECT_EQ(halo(1, 2, 3), std::pair(0, 3));
    EXPECT_EQ(halo(1999999999, 2000000000, 2000000000), std::pair(1999999997, 2000000000));
}

TEST(Split, TheLongerSideIsTheOneThatIsSplit)
{
    const Part wide = entropy::partOfLongerSide(1000000, 10, 1, 4);
    EXPECT_EQ(wide.columns.begin, 250000);
    EXPECT_EQ(wide.columns.end, 500000);
    EXPECT_EQ(wide.rows.size(), 10);
    const Part high = entropy::partOfLongerSide(10, 1000000, 3, 4);
    EXPECT_EQ(high.columns.size(), 10);
    EXPECT_EQ(high.rows.begin, 750000);
    EXPECT_EQ(high.rows.end, 1000000);
    EXPECT_EQ(entropy::partOfLongerSide(64, 64, 0, 2).rows.size(), 32) << "a square, by rows";
    EXPECT_TRUE(entropy::partOfLongerSide(1, 1, 0, 2).empty());
}

// What a part reads is enough: the windows of its own cells come out whole.
TEST(Split, APartAloneHasTheAnswersOfItsCells)
{
    for (const Shape shape : {Shape{1, 1}, Shape{7, 1}, Shape{1, 7}, Shape{5, 4}, Shape{33, 29},
                              Shape{29, 33}, Shape{70, 9}, Shape{9, 70}})
        for (int parts = 1; parts <= 5; ++parts) {
            const std::vector<float> sample = makeSample("random", shape);
            const auto gold = entropy::reference(shape.width, shape.height, sample.data());
            for (int number = 0; number < parts; ++number) {
                const Part part =
                    entropy::partOfLongerSide(shape.width, shape.height, number, parts);
                if (part.empty()) continue;
                const Part read = withHalo(part, shape.width, shape.height);
                const int across = read.columns.size(), down = read.rows.size();
                const auto alone =
                    entropy::reference(across, down, cut(sample, shape.width, read).data());
                for (int y = part.rows.begin; y < part.rows.end; ++y)
                    for (int x = part.columns.begin; x < part.columns.end; ++x)
                        EXPECT_EQ(alone[(y - read.rows.begin) * across + x - read.columns.begin],
                                  gold[y * shape.width + x])
                            << shape.width << " x " << shape.height << ", part " << number << " of "
                            << parts << ", cell " << x << ", " << y;
            }
        }
}

// On however many GPUs there are. Named to run under compute-sanitizer too.
TEST(Parts, AnySplitIsRightOnSmallShapes)
{
    using Split = void (*)(int, int, float *, float *, int);
    const std::map<std::string, Split> splits = {
        {"rows", rows::cudaCallbackParts},
        {"texture_devices", texture_devices::cudaCallbackParts},
        {"rows_back", rows_back::cudaCallbackParts},
        {"longer_side", longer_side::cudaCallbackParts}};
    for (const entropy::Version &version : entropy::versions()) {
        if (!splits.count(version.name)) continue;
        const Split split = splits.at(version.name);
        if (!version.unavailable.empty())
            GTEST_SKIP() << version.name << " " << version.unavailable;
        for (const Shape shape :
             {Shape{33, 29}, Shape{7, 1}, Shape{1, 7}, Shape{5, 4}, Shape{70, 9}, Shape{9, 70}})
            for (int parts = 1; parts <= 5; ++parts) {
                std::vector<float> sample = makeSample("random", shape);
                const auto gold = entropy::reference(shape.width, shape.height, sample.data());
                std::vector<float> output(sample.size(), -1.0f);
                split(shape.width, shape.height, sample.data(), output.data(), parts);
                EXPECT_TRUE(
                    entropy::compare(shape.width, shape.height, output.data(), gold.data()).passed)
                    << version.name << ", " << shape.width << " x " << shape.height << " in "
                    << parts << " parts";
            }
    }
}

TEST(Table, HoldsTheVariantsOfTheLaddersBest)
{
    std::vector<std::string> names;
    for (const entropy::Version &version : entropy::versions()) {
        names.push_back(version.name);
        EXPECT_FALSE(version.probe);
    }
    const std::vector<std::string> expected = {"start",          "table_shared",  "table_constant",
                                               "table_global",   "table_texture", "float_only",
                                               "float_fdividef", "rows",          "texture_devices",
                                               "rows_back",      "longer_side",   "openmp"};
    EXPECT_EQ(names, expected);
    EXPECT_EQ(entropy::versions().back().unavailable, "");
}
