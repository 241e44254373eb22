// The exact entropies in the order in which the bit-sliced kernel asks for them.
#pragma once

#include "common/host_array.h"
#include "local_entropy/answers/partitions.h"

#include <array>

namespace local_entropy::bits
{

/// For every size of window a table of floats, indexed by the hash of the counts (hash.h).
/// Entries that no window can ask for are 0.
struct Tables
{
    std::array<const float *, kWindowCells + 1> ofCells{}; ///< null for sizes that do not occur
    common::HostArray<float> memory;
};

/// Built and verified at the first call; throws common::Error if two different entropies share an
/// entry. May be called by several threads at once.
const Tables &ternaryTables();
const Tables &binaryTables();

} // namespace local_entropy::bits
