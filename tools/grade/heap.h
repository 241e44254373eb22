// malloc and new of a core's process: who made a block, was it overrun, how much is not freed.
#pragma once

#include "channel.h"

namespace grade::heap
{

/// What is known of a block.
struct Block
{
    Origin origin;     ///< kForeign: neither malloc nor new made it; the rest is unknown
    std::size_t bytes; ///< as it was asked for
    bool wroteBefore, wroteBehind; ///< its fences are damaged
};

Block inspect(const void *block);

/// Gives it back as it was made; a foreign one is left alone.
void release(void *block);

/// Bytes of all blocks that are not freed.
std::int64_t live();

/// Can `bytes` bytes at `address` be read?
bool readable(const void *address, std::size_t bytes);

extern std::uint64_t limit;    ///< larger requests than what is left are refused
extern bool poison;            ///< fill new blocks with NaN
extern std::uint32_t *refused; ///< counts the times that the limit refused

} // namespace grade::heap
