// How an array is cut into blocks.
#pragma once

#include "local_entropy/methods/bits/task.h"

namespace local_entropy::bits
{

struct BlockSize
{
    std::int64_t panels, rows;
};

/// Panels of an array of that width.
std::int64_t panelsOf(std::int64_t width);

/// Blocks of `rows` rows of that width for that many threads. As large as fit twice into a
/// second-level cache, since every block reads four rows more than it writes, but several for each
/// thread, so that none waits long for the last one. Wide blocks are split before high ones: that
/// costs nothing but shorter runs of memory.
BlockSize divide(std::int64_t width, std::int64_t rows, int threads);

/// For the packed rows of a block.
std::size_t packedBytes(const BlockSize &size);

/// What the kernel keeps of a panel, the block that it computes and the one that it packs.
std::size_t scratchBytes(const Kernel &kernel, const Task &task);

/// Blocks of which there is one.
class OneBlock : public Blocks
{
public:
    explicit OneBlock(const Block &block) : Blocks{takeIt}, left(block) {}

private:
    static bool takeIt(Blocks &blocks, Block &block);
    Block left; ///< no panels once it is taken
};

} // namespace local_entropy::bits
