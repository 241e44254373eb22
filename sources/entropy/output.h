// Cells and verdicts as text, on the terminal and in CSV.
#pragma once

#include "entropy/reference.h"
#include "entropy/samples.h"

#include <string>

namespace entropy
{

/// Prints sample and result: their last 5x5 corner, or all of them.
void printAnswer(const Sample &sample, const float *result, bool all);

/// Prints a line that begins with "passed" or "FAILED". Where cells are wrong: how many, the first
/// and the worst, and what was expected and computed around the worst.
void printVerdict(const Sample &sample, const float *result, const float *right,
                  const Comparison &comparison, bool inputChanged, double milliseconds);

/// "width,height," and every cell of `result` as "%.5f,"; one line.
std::string csvLine(const Sample &sample, const float *result);

} // namespace entropy
