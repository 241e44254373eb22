// How v16 and v17 compute on the CPU, as the environment says.
#pragma once

#include "local_entropy/methods/bits/bits.h"

namespace entropy
{

/// The path that ENTROPY_CPU_PATH names (avx512, avx2, portable); the library's choice where it
/// names none. Throws common::Error where it names another, or one that cannot run here.
local_entropy::bits::CpuOptions cpuOptions();

} // namespace entropy
