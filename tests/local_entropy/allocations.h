// What the test program asks operator new for: counted, and refused where a test wants that.
#pragma once

#include <atomic>

namespace allocations
{

extern std::atomic<long> soFar;   ///< since the program began
extern std::atomic<long> refused; ///< the one of this number throws std::bad_alloc, as no memory

} // namespace allocations
