// Names for a profiler.
// Include it from .cu files only: they are all compiled by nvcc or all by the host compiler.
#pragma once

#include <string>

#if defined(__CUDACC__) && __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define HAVE_NVTX 1
#endif

namespace common
{

/// While it lives, a profiler (ncu --nvtx) writes `name` beside every kernel that this thread
/// launches; without one it does nothing. Ranges nest.
class ProfilerRange
{
public:
#ifdef HAVE_NVTX
    explicit ProfilerRange(const std::string &name) { nvtxRangePushA(name.c_str()); }
    ~ProfilerRange() { nvtxRangePop(); }
#else
    explicit ProfilerRange(const std::string &) {}
    ~ProfilerRange() {}
#endif
    ProfilerRange(const ProfilerRange &) = delete;
    ProfilerRange &operator=(const ProfilerRange &) = delete;
};

} // namespace common
