// What the CPU does for the GPUs: cells into bytes on their way up, results on their way down.
#pragma once

#include <cstddef>
#include <cstdint>

namespace local_entropy
{

/// to[i] = cells[i], as a byte; false if some cell is none of 0 ... levels - 1. levels <= 256.
bool packLevels(const float *cells, std::size_t size, int levels, std::uint8_t *to);

/// Copies results around the caches, where the processor can: they are not read again here.
void copyResults(const float *from, std::size_t size, float *to);

} // namespace local_entropy
