#include "local_entropy/methods/histogram/pair_steps.h"

#include <algorithm>
#include <cstddef>

namespace local_entropy
{

// Windows that stand have the same runs, a cell apart: of each run, either window has one cell that
// the other has not. While they move, one of them can be ahead by a cell of each run that is lost,
// and later behind by no more than a cell of each run that is still to be gained.
int reachOf(const Shape &shape, const Edges &edges)
{
    return static_cast<int>(shape.runs.size() + std::max(edges.gained.size(), edges.lost.size()));
}

PairSteps::PairSteps(int cells, int reach, const std::vector<std::int64_t> &steps)
{
    const int wide = 2 * reach + 1;
    const std::int64_t most = std::int64_t(cells) * wide + reach;
    unitOfIndex = 2 * most <= 65535 ? 2 : 1;
    if (most > 65535) return;
    width = wide;

    // From the row of n = -1: a cell may leave the right window where the left one has none.
    table.resize(most + width + 1);
    const auto entering = [&](int n) {
        return n >= 0 && n < cells ? steps[n + 1] : std::int64_t(0);
    };
    for (std::size_t entry = 0; entry < table.size(); ++entry) {
        const int n = static_cast<int>((entry + reach) / width) - 1;
        const int m = n + static_cast<int>((entry + reach) % width) - reach;
        table[entry] = {entering(n), entering(m)};
    }

    for (int first = 0; first < kWindows; ++first)
        for (int last = first; last < kWindows; ++last)
            for (int window = first; window <= last; ++window)
                addedTo[first][last] += Word(unitOfIndex * (window % 2 ? 1 : width - 1))
                                        << 16 * (window / 2);
}

} // namespace local_entropy
