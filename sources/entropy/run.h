// A version by its name, and a call of it, its result in safe hands.
#pragma once

#include "common/host_array.h"
#include "entropy/core.h"

#include <string>

namespace entropy
{

/// The version of that name. Throws common::Error where the core has none.
inline const Version &versionNamed(const std::string &name)
{
    for (const Version &version : versions())
        if (version.name == name) return version;
    throw common::Error("there is no version '" + name + "'");
}

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
