// From the structs of C, of this and other versions, to those of C++.
#pragma once

#include "local_entropy/engine.h"
#include "local_entropy/local_entropy.h"

#include <cstddef>

namespace local_entropy
{

/// Each throws Error (BadArgument) with a sentence that names the member.
Filter filterOf(const le_filter *theirs);
EngineOptions engineOptionsOf(const le_engine_options *theirs);
RunOptions runOptionsOf(const le_image *mask, const le_region *region,
                        const le_run_options *theirs);

/// Fills the first `size` bytes with the defaults.
void initFilter(le_filter *filter, std::size_t size);

} // namespace local_entropy
