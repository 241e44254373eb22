// The kernel that looks for cells that are no levels in images that stay where they are
// (plane_check.h), by itself: at any address, of any width and stride, among bytes that are none.
#include "launches.h"

#include "local_entropy/problem/plane_check.h"

#ifdef __CUDACC__
#include <algorithm>
#include <random>
#include <set>

using namespace local_entropy;

namespace
{

/// Where an image is in the memory of a GPU: its first cell so many cells behind a multiple of 16
/// bytes, and so many cells between its rows.
struct Placement
{
    int width, height, gap, offset;

    std::string text() const
    {
        return std::to_string(width) + "x" + std::to_string(height) + ", gap " +
               std::to_string(gap) + ", offset " + std::to_string(offset);
    }
};

/// An image of levels among cells whose bits are all 1.
template <typename Cell>
class Checked
{
public:
    Checked(const Placement &place, int levels)
        : place(place), stride(place.width + place.gap),
          cells(kGuard + stride * place.height + kGuard, kMost)
    {
        problem.filter.levels.count = levels;
        problem.shape.width = problem.shape.height = 1;
        problem.region = {0, 0, place.width, place.height};
        for (int y = 0; y < place.height; ++y)
            for (int x = 0; x < place.width; ++x)
                at(x, y) = static_cast<Cell>((x + y) % 3 ? levels - 1 : 0);
    }

    Cell &at(int x, int y) { return cells[kGuard + place.offset + y * stride + x]; }
    /// Of the cells that are looked at.
    void setRegion(const Region &region) { problem.region = region; }

    /// All cells, to the GPU.
    void upload() { CUDA_CHECK(cudaMemcpy(there.data(), cells.data(), bytes(), kUp)); }
    /// One cell there, until it is put back by restore().
    void put(int x, int y, int level)
    {
        const Cell cell = static_cast<Cell>(level);
        CUDA_CHECK(cudaMemcpy(there.data() + (&at(x, y) - cells.data()), &cell, sizeof cell, kUp));
    }
    void restore(int x, int y) { put(x, y, at(x, y)); }

    /// What the kernel tells.
    BadCell told()
    {
        CUDA_CHECK(cudaMemset(bad.data(), 0xFF, bad.bytes()));
        const Image image{there.data() + kGuard + place.offset, CellType::Uint8, place.width,
                          place.height, stride};
        problem.image = image;
        Plane plane;
        plane.bytes = sizeof(Cell);
        plane.width = static_cast<int>(problem.region.width);
        plane.height = static_cast<int>(problem.region.height);
        checkPlane(problem, plane, bad.data(), nullptr);
        BadCell cell = 0;
        CUDA_CHECK(cudaMemcpy(&cell, bad.data(), sizeof cell, cudaMemcpyDeviceToHost));
        return cell;
    }

private:
    static constexpr int kGuard = 64; ///< cells before the image and behind it
    static constexpr Cell kMost = static_cast<Cell>(-1);
    static constexpr cudaMemcpyKind kUp = cudaMemcpyHostToDevice;

    std::size_t bytes() const { return cells.size() * sizeof(Cell); }

