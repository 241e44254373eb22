// A call of a version, its result in safe hands.
#pragma once

#include "common/host_array.h"
#include "entropy/core.h"

namespace entropy
{

/// Calls `callback`; the result is owned by what is returned. Throws what the callback throws, and
/// common::Error if it returns no result.
inline common::HostArray<float> run(Callback callback, int width, int height, float *sample)
{
    float *cells = nullptr;
    callback(width, height, sample, &cells);
    common::HostArray<float> result(cells);
    if (!result) throw common::Error("cudaCallback returned no result");
    return result;
}

} // namespace entropy
