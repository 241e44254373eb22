// Threads that nobody's work but ours runs in.
#pragma once

namespace common
{

/// Whether this is one: nobody expects to find it as it was, such as the GPU that is current.
inline thread_local bool isOwnThread = false;

} // namespace common
