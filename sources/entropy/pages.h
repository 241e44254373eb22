// Pages of memory that belongs to others.
#pragma once

#include <cstddef>

namespace entropy
{

/// Asks the system for large pages for that memory and, from 16 MiB on, to hand out those that are
/// not there yet now, to all threads at once: cheaper than one by one, when each is first written
/// to. What they hold stays.
void populatePages(void *memory, std::size_t bytes);

} // namespace entropy
