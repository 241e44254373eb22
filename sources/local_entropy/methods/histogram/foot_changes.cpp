#include "local_entropy/methods/histogram/foot_changes.h"

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

std::vector<ColumnRun> columnRuns(const Shape &shape)
{
    const std::vector<std::uint8_t> cells = cellsOf(shape);
    std::vector<ColumnRun> runs;
    for (int x = 0; x < shape.width; ++x)
        for (int y = 0, begin = 0; y <= shape.height; ++y) {
            if (y < shape.height && cells[y * shape.width + x]) continue;
            if (begin < y)
                runs.push_back({static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(begin),
                                static_cast<std::uint8_t>(y), 0});
            begin = y + 1;
        }
    return runs;
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
    const std::vector<ColumnRun> runs = columnRuns(shape);
    if (static_cast<int>(runs.size()) != shape.width) return 0;
    for (int x = 0; x < shape.width; ++x) {
        const int y = reach(radius, x - radius);
        if (runs[x].column != x || runs[x].begin != radius - y || runs[x].end != radius + y + 1)
            return 0;
    }
    return radius;
}

} // namespace local_entropy::footprint
