// How the GPU kernel counts the levels of a window and turns sixteen counts into an index: the
// arithmetic, as functions that kernel, table builder and tests share.
//
//     cell --> one-hot word --> sums over 5 columns, 5 rows --> 16 counts --> code --> entropy
//
// Counters. A one-hot word has 64 bits: 8 bytes, in each byte a three-bit field at bit 0 for an
// even level and one at bit 3 for an odd level (level = 2 * byte + odd). Five of them add up along
// a row without a carry from field to field. Down the rows a field would overflow, so two sums are
// kept: of the words (a byte of it is even + 8 * odd <= 200) and of their even fields alone. The
// difference of the two is 8 * odd: all sixteen counts are exact up to 25, whatever the data.
//
// Code. With a count c in a byte, y = 8c + 38 and x = c + 196 are each other's rotations by three
// bits. w = (a boolean function of x, y and a constant) is the same for even counts, where x is at
// hand, and odd ones, where y is. The sum of w^2 over the levels, four 4-way dot products, is
// different for any two of the 3118 partitions that there are for windows of 1 to 25 cells: found
// by search (tools/search_hash.cpp). That no code stands for two entropies, which is what matters,
// is checked whenever the tables are built (tables.cpp).
#pragma once

#include "common/host_device.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace local_entropy::words
{

// ---- cells -------------------------------------------------------------------------------------

constexpr std::uint32_t kNoCell = 0x80;     ///< byte of a cell outside the array: its word is zero
constexpr std::uint32_t kCellBits = 0x78;   ///< byte of a cell: 8 * level, an offset into the words
constexpr std::uint32_t kScaledBits = 0xF0; ///< bits that 16 * level may have

HOST_DEVICE inline std::uint32_t bitsOf(float value)
{
#ifdef __CUDA_ARCH__
    return __float_as_uint(value);
#else
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
#endif
}

/// 16 * cell as an integer, rounded up: one multiplication into the subnormal range of float, where
/// the bits of a number count multiples of 2^-149. For a valid cell it has no bits but kScaledBits.
/// For any other float either it does, or the float has bits below bit 20 (a fraction that rounding
/// up hid): see cellsAreValid().
HOST_DEVICE inline std::uint32_t scaledCell(float cell)
{
#ifdef __CUDA_ARCH__
    return __float_as_uint(__fmaf_ru(cell, __uint_as_float(16), 0.0f)); // + 0: -0 is a valid 0
#else
    if (cell == 0) return 0;
    const double scaled = 16.0 * cell; // exact, like all that is not rounded up here
    const double steps = std::abs(scaled) < 1 << 24 ? std::ceil(scaled) : scaled;
    return bitsOf(static_cast<float>(std::ldexp(steps, -149)));
#endif
}

/// What was seen of the cells: the bits of any of them.
struct Seen
{
    std::uint32_t raw = 0, scaled = 0;
};

/// Whether all the cells seen are integers 0..15. An integer below 16 has a mantissa of at most
/// three bits: bits 19..0 are zero. A float with these zero and a fraction is a multiple of 1/16
/// (from 1/2 on), where scaledCell() is exact and shows the fraction in bits 3..0, or is below 1/2,
/// where rounding up leaves 1..8 there.
HOST_DEVICE inline bool cellsAreValid(Seen seen)
{
    return !(seen.raw & 0xFFFFF) && !(seen.scaled & ~kScaledBits);
}

/// A cell of one byte that is a level.
enum class Level : std::uint8_t {};

/// Has bit 7 of each byte that is not less than `levels`, 2 ... 16, and perhaps others.
HOST_DEVICE inline std::uint32_t tooHigh(std::uint32_t four, std::uint32_t levels)
{
    constexpr std::uint32_t kEach = 0x01010101; // no byte carries into the next one
    return ((four & 0x7F * kEach) + (0x80 - levels) * kEach) | four;
}
constexpr std::uint32_t kTooHighBits = 0x80808080;

/// Four cells as four bytes of 16 * level, from their scaled values.
HOST_DEVICE inline std::uint32_t packed(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                        std::uint32_t d)
{
    return a + (b << 8) + (c << 16) + (d << 24);
}

// ---- counters ----------------------------------------------------------------------------------

/// One-hot words and sums of them: two words of 32 bits.
struct Word
{
    std::uint32_t low, high;
};

HOST_DEVICE inline Word operator+(Word a, Word b) { return {a.low + b.low, a.high + b.high}; }
HOST_DEVICE inline Word operator-(Word a, Word b) { return {a.low - b.low, a.high - b.high}; }

constexpr std::uint32_t kEvenFields = 0x07070707;
HOST_DEVICE inline Word even(Word a) { return {a.low & kEvenFields, a.high & kEvenFields}; }

constexpr Word oneHot(int level)
{
    const std::uint32_t bit = 1u << (8 * (level / 2 % 4) + 3 * (level % 2));
    return {level < 8 ? bit : 0, level < 8 ? 0 : bit};
}

// ---- code --------------------------------------------------------------------------------------

constexpr std::uint32_t kOffsetY = 38;          ///< y = 8 * count + kOffsetY
constexpr std::uint32_t kOffsetX = 196;         ///< x = count + kOffsetX, y rotated right by three
constexpr std::uint32_t kBytes = 0x01010101;    ///< one in each byte
constexpr std::uint32_t kFactor = 243 * kBytes; ///< the constant of the boolean function
constexpr int kFunction = 104;                  ///< bit 4y + 2x + k of it is the function's value

/// Sums over the rows of a window: of its words, and of their even fields. They start where x and y
/// want them; carries between bytes cancel in all - even.
struct Sums
{
    Word all = {(kOffsetX + kOffsetY) * kBytes, (kOffsetX + kOffsetY) * kBytes};
    Word even = {(kOffsetX * kBytes), (kOffsetX * kBytes)};
};

/// code + the sum of w^2 over the four counts of a word.
HOST_DEVICE inline std::uint32_t addSquares(std::uint32_t y, std::uint32_t x, std::uint32_t code)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 610
    std::uint32_t w;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(w) : "r"(y), "r"(x), "r"(kFactor), "n"(kFunction));
    return __dp4a(w, w, code);
#else
    std::uint32_t w = 0;
    for (int row = 0; row < 8; ++row)
        if (kFunction >> row & 1)
            w |= (row & 4 ? y : ~y) & (row & 2 ? x : ~x) & (row & 1 ? kFactor : ~kFactor);
    for (int i = 0; i < 32; i += 8) code += (w >> i & 0xFF) * (w >> i & 0xFF);
    return code;
#endif
}

/// x of the even counts gives their y: the top bits of x enter the byte above as the offset of y.
HOST_DEVICE inline std::uint32_t addEven(std::uint32_t x, std::uint32_t code, std::uint32_t eight)
{
    return addSquares(eight * x + (kOffsetX >> 5), x, code);
}

/// y of the odd counts gives their x, by a rotation.
HOST_DEVICE inline std::uint32_t addOdd(std::uint32_t y, std::uint32_t code)
{
    return addSquares(y, y >> 3 | y << 29, code);
}

/// What tells one partition from another. `eight` is 8; a kernel that gets it as a parameter
/// multiplies, where it would otherwise shift: in another pipe, which has less to do.
HOST_DEVICE inline std::uint32_t codeOf(const Sums &sums, std::uint32_t eight = 8)
{
    const Word odd = sums.all - sums.even;
    const std::uint32_t low = addOdd(odd.low, addEven(sums.even.low, 0, eight));
    return addOdd(odd.high, addEven(sums.even.high, low, eight));
}

} // namespace local_entropy::words
