// A check of every cell that costs nothing: the processor notes by itself, in flags that stay set,
// whether any conversion from float to integer was inexact (3.5) or invalid (NaN, infinity, 1e30).
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace local_entropy::bits
{
namespace
{

#if defined(__SSE2__)

/// Clears the flags of this thread, and sets the default rounding, while it lives.
class ConversionFlags
{
public:
    ConversionFlags() : before(_mm_getcsr()) { _mm_setcsr(kDefault); }
    ~ConversionFlags() { _mm_setcsr(before); }
    ConversionFlags(const ConversionFlags &) = delete;
    ConversionFlags &operator=(const ConversionFlags &) = delete;

    bool raised() const { return _mm_getcsr() & kInexactOrInvalid; }

private:
    static constexpr unsigned kDefault = 0x1f80, kInexactOrInvalid = 0x21;
    unsigned before;
};

#else

/// No flags are watched: there, toBytes() marks such cells (portable.cpp).
struct ConversionFlags
{
    bool raised() const { return false; }
};

#endif

} // namespace
} // namespace local_entropy::bits
