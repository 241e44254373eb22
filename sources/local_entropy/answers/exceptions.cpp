#include "local_entropy/answers/exceptions.h"

#include "local_entropy/answers/answers.h"
#include "local_entropy/answers/finish.h"

#include <algorithm>
#include <utility>

namespace local_entropy
{
namespace
{

/// Walks through the ways to share cells between levels, and adds up S on the way.
class Shares
{
public:
    Shares(const Answers &answers, int cells)
        : answers(answers), cells(cells), sums(answers.sums()), scale(answers.scales()[cells]),
          band(answers.band())
    {
    }

    /// All ways, of which those that are undecided.
    std::vector<Exception> undecided()
    {
        share(cells, cells, 0);
        return std::move(found);
    }

private:
    /// The levels of `counts` have the sum; of the cells that are left each may be a level by
    /// itself, which adds F(1) = 0, or levels have 2 to `most` of them.
    void share(int left, int most, std::int64_t sum)
    {
        if (nearBoundary(entropyOf(sums[cells] - sum, scale), band))
            found.push_back({sum, answerWith(left)});
        for (int n = std::min(left, most); n >= 2; --n) {
            counts.push_back(n);
            share(left - n, n, sum + sums[n]);
            counts.pop_back();
        }
    }

    float answerWith(int single) const
    {
        std::vector<int> all = counts;
        all.insert(all.end(), single, 1);
        return answers.floatOf(all.data(), static_cast<int>(all.size()));
    }

    const Answers &answers;
    const int cells;
    const std::int64_t *const sums;
    const double scale;
    const std::uint32_t band;
    std::vector<int> counts; ///< of two and more, none larger than the one before
    std::vector<Exception> found;
};

} // namespace

std::vector<Exception> agreed(std::vector<Exception> all)
{
    std::sort(all.begin(), all.end(),
              [](const Exception &a, const Exception &b) { return a.key < b.key; });
    std::vector<Exception> kept;
    for (auto first = all.begin(); first != all.end();) {
        const auto next = std::find_if(first, all.end(),
                                       [&](const Exception &one) { return one.key != first->key; });
        if (std::all_of(first, next,
                        [&](const Exception &one) { return one.answer == first->answer; }))
            kept.push_back(*first);
        first = next;
    }
    return kept;
}

std::vector<Exception> undecidedShares(const Answers &answers, int cells)
{
    if (answers.tables().kind != AnswerKind::Entropy || cells > kMostCellsOfShares) return {};
    return agreed(Shares(answers, cells).undecided());
}

} // namespace local_entropy
