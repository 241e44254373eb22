// The bit-sliced kernel: entropies of 5x5 windows, hundreds of them in one instruction.
//
//   layout.h   a property of all cells of a row ("this cell is a 7") is a plane of bits
//   pack.h     from floats to planes of binary digits
//   count.h    adders that are circuits count a level in all windows at once
//   sums.h     the hash (hash.h) makes of the sixteen counts 15 planes of an index
//   panel.h    transposing them as blocks of 8x8 bits (transpose.h) leaves a 16-bit index a cell;
//   output.h   and a table holds the exact entropy for it
//
// How it is used: a file for one kind of processor (portable.cpp, avx2.cpp, avx512.cpp) defines
// what follows, includes this, and exports a Kernel with run() below. Everything here has internal
// linkage.
//
//   Word              the vector, of 64-bit integers: 16, 32 or 64 bytes
//   repeated, andNot, xor3, or3, add, subtract, select, decode    its operations, as in word.h
//   Hash              the hash that is the shortest with these
//   toBytes(cells)    as many cells as a word has bytes, in an order of its own. Of a cell that is
//                     none of 0..15, other bits than the lowest four are set, or a flag is raised
//                     that ConversionFlags watches
//   inOrder(word)     the bytes of toBytes() in the order of the cells
//   storeIndices(to, low, high)    indices from their lower and upper bytes
//   lookUpGroup<Stream, Gather>(to, index, table)    16 entropies; around the cache only if they
//                     come in one go
//   writeGroup(to, from), finishStreaming()          16 entropies around the cache; after the last
#pragma once

#include "local_entropy/methods/bits/flags.h"
#include "local_entropy/methods/bits/pack.h"
#include "local_entropy/methods/bits/panel.h"

#include <cstdint>

namespace local_entropy::bits
{
namespace
{

template <bool Stream, bool Gather>
inline void runPanels(const Task &task, State &state, Packer &next, const Block &block,
                      const std::uint8_t *packed)
{
    for (std::int64_t panel = 0; panel < block.panels; ++panel) {
        Panel<Stream, Gather> work{task,
                                   state,
                                   next,
                                   packed + panel * packedRows(block) * kPackedRow,
                                   (block.firstPanel + panel) * kPanelColumns,
                                   block.begin,
                                   block.end};
        work.run();
    }
}

/// The next block; one without panels when there is none left.
inline Block takeBlock(Blocks &blocks)
{
    Block block;
    return blocks.take(blocks, block) ? block : Block{};
}

[[gnu::noinline]] void runBlocks(const Task &task, Blocks &blocks, void *scratch)
{
    State &state = *static_cast<State *>(scratch);
    __builtin_memset(&state, 0, sizeof state);
    std::uint8_t *packed[2];
    packed[0] = static_cast<std::uint8_t *>(scratch) + sizeof(State);
    packed[1] = packed[0] + task.packedBytes;

    Packer packer{task, state, {}, nullptr, 0, 0, reinterpret_cast<const char *>(&state)};
    Block block = takeBlock(blocks);
    packer.start(block, packed[0]);
    while (packer.busy()) packer.step();
    while (block.panels > 0) {
        const std::uint8_t *rows = packed[0];
        packed[0] = packed[1];
        packed[1] = const_cast<std::uint8_t *>(rows);
        const Block following = takeBlock(blocks);
        packer.start(following, packed[0]);
        if (task.stream && task.gather)
            runPanels<true, true>(task, state, packer, block, rows);
        else if (task.stream)
            runPanels<true, false>(task, state, packer, block, rows);
        else if (task.gather)
            runPanels<false, true>(task, state, packer, block, rows);
        else
            runPanels<false, false>(task, state, packer, block, rows);
        while (packer.busy()) packer.step();
        block = following;
    }
    if (task.stream) finishStreaming();

    std::uint8_t bytes[sizeof(Word)];
    store(bytes, state.outOfRange);
    for (const std::uint8_t byte : bytes)
        if (byte) blocks.suspicious = true;
}

/// Kernel::run.
void run(const Task &task, Blocks &blocks, void *scratch)
{
    const ConversionFlags flags;
    runBlocks(task, blocks, scratch);
    if (flags.raised()) blocks.suspicious = true;
}

} // namespace
} // namespace local_entropy::bits
