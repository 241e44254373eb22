// The memory of results: what v15 to v17 spend on it would otherwise be longer than what they
// compute in.
#pragma once

#include "common/host_array.h"

#include <cstddef>

namespace entropy
{

/// Memory for a result of that many floats, to be freed by free(), with its pages populated:
/// touching small ones, one by one, costs more than computing what goes into them.
///
/// With glibc, results of 16 MiB to 2 GiB come from the heap, and what is freed of them stays with
/// the process for the next one: as much as was in use at once, since the heap gives back only what
/// lies at its end and is 2 GiB or more. Larger ones go back to the system. To that end malloc's
/// thresholds are set at the first such result, for good and for the whole process: memory of less
/// than 32 MiB that other threads free stays too. ENTROPY_KEEP_MEMORY=0 in the environment, from
/// the start, prevents all that: then results of 32 MiB and more go back, and with smaller ones
/// glibc does as it likes.
common::HostArray<float> allocateResult(std::size_t cells);

} // namespace entropy
