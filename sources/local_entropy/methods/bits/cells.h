// The entropy of a few cells, one by one, and the search for a cell that is none of 0..15.
#pragma once

#include <cstdint>

namespace local_entropy::bits
{

/// Like entropyOnCpu (bits.h) on one thread, for cells that are known to be 0..15.
void entropyPlain(std::int64_t width, std::int64_t height, const float *sample, float *result,
                  std::int64_t begin, std::int64_t end);

/// Throws common::Error, naming the first cell of rows [begin, end) that is not an integer 0..15.
void checkCells(std::int64_t width, const float *sample, std::int64_t begin, std::int64_t end);

} // namespace local_entropy::bits
