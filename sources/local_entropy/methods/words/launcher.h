// The method words in the memory of GPUs, in streams of its callers. In every build; without CUDA
// it says so.
#pragma once

#include "local_entropy/methods/method.h"

#include <memory>

namespace local_entropy::words
{

/// For problems of 5x5 windows that bits can do, of whole rows, in which NaN is an error. Throws
/// Error (Unavailable) without CUDA or a GPU.
std::unique_ptr<Launcher> makeLauncher();

} // namespace local_entropy::words
