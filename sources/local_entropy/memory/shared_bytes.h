// Shared memory of GPUs. In every build.
#pragma once

namespace local_entropy
{

/// Bytes of it that a block may have on the current GPU, if its kernel asks for more than the
/// 48 KiB that every GPU gives. Where there is no GPU, more than anything needs: who then launches
/// is told why he cannot.
int sharedBytesOfBlock();

} // namespace local_entropy
