// Packing the input: from floats to planes of binary digits.
#pragma once

#include "local_entropy/methods/bits/layout.h"
#include "local_entropy/methods/bits/transpose.h"

#include <cstdint>

namespace local_entropy::bits
{
namespace
{

/// pairs[i][j] = lane i + 16 * lane (i + 4), of 64 cells each; outOfRange collects bits of cells
/// that are not in 0..15. Of these, no bit gets into another cell: they may lie in rows that do not
/// count.
[[gnu::always_inline]] inline void packPairs(const float *cells, std::uint8_t (*pairs)[kPlane],
                                             Word &outOfRange)
{
    const Word lower = repeated(0x0f);
    Word seen{};
    for (int lane = 0; lane < kBits; ++lane)
        for (int j = 0; j < kPlane; j += sizeof(Word)) {
            const Word low = toBytes(cells + kLane * lane + j);
            const Word high = toBytes(cells + kLane * (lane + kBits) + j);
            seen = or3(seen, low, high);
            store(pairs[lane] + j, inOrder(select(lower, low, high << 4)));
        }
    outOfRange |= andNot(seen, lower);
}

/// Cells of a row of a panel, from column -2, to four planes: the binary digits of the cells.
/// pairs[i] holds lane i in the lower half of its bytes and lane i + 4 in the upper half, so that
/// bit d of lane i has to go from bit d of pairs[i] to bit i of plane d.
[[gnu::always_inline]] inline void packRow(const float *cells, std::uint8_t *packed, State &state)
{
    alignas(kPlane) std::uint8_t pairs[kBits][kPlane];
    packPairs(cells, pairs, state.outOfRange);
    for (int offset = 0; offset < kPlane; offset += sizeof(Word)) {
        Word p[kBits];
        for (int i = 0; i < kBits; ++i) p[i] = load(pairs[i] + offset);
        exchange<1>(p[0], p[1]), exchange<1>(p[2], p[3]);
        exchange<2>(p[0], p[2]), exchange<2>(p[1], p[3]);
        for (int i = 0; i < kBits; ++i) store(packed + i * kPlane + offset, p[i]);
    }
}

/// Rows of a block and of the two above and below that its windows reach.
inline std::int64_t packedRows(const Block &block) { return block.end - block.begin + 2 * kRadius; }

/// Packs a block, one row of one panel a step, in the order in which the array lies in memory.
/// Rows that do not exist are left as they are: nobody reads them.
struct Packer
{
    const Task &task;
    State &state;
    Block block;
    std::uint8_t *packed = nullptr;
    std::int64_t panel = 0, row = 0;
    const char *ahead; ///< memory that will be read soon

    void start(const Block &next, std::uint8_t *to)
    {
        block = next;
        packed = to;
        panel = row = 0;
    }

    bool busy() const { return row < packedRows(block) && block.panels > 0; }

    /// What lies in columns outside the array does not matter (State::inside), so a row that is cut
    /// by an edge is read beyond it, into the rows before and after; but not beyond the array.
    [[gnu::always_inline]] inline void step()
    {
        const std::int64_t y = block.begin - kRadius + row;
        if (y >= 0 && y < task.height) {
            const std::int64_t first =
                y * task.width + (block.firstPanel + panel) * kPanelColumns - kRadius;
            const float *cells = task.sample + first;
            ahead = reinterpret_cast<const char *>(cells + 2 * kPanelColumns);
            if (__builtin_expect(first < 0 || first + kRead > task.width * task.height, 0))
                cells = copyRow(first);
            packRow(cells, packed + (panel * packedRows(block) + row) * kPackedRow, state);
        }
        if (++panel == block.panels) panel = 0, ++row;
        if (!busy()) ahead = reinterpret_cast<const char *>(&state);
    }

    /// Those of the cells first .. first + kRead - 1 that are in the array, in their places.
    [[gnu::noinline]] const float *copyRow(std::int64_t first)
    {
        const std::int64_t begin = larger(first, 0);
        const std::int64_t end = smaller(first + kRead, task.width * task.height);
        __builtin_memset(state.border, 0, sizeof state.border);
        __builtin_memcpy(state.border + (begin - first), task.sample + begin,
                         (end - begin) * sizeof(float));
        return state.border;
    }
};

} // namespace
} // namespace local_entropy::bits
