// Scratch memory that has been used: an engine keeps it from call to call.
#pragma once

#include "local_entropy/memory/scratch.h"

#include <cstddef>
#include <cstring>

constexpr std::size_t kUsedBytes = std::size_t(128) << 10; ///< of every slot
constexpr unsigned char kLeftByte = 0xA5;

/// As an earlier tile may have left it: with what is none of this tile's levels and counts.
inline void leaveMuch(local_entropy::Scratch &scratch)
{
    for (int slot = 0; slot < local_entropy::Scratch::kSlots; ++slot)
        std::memset(scratch.get(static_cast<local_entropy::Scratch::Slot>(slot), kUsedBytes),
                    kLeftByte, kUsedBytes);
}
