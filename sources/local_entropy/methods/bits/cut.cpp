#include "local_entropy/methods/bits/cut.h"

#include "common/integer.h"

#include <algorithm>

namespace local_entropy::bits
{

using common::ceilDiv;

void cut(Task &task, std::int64_t panelsPerBlock, std::int64_t rowsPerBlock)
{
    task.panels = ceilDiv(task.width, kPanelColumns);
    task.panelsPerBlock = panelsPerBlock;
    task.rowsPerBlock = rowsPerBlock;
    task.blocksAcross = ceilDiv(task.panels, panelsPerBlock);
    task.blocks = task.blocksAcross * ceilDiv(task.end - task.begin, rowsPerBlock);
    task.packedBytes =
        static_cast<std::size_t>(panelsPerBlock * (rowsPerBlock + 2 * kRadius)) * kPackedRow;
}

void leaveWhole(Task &task)
{
    cut(task, ceilDiv(task.width, kPanelColumns), task.end - task.begin);
}

void divide(Task &task, int threads)
{
    constexpr std::int64_t kMostPanels = 24, kFewestPanels = 6, kMostRows = 192;
    constexpr std::int64_t kEnoughRows = 48, kFewestRows = 8, kBlocksPerThread = 4;
    constexpr std::int64_t kPackedBytes = 400 << 10;
    const std::int64_t rows = task.end - task.begin;
    const std::int64_t panels = ceilDiv(task.width, kPanelColumns);

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
    cut(task, panelsPerBlock, ceilDiv(rows, ceilDiv(rows, mostRows))); // as even as it can be
}

std::size_t scratchBytes(const Kernel &kernel, const Task &task)
{
    return kernel.stateBytes + 2 * task.packedBytes;
}

} // namespace local_entropy::bits
