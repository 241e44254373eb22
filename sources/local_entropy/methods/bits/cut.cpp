#include "local_entropy/methods/bits/cut.h"

#include "common/integer.h"

#include <algorithm>
#include <utility>

namespace local_entropy::bits
{

using common::ceilDiv;

std::int64_t panelsOf(std::int64_t width) { return ceilDiv(width, kPanelColumns); }

BlockSize divide(std::int64_t width, std::int64_t rows, int threads)
{
    constexpr std::int64_t kMostPanels = 24, kFewestPanels = 6, kMostRows = 192;
    constexpr std::int64_t kEnoughRows = 48, kFewestRows = 8, kBlocksPerThread = 4;
    constexpr std::int64_t kPackedBytes = 400 << 10;
    const std::int64_t panels = panelsOf(width);

    std::int64_t across = 0, panelsPerBlock = 0, mostRows = 0;
    const auto blocks = [&] { return across * ceilDiv(rows, mostRows); };
    const auto split = [&](std::int64_t columns) {
        panelsPerBlock = ceilDiv(panels, columns);
        across = ceilDiv(panels, panelsPerBlock);
        mostRows = std::min(kPackedBytes / (kPackedRow * panelsPerBlock) - 2 * kRadius, kMostRows);
    };
    split(ceilDiv(panels, kMostPanels));
    const std::int64_t wanted = threads == 1 ? 1 : kBlocksPerThread * threads;
    while (blocks() < wanted && panelsPerBlock >= 2 * kFewestPanels) split(2 * across);
    if (blocks() < wanted) // lower blocks, but not so low that the rows read twice matter
        mostRows = std::min(mostRows, std::max(kEnoughRows, rows * across / wanted));
    if (blocks() < threads) // unless there were threads without any
        mostRows = std::min(mostRows, std::max(kFewestRows, rows * across / threads));
    return {panelsPerBlock, ceilDiv(rows, ceilDiv(rows, mostRows))}; // as even as it can be
}

std::size_t packedBytes(const BlockSize &size)
{
    return static_cast<std::size_t>(size.panels * (size.rows + 2 * kRadius)) * kPackedRow;
}

std::size_t scratchBytes(const Kernel &kernel, const Task &task)
{
    return kernel.stateBytes + 2 * task.packedBytes;
}

bool OneBlock::takeIt(Blocks &blocks, Block &block)
{
    block = std::exchange(static_cast<OneBlock &>(blocks).left, {});
    return block.panels > 0;
}

} // namespace local_entropy::bits
