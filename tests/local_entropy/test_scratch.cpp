// The scratch memory of an engine's threads.

#include "allocations.h"
#include "local_entropy/engine.h"
#include "local_entropy/memory/scratch.h"
#include "local_entropy/schedule/scratches.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace local_entropy;

TEST(Scratch, IsKeptUntilMoreIsNeeded)
{
    Scratch scratch;
    void *const memory = scratch.get(Scratch::Cells, 5000);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 4096, 0u);
    std::memset(memory, 0x5A, 5000);
    scratch.get(Scratch::Row, 5000); // another slot
    EXPECT_EQ(scratch.get(Scratch::Cells, 100), memory);
    EXPECT_EQ(scratch.get(Scratch::Cells, 5000), memory);
    EXPECT_EQ(static_cast<const char *>(memory)[4999], 0x5A);
    void *const pages = scratch.get(Scratch::MethodA, 8192); // to their last byte
    EXPECT_EQ(scratch.get(Scratch::MethodA, 8192), pages);
    constexpr std::size_t kMany = std::size_t(5) << 20;
    std::memset(scratch.get(Scratch::Cells, kMany), 0x5B, kMany);
}

// And the slot can be asked again for what there is.
TEST(Scratch, LackOfItIsAnError)
{
    Scratch scratch;
    scratch.get(Scratch::Cells, 100);
    try {
        scratch.get(Scratch::Cells, std::size_t(1) << 61);
        FAIL() << "such memory was found";
    } catch (const Error &error) {
        EXPECT_EQ(error.status(), Status::Unavailable);
        EXPECT_STREQ(error.what(), "no memory: 2305843009213693952 bytes for a tile");
    }
    std::memset(scratch.get(Scratch::Cells, 100), 0, 100);
}

TEST(Scratches, AreLentAgain)
{
    if (!allocations::kAreCounted) GTEST_SKIP() << allocations::kWhyNot;
    Scratches scratches;
    const auto lendTwo = [&] {
        const Scratches::Lease one(scratches), another(scratches);
        EXPECT_NE(&*one, &*another);
    };
    lendTwo();
    const long before = allocations::soFar;
    lendTwo();
    EXPECT_EQ(allocations::soFar, before);
}

/// An image of a few long rows, or columns; false: the method cannot do that.
template <typename Cell>
bool computeLong(Engine &engine, Filter filter, std::int64_t width, std::int64_t height, int side,
                 bool isMasked)
{
    std::mt19937 random(1);
    std::vector<Cell> cells(width * height);
    for (Cell &cell : cells)
        cell = static_cast<Cell>(random() % std::min(filter.levels.count, 200));
    std::vector<std::uint8_t> mask(cells.size());
    for (std::uint8_t &counts : mask) counts = random() % 5 != 0;
    std::vector<float> results(cells.size());
    filter.window.width = filter.window.height = side;
    RunOptions options;
    if (isMasked) options.mask = {mask.data(), width, height};
    try {
        engine.run(filter, View<const Cell>{cells.data(), width, height},
                   View<float>{results.data(), width, height}, options);
    } catch (const Error &error) {
        EXPECT_EQ(error.status(), Status::Unavailable) << error.what();
        return false;
    }
    return true;
}

// Long rows and columns, since a slot is rounded up to a page, which hides a few bytes of small
// images; and both, where lanes share rows and columns.
TEST(Scratch, NobodyWritesBehindIt)
{
    Filter few, all, words;
    few.levels.count = 16;
    few.nanIsError = true;
    words.levels.count = 4096;
    all.window.footprint.assign(49, 1);
    all.window.footprint.back() = 0;
    int blocks = 0;
    std::map<std::string, int> computed; // by each method, on any path
    for (const std::string &path : Engine::paths())
        for (const std::string &method : Engine::methods()) {
            const allocations::Fences fences;
            EngineOptions options;
            options.threads = 1;
            options.path = path;
            options.method = method;
            Engine engine(options);
            for (const auto &[width, height] : {std::pair(2503, 5), {5, 2503}, {301, 103}}) {
                computed[method] += computeLong<float>(engine, few, width, height, 5, false);
                computed[method] += computeLong<std::uint8_t>(engine, few, width, height, 9, false);
                computed[method] += computeLong<float>(engine, few, width, height, 9, true);
                computed[method] += computeLong<std::uint8_t>(engine, all, width, height, 7, true);
                computed[method] +=
                    computeLong<std::uint16_t>(engine, words, width, height, 5, true);
                computed[method] +=
                    computeLong<std::uint16_t>(engine, words, width, height, 9, false);
            }
            EXPECT_EQ(fences.damaged(), 0) << method << " on " << path;
            blocks += fences.blocks();
        }
    EXPECT_GT(blocks, 0);
    for (const std::string ofGpus : {"words", "wide", "footprint", "equal"}) computed.erase(ofGpus);
    for (const auto &[method, images] : computed) EXPECT_GT(images, 0) << method;
    EXPECT_EQ(computed.size(), Engine::methods().size() - 4);
}
