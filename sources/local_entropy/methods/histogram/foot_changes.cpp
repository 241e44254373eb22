#include "local_entropy/methods/histogram/foot_changes.h"

#include <algorithm>

namespace local_entropy::footprint
{
namespace
{

/// width * height bytes: whether a cell counts.
std::vector<std::uint8_t> cellsOf(const Shape &shape)
{
    std::vector<std::uint8_t> cells(static_cast<std::size_t>(shape.width) * shape.height);
    for (const Run &run : shape.runs)
        for (int x = run.begin; x < run.end; ++x) cells[run.row * shape.width + x] = 1;
    return cells;
}

} // namespace

Pieces piecesOf(const Shape &shape)
{
    const std::vector<std::uint8_t> cells = cellsOf(shape);
    const auto counts = [&](int x, int y) {
        return y >= 0 && y < shape.height && cells[y * shape.width + x];
    };
    const auto isOf = [&](int kind, int x, int y) {
        if (kind == Pieces::All) return counts(x, y);
        return kind == Pieces::Leaving ? counts(x, y) && !counts(x, y - 1)
                                       : !counts(x, y) && counts(x, y - 1);
    };
    std::vector<Piece> found[3 * kLongest];
    for (const int kind : {Pieces::Leaving, Pieces::Entering, Pieces::All})
        for (int y = 0; y <= shape.height; ++y)
            for (int x = 0; x < shape.width;) {
                int length = 0;
                while (length < kLongest && x + length < shape.width && isOf(kind, x + length, y))
                    ++length;
                if (length)
                    found[Pieces::place(kind, length)].push_back(
                        {static_cast<std::uint8_t>(y), static_cast<std::uint8_t>(x)});
                x += std::max(length, 1);
            }
    Pieces all;
    for (int place = 0; place < 3 * kLongest; ++place) {
        all.pieces.insert(all.pieces.end(), found[place].begin(), found[place].end());
        all.ends[place] = static_cast<int>(all.pieces.size());
    }
    return all;
}

int leavingCells(const Shape &shape)
{
    int stay = 0; // cells with another one above
    for (std::size_t above = 0, below = 0; below < shape.runs.size();) {
        const Run &upper = shape.runs[above], &lower = shape.runs[below];
        if (upper.row + 1 == lower.row)
            stay +=
                std::max(std::min(upper.end, lower.end) - std::max(upper.begin, lower.begin), 0);
        // The one of the two that ends first meets no other.
        const bool isUpperFirst =
            upper.row + 1 < lower.row || (upper.row + 1 == lower.row && upper.end <= lower.end);
        isUpperFirst ? ++above : ++below;
    }
    return shape.cells - stay;
}

std::vector<std::int32_t> cellsBefore(const Shape &shape)
{
    const std::vector<std::uint8_t> cells = cellsOf(shape);
    const int columns = shape.width + 1;
    std::vector<std::int32_t> before(static_cast<std::size_t>(columns) * (shape.height + 1));
    for (int y = 0; y < shape.height; ++y)
        for (int x = 0, row = 0; x < shape.width; ++x) {
            row += cells[y * shape.width + x];
            before[(y + 1) * columns + x + 1] = before[y * columns + x + 1] + row;
        }
    return before;
}

int diskRadius(const Shape &shape)
{
    if (shape.width != shape.height || shape.width % 2 == 0) return 0;
    const int radius = shape.width / 2;
    for (int y = 0; y < shape.height; ++y) {
        const int x = reach(radius, y - radius);
        if (y >= static_cast<int>(shape.runs.size())) return 0;
        const Run &run = shape.runs[y];
        if (run.row != y || run.begin != radius - x || run.end != radius + x + 1) return 0;
    }
    return static_cast<int>(shape.runs.size()) == shape.height ? radius : 0;
}

} // namespace local_entropy::footprint
