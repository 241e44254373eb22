#include "local_entropy/methods/histogram/edges.h"

#include <algorithm>
#include <cstddef>

namespace local_entropy
{
namespace
{

/// The cells of a shape, one by one, in a frame of cells that are not in it.
class Grid
{
public:
    Grid(int width, int height)
        : width(width), height(height), inside(std::size_t(width + 2) * (height + 2))
    {
    }

    explicit Grid(const Shape &shape) : Grid(shape.width, shape.height)
    {
        for (const Run &run : shape.runs)
            for (int x = run.begin; x < run.end; ++x) set(x, run.row);
    }

    void set(int x, int y) { inside[at(x, y)] = true; }
    bool has(int x, int y) const { return inside[at(x, y)]; }

    /// The runs of cells for which is(x, y), from row `top` down.
    template <typename Is>
    std::vector<Run> runs(int top, Is is) const
    {
        std::vector<Run> found;
        for (int y = top; y < height; ++y)
            for (int x = 0; x < width; ++x) {
                if (!is(x, y)) continue;
                if (x > 0 && is(x - 1, y))
                    ++found.back().end;
                else
                    found.push_back({y, x, x + 1});
            }
        return found;
    }

private:
    std::size_t at(int x, int y) const { return std::size_t(y + 1) * (width + 2) + x + 1; }

    int width, height;
    std::vector<bool> inside;
};

/// Runs of one length one after the other, so that the branch on it is foreseen.
void shortFirst(std::vector<Run> &runs)
{
    std::stable_sort(runs.begin(), runs.end(),
                     [](const Run &a, const Run &b) { return a.end - a.begin < b.end - b.begin; });
}

} // namespace

int Edges::cells() const
{
    int sum = 0;
    for (const Run &run : gained) sum += run.end - run.begin;
    return sum;
}

Edges edgesOf(const Shape &shape)
{
    const Grid grid(shape);
    Edges edges;
    edges.gained =
        grid.runs(0, [&](int x, int y) { return grid.has(x, y) && !grid.has(x, y + 1); });
    edges.lost = grid.runs(-1, [&](int x, int y) { return !grid.has(x, y) && grid.has(x, y + 1); });
    shortFirst(edges.gained);
    shortFirst(edges.lost);
    return edges;
}

Shape turned(const Shape &shape)
{
    Grid grid(shape.height, shape.width);
    for (const Run &run : shape.runs)
        for (int x = run.begin; x < run.end; ++x) grid.set(run.row, x);
    Shape other = shape;
    std::swap(other.width, other.height);
    std::swap(other.left, other.top);
    other.runs = grid.runs(0, [&](int x, int y) { return grid.has(x, y); });
    return other;
}

} // namespace local_entropy
