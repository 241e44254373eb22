// How the method bits cuts an array into blocks for threads, and a narrow one into strips.

#include "common/integer.h"
#include "local_entropy/error.h"
#include "local_entropy/methods/bits/bits.h"
#include "local_entropy/methods/bits/cut.h"
#include "local_entropy/methods/bits/narrow.h"
#include "own_queue.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

using namespace local_entropy;

TEST(LocalEntropyBits, BlocksAreForEveryThreadAndFitTheCache)
{
    for (const int width : {1, 480, 481, 2400, 10240, 1000000})
        for (const int rows : {1, 64, 300, 2560})
            for (const int threads : {1, 2, 16, 64}) {
                const bits::BlockSize size = bits::divide(width, rows, threads);
                const std::int64_t across = common::ceilDiv(bits::panelsOf(width), size.panels);
                const std::int64_t blocks = across * common::ceilDiv<std::int64_t>(rows, size.rows);
                EXPECT_GE(blocks, std::min(threads, rows / 8)) << width << " x " << rows;
                EXPECT_LE(bits::packedBytes(size), 400u << 10) << width << " x " << rows;
                EXPECT_LE(size.rows, 192);
                EXPECT_GE(size.rows, std::min(8, rows));
                const std::int64_t down = common::ceilDiv<std::int64_t>(rows, size.rows);
                EXPECT_LT(down * size.rows - rows, down) << "the last block has fewer rows";
            }
}

// While a block is computed the next one is packed, which is wider where a row of blocks begins.
TEST(LocalEntropyBits, TheNextBlockMayBeWider)
{
    constexpr int kWidth = 2 * bits::kPanelColumns + 9, kHeight = 60;
    std::vector<float> cells(kWidth * kHeight), whole(cells.size()), blocks(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<float>(i * i / 7 % 16);
    Filter filter;
    filter.levels.count = 16;
    bits::Choices choices;
    choices.cellByCell = bits::Choices::Choice::No;
    for (const Path path : {Path::Portable, bestPath()}) {
        const bits::BitsPlan plan(path, choices);
        const auto compute = [&](std::vector<float> &to, const TileSize &size) {
            const Problem problem =
                checkedProblem(filter, {cells.data(), CellType::Float32, kWidth, kHeight, 0}, {},
                               {to.data(), false, kWidth, kHeight, 0}, {});
            OwnQueue queue(problem.region, size);
            Scratch scratch;
            plan.work(problem, *queue, scratch);
        };
        compute(whole, {3 * bits::kPanelColumns, kHeight});
        compute(blocks, {2 * bits::kPanelColumns, 20});
        EXPECT_EQ(blocks, whole) << pathName(path);
    }
}

// Beside a GPU a tile may be of several strips.
TEST(LocalEntropyBits, NoticesABadCellInAnyStripOfATile)
{
    constexpr int kWidth = 9, kHeight = 20000;
    ASSERT_LT(2 * bits::stripRows(kWidth), kHeight);
    Filter filter;
    filter.levels.count = 16;
    for (const int row : {0, 10000, kHeight - 1})
        for (const Path path : {Path::Portable, bestPath()}) {
            std::vector<float> cells(kWidth * kHeight, 3), values(cells.size());
            cells[row * kWidth + 4] = 16;
            const Problem problem =
                checkedProblem(filter, {cells.data(), CellType::Float32, kWidth, kHeight, 0}, {},
                               {values.data(), false, kWidth, kHeight, 0}, {});
            OwnQueue queue(problem.region, {kWidth, kHeight});
            Scratch scratch;
            EXPECT_THROW(bitsMethod().plan(problem, path)->work(problem, *queue, scratch), Error)
                << row << " on " << pathName(path);
        }
}

TEST(LocalEntropyBits, StripsOfSomeRowsAreThoseOfTheWhole)
{
    constexpr int kWidth = 9, kHeight = 3000, kFirst = 100, kRows = 2500;
    ASSERT_TRUE(bits::isNarrow(kWidth, kRows));
    Filter filter;
    filter.levels.count = 16;
    std::vector<float> cells(kWidth * kHeight), whole(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<float>(i * i / 7 % 16);
    const auto compute = [&](std::vector<float> &to, const Region &region) {
        const Problem problem =
            checkedProblem(filter, {cells.data(), CellType::Float32, kWidth, kHeight, 0}, {},
                           {to.data(), false, region.width, region.height, 0}, region);
        OwnQueue queue(problem.region, {kWidth, kHeight});
        Scratch scratch;
        bitsMethod().plan(problem, bestPath())->work(problem, *queue, scratch);
    };
    compute(whole, {0, 0, kWidth, kHeight});
    std::vector<float> rows(cells.size(), -1); // as many: room for what is written too far down
    compute(rows, {0, kFirst, kWidth, kRows});
    for (int i = 0; i < kWidth * kRows; ++i) ASSERT_EQ(rows[i], whole[i + kWidth * kFirst]) << i;
    for (std::size_t i = kWidth * kRows; i < rows.size(); ++i)
        ASSERT_EQ(rows[i], -1) << i << " is beyond";
}
