// The GPU engine for arrays in host memory, whole: up, compute, down. It is how a kernel is timed
// by itself, and how a call tells what is wrong with its cells or its GPU; other calls go tile by
// tile (schedule/everywhere.h). In every build; without CUDA it says so.
#pragma once

#include <cstdint>

namespace local_entropy::words
{

/// The correctly rounded entropy of the 5x5 window around every cell, by the current device;
/// windows are cut at the edge.
///
/// sample   host memory: height rows of width cells, each an integer 0..15; for any other cell it
///          throws Error (BadLevel), which does not name it.
/// result   host memory: the same shape.
///
/// Throws Error (Unavailable) without CUDA, without a GPU, or where that has too little memory;
/// Error (Internal) for what else CUDA refuses.
void entropyOnGpu(std::int64_t width, std::int64_t height, const float *sample, float *result);

} // namespace local_entropy::words
