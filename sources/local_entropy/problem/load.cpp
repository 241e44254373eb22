#include "local_entropy/problem/load.h"

#include "local_entropy/problem/absent.h"
#include "local_entropy/problem/border.h"
#include "local_entropy/problem/levels.h"
#include "local_entropy/problem/narrow.h"
#include "local_entropy/problem/rows.h"
#include "local_entropy/problem/settle.h"

#include <algorithm>

namespace local_entropy
{
namespace
{

/// The cells that the windows of a tile reach, in the image's coordinates; some may be outside.
struct Reach
{
    std::int64_t x, y, width, height;
};

Reach reachOf(const Shape &shape, const Region &place)
{
    return {place.x - shape.left, place.y - shape.top, place.width + shape.width - 1,
            place.height + shape.height - 1};
}

// ---- without a copy ----------------------------------------------------------------------------

/// Whether the cells of a tile, and what lies in the slack behind its rows, are levels.
template <typename Cell>
bool allAreLevels(const Problem &problem, const Reach &reach)
{
    const auto last = static_cast<Cell>(problem.filter.levels.count - 1);
    const std::int64_t n = reach.width + kTileSlack / static_cast<int>(sizeof(Cell));
    for (std::int64_t row = 0; row < reach.height; ++row) {
        const auto *cells =
            static_cast<const Cell *>(cellAt(problem.image, reach.x, reach.y + row));
        Cell largest = 0;
        for (std::int64_t x = 0; x < n; ++x) largest = std::max(largest, cells[x]);
        if (largest > last) return false;
    }
    return true;
}

/// Whether the tile can be used where it lies: all its cells are in the image, the slack behind
/// them is in its memory, whatever is there is a level, and a copy would not be narrower.
bool liesReady(const Problem &problem, const Reach &reach)
{
    const Image &image = problem.image;
    const int bytes = cellBytes(image.type), count = problem.filter.levels.count;
    if (!levelsAreCells(problem.filter, image.type) || problem.mask.data || reach.x < 0 ||
        reach.y < 0 || reach.x + reach.width > image.width || // nor any row below, by what follows
        (reach.y + reach.height - 1) * image.stride + reach.x + reach.width + kTileSlack / bytes >
            (image.height - 1) * image.stride + image.width)
        return false;
    if (bytes == 1) return count == 1 << 8 || allAreLevels<std::uint8_t>(problem, reach);
    return count == 1 << 16 || (count > 1 << 8 && allAreLevels<std::uint16_t>(problem, reach));
}

// ---- a tile ------------------------------------------------------------------------------------

/// Fills a tile of cells of one type; kAbsent becomes `none`.
template <typename Cell>
class TileFiller
{
public:
    TileFiller(const Problem &problem, const Reach &reach, std::int64_t stride, Scratch &scratch)
        : problem(problem), reach(reach), reader(problem), stride(stride),
          none(static_cast<Cell>(problem.filter.levels.count)),
          constant(constantLevel(problem.filter, problem.image.type)),
          cells(static_cast<Cell *>(
              scratch.get(Scratch::Cells, stride * reach.height * sizeof(Cell) + kTileSlack))),
          levels(static_cast<std::int32_t *>(
              scratch.get(Scratch::Row, reach.width * sizeof(std::int32_t))))
    {
    }

    Cell *fill()
    {
        const Image &image = problem.image;
        left = std::clamp<std::int64_t>(-reach.x, 0, reach.width);
        right = std::clamp<std::int64_t>(image.width - reach.x, left, reach.width);
        for (std::int64_t row = 0; row < reach.height; ++row) {
            Cell *const to = cells + row * stride;
            const std::int64_t y = borderIndex(problem.filter.border, reach.y + row, image.height);
            if (y >= 0)
                fillRow(y, to);
            else
                std::fill_n(to, reach.width, y == kNoCell ? missingCell() : constantCell());
            std::fill(to + reach.width, to + stride, Cell(0));
        }
        return cells;
    }

    bool missing = false; ///< a cell is `none`

private:
    Cell missingCell()
    {
        missing = true;
        return none;
    }

    Cell constantCell() { return constant < 0 ? missingCell() : static_cast<Cell>(constant); }

    void fillRow(std::int64_t y, Cell *to)
    {
        fillInside(y, to);
        fillOutside(y, 0, left, to);
        fillOutside(y, right, reach.width, to);
    }

