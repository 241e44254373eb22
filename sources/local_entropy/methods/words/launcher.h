// The method words in the memory of GPUs, in streams of its callers. In every build; without CUDA
// it says so.
#pragma once

#include "local_entropy/methods/method.h"

#include <memory>

namespace local_entropy::words
{

/// Whether the kernel reads the image of such a problem where it is: floats of 16 levels without
/// gaps between rows, or bytes; all columns, cut at the edge. Others are loaded first.
bool isReadInPlace(const Problem &problem);

/// Bytes of shared memory that a block needs, at least; 0 without CUDA.
int sharedBytes();

/// For the problems that the method can launch. Throws Error (Unavailable) without CUDA or a GPU.
std::unique_ptr<Launcher> makeLauncher();

} // namespace local_entropy::words
