// Scratch memory that has been used: an engine keeps it from call to call.
#pragma once

#include "local_entropy/memory/scratch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

constexpr std::size_t kUsedBytes = std::size_t(128) << 10; ///< of every slot
/// What an earlier tile may have left: what is none of this tile's levels and counts, or may be.
constexpr std::uint16_t kLargeLeft = 0xA5A5, kSmallLeft = 7;

inline void leaveMuch(local_entropy::Scratch &scratch, std::uint16_t left = kLargeLeft)
{
    for (int slot = 0; slot < local_entropy::Scratch::kSlots; ++slot)
        std::fill_n(static_cast<std::uint16_t *>(
                        scratch.get(static_cast<local_entropy::Scratch::Slot>(slot), kUsedBytes)),
                    kUsedBytes / sizeof left, left);
}
