#include "local_entropy/methods/dominated.h"

#include "local_entropy/answers/answers.h"

#include <algorithm>
#include <cmath>

namespace local_entropy
{
namespace
{

/// Walks through the ways in which the largest level has all cells but `others` at most, and D is
/// at most the limit that follows.
class Dominated
{
public:
    Dominated(const Sharing &sharing, const std::vector<std::int64_t> &sums, double scale,
              double error, const Answers &answers)
        : sharing(sharing), sums(sums), scale(scale), error(error), answers(answers)
    {
    }

    /// False if there are too many.
    bool tryAll(int others)
    {
        const int behind = others + 1;
        const auto least = static_cast<double>(together(behind, behind));
        greatest = std::floor(least - 2 * error) - 1; // either D is off
        number = 0;
        farthest = -1;
        for (int d = 1; d <= others; ++d) {
            counts = {sharing.cells - d};
            share(d, d, together(d, 0));
        }
        return number <= kMost;
    }

    double limit() const { return greatest; }
    /// How far D of a wrong float is from the middle, at most; negative if none is wrong.
    double distance() const { return farthest; }

private:
    static constexpr int kMost = 30000;

    /// D where the largest level leaves `others` cells, and one of them has `second`.
    std::int64_t together(int others, int second) const
    {
        return sums[sharing.cells] - sums[sharing.cells - others] - sums[second];
    }

    /// `difference`: D without the cells that are left, of which no level has more than `most`.
    void share(int left, int most, std::int64_t difference)
    {
        // To share them makes the true D larger than to give all to one level.
        if (static_cast<double>(difference - sums[left]) - 2 * error > greatest) return;
        if (number > kMost) return;
        if (left == 0) return use(static_cast<double>(difference));
        // Of the levels that are still free, none has more than the first: n each must suffice.
        const int free = sharing.levels - static_cast<int>(counts.size());
        for (int n = std::min(left, most); static_cast<std::int64_t>(n) * free >= left; --n) {
            counts.push_back(n);
            share(left - n, n, difference - sums[n]);
            counts.pop_back();
        }
    }

    void use(double difference)
    {
        if (difference > greatest) return;
        ++number;
        const auto answer = static_cast<float>(difference * scale);
        if (static_cast<float>((difference - error) * scale) ==
            static_cast<float>((difference + error) * scale))
            return;
        const float right = answers.floatOf(counts.data(), static_cast<int>(counts.size()));
        if (answer == right) return;
        const double middle = (static_cast<double>(answer) + right) / 2 / scale;
        farthest = std::max(farthest, std::fabs(difference - middle));
    }

    const Sharing sharing;
    const std::vector<std::int64_t> &sums;
    const double scale, error;
    const Answers &answers;
    std::vector<int> counts;
    double greatest = 0, farthest = -1;
    int number = 0; ///< of ways
};

} // namespace

Margin marginOf(const Sharing &sharing, const std::vector<std::int64_t> &sums, double scale,
                double error, double rounding)
{
    Margin margin{error + rounding, 0, 0};
    const Answers answers(Measure::Entropy, 1, sharing.base, sharing.cells, 0);
    Dominated dominated(sharing, sums, scale, error + rounding, answers);
    for (int others = 2; 2 * (others + 1) <= sharing.cells; others += others / 3 + 1) {
        if (!dominated.tryAll(others)) break;
        if (dominated.limit() <= 0) continue;
        margin.limit = dominated.limit();
        const double distance = dominated.distance();
        margin.below = distance >= 0 ? distance + rounding : 0;
    }
    return margin;
}

} // namespace local_entropy