    /// Columns begin .. end - 1 of the tile, left or right of the image.
    void fillOutside(std::int64_t y, std::int64_t begin, std::int64_t end, Cell *to)
    {
        for (std::int64_t x = begin; x < end; ++x) {
            const std::int64_t from =
                borderIndex(problem.filter.border, reach.x + x, problem.image.width);
            to[x] = from == kNoCell         ? missingCell()
                    : from == kConstantCell ? constantCell()
                                            : single(from, y);
        }
    }

    Cell single(std::int64_t x, std::int64_t y)
    {
        Cell cell = 0;
        settle(x, y, 1, &cell);
        return cell;
    }

    /// The columns that are in the image.
    void fillInside(std::int64_t y, Cell *to)
    {
        if (right > left) settle(reach.x + left, y, right - left, to + left);
    }

    /// Cells x .. x + n - 1 of row y of the image.
    void settle(std::int64_t x, std::int64_t y, std::int64_t n, Cell *to)
    {
        const Mask &mask = problem.mask;
        const Seen seen = mask.data
                              ? settleRow(x, y, n, MaskCounts{mask.data + y * mask.stride + x}, to)
                              : settleRow(x, y, n, AllCount{}, to);
        if (seen.bad) throwBadLevel();
        if (seen.missing) missing = true;
    }

    template <typename Counts>
    Seen settleRow(std::int64_t x, std::int64_t y, std::int64_t n, const Counts &counts, Cell *to)
    {
        const void *const from = cellAt(problem.image, x, y);
        const int count = problem.filter.levels.count;
        if (!levelsAreCells(problem.filter, problem.image.type)) {
            reader.read(x, y, n, levels);
            return settleLevels(levels, n, counts, none, to);
        }
        if (problem.image.type == CellType::Uint8)
            return settleCells(static_cast<const std::uint8_t *>(from), n, counts, count, none, to);
        return settleCells(static_cast<const std::uint16_t *>(from), n, counts, count, none, to);
    }

    const Problem &problem;
    const Reach reach;
    const RowReader reader;
    const std::int64_t stride;
    const Cell none;
    const std::int32_t constant;
    Cell *const cells;
    std::int32_t *const levels;
    std::int64_t left = 0, right = 0; ///< the columns of the tile that are in the image
};

template <typename Cell>
Cell *fillTile(Tile &tile, const Problem &problem, const Reach &reach, Scratch &scratch)
{
    tile.bytes = sizeof(Cell);
    const std::int64_t boundary = 64;
    tile.stride = (reach.width + kTileSlack / tile.bytes + boundary - 1) / boundary * boundary;
    TileFiller<Cell> filler(problem, reach, tile.stride, scratch);
    Cell *const cells = filler.fill();
    tile.cells = cells;
    tile.missing = filler.missing;
    tile.none = problem.filter.levels.count;
    tile.values = problem.filter.levels.count + (tile.missing ? 1 : 0);
    return cells;
}

} // namespace

// ---- interface ---------------------------------------------------------------------------------

Tile loadTile(const Problem &problem, const Region &place, Scratch &scratch)
{
    const Reach reach = reachOf(problem.shape, place);
    Tile tile;
    tile.place = place;
    tile.width = place.width;
    tile.height = place.height;
    if (liesReady(problem, reach)) {
        tile.cells = cellAt(problem.image, reach.x, reach.y);
        tile.bytes = cellBytes(problem.image.type);
        tile.stride = problem.image.stride;
        tile.values = problem.filter.levels.count;
        return tile;
    }
    const int values = problem.filter.levels.count + (problem.mayMiss ? 1 : 0);
    if (values <= 1 << 8) {
        fillTile<std::uint8_t>(tile, problem, reach, scratch);
    } else if (values <= 1 << 16) {
        std::uint16_t *const cells = fillTile<std::uint16_t>(tile, problem, reach, scratch);
        if (problem.filter.levels.count == 1 << 8)
            narrow<std::uint16_t, std::uint8_t>(tile, reach.width, reach.height, cells);
    } else {
        std::uint32_t *const cells = fillTile<std::uint32_t>(tile, problem, reach, scratch);
        narrow<std::uint32_t, std::uint16_t>(tile, reach.width, reach.height, cells);
    }
    if (tile.missing) countAbsent(tile, problem.shape, scratch);
    return tile;
}

} // namespace local_entropy
