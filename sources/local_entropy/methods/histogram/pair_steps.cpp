#include "local_entropy/methods/histogram/pair_steps.h"

#include <algorithm>
#include <limits>

namespace local_entropy
{

// Windows that stand have the same runs, a cell apart: of each run, either window has one cell that
// the other has not. While they move, one of them can be ahead by a cell of each run that is lost,
// and later behind by no more than a cell of each run that is still to be gained.
int reachOf(const Shape &shape, const Edges &edges)
{
    return static_cast<int>(shape.runs.size() + std::max(edges.gained.size(), edges.lost.size()));
}

int PairSteps::unitFor(int cells, int reach)
{
    constexpr std::int64_t kMostIndex = std::numeric_limits<Index>::max();
    const std::int64_t most = std::int64_t(cells) * (2 * reach + 1) + reach;
    return most > kMostIndex ? 0 : 2 * most > kMostIndex ? 1 : 2;
}

PairSteps::PairSteps(int cells, int reach, const std::vector<std::int64_t> &steps)
    : width(2 * reach + 1), unitOfIndex(unitFor(cells, reach))
{
    if (unitOfIndex == 0) return;
    // From n = -1: a cell may leave the right window where the left one has none.
    table.resize((cells + 1) * width + reach + 1);
    const auto entering = [&](int n) {
        return n >= 0 && n < cells ? steps[n + 1] : std::int64_t(0);
    };
    for (int n = -1; n <= cells; ++n)
        for (int m = n - reach; m <= n + reach; ++m) {
            const std::int64_t entry = std::int64_t(n + 1) * width + (m - n);
            if (entry >= 0) table[entry] = {entering(n), entering(m)};
        }

    for (int first = 0; first < kWindows; ++first)
        for (int last = first; last < kWindows; ++last)
            for (int window = first; window <= last; ++window)
                addedTo[first][last] += Word(unitOfIndex * (window % 2 ? 1 : width - 1))
                                        << 16 * (window / 2);
}

} // namespace local_entropy
