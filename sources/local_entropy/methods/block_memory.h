// The shared memory that a kernel's blocks need, and how many warps so much of it is enough for.
#pragma once

#include "local_entropy/error.h"

#include <algorithm>
#include <string>

namespace local_entropy
{

struct BlockMemory
{
    int tables = 0; ///< bytes for all warps together
    int ofWarp = 0; ///< for each warp, or for each group of warps that has one histogram

    int bytes(int warps) const { return tables + warps * ofWarp; }

    /// Of a block that computes at all: a method must say so many (Method::sharedBytes()).
    int least() const { return bytes(1); }

    /// Warps, or groups of them, that a block has room for which may have so many bytes; no more
    /// than `most`. Throws Error (Unavailable) where there is no room for one.
    int warps(int bytesOfBlock, int most) const
    {
        if (bytesOfBlock < least())
            throw Error(Status::Unavailable, "a block needs " + std::to_string(least()) +
                                                 " bytes of shared memory, and has " +
                                                 std::to_string(bytesOfBlock) + " on this GPU");
        return std::min((bytesOfBlock - tables) / ofWarp, most);
    }
};

} // namespace local_entropy
