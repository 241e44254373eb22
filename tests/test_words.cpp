// What the GPU engine computes, without a GPU: the functions that its kernel calls, in the kernel's
// order, for every window there can be; which cells it takes for levels. How it cuts its work:
// test_words_plan.cpp.
#include "bits_call.h"
#include "gallery.h"
#include "local_entropy/answers/partitions.h"
#include "local_entropy/methods/words/hash.h"
#include "local_entropy/methods/words/plan.h"
#include "local_entropy/methods/words/tables.h"
#include "messages.h"
#include "same_bits.h"
#include "shapes.h"

#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace words = local_entropy::words;

using local_entropy::Partition;
using words::GpuTables;
using words::Word;

namespace
{

constexpr int kColumns = 4; ///< of a lane

std::uint32_t bitsOf(float value) { return words::bitsOf(value); }

/// As the kernel finds it, by addresses in bytes.
float lookUp(std::uint32_t code)
{
    const GpuTables &tables = words::gpuTables();
    const std::uint32_t row = (code >> GpuTables::kRowBits) - GpuTables::kFirstRow;
    if (row >= GpuTables::kRows) return NAN;
    const std::int64_t place = 4 * std::int64_t(code) + tables.shifts[row];
    if (place % 4 != 0 || place < 0 || place / 4 >= GpuTables::kEntries) return NAN;
    return tables.entropies[place / 4];
}

Word wordOf(std::uint32_t byte)
{
    const GpuTables &tables = words::gpuTables();
    return {tables.words[byte / 4], tables.words[byte / 4 + 1]};
}

/// The kernel for the four columns of a lane, one row after the other.
class Lane
{
public:
    /// Eight cells, as bytes, of the next row: the lane's four and two on each side.
    void enter(const std::array<std::uint32_t, 8> &bytes)
    {
        Word words[8];
        std::transform(bytes.begin(), bytes.end(), words, wordOf);
        Word across[kColumns];
        across[0] = words[0] + words[1] + words[2] + words[3] + words[4];
        for (int i = 1; i < kColumns; ++i) across[i] = across[i - 1] - words[i - 1] + words[i + 4];
        for (int i = 0; i < kColumns; ++i) {
            const Word &leaving = ring[(row + 1) % words::kBatch][i];
            sums[i].all = sums[i].all + across[i] - leaving;
            sums[i].even = sums[i].even + words::even(across[i]) - words::even(leaving);
            ring[row % words::kBatch][i] = across[i];
        }
        ++row;
    }
    float entropy(int column) const { return lookUp(words::codeOf(sums[column])); }

private:
    Word ring[words::kBatch][kColumns] = {};
    words::Sums sums[kColumns];
    int row = 0;
};

/// A cell as the kernel packs it; outside the array there is none.
std::uint32_t byteOf(int width, int height, const std::vector<float> &sample, int x, int y)
{
    if (x < 0 || x >= width || y < 0 || y >= height) return words::kNoCell;
    const std::uint32_t scaled = words::scaledCell(sample[std::size_t(y) * width + x]);
    return words::packed(0, scaled, 0, 0) >> 9 & words::kCellBits;
}

std::vector<float> computeAsKernel(int width, int height, const std::vector<float> &sample)
{
    std::vector<float> result(sample.size(), NAN);
    for (int first = 0; first < width; first += kColumns) {
        Lane lane;
        for (int y = -local_entropy::kRadius; y < height + local_entropy::kRadius; ++y) {
            std::array<std::uint32_t, 8> bytes;
            for (int i = 0; i < 8; ++i)
                bytes[i] = byteOf(width, height, sample, first + i - local_entropy::kRadius, y);
            lane.enter(bytes);
            if (y < local_entropy::kRadius) continue;
            const std::size_t left = std::size_t(y - local_entropy::kRadius) * width;
            for (int i = 0; i < kColumns && first + i < width; ++i)
                result[left + first + i] = lane.entropy(i);
        }
    }
    return result;
}

/// Orders in which levels can be given to the counts of a window: ascending and descending, even
/// levels first, odd ones first (each has a field of its own in a byte), and by chance.
std::vector<std::vector<float>> orders()
{
    std::vector<float> levels(local_entropy::kLevels);
    std::iota(levels.begin(), levels.end(), 0.0f);
    std::vector<std::vector<float>> all = {levels, {levels.rbegin(), levels.rend()}};
    for (const bool odd : {false, true}) {
        all.push_back(levels);
        std::stable_partition(all.back().begin(), all.back().end(), [&](float level) {
            return (static_cast<int>(level) % 2 == 1) == odd;
        });
    }
    std::mt19937 random(1);
    for (int i = 0; i < 6; ++i) {
        all.push_back(levels);
        std::shuffle(all.back().begin(), all.back().end(), random);
    }
    return all;
}

/// Sums of a window whose level number i occurs counts[i] times.
words::Sums sumsOf(const std::array<int, local_entropy::kLevels> &counts)
{
    words::Sums sums;
    for (int level = 0; level < local_entropy::kLevels; ++level)
        for (int i = 0; i < counts[level]; ++i) {
            sums.all = sums.all + words::oneHot(level);
            sums.even = sums.even + words::even(words::oneHot(level));
        }
    return sums;
}

/// What the code of a window is, count by count and without packing: the sum of w^2.
std::uint32_t plainCode(const std::array<int, local_entropy::kLevels> &counts)
{
    std::uint32_t code = 0;
    for (const int count : counts) {
        const unsigned y = 8 * count + 38, x = (y >> 3 | y << 5) & 0xFF, k = 243;
        unsigned w = 0;
        for (int bit = 0; bit < 8; ++bit) {
            const int row = 4 * (y >> bit & 1) + 2 * (x >> bit & 1) + (k >> bit & 1);
            w |= (104u >> row & 1) << bit;
        }
        code += w * w;
    }
    return code;
}

std::array<int, local_entropy::kLevels> countsOf(const Partition &partition, std::mt19937 &random)
{
    std::array<int, local_entropy::kLevels> counts{};
    int level = 0;
    for (int n = 1; n <= local_entropy::kWindowCells; ++n)
        for (int i = 0; i < partition.levels[n]; ++i) counts[level++] = n;
    std::shuffle(counts.begin(), counts.end(), random);
    return counts;
}

bool isLevel(float cell) { return cell >= 0 && cell <= 15 && cell == std::floor(cell); }

words::Seen see(float cell) { return {words::bitsOf(cell), words::scaledCell(cell)}; }

float floatOf(std::uint32_t bits)
{
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

} // namespace

// ---- windows ------------------------------------------------------------------------------------

// All windows there can be, of every shape, through the kernel's sums, codes and tables: a proof.
TEST(EngineGpuHash, IsExactForEveryWindow)
{
    const auto levelsInOrder = orders();
    for (int across = 1; across <= local_entropy::kWindow; ++across)
        for (int down = 1; down <= local_entropy::kWindow; ++down) {
            const auto partitions = local_entropy::partitionsOf(across * down);
            for (std::size_t order = 0; order < levelsInOrder.size(); ++order) {
                std::vector<std::vector<float>> windows;
                for (const Partition &partition : partitions) {
                    windows.push_back(cellsOf(partition, static_cast<int>(order)));
                    for (float &cell : windows.back())
                        cell = levelsInOrder[order][static_cast<int>(cell)];
                }
                const std::size_t step = across == local_entropy::kWindow ? windows.size() : 1;
                for (std::size_t first = 0; first < windows.size(); first += step) {
                    const Gallery gallery = hang(
                        {windows.begin() + first, windows.begin() + first + step}, across, down);
                    const auto result =
                        computeAsKernel(gallery.width, gallery.height, gallery.sample);
                    for (std::size_t i = 0; i < step; ++i)
                        ASSERT_EQ(bitsOf(result[gallery.centres[i]]),
                                  bitsOf(local_entropy::exactEntropy(partitions[first + i])))
                            << across << " x " << down << ", partition " << first + i << ", order "
                            << order;
                }
            }
        }
}

// Windows among others, so that the sums slide: rows of other windows enter and leave.
TEST(EngineGpuHash, SlidesWithoutError)
{
    std::vector<std::vector<float>> windows;
    int turn = 0;
    for (const Partition &partition : local_entropy::partitionsOf(local_entropy::kWindowCells))
        windows.push_back(cellsOf(partition, ++turn));
    const Gallery wall = tile(windows, 7);
    std::vector<float> expected(wall.sample.size());
    entropyOnCpu(wall.width, wall.height, wall.sample.data(), expected.data(), 0, wall.height);
    EXPECT_TRUE(sameBits(computeAsKernel(wall.width, wall.height, wall.sample), expected));
    for (const Shape shape :
         {Shape{1, 1}, Shape{3, 3}, Shape{4, 31}, Shape{97, 89}, Shape{2049, 3}})
        for (const std::string &content : kContents) {
            const auto sample = makeSample(content, shape);
            expected.assign(sample.size(), NAN);
            entropyOnCpu(shape.width, shape.height, sample.data(), expected.data(), 0,
                         shape.height);
            EXPECT_TRUE(sameBits(computeAsKernel(shape.width, shape.height, sample), expected))
                << content << " " << shape.width << " x " << shape.height;
        }
}

TEST(EngineGpuHash, CodesAreThoseOfTheCommentAndTellEntropiesApart)
{
    std::mt19937 random(2);
    std::map<std::uint32_t, std::uint32_t> entropyOf; // bits of it, by code
    std::size_t partitions = 0;
    for (const int cells : local_entropy::windowSizes())
        for (const Partition &partition : local_entropy::partitionsOf(cells)) {
            ++partitions;
            const std::uint32_t entropy = bitsOf(local_entropy::exactEntropy(partition));
            for (int i = 0; i < 20; ++i) {
                const auto counts = countsOf(partition, random);
                const std::uint32_t code = words::codeOf(sumsOf(counts));
                ASSERT_EQ(code, plainCode(counts));
                ASSERT_EQ(entropyOf.emplace(code, entropy).first->second, entropy);
                ASSERT_EQ(bitsOf(lookUp(code)), entropy);
            }
        }
    EXPECT_EQ(partitions, 3118u);
    EXPECT_EQ(entropyOf.size(), 3118u) << "no two partitions share a code";
    EXPECT_EQ(std::get<0>(*entropyOf.rbegin()) - std::get<0>(*entropyOf.begin()), 295660u);
}

TEST(EngineGpuHash, IsTheBestThatTheSearchFinds)
{
    const Outcome outcome = runCommand(BUILD_DIRECTORY "/search_hash gpu 38");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("constant 243: range 295660"), std::string::npos)
        << outcome.output;
    EXPECT_NE(outcome.output.find("constant 243, is the best of them"), std::string::npos)
        << outcome.output;
}