    const Placement place;
    const std::int64_t stride;
    std::vector<Cell> cells;
    common::DeviceArray<Cell> there{cells.size()};
    common::DeviceArray<BadCell> bad{1};
    Problem problem;
};

BadCell placeOf(int x, int y) { return static_cast<BadCell>(y) << kBadCellBits | x; }

/// Rows shorter and longer than what a warp reads of one, of 16 bytes and some more or less.
template <typename Cell>
std::vector<Placement> placements()
{
    constexpr int kChunk = 16 / sizeof(Cell), kPiece = 32 * kChunk;
    std::vector<Placement> all;
    for (const int width : {1, kChunk - 1, kChunk, kChunk + 1, 100, kPiece - 1, kPiece, kPiece + 1,
                            2 * kPiece + 5, 4100})
        for (const int gap : {0, 1, kChunk - width % kChunk, 37})
            for (const int offset : {0, 1, kChunk / 2, kChunk - 1})
                for (const int height : {1, 8, 19}) all.push_back({width, height, gap, offset});
    return all;
}

/// Columns of a row's head, middle and tail, wherever its first cell is.
template <typename Cell>
std::set<int> columnsOf(int width)
{
    constexpr int kChunk = 16 / sizeof(Cell), kPiece = 32 * kChunk;
    std::set<int> all;
    for (const int near : {0, kChunk, width / 2, kPiece, width - kChunk, width})
        for (const int x : {near - 2, near - 1, near, near + 1})
            if (x >= 0 && x < width) all.insert(x);
    return all;
}

template <typename Cell>
void tellABadCellAnywhere(const std::vector<int> &someLevels)
{
    constexpr int kMost = static_cast<Cell>(-1);
    int turn = 0;
    for (const Placement &place : placements<Cell>()) {
        const int levels = someLevels[turn++ % someLevels.size()];
        Checked<Cell> checked(place, levels);
        checked.upload();
        for (const int y : std::set<int>{0, place.height / 2, place.height - 1})
            for (const int x : columnsOf<Cell>(place.width)) {
                checked.put(x, y, (x + y) % 2 ? levels : kMost);
                ASSERT_EQ(checked.told(), placeOf(x, y))
                    << place.text() << ", " << levels << " levels, x " << x << ", y " << y;
                checked.restore(x, y);
            }
        ASSERT_EQ(checked.told(), kNoBadCell) << place.text() << ", " << levels << " levels";
    }
}

/// Cells around a region are no levels, and nobody asks for them.
template <typename Cell>
void lookOnlyAtTheRegion(int levels)
{
    for (const int offset : {0, 3, 7})
        for (const int x : {0, 1, 5, 8, 33})
            for (const int width : {1, 8, 40, 600}) {
                const Region region{x, 2, width, 11};
                Checked<Cell> checked({700, 20, 4, offset}, levels);
                for (int row = 0; row < 20; ++row)
                    for (int column = 0; column < 700; ++column)
                        if (row < 2 || row >= 13 || column < x || column >= x + width)
                            checked.at(column, row) = static_cast<Cell>(-1);
                checked.setRegion(region);
                checked.upload();
                const std::string text = "offset " + std::to_string(offset) + ", x " +
                                         std::to_string(x) + ", width " + std::to_string(width);
                ASSERT_EQ(checked.told(), kNoBadCell) << text;
                for (const int column : {x, x + width / 2, x + width - 1})
                    for (const int row : {2, 9, 12}) {
                        checked.put(column, row, levels);
                        ASSERT_EQ(checked.told(), placeOf(column, row)) << text;
                        checked.restore(column, row);
                    }
            }
}

template <typename Cell>
void tellTheFirstOfMany(int levels)
{
    std::mt19937 random(17);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (int round = 0; round < 200; ++round) {
        const Placement place{1 + below(3000), 1 + below(40), below(3), below(8)};
        Checked<Cell> checked(place, levels);
        BadCell first = kNoBadCell;
        for (int i = 1 << below(12); i > 0; --i) {
            const int x = below(place.width), y = below(place.height);
            checked.at(x, y) = static_cast<Cell>(levels + below(3));
            first = std::min(first, placeOf(x, y));
        }
        checked.upload();
        ASSERT_EQ(checked.told(), first) << place.text() << ", round " << round;
    }
    Checked<Cell> all({1000, 50, 0, 0}, levels);
    for (int y = 0; y < 50; ++y)
        for (int x = 0; x < 1000; ++x) all.at(x, y) = static_cast<Cell>(-1);
    all.upload();
    EXPECT_EQ(all.told(), placeOf(0, 0));
}

} // namespace

TEST_F(Launches, CheckTellsABadCellAnywhere)
{
    tellABadCellAnywhere<std::uint8_t>({1, 2, 64, 127, 128, 129, 200, 255});
    tellABadCellAnywhere<std::uint16_t>({257, 1000, 32767, 32768, 32769, 65535});
}

TEST_F(Launches, CheckLooksOnlyAtTheRegion)
{
    for (const int levels : {64, 128, 200}) lookOnlyAtTheRegion<std::uint8_t>(levels);
    lookOnlyAtTheRegion<std::uint16_t>(4096);
}

TEST_F(Launches, CheckTellsTheFirstOfMany)
{
    for (const int levels : {64, 200}) tellTheFirstOfMany<std::uint8_t>(levels);
    tellTheFirstOfMany<std::uint16_t>(40000);
}

#else

TEST_F(Launches, CheckNeedsCuda) {}

#endif
