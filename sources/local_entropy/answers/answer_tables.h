// From the counts of a window, or a sum over them, to the nearest number: what Answers (answers.h)
// knows as plain data, and the steps that decide, for the host and for GPUs.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/host_device.h"
#include "local_entropy/answers/exact.h"
#include "local_entropy/answers/measure.h"
#include "local_entropy/answers/real.h"
#include "local_entropy/answers/rounding.h"
#include "local_entropy/answers/uint128.h"

namespace local_entropy
{

/// A measure as it is computed: Hill numbers by their order.
enum class AnswerKind {
    Entropy,
    Exponential, ///< of the entropy
    Simpson,
    Richness,
    InverseSimpson,
    Maximum, ///< 1 / max p
    Power    ///< Hill numbers of all other orders
};

/// Whether a sum over the levels says it all; else the counts themselves are needed.
HOST_DEVICE constexpr bool isFromSums(AnswerKind kind)
{
    return kind != AnswerKind::Maximum && kind != AnswerKind::Power;
}

/// What Answers knows. The arrays are the owner's: Answers, or a copy of it in a GPU's memory.
struct AnswerTables
{
    AnswerKind kind = AnswerKind::Entropy;
    Base base = Base::E;
    double order = 1;       ///< of AnswerKind::Power
    int most = 0;           ///< cells
    double empty = 0;       ///< the answer where there are none
    float emptyFloat = 0;   ///< as float, made by the host: processors differ in what is NaN
    std::uint32_t band = 0; ///< see Answers::band()
    UInt128 wideError = 0;  ///< of one wide sum's F(n)
    const std::int64_t *sums = nullptr; ///< see Answers, n = 0 ... most; so the others
    const UInt128 *wideSums = nullptr;
    const double *scales = nullptr;
    const UInt128 *logarithms = nullptr; ///< of AnswerKind::Power
};

template <class T>
HOST_DEVICE T emptyOf(const AnswerTables &tables)
{
    if constexpr (sizeof(T) == sizeof(float))
        return tables.emptyFloat;
    else
        return tables.empty;
}

constexpr int kWideBits = 104; ///< of fraction: 65535 ln 65535 needs 20 bits more

/// The mantissas, rounded down, of 1 / ln 2 = m 2^-127 and 1 / ln 10 = m 2^-129.
HOST_DEVICE constexpr UInt128 wide(std::uint64_t high, std::uint64_t low)
{
    return static_cast<UInt128>(high) << 64 | low;
}
constexpr UInt128 kWideInverseLn2 = wide(0xB8AA3B295C17F0BB, 0xBE87FED0691D3E88);
constexpr UInt128 kWideInverseLn10 = wide(0xDE5BD8A937287195, 0x355BAAAFAD33DC32);

/// D / (N 2^104), by the base; D > 0.
RARE_HOST_DEVICE inline Interval entropyInterval(const AnswerTables &tables, UInt128 difference,
                                                 int cells)
{
    int exponent = -kWideBits;
    UInt128 mantissa = difference;
    const auto normalise = [&] {
        const int shift = 128 - bitLength(mantissa);
        mantissa <<= shift;
        exponent -= shift;
    };
    normalise();
    mantissa /= static_cast<unsigned>(cells);
    normalise();
    if (tables.base != Base::E) {
        const bool isTwo = tables.base == Base::Two;
        mantissa = multiplyHigh(mantissa, isTwo ? kWideInverseLn2 : kWideInverseLn10);
        exponent += isTwo ? 128 - 127 : 128 - 129;
        normalise();
    }
    // D is off by wideError for each of its m + 1 terms, relative to D 1.1 wideError 2^-104, and a
    // unit of the mantissa is at least a relative 2^-128. The divisions' few units, shifted left by
    // 16 bits at most, are covered by the doubling.
    return {mantissa, exponent, tables.wideError << 26};
}

/// The answer for a window of `cells` cells from the sum of wideSums over its levels; false if that
/// leaves two, and then `answer` is near. Needs isFromSums().
template <class T>
RARE_HOST_DEVICE bool decideWide(const AnswerTables &tables, UInt128 sum, int cells, T &answer)
{
    answer = emptyOf<T>(tables);
    if (cells == 0) return true;
    const std::uint64_t whole = static_cast<std::uint64_t>(sum);
    const std::uint64_t square = static_cast<std::uint64_t>(cells) * cells;
    switch (tables.kind) {
    case AnswerKind::Richness: answer = static_cast<T>(whole); return true;
    case AnswerKind::Simpson:
        answer = square == whole ? T{0} : roundRatio<T>(square - whole, square);
        return true;
    case AnswerKind::InverseSimpson: answer = roundRatio<T>(square, whole); return true;
    default: break;
    }
    const bool isExponential = tables.kind == AnswerKind::Exponential;
    const UInt128 difference = tables.wideSums[cells] - sum;
    answer = isExponential;
    if (difference == 0) return true;
    const Interval entropy = entropyInterval(tables, difference, cells);
    if (!isExponential && roundInterval(entropy, answer)) return true;
    // A guess for roundByOrder(). The exponential turns H's error, H times that, into a relative
    // one, and H is below 11.1.
    const Real value(entropy.mantissa, entropy.exponent);
    const Real guess = isExponential ? exponential(value) : value;
    if (isExponential && roundInterval(guess.interval(tables.wideError << 30), answer)) return true;
    answer = roundMiddle<T>(guess.interval(0));
    return false;
}

/// (sum p^q)^(1 / (1 - q)) = exp((q ln(N / M) - ln(sum (n / M)^q)) / (q - 1)), M the largest count:
/// no power overflows, and those that vanish do not matter. Numerator and denominator have the same
/// sign. Near q = 1 both are small; the nearest q leaves the exponent off by 2^-57.
RARE_HOST_DEVICE inline Real hillNumber(const AnswerTables &tables, const int *sorted, int number,
                                        int cells)
{
    const Real order = Real::of(tables.order), one(1, 0);
    const int largest = sorted[number - 1];
    const auto logOfRatio = [&](int a, int b) {
        return Real(tables.logarithms[a] - tables.logarithms[b], -Logarithms::kBits);
    };
    Real sum;
    for (int i = 0, next = 0; i < number; i = next) {
        while (next < number && sorted[next] == sorted[i]) next++;
        const Real power = inverseExponential(order * logOfRatio(largest, sorted[i]));
        sum = sum + power * Real(static_cast<UInt128>(next - i), 0);
    }
    return exponential((order * logOfRatio(cells, largest) - logarithm(sum)) / (order - one));
}

/// The answer from the counts, which are positive and ascend: always the nearest, but for Power,
/// see Answers::floatOf().
template <class T>
RARE_HOST_DEVICE T answerOf(const AnswerTables &tables, const int *sorted, int number)
{
    if (number == 0) return emptyOf<T>(tables);
    int cells = 0;
    for (int i = 0; i < number; i++) cells += sorted[i];
    if (tables.kind == AnswerKind::Maximum) return roundRatio<T>(cells, sorted[number - 1]);
    if (tables.kind == AnswerKind::Power)
        return roundMiddle<T>(hillNumber(tables, sorted, number, cells).interval(0));
    UInt128 sum = 0;
    for (int i = 0; i < number; i++) sum += tables.wideSums[sorted[i]];
    T nearest;
    if (decideWide(tables, sum, cells, nearest)) return nearest;
    const ExactEntropy exact(sorted, number);
    return roundByOrder(nearest, [&](std::uint64_t m, int e) {
        return tables.kind == AnswerKind::Entropy ? exact.order(tables.base, m, e)
                                                  : exact.orderOfExponential(m, e);
    });
}

} // namespace local_entropy