TEST(EngineGpuHash, BadUsageOfTheSearchIsRefused)
{
    const std::string search = BUILD_DIRECTORY "/search_hash";
    const Outcome help = runCommand(search + " --help");
    EXPECT_EQ(help.status, 0);
    expectBadUsage(search + " gpu 56", "search_hash: '56' is no whole number from 0 to 55");
    expectBadUsage(search + " gpu 38x", "'38x' is no whole number from 0 to 55");
    expectBadUsage(search + " binary 0", "'0' is no whole number from 1 to 1000000000");
    expectBadUsage(search + " ternary 1 x", "'x' is no whole number from 0 to 1000000000");
    for (const std::string arguments : {"", " gpus", " gpu 38 39", " ternary 1 2 3"}) {
        const Outcome outcome = runCommand("timeout 5 " + search + arguments);
        EXPECT_EQ(outcome.status, 2) << arguments;
        EXPECT_EQ(outcome.errors, help.output) << arguments;
    }
}

// ---- words --------------------------------------------------------------------------------------

TEST(EngineGpuHash, WordsHaveAFieldForEveryLevel)
{
    std::uint32_t low = 0, high = 0;
    for (int level = 0; level < local_entropy::kLevels; ++level) {
        const Word word = words::oneHot(level);
        EXPECT_EQ(low & word.low, 0u);
        EXPECT_EQ(high & word.high, 0u);
        low |= word.low;
        high |= word.high;
        const Word kept = words::even(word);
        EXPECT_EQ(kept.low == word.low && kept.high == word.high, level % 2 == 0) << level;
        EXPECT_EQ(kept.low == 0 && kept.high == 0, level % 2 == 1) << level;
        EXPECT_EQ(wordOf(8 * level).low, word.low);
        EXPECT_EQ(wordOf(8 * level).high, word.high);
    }
    EXPECT_EQ(low, 9 * words::kBytes);
    EXPECT_EQ(high, 9 * words::kBytes);
    EXPECT_EQ(wordOf(words::kNoCell).low, 0u);
    EXPECT_EQ(wordOf(words::kNoCell).high, 0u);
}

