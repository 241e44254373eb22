// What the test program asks operator new for: counted, and refused where a test wants that.
#pragma once

#include "../sanitized.h"

#include <atomic>

namespace allocations
{

/// The thread sanitizer has an operator new of its own, and there can be no other.
constexpr bool kAreCounted = !kThreadSanitizer;
constexpr char kWhyNot[] = "needs an operator new that the thread sanitizer replaces";

extern std::atomic<long> soFar;   ///< since the program began
extern std::atomic<long> refused; ///< the one of this number throws std::bad_alloc, as no memory

} // namespace allocations
