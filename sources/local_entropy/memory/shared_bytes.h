// Shared memory of GPUs. In every build.
#pragma once

namespace local_entropy
{

/// Bytes of it that a block may have on the current GPU, if its kernel asks for more than the
/// 48 KiB that every GPU gives. Where there is no GPU, more than anything needs: who then launches
/// is told why he cannot. Throws common::Error where the GPU does not answer, since it has failed
/// for good, say. Whoever needs the GPU passes that on, as enqueue() does; run(), which only may
/// use GPUs, leaves all to the CPU (launchCost).
int sharedBytesOfBlock();

} // namespace local_entropy
