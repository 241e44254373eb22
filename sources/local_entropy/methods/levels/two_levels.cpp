#include "local_entropy/methods/levels/two_levels.h"

#include <cstring>

namespace local_entropy
{
namespace
{

float floatOf(const Answers &answers, int n, int others)
{
    const int counts[] = {n, others};
    if (!answers.fromSums()) return answers.floatOf(counts, 2);
    return answers.nearestFloat(answers.sums()[n] + answers.sums()[others], n + others,
                                [&](std::vector<int> &all) { all.assign(counts, counts + 2); });
}

double doubleOf(const Answers &answers, int n, int others)
{
    const int counts[] = {n, others};
    if (!answers.fromSums()) return answers.doubleOf(counts, 2);
    return answers.nearestDouble(answers.wideSums()[n] + answers.wideSums()[others], n + others,
                                 [&](std::vector<int> &all) { all.assign(counts, counts + 2); });
}

} // namespace

TwoLevelTable::TwoLevelTable(const Problem &problem, const Answers &answers)
    : isDouble(problem.result.isDouble)
{
    const int cells = problem.shape.cells;
    for (int n = 0; n <= cells; n++) {
        if (isDouble)
            doubles.push_back(doubleOf(answers, n, cells - n));
        else
            floats.push_back(floatOf(answers, n, cells - n));
    }
    if (isDouble) return;
    floats.resize(floats.size() + kSlack);
    for (int p = 0; p < 4; p++) plane[p].resize(cells / 2 + 1 + kSlack);
    for (int n = 0; n <= cells / 2; n++) {
        std::uint8_t bytes[4];
        std::memcpy(bytes, &floats[n], sizeof bytes);
        for (int p = 0; p < 4; p++) plane[p][n] = bytes[p];
    }
}

} // namespace local_entropy
