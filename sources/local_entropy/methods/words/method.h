// The method words among the others: a whole image through the current GPU, and back.
#pragma once

#include "local_entropy/methods/method.h"

namespace local_entropy
{

/// Computes what bits does, of whole images in which NaN is an error, on one thread of an engine
/// that was asked for it: its cost is such that nobody else chooses it. Error (Unavailable) without
/// CUDA or a GPU. Launches the same, of any rows, in the memory of a GPU.
const Method &wordsMethod();

} // namespace local_entropy
