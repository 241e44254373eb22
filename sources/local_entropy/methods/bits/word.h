// Operations on words of a processor that has none with three operands; Word is defined before this
// is included. Internal linkage, like everything that the kernels include.
#pragma once

#include <cstdint>

namespace local_entropy::bits
{
namespace
{

[[gnu::always_inline]] inline Word repeated(std::uint8_t byte)
{
    return Word{} + byte * std::uint64_t(0x0101010101010101);
}
[[gnu::always_inline]] inline Word andNot(Word a, Word b) { return a & ~b; }
[[gnu::always_inline]] inline Word xor3(Word a, Word b, Word c) { return a ^ b ^ c; }
[[gnu::always_inline]] inline Word or3(Word a, Word b, Word c) { return a | b | c; }
/// One full adder: a + b + c = sum + 2 carry.
[[gnu::always_inline]] inline void add(Word a, Word b, Word c, Word &sum, Word &carry)
{
    const Word differ = a ^ b;
    sum = differ ^ c;
    carry = (differ & c) | (a & b);
}
/// a - b - c = difference - 2 borrow.
[[gnu::always_inline]] inline void subtract(Word a, Word b, Word c, Word &difference, Word &borrow)
{
    const Word differ = a ^ b;
    difference = differ ^ c;
    borrow = (differ & b) | andNot(c, differ);
}
/// a where the mask is set, b elsewhere.
[[gnu::always_inline]] inline Word select(Word mask, Word a, Word b)
{
    return (a & mask) | andNot(b, mask);
}
/// plane[i]: where the digits c b a read i.
[[gnu::always_inline]] inline void decode(Word a, Word b, Word c, Word *plane)
{
    const Word low[4] = {~(a | b), andNot(a, b), andNot(b, a), a & b};
    for (int i = 0; i < 4; ++i) {
        plane[i] = andNot(low[i], c);
        plane[i + 4] = low[i] & c;
    }
}

} // namespace
} // namespace local_entropy::bits