// Both sums give back the counts, and x and y of either kind are what the comment says.
TEST(EngineGpuHash, SumsHoldTheCounts)
{
    std::mt19937 random(3);
    for (int round = 0; round < 20000; ++round) {
        std::array<int, local_entropy::kLevels> counts{};
        const int levels = 1 + random() % local_entropy::kLevels; // few: large counts
        for (int cell = 0; cell < local_entropy::kWindowCells; ++cell) ++counts[random() % levels];
        std::shuffle(counts.begin(), counts.end(), random);
        const words::Sums sums = sumsOf(counts);
        const Word odd = sums.all - sums.even;
        for (int level = 0; level < local_entropy::kLevels; ++level) {
            const bool low = level < 8;
            const int shift = level / 2 % 4 * 8;
            const std::uint32_t even32 = low ? sums.even.low : sums.even.high;
            const std::uint32_t odd32 = low ? odd.low : odd.high;
            const std::uint32_t x = level % 2 ? odd32 >> 3 | odd32 << 29 : even32;
            const std::uint32_t y = level % 2 ? odd32 : 8 * even32 + (words::kOffsetX >> 5);
            ASSERT_EQ(x >> shift & 0xFF, counts[level] + words::kOffsetX);
            ASSERT_EQ(y >> shift & 0xFF, 8u * counts[level] + words::kOffsetY);
        }
    }
}

