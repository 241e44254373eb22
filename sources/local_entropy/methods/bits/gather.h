// Whether a kernel shall look up by the processor's gather instructions.
#pragma once

#include "local_entropy/methods/bits/tables.h"
#include "local_entropy/methods/bits/task.h"

namespace local_entropy::bits
{

/// The tables that a kernel looks up in.
const Tables &tablesOf(const Kernel &kernel);

/// Gather instructions look up faster than single loads on some processors and slower on others
/// of the same kind, depending on their microcode and on what else there is to do meanwhile: the
/// only way to know is to try, once for each kernel.
bool gatherIsFaster(const Kernel &kernel);

} // namespace local_entropy::bits
