// The last thing that a program does with its standard output.
#pragma once

#include "common/error.h"

#include <cstdio>

namespace common
{

/// Throws Error unless all that was printed has gone out: a full disk must not look like success.
inline void requireOutput()
{
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
        throw Error("standard output cannot be written");
}

/// `status`, if all that was printed has gone out; throws Error otherwise.
inline int afterOutput(int status)
{
    requireOutput();
    return status;
}

} // namespace common
