// From the counts of sixteen levels to the planes of an index, by the hash.
#pragma once

#include "local_entropy/methods/bits/hash.h"

#include <utility>

namespace local_entropy::bits
{
namespace
{

/// The lowest `Digits` binary digits of how many of sixteen planes are set. A digit takes in two
/// planes at a time and passes one carry on to the next digit, which sees half as many.
template <int Digits>
struct Sum16
{
    Word digit[Digits], waiting[Digits];

    /// Takes in plane number `Turn` of 0..15.
    template <int Turn, int Place = 0>
    [[gnu::always_inline]] inline void take(Word plane)
    {
        if constexpr (Turn % 2 == 0) {
            waiting[Place] = plane;
        } else if constexpr (Place == Digits - 1) { // the last digit: nobody wants its carries
            digit[Place] =
                Turn == 1 ? waiting[Place] ^ plane : xor3(digit[Place], waiting[Place], plane);
        } else if constexpr (Turn == 1) {
            digit[Place] = waiting[Place] ^ plane;
            take<0, Place + 1>(waiting[Place] & plane);
        } else {
            Word carry;
            add(digit[Place], waiting[Place], plane, digit[Place], carry);
            take<Turn / 2, Place + 1>(carry);
        }
    }
};

/// The six sums of the hash.
struct Sums
{
    Sum16<Hash::kDigits[0]> sum0;
    Sum16<Hash::kDigits[1]> sum1;
    Sum16<Hash::kDigits[2]> sum2;
    Sum16<Hash::kDigits[3]> sum3;
    Sum16<Hash::kDigits[4]> sum4;
    Sum16<Hash::kDigits[5]> sum5;

    template <int Level>
    [[gnu::always_inline]] inline void take(const Word *count)
    {
        Word answer[kFunctions];
        Hash::functions(count, answer);
        sum0.template take<Level>(answer[0]);
        sum1.template take<Level>(answer[1]);
        sum2.template take<Level>(answer[2]);
        sum3.template take<Level>(answer[3]);
        sum4.template take<Level>(answer[4]);
        sum5.template take<Level>(answer[5]);
    }

    /// The planes of the index.
    template <int... Bit>
    [[gnu::always_inline]] inline void fold(Word *index, std::integer_sequence<int, Bit...>) const
    {
        const Word *const digits[kFunctions] = {sum0.digit, sum1.digit, sum2.digit,
                                                sum3.digit, sum4.digit, sum5.digit};
        const auto digit = [&](Digit d) { return digits[d.function][d.digit]; };
        const auto folded = [&](const Digit(&d)[3]) {
            return d[2].function < 0 ? digit(d[0]) ^ digit(d[1])
                                     : xor3(digit(d[0]), digit(d[1]), digit(d[2]));
        };
        ((index[Bit] = folded(Hash::kFold[Bit])), ...);
    }
};

} // namespace
} // namespace local_entropy::bits
