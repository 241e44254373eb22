// Arithmetic as this library needs it, whatever the caller has made of the processor's settings.
#pragma once

#include <cfenv>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace local_entropy
{

/// While it lives, this thread rounds to the nearest, keeps subnormal numbers and traps nothing;
/// then all is again as it was. Every function that the library offers starts with one, and so does
/// every thread that it has work for: threads inherit the settings of the one that started them.
class DefaultRounding
{
public:
    DefaultRounding() : isDefault(lookedAt())
    {
        if (isDefault) return;
        std::fegetenv(&before);
        std::fesetenv(FE_DFL_ENV);
    }
    ~DefaultRounding()
    {
        if (!isDefault) std::fesetenv(&before);
    }
    DefaultRounding(const DefaultRounding &) = delete;
    DefaultRounding &operator=(const DefaultRounding &) = delete;

private:
    /// Whether all is as it should be, where a look is cheaper than to set it: a call for a handful
    /// of cells takes a microsecond.
    static bool lookedAt()
    {
#if defined(__SSE2__)
        constexpr unsigned kFlags = 0x3f, kDefault = 0x1f80; // of MXCSR
        unsigned short extended;                             // the control word for long double
        asm volatile("fnstcw %0" : "=m"(extended));
        return (_mm_getcsr() & ~kFlags) == kDefault && extended == 0x037f;
#else
        return false;
#endif
    }

    bool isDefault;
    std::fenv_t before;
};

/// While it lives, others may change all that; then it is again as it was.
class KeptRounding
{
public:
    KeptRounding() { std::fegetenv(&before); }
    ~KeptRounding() { std::fesetenv(&before); }
    KeptRounding(const KeptRounding &) = delete;
    KeptRounding &operator=(const KeptRounding &) = delete;

private:
    std::fenv_t before;
};

} // namespace local_entropy
