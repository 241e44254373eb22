// What others do to the flags of the processor that the kernels look at (flags.h).
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace local_entropy::bits
{

/// Leaves the flags and settings of this thread as they were.
class KeptFlags
{
#if defined(__SSE2__)
public:
    KeptFlags() : before(_mm_getcsr()) {}
    ~KeptFlags() { _mm_setcsr(before); }
    KeptFlags(const KeptFlags &) = delete;
    KeptFlags &operator=(const KeptFlags &) = delete;

private:
    unsigned before;
#else
public:
    KeptFlags() {}
#endif
};

} // namespace local_entropy::bits
