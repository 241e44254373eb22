// Memory that a thread keeps from call to call, so that a call allocates nothing.
#pragma once

#include <cstddef>

namespace local_entropy
{

/// At least so many bytes, aligned to 64, for this thread until it asks again; they hold anything.
/// Throws common::Unavailable where there is no memory.
void *scratch(std::size_t bytes);

} // namespace local_entropy
