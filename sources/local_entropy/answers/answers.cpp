#include "local_entropy/answers/answers.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>

#include "common/error.h"
#include "local_entropy/answers/base.h"
#include "local_entropy/answers/finish.h"
#include "local_entropy/answers/logarithms.h"

namespace local_entropy
{
namespace
{

/// Finishes a row: value(i) for cells without dummies, or value(sum, cells) for each.
template <class Value>
bool finish(const std::int64_t *sums, int cells, const std::uint16_t *absent,
            const std::int64_t *dummySums, float empty, std::uint32_t band, float *out, int n,
            const Value &value)
{
    std::uint32_t any = 0;
    if (!absent) {
        for (int i = 0; i < n; i++) {
            const double answer = value(sums[i], cells);
            any |= nearBoundary(answer, band);
            out[i] = static_cast<float>(answer);
        }
        return any;
    }
    for (int i = 0; i < n; i++) {
        const int present = cells - absent[i];
        const double answer = value(sums[i] - dummySums[absent[i]], present);
        any |= present > 0 && nearBoundary(answer, band);
        out[i] = present > 0 ? static_cast<float>(answer) : empty;
    }
    return any;
}

} // namespace

Answers::Answers(Measure measure, double order, Base base, int mostCells, double empty,
                 int mostBits)
    : base(base), hillOrder(order), most(mostCells), emptyValue(empty)
{
    if (mostCells < 1 || mostCells > kMostCells)
        throw common::Error("A window has 1 to " + std::to_string(kMostCells) + " cells, not " +
                            std::to_string(mostCells));
    if (mostBits < 1 || mostBits > 48)
        throw common::Error("Sums have 1 to 48 bits of fraction, not " + std::to_string(mostBits));
    if (measure == Measure::Hill && !(order >= 0))
        throw common::Error("The order of a Hill number is at least 0, not " +
                            std::to_string(order));
    if (measure == Measure::Entropy)
        kind = AnswerKind::Entropy;
    else if (measure == Measure::Simpson)
        kind = AnswerKind::Simpson;
    else if (measure == Measure::Richness || order == 0)
        kind = AnswerKind::Richness;
    else if (order == 1)
        kind = AnswerKind::Exponential;
    else if (order == 2)
        kind = AnswerKind::InverseSimpson;
    else
        kind = std::isinf(order) ? AnswerKind::Maximum : AnswerKind::Power;
    if (kind != AnswerKind::Entropy) this->base = Base::E;
    if (kind == AnswerKind::Entropy || kind == AnswerKind::Exponential)
        makeEntropyTables(mostBits);
    else if (fromSums())
        makeWholeTables();
    else if (kind == AnswerKind::Power)
        logarithmsOf = Logarithms(most).of;
    if (!fromSums()) return;
    deltasOf.resize(most);
    for (int n = 0; n < most; n++) deltasOf[n] = sumsOf[n + 1] - sumsOf[n];
}

void Answers::makeEntropyTables(int mostBits)
{
    const Logarithms logarithms(most);
    // F = n ln n 2^104, rounded down twice: the low half of the product first.
    wideSumsOf.resize(most + 1);
    for (int n = 0; n <= most; n++) {
        const UInt128 low = static_cast<UInt128>(n) * static_cast<std::uint64_t>(logarithms.of[n]);
        const UInt128 high = static_cast<UInt128>(n) * (logarithms.of[n] >> 64);
        wideSumsOf[n] = (high << 48) + (low >> 16);
    }
    // n / 2^16 < 1 of the logarithm's error, one for the shift.
    wideError = logarithms.error + 1;
    bits = std::min(mostBits, 62 - (bitLength(wideSumsOf[most]) - kWideBits));
    const int dropped = kWideBits - bits;
    sumsOf.resize(most + 1);
    scalesOf.resize(most + 1);
    for (int n = 0; n <= most; n++) {
        const UInt128 half = static_cast<UInt128>(1) << (dropped - 1);
        sumsOf[n] = static_cast<std::int64_t>((wideSumsOf[n] + half) >> dropped);
        scalesOf[n] = n ? std::ldexp(perNat(base) / n, -bits) : 0;
    }
    if (kind == AnswerKind::Entropy) { // decideSoon() is for these alone
        const UInt128 perNatWide = this->base == Base::Two   ? kWideInverseLn2
                                   : this->base == Base::Ten ? kWideInverseLn10
                                                             : kOneOf127;
        longScalesOf.resize(most + 1);
        for (int n = 1; n <= most; n++) {
            const UInt128 scale = perNatWide / static_cast<unsigned>(n);
            const int dropped = bitLength(scale) - 64;
            longScalesOf[n] = {static_cast<std::uint64_t>(scale >> dropped),
                               dropped - (this->base == Base::Ten ? 129 : 127)};
        }
    }
    // D's relative error is below 0.55 2^-k; then D, the scale (twice for a base) and the product
    // are rounded, each by a relative 2^-53 at most. A unit is at least a relative 2^-53.
    const double units = 0.56 * std::ldexp(1.0, 53 - bits) + 6;
    // An exponential multiplies H's relative error by H < 11.1; the library's may be 4 units off.
    bandUnits = static_cast<std::uint32_t>(
        std::ceil(kind == AnswerKind::Exponential ? 11.1 * units + 12 : units));
}

void Answers::makeWholeTables()
{
    sumsOf.resize(most + 1);
    wideSumsOf.resize(most + 1);
    for (std::int64_t n = 0; n <= most; n++) {
        sumsOf[n] = kind == AnswerKind::Richness ? n > 0 : n * n;
        wideSumsOf[n] = static_cast<UInt128>(sumsOf[n]);
    }
    if (kind != AnswerKind::Simpson) {
        bandUnits = 1;
        return;
    }
    scalesOf.resize(most + 1);
    for (int n = 1; n <= most; n++) scalesOf[n] = 1 / (static_cast<double>(n) * n);
    bandUnits = 3; // the scale and the product, each by a relative 2^-53
}

bool Answers::finishRow(const std::int64_t *sums, int cells, const std::uint16_t *absent,
                        float *out, int n) const
{
    const std::int64_t *table = sumsOf.data();
    const double *scale = scalesOf.data();
    const auto row = [&](const auto &value) {
        return finish(sums, cells, absent, table, static_cast<float>(emptyValue), bandUnits, out, n,
                      value);
    };
    if (cells == 0) {
        std::fill(out, out + n, static_cast<float>(emptyValue));
        return false;
    }
    bool any = false;
    if (kind == AnswerKind::Entropy || kind == AnswerKind::Simpson) {
        any = row([&](std::int64_t sum, int of) { return toDouble(table[of] - sum) * scale[of]; });
        if (kind == AnswerKind::Entropy) return any;
    } else if (kind == AnswerKind::Exponential) {
        return row([&](std::int64_t sum, int of) {
            return std::exp(toDouble(table[of] - sum) * scale[of]);
        });
    } else if (kind == AnswerKind::InverseSimpson) {
        any = row([&](std::int64_t sum, int of) {
            return static_cast<double>(table[of]) / toDouble(sum);
        });
    } else {
        row([&](std::int64_t sum, int) { return toDouble(sum); });
    }
    if (!any) return false;
    // Whole sums: the undecided need no counts.
    for (int i = 0; i < n; i++) {
        const int dummies = absent ? absent[i] : 0;
        decide(sums[i] - table[dummies], cells - dummies, out[i]);
    }
    return false;
}

bool Answers::undecided(std::int64_t sum, int cells) const
{
    float answer;
    return !decide(sum, cells, answer);
}

bool Answers::decide(std::int64_t sum, int cells, float &answer) const
{
    if (kind != AnswerKind::Entropy && kind != AnswerKind::Exponential)
        return decideWide(tables(), static_cast<UInt128>(sum), cells, answer);
    answer = static_cast<float>(emptyValue);
    if (cells == 0) return true;
    double value = toDouble(sumsOf[cells] - sum) * scalesOf[cells];
    if (kind == AnswerKind::Exponential) value = std::exp(value);
    answer = static_cast<float>(value);
    return !nearBoundary(value, bandUnits);
}

bool Answers::decideSoon(UInt128 wideSum, int cells, double &answer) const
{
    if (kind != AnswerKind::Entropy || cells == 0) return false;
    const UInt128 difference = wideSumsOf[cells] - wideSum;
    answer = 0;
    if (difference == 0) return true;
    const Scale64 &scale = longScalesOf[cells];
    const int dropped = bitLength(difference) - 64; // D is at least ln 2 2^104
    const UInt128 high = static_cast<std::uint64_t>(difference >> dropped);
    const auto product = static_cast<std::uint64_t>(high * scale.mantissa >> 64);
    const int shift = product >> 63 ? 0 : 1;
    // Three units or less were cut off before the shift, which doubles that. What D itself is off
    // by is far less than the rest of the margin.
    constexpr int kDropped = 11, kMargin = 8, kHalf = 1 << (kDropped - 1);
    const std::uint64_t mantissa = product << shift;
    const int low = static_cast<int>(mantissa & (2 * kHalf - 1));
    if (std::abs(low - kHalf) <= kMargin) return false;
    const auto kept = static_cast<std::int64_t>((mantissa >> kDropped) + (low > kHalf));
    const int exponent = dropped - kWideBits + scale.exponent + 64 - shift + kDropped;
    const std::uint64_t power = static_cast<std::uint64_t>(1023 + exponent) << 52; // 2^exponent
    double unit;
    std::memcpy(&unit, &power, sizeof unit);
    answer = static_cast<double>(kept) * unit;
    return true;
}

template <class T>
T Answers::answer(const int *counts, int number) const
{
    std::vector<int> sorted;
    std::copy_if(counts, counts + number, std::back_inserter(sorted), [](int n) { return n != 0; });
    std::sort(sorted.begin(), sorted.end());
    const int cells = std::accumulate(sorted.begin(), sorted.end(), 0);
    if (cells == 0) return static_cast<T>(emptyValue);
    if (sorted.front() < 0 || cells > most)
        throw common::Error("Counts of " + std::to_string(cells) + " cells, where a window has " +
                            std::to_string(most) + " at most");
    return answerOf<T>(tables(), sorted.data(), static_cast<int>(sorted.size()));
}

template float Answers::answer(const int *counts, int number) const;
template double Answers::answer(const int *counts, int number) const;

float Answers::floatOf(const int *counts, int number) const
{
    return answer<float>(counts, number);
}

double Answers::doubleOf(const int *counts, int number) const
{
    return answer<double>(counts, number);
}

} // namespace local_entropy