TEST(EngineGpuHash, WordsAddAndSubtractWithCarries)
{
    const Word a = {0xFFFFFFFF, 1}, b = {2, 0xFFFFFFFF};
    EXPECT_EQ((a + b).low, 1u);
    EXPECT_EQ((a + b).high, 0u);
    EXPECT_EQ((a + b - b).low, a.low);
    EXPECT_EQ((b - a + a).high, b.high);
    EXPECT_EQ(words::even(a).low, words::kEvenFields);
}

TEST(EngineGpuHash, GapsOfTheTableAreNaN)
{
    const GpuTables &tables = words::gpuTables();
    std::map<std::uint32_t, int> known;
    for (const int cells : local_entropy::windowSizes())
        for (const Partition &partition : local_entropy::partitionsOf(cells))
            known[bitsOf(local_entropy::exactEntropy(partition))] = cells;
    int filled = 0;
    for (const float entropy : tables.entropies) {
        EXPECT_TRUE(std::isnan(entropy) || known.count(bitsOf(entropy)));
        filled += !std::isnan(entropy);
    }
    EXPECT_EQ(filled, 3118) << "one for every code";
}

// Of 32 lanes that look up windows of random cells, as many as go to the same bank wait for each
// other; rows laid where they happen to fit make that 2.9 lookups of a lane after another.
TEST(EngineGpuHash, LookupsOfRandomCellsAreSpreadOverTheBanks)
{
    constexpr int kLanes = 32, kBanks = 32, kRounds = 2000;
    const GpuTables &tables = words::gpuTables();
    std::mt19937 random(4);
    double longest = 0;
    for (int round = 0; round < kRounds; ++round) {
        // A word is read once for all lanes that want it.
        std::map<std::int64_t, std::set<std::int64_t>> banks;
        for (int lane = 0; lane < kLanes; ++lane) {
            std::array<int, local_entropy::kLevels> counts{};
            for (int cell = 0; cell < local_entropy::kWindowCells; ++cell)
                ++counts[random() % local_entropy::kLevels];
            const std::uint32_t code = words::codeOf(sumsOf(counts));
            const std::int64_t place =
                code + tables.shifts[(code >> GpuTables::kRowBits) - GpuTables::kFirstRow] / 4;
            banks[place % kBanks].insert(place);
        }
        std::size_t most = 0;
        for (const auto &[bank, places] : banks) most = std::max(most, places.size());
        longest += static_cast<double>(most) / kRounds;
    }
    EXPECT_LT(longest, 2.7);
}

// ---- cells --------------------------------------------------------------------------------------

TEST(EngineGpuCells, LevelsAreBytes)
{
    for (int level = 0; level < local_entropy::kLevels; ++level)
        EXPECT_EQ(words::scaledCell(static_cast<float>(level)), 16u * level);
    EXPECT_EQ(words::scaledCell(-0.0f), 0u);
    const std::uint32_t four =
        words::packed(words::scaledCell(1), words::scaledCell(15), 0, words::scaledCell(8));
    EXPECT_EQ(four, 0x8000F010u);
    EXPECT_EQ(four >> 1 & words::kCellBits * words::kBytes, 0x40007808u); // 8 * level
}

