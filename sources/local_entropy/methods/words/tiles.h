// An array in host memory, tile by tile through one GPU. Needs CUDA.
#pragma once

#include "local_entropy/problem/problem.h"

namespace local_entropy::words
{

/// What entropyOnGpu() does, for large arrays: threads pack tiles into page-locked memory and send
/// them through the current GPU, all at once in both directions, and put the results in place.
///
/// problem   of floats, whole, cut at the edge; host memory.
///
/// Takes as many threads as OpenMP offers. The first calls allocate what passes between host and
/// device, for each tile on its way 5 MB page-locked and as much device memory, and it is kept. May
/// be called by several threads at once, which then share it.
///
/// Throws Error (BadLevel) for a cell that is none of 0..15, and what the plumbing throws.
void entropyByTiles(const Problem &problem);

} // namespace local_entropy::words
