#include "local_entropy/methods/histogram/prepared.h"

#include "local_entropy/methods/answers_of.h"

namespace local_entropy
{
namespace
{

template <typename Sum>
std::vector<Sum> differences(const Sum *sums, int most)
{
    std::vector<Sum> steps(most + 1, Sum{0});
    for (int n = 1; n <= most; ++n) steps[n] = sums[n] - sums[n - 1];
    return steps;
}

} // namespace

Prepared::Prepared(const Problem &problem)
    : answers(answersOf(problem)), down(problem.shape), across(turned(problem.shape))
{
    if (problem.result.isDouble) {
        wideSteps = differences(answers.wideSums(), answers.mostCells());
        return;
    }
    steps = differences(answers.sums(), answers.mostCells());
    pairs = PairSteps(down.shape.cells, reachOf(down, across), steps);
}

} // namespace local_entropy
