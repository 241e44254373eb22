// Counting. A number for each cell is a list of planes, its binary digits. Adding such numbers is
// what a circuit does, with full adders of two instructions (for the sum, for the carry) for 512
// cells:
//   across  five indicator planes, one byte apart, give 3 digits: that level in a row of 5 cells;
//   down    count += across(this row) - across(five rows ago): the count slides down the panel.
#pragma once

#include "local_entropy/methods/bits/layout.h"

#include <cstdint>

namespace local_entropy::bits
{
namespace
{

/// Sixteen indicator planes from the four planes of a packed row: level 5 is where the digits are
/// 0101. Columns that do not exist are of no level at all, so that the edges of the array need no
/// further care.
inline void makeIndicators(State &state, int slot, const std::uint8_t *packed)
{
    for (int offset = 0; offset < kPlane; offset += sizeof(Word)) {
        const Word inside = load(state.inside + offset);
        const Word eights = load(packed + 3 * kPlane + offset);
        const Word low = andNot(inside, eights), high = inside & eights;
        Word octal[8];
        decode(load(packed + offset), load(packed + kPlane + offset),
               load(packed + 2 * kPlane + offset), octal);
        for (int i = 0; i < 8; ++i) {
            store(state.indicator[slot][i] + offset, octal[i] & low);
            store(state.indicator[slot][i + 8] + offset, octal[i] & high);
        }
    }
}

/// Moves the windows of one level down by a row; count receives how many of its cells they hold.
[[gnu::always_inline]] inline void slide(const std::uint8_t *plane, Word *across, Word *kept,
                                         Word *count)
{
    Word sum, carry1, carry2; // five neighbours: sum + 2 (carry1 + carry2)
    add(load(plane), load(plane + 1), load(plane + 2), sum, carry1);
    add(sum, load(plane + 3), load(plane + 4), sum, carry2);
    const Word fresh[3] = {sum, carry1 ^ carry2, carry1 & carry2};

    // fresh - old, in two's complement: three digits, and the last borrow as all higher ones.
    const Word old[3] = {across[0], across[1], across[2]};
    const Word change0 = fresh[0] ^ old[0], borrow0 = andNot(old[0], fresh[0]);
    Word change1, change2, borrow1, higher;
    subtract(fresh[1], old[1], borrow0, change1, borrow1);
    subtract(fresh[2], old[2], borrow1, change2, higher);

    const Word before[kCountDigits] = {kept[0], kept[1], kept[2], kept[3], kept[4]};
    count[0] = before[0] ^ change0;
    Word carry = before[0] & change0;
    add(before[1], change1, carry, count[1], carry);
    add(before[2], change2, carry, count[2], carry);
    add(before[3], higher, carry, count[3], carry);
    count[4] = xor3(before[4], higher, carry);
    for (int i = 0; i < 3; ++i) across[i] = fresh[i];
    for (int i = 0; i < kCountDigits; ++i) kept[i] = count[i];
}

} // namespace
} // namespace local_entropy::bits
