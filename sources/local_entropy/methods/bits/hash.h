// How sixteen counts become an index into a table, in a handful of boolean operations.
//
// The count of every level in a window is a number of five binary digits. Six boolean functions of
// those digits, each a single operation or a few, answer yes or no for every level; how many of the
// sixteen levels say yes is a number again, of which the lowest two to four digits are kept. These
// 18 digits tell apart all windows of a size that differ in entropy. Exclusive-ors of up to three
// of them (the fold) leave 15, an index into a table of 32768 floats.
//
//     16 x count (5 digits) -> 16 x 6 answers -> 6 sums (18 digits) -> fold (15 digits) -> float
//
// That it works is not a matter of belief: tables.cpp puts all partitions through the same
// functions, as templates of the word they compute on, and throws if two entropies meet.
// `make search` runs the searches that found the functions and the folds (tools/search_hash.cpp).
//
// Everything here has internal linkage: files compiled for different processors include it.
#pragma once

#include <cstdint>

namespace local_entropy::bits
{
namespace
{

constexpr int kCountDigits = 5; ///< a count is 0 .. 25
constexpr int kFunctions = 6;
constexpr int kIndexDigits = 15;
constexpr int kTableSize = 1 << kIndexDigits;

/// A digit of one of the six sums; the default stands for "none" in a fold of less than three.
struct Digit
{
    int function = -1, digit = 0;
};

/// Any boolean function of three words, bit by bit: bit (4a + 2b + c) of `Table` is its value.
template <int Table, typename Word>
inline Word ternary(Word a, Word b, Word c)
{
    Word result{};
    for (int row = 0; row < 8; ++row)
        if (Table >> row & 1)
            result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
    return result;
}

/// For processors that have every function of three words as one instruction (AVX-512).
struct TernaryHash
{
    static constexpr int kDigits[kFunctions] = {3, 2, 4, 2, 3, 4}; ///< kept of each sum

    /// answer[i]: what function i says of the count with the digits c[0] (ones) .. c[4].
    template <typename Word>
    [[gnu::always_inline]] static inline void functions(const Word *c, Word *answer)
    {
        // An instruction overwrites its first operand: this order spares copies of most.
        answer[0] = ternary<0xce>(c[2], c[1], c[0]);
        answer[2] = ternary<0x76>(c[4], c[2], c[1]);
        answer[3] = ternary<0xac>(c[3], c[2], c[1]);
        answer[4] = ternary<0x56>(c[1], c[3], c[0]);
        answer[1] = ternary<0xb6>(c[3], c[4], c[0]);
        answer[5] = ternary<0x3e>(c[4], c[2], c[0]);
    }

    static constexpr Digit kFold[kIndexDigits][3] = {
        {{0, 1}, {0, 2}, {}},     {{5, 1}, {2, 1}, {1, 1}}, {{5, 1}, {3, 0}, {0, 1}},
        {{5, 0}, {4, 1}, {3, 0}}, {{5, 3}, {3, 0}, {2, 2}}, {{5, 1}, {5, 2}, {2, 0}},
        {{1, 1}, {0, 0}, {0, 2}}, {{5, 0}, {2, 1}, {1, 1}}, {{5, 1}, {2, 0}, {}},
        {{5, 1}, {3, 1}, {1, 1}}, {{5, 1}, {2, 3}, {0, 1}}, {{5, 2}, {4, 1}, {3, 1}},
        {{5, 1}, {1, 0}, {1, 1}}, {{5, 2}, {4, 0}, {0, 1}}, {{4, 2}, {1, 0}, {0, 2}}};
};

/// For processors with and, or, exclusive or and their like.
struct BinaryHash
{
    static constexpr int kDigits[kFunctions] = {3, 4, 2, 3, 2, 4};

    template <typename Word>
    [[gnu::always_inline]] static inline void functions(const Word *c, Word *answer)
    {
        answer[0] = c[1] ^ c[2];
        answer[1] = ~c[4] & (c[0] ^ c[2]);
        answer[2] = (c[1] & ~c[3]) | c[4];
        answer[3] = ((c[0] | c[4]) & ~c[3]) ^ c[1];
        answer[4] = c[2] ^ c[3];
        answer[5] = (c[0] ^ c[2] ^ c[3]) | c[1];
    }

    static constexpr Digit kFold[kIndexDigits][3] = {
        {{2, 0}, {2, 1}, {1, 3}}, {{3, 2}, {1, 1}, {}},     {{5, 3}, {4, 1}, {0, 2}},
        {{4, 1}, {2, 1}, {0, 0}}, {{4, 1}, {2, 1}, {1, 0}}, {{5, 2}, {5, 3}, {0, 2}},
        {{1, 1}, {0, 0}, {}},     {{2, 0}, {1, 0}, {1, 3}}, {{5, 1}, {5, 3}, {3, 0}},
        {{3, 0}, {1, 1}, {0, 1}}, {{4, 0}, {4, 1}, {2, 1}}, {{3, 0}, {2, 1}, {}},
        {{5, 0}, {5, 3}, {0, 2}}, {{4, 0}, {3, 1}, {1, 2}}, {{5, 3}, {2, 0}, {1, 3}}};
};

} // namespace
} // namespace local_entropy::bits
