// What the CPU does for the GPUs: cells into bytes on their way up, results on their way down.
#pragma once

#include <cstddef>
#include <cstdint>

namespace local_entropy
{

/// to[i] = 8 * cells[i], what the GPU kernel takes; false if some cell is none of 0..15.
bool packBytes(const float *cells, std::size_t size, std::uint8_t *to);

/// Copies results around the caches, where the processor can: they are not read again here.
void copyResults(const float *from, std::size_t size, float *to);

} // namespace local_entropy
