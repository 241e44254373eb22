// Arrays that are much higher than wide. A panel is 480 columns, so an array of 10 would leave it
// almost empty; but an entropy does not care whether its window is mirrored. Such an array is cut
// into strips of rows, each turned on its side (x becomes y), computed and turned back.
#pragma once

#include "local_entropy/methods/bits/task.h"

namespace local_entropy::bits
{

/// Whether turning pays.
bool isNarrow(std::int64_t width, std::int64_t rows);

/// Like kernel.run on as many as `threads` threads, for the array that `whole` describes; how it is
/// cut is decided here. Sets progress.suspicious.
void runNarrow(const Kernel &kernel, const Task &whole, Progress &progress, int threads);

} // namespace local_entropy::bits
