// Cells as text, on the terminal and in CSV.
#pragma once

#include "entropy/samples.h"

#include <string>

namespace entropy
{

/// Prints `title` and, as %12.5f, rows y0.. and columns x0.. of `cells`, an array shaped like
/// `sample`.
void printCells(const char *title, const Sample &sample, const float *cells, int x0, int y0);

/// "width,height," and every cell of `result` as "%.5f,"; one line.
std::string csvLine(const Sample &sample, const float *result);

} // namespace entropy
