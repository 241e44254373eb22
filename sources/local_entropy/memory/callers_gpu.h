// The GPU of a call: the one that is current in the thread that calls. The other threads of the
// call have one of their own. In every build.
#pragma once

#include <functional>

namespace local_entropy
{

constexpr int kNoGpu = -1;

/// The number of the one that is current in this thread; kNoGpu where there is none.
int callersGpu();

/// Calls compute() while that GPU is the current one of this thread; kNoGpu: just so. Throws what
/// compute() throws, and common::Error where the GPU cannot be made the current one.
void onGpu(int gpu, const std::function<void()> &compute);

} // namespace local_entropy
