// Whether an image that stays where it is has cells that are no levels.
#pragma once

#include "local_entropy/problem/plane.h"

namespace local_entropy
{

/// Lowers `*bad`, in the memory of the current GPU, to the first cell of the image, of those that
/// windows reach, that is no level; in `stream`, a cudaStream_t. For planes that are not loaded.
void checkPlane(const Problem &problem, const Plane &plane, BadCell *bad, void *stream);

} // namespace local_entropy
