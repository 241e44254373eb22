// Transposing squares of 8x8 bits, hundreds of them at once.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace local_entropy::bits
{
namespace
{

/// Exchanges, in every pair of bits that lie `Distance` apart, the upper bit of `a` with the lower
/// bit of `b`: one step of transposing a square of bits whose rows are bytes of different words.
template <int Distance>
[[gnu::always_inline]] inline void exchange(Word &a, Word &b)
{
    constexpr std::uint8_t kLower = Distance == 1 ? 0x55 : Distance == 2 ? 0x33 : 0x0f;
    const Word lower = repeated(kLower), up = b << Distance, down = a >> Distance;
    a = select(lower, a, up);
    b = select(lower, down, b);
}

/// Transposes squares of 8x8 bits: bit b of byte j of word[i] and bit i of byte j of word[b].
[[gnu::always_inline]] inline void transpose8(Word *word)
{
    for (const int i : {0, 1, 2, 3}) exchange<4>(word[i], word[i + 4]);
    for (const int i : {0, 1, 4, 5}) exchange<2>(word[i], word[i + 2]);
    for (const int i : {0, 2, 4, 6}) exchange<1>(word[i], word[i + 1]);
}

} // namespace
} // namespace local_entropy::bits