TEST(EngineGpuCells, BytesThatAreNoLevelsAreTooHigh)
{
    for (std::uint32_t levels = 2; levels <= 16; ++levels)
        for (std::uint32_t byte = 0; byte < 256; ++byte)
            for (int place = 0; place < 32; place += 8)
                for (const std::uint32_t others : {0u, (levels - 1) * words::kBytes}) {
                    const std::uint32_t four = (others & ~(0xFFu << place)) | byte << place;
                    EXPECT_EQ(words::tooHigh(four, levels) & words::kTooHighBits,
                              byte < levels ? 0u : 0x80u << place)
                        << byte << " of " << levels << " levels, bit " << place;
                }
}

TEST(EngineGpuCells, LevelsAreValidAndNothingElse)
{
    const float inf = std::numeric_limits<float>::infinity();
    std::vector<float> bad = {16,      17,     31,      32,           255,         256,     4096,
                              65536,   -1,     -16,     3.5f,         0.9375f,     0.5f,    0.25f,
                              1e-30f,  1e-45f, -1e-45f, 1e-38f,       15.0000009f, 15.5f,   1e30f,
                              -1e-30f, inf,    -inf,    4294967296.f, 0.0625f,     0.03125f};
    for (const std::uint32_t nan : {0x7FC00000u, 0xFFC00000u, 0x7F800001u, 0x7FFFFFFFu, 0xFFFFFFFFu,
                                    0x7FF00000u, 0x7F900000u, 0xFFF00000u, 0x7FABCDEFu})
        bad.push_back(floatOf(nan));
    words::Seen allLevels;
    for (int level = 0; level < local_entropy::kLevels; ++level) {
        const float cell = static_cast<float>(level);
        EXPECT_TRUE(words::cellsAreValid(see(cell))) << level;
        allLevels.raw |= see(cell).raw;
        allLevels.scaled |= see(cell).scaled;
        bad.push_back(std::nextafter(cell, -inf));
        bad.push_back(std::nextafter(cell, inf));
        if (level > 0) bad.push_back(-cell);
    }
    EXPECT_TRUE(words::cellsAreValid(see(-0.0f)));
    EXPECT_TRUE(words::cellsAreValid(allLevels));
    for (const float cell : bad) {
        ASSERT_FALSE(isLevel(cell)) << cell;
        const words::Seen seen = see(cell);
        EXPECT_FALSE(words::cellsAreValid(seen)) << cell << ", bits " << seen.raw;
        EXPECT_FALSE(
            words::cellsAreValid({seen.raw | allLevels.raw, seen.scaled | allLevels.scaled}))
            << cell << " among levels";
    }
}

// A level has no bits below bit 20: so all floats that have none, and a sweep over the others.
TEST(EngineGpuCells, EveryFloatIsJudgedByItsValue)
{
    for (std::uint32_t top = 0; top < 1u << 12; ++top) {
        const float cell = floatOf(top << 20);
        ASSERT_EQ(words::cellsAreValid(see(cell)), isLevel(cell))
            << cell << ", bits " << (top << 20);
    }
    std::mt19937 random(4);
    for (int i = 0; i < 5000000; ++i) {
        std::uint32_t bits = random();
        if (i % 3 == 1) bits = 0x3E800000 + bits % 0x03000000; // from 1/4 to 32
        if (i % 3 == 2) bits &= ~0u << random() % 24;          // few bits
        const float cell = floatOf(bits);
        ASSERT_EQ(words::cellsAreValid(see(cell)), isLevel(cell)) << cell << ", bits " << bits;
    }
}

// scaledCell() on the host stands for one instruction of the GPU: the host has the same one, in
// another rounding mode.
TEST(EngineGpuCells, TheHostRoundsAsTheGpuDoes)
{
    const auto fused = [](float value) {
        const volatile float cell = value, factor = floatOf(16), zero = 0;
        std::fesetround(FE_UPWARD);
        const volatile float result = std::fma(cell, factor, zero);
        std::fesetround(FE_TONEAREST);
        return static_cast<float>(result);
    };
    std::mt19937 random(5);
    for (int i = 0; i < 1000000; ++i) {
        std::uint32_t bits = i < 4096 ? std::uint32_t(i) << 20 : std::uint32_t(random());
        if (i >= 4096 && i % 2) bits = (bits & 0x80000000) + 0x3D000000 + bits % 0x0D000000;
        const float cell = floatOf(bits), expected = fused(cell);
        if (std::isnan(cell))
            ASSERT_TRUE(std::isnan(floatOf(words::scaledCell(cell))));
        else
            ASSERT_EQ(words::scaledCell(cell), words::bitsOf(expected))
                << cell << ", bits " << bits;
    }
}
