// The kernels of the ranks method, on every path of this processor, agree with counting.

#include "counts.h"
#include "judge.h"
#include "local_entropy/methods/ranks/small_tile.h"
#include "local_entropy/problem/load.h"
#include "local_entropy/simd/paths.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace
{

using namespace local_entropy;
using namespace counting;

/// Memory that ends where a page begins that nobody may touch.
class Guarded
{
public:
    explicit Guarded(std::size_t bytes)
    {
        const std::size_t page = 4096;
        usable = (bytes + page - 1) / page * page;
        memory = static_cast<char *>(mmap(nullptr, usable + page, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        if (memory == MAP_FAILED) throw std::bad_alloc();
        mprotect(memory + usable, page, PROT_NONE);
        begin = memory + usable - bytes;
    }
    ~Guarded() { munmap(memory, usable + 4096); }
    Guarded(const Guarded &) = delete;
    Guarded &operator=(const Guarded &) = delete;

    template <typename T>
    T *data() const
    {
        return reinterpret_cast<T *>(begin);
    }

private:
    char *memory, *begin;
    std::size_t usable;
};

struct Kernel
{
    Path path;
    SmallKernel run;
    int vectorBytes;
};

std::vector<Kernel> kernels()
{
    std::vector<Kernel> all;
#if defined(__x86_64__)
    for (const Kernel kernel : {Kernel{Path::Avx512, smallTileAvx512, 64},
                                {Path::Avx2, smallTileAvx2, 32},
                                {Path::Ssse3, smallTileSsse3, 16}})
        if (pathWorksHere(kernel.path)) all.push_back(kernel);
#endif
    all.push_back({Path::Portable, smallTilePortable, 16});
    return all;
}

struct Case
{
    int width, height;          ///< of the window
    std::int64_t columns, rows; ///< results
    std::string content;
    std::string missing; ///< which cells do not count: none, edge, some, most, all

    std::string text() const
    {
        return std::to_string(width) + "x" + std::to_string(height) + ", " +
               std::to_string(columns) + "x" + std::to_string(rows) + " results, " + content +
               ", missing: " + missing;
    }
};

/// The windows of 3x3 cells at multiples of 3 have every partition of nine cells.
unsigned levelOfNine(std::int64_t x, std::int64_t y)
{
    static const std::vector<Counts> all = everyPartition(9);
    const Counts &counts = all[x / 3 % all.size()];
    int place = static_cast<int>(y % 3 * 3 + x % 3);
    unsigned level = 0;
    while (place >= counts[level]) place -= counts[level++];
    return level;
}

template <typename Cell>
Cell cellOf(const Case &c, std::int64_t x, std::int64_t y, std::mt19937 &random)
{
    const unsigned high = sizeof(Cell) == 2 ? 257 : 1; // both bytes of a wide cell matter
    if (c.content == "random") return static_cast<Cell>(random());
    if (c.content == "few") return static_cast<Cell>(random() % 3 * (sizeof(Cell) == 2 ? 256 : 1));
    if (c.content == "low byte") return static_cast<Cell>(random() % 2 * 256 + random() % 2);
    if (c.content == "flat") return static_cast<Cell>(77 * high);
    if (c.content == "nine") return static_cast<Cell>(levelOfNine(x, y) * high);
    return static_cast<Cell>((x / 3 + y / 2) % 5 * high);
}

bool isMissing(const Case &c, std::int64_t x, std::int64_t y, std::mt19937 &random)
{
    if (c.missing == "none") return false;
    if (c.missing == "edge")
        return x < 2 || y < 1 || x >= c.columns + c.width - 3 || y >= c.rows + c.height - 2;
    if (c.missing == "some") return random() % 16 == 0;
    return c.missing == "all" || random() % 8 != 0;
}

/// The results by counting, and what the kernel is given.
template <typename Cell>
struct Trial
{
    explicit Trial(const Case &c)
        : width(c.columns + c.width - 1), height(c.rows + c.height - 1),
          cells(((height - 1) * width + width) * sizeof(Cell) + kTileSlack),
          absent(c.columns * c.rows)
    {
        std::mt19937 random(static_cast<unsigned>(c.columns * 31 + c.rows * 7 + c.width));
        std::memset(cells.template data<char>(), 0x5a,
                    (height * width) * sizeof(Cell) + kTileSlack);
        const Cell none = 201;
        std::vector<bool> gone(width * height);
        for (std::int64_t y = 0; y < height; ++y)
            for (std::int64_t x = 0; x < width; ++x) {
                Cell cell = cellOf<Cell>(c, x, y, random);
                if (cell == none && c.missing != "none") cell = 0;
                gone[y * width + x] = isMissing(c, x, y, random);
                cells.template data<Cell>()[y * width + x] = gone[y * width + x] ? none : cell;
            }
        for (std::int64_t y = 0; y < c.rows; ++y)
            for (std::int64_t x = 0; x < c.columns; ++x) count(c, x, y, gone);
    }

    void count(const Case &c, std::int64_t x, std::int64_t y, const std::vector<bool> &gone)
    {
        std::map<int, int> counts;
        for (int row = 0; row < c.height; ++row)
            for (int column = 0; column < c.width; ++column) {
                const std::int64_t at = (y + row) * width + x + column;
                if (gone[at])
                    ++absent[y * c.columns + x];
                else
                    ++counts[cells.template data<Cell>()[at]];
            }
        Filter filter;
        filter.empty = -7;
        truth.push_back(judge::valueOf(filter, counts));
    }

    std::int64_t width, height;
    Guarded cells;
    std::vector<std::uint16_t> absent;
    std::vector<long double> truth;
};

constexpr float kPoison = std::numeric_limits<float>::quiet_NaN();

template <typename Cell>
void expectCounted(const Case &c, const Trial<Cell> &trial, const Kernel &kernel,
                   const RankTable &table)
{
    SmallTile tile;
    tile.width = c.width;
    tile.height = c.height;
    tile.columns = c.columns;
    tile.rows = c.rows;
    tile.cells = trial.cells.template data<std::uint8_t>();
    tile.stride = trial.width * sizeof(Cell);
    tile.cellBytes = sizeof(Cell);
    if (c.missing != "none") tile.absent = trial.absent.data();
    tile.absentStride = c.columns;
    tile.resultStride = c.columns + 3; // what lies between is not the kernel's
    const std::size_t results = (c.rows - 1) * tile.resultStride + c.columns;
    const Guarded result(results * sizeof(float));
    tile.result = result.data<float>();
    for (std::size_t i = 0; i < results; ++i) tile.result[i] = kPoison;
    tile.table = &table;
    const std::size_t bytes = (smallScratchBytes(kernel.vectorBytes, tile) + 63) / 64 * 64;
    const Guarded scratch(bytes);
    std::memset(scratch.data<char>(), 0x77, bytes);
    kernel.run(tile, scratch.data<std::uint8_t>());

    for (std::int64_t y = 0; y < c.rows; ++y) {
        for (std::int64_t x = 0; x < c.columns; ++x) {
            const float value = tile.result[y * tile.resultStride + x];
            ASSERT_TRUE(judge::isNearest(value, trial.truth[y * c.columns + x]))
                << pathName(kernel.path) << ", " << 8 * sizeof(Cell) << " bits, " << c.text()
                << ", at " << x << ", " << y << ": " << value << " instead of "
                << static_cast<double>(trial.truth[y * c.columns + x]);
        }
        for (std::int64_t x = c.columns; x < tile.resultStride && y + 1 < c.rows; ++x)
            ASSERT_TRUE(std::isnan(tile.result[y * tile.resultStride + x]))
                << pathName(kernel.path) << ", " << c.text() << ": wrote beside the tile";
    }
}

template <typename Cell>
void check(const Case &c)
{
    const Trial<Cell> trial(c);
    const Answers answers(Measure::Entropy, 1, Base::E, c.width * c.height, -7);
    const RankTable table(c.width * c.height, answers, c.missing != "none");
    for (const Kernel &kernel : kernels())
        if (!testing::Test::HasFatalFailure()) expectCounted(c, trial, kernel, table);
}

void checkBoth(const Case &c)
{
    check<std::uint8_t>(c);
    if (!testing::Test::HasFatalFailure()) check<std::uint16_t>(c);
}

TEST(LocalEntropyRanks, EveryWindowIsCounted)
{
    for (int width = 1; width <= kSmallCells; ++width)
        for (int height = 1; width * height <= kSmallCells; ++height)
            for (const char *missing : {"none", "some"}) {
                checkBoth({width, height, 77, 9, "few", missing});
                if (HasFatalFailure()) return;
            }
}

TEST(LocalEntropyRanks, EveryContentIsCounted)
{
    for (const auto &[width, height] : {std::pair(3, 3), {5, 5}, {5, 3}, {4, 6}})
        for (const char *content : {"random", "few", "low byte", "flat", "stripes"})
            for (const char *missing : {"none", "edge", "some", "most", "all"}) {
                checkBoth({width, height, 131, 17, content, missing});
                if (HasFatalFailure()) return;
            }
}

TEST(LocalEntropyRanks, EveryPartitionOfNineIsLookedUp)
{
    for (const char *missing : {"none", "some"}) {
        checkBoth({3, 3, 1100, 4, "nine", missing}); // blocks of 16 columns and more
        if (HasFatalFailure()) return;
    }
}

/// Widths around the limits of groups, blocks and bands, heights around those of blocks.
TEST(LocalEntropyRanks, EverySizeIsCounted)
{
    for (const auto &[width, height] : {std::pair(3, 3), {5, 5}})
        for (const char *missing : {"none", "some"}) {
            for (const int columns :
                 {1,   2,   3,   5,    15,   16,   17,   31,   32,   33,   511,  512, 513,
                  639, 640, 641, 1023, 1025, 1281, 2047, 2048, 2049, 2561, 2700, 5003}) {
                checkBoth({width, height, columns, 5, "few", missing});
                if (HasFatalFailure()) return;
            }
            for (const int rows : {1, 2, 3, 63, 64, 65, 127, 200})
                for (const int columns : {1, 2, 16, 100}) {
                    checkBoth({width, height, columns, rows, "few", missing});
                    if (HasFatalFailure()) return;
                }
        }
}

} // namespace
