// Arrays that are much higher than wide. A panel is 480 columns, so an array of 10 would leave it
// almost empty; but an entropy does not care whether its window is mirrored. Such an array is cut
// into strips of rows, each turned on its side (x becomes y), computed and turned back.
#pragma once

#include "local_entropy/memory/scratch.h"
#include "local_entropy/methods/bits/task.h"

namespace local_entropy::bits
{

/// Whether turning pays.
bool isNarrow(std::int64_t width, std::int64_t rows);

/// The rows of a strip that a tile had best be.
std::int64_t stripRows(std::int64_t width);

/// Computes rows [begin, end) of the array that `whole` describes. Returns whether a cell that was
/// read is suspicious (Blocks).
bool runNarrow(const Kernel &kernel, const Task &whole, std::int64_t begin, std::int64_t end,
               Scratch &scratch);

} // namespace local_entropy::bits
