#include "local_entropy/answers/answers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "common/error.h"
#include "local_entropy/answers/exact.h"
#include "local_entropy/answers/finish.h"
#include "local_entropy/answers/logarithms.h"

namespace local_entropy
{
namespace
{

constexpr int kWideBits = 104; ///< of fraction: 65535 ln 65535 needs 20 bits more
constexpr double kInverseLn2 = 1.4426950408889634, kInverseLn10 = 0.4342944819032518;

/// The mantissas, rounded down, of 1 / ln 2 = m 2^-127 and 1 / ln 10 = m 2^-129.
constexpr UInt128 wide(std::uint64_t high, std::uint64_t low)
{
    return static_cast<UInt128>(high) << 64 | low;
}
constexpr UInt128 kWideInverseLn2 = wide(0xB8AA3B295C17F0BB, 0xBE87FED0691D3E88);
constexpr UInt128 kWideInverseLn10 = wide(0xDE5BD8A937287195, 0x355BAAAFAD33DC32);

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
        kind = Kind::Entropy;
    else if (measure == Measure::Simpson)
        kind = Kind::Simpson;
    else if (measure == Measure::Richness || order == 0)
        kind = Kind::Richness;
    else if (order == 1)
        kind = Kind::Exponential;
    else if (order == 2)
        kind = Kind::InverseSimpson;
    else
        kind = std::isinf(order) ? Kind::Maximum : Kind::Power;
    if (kind != Kind::Entropy) this->base = Base::E;
    if (kind == Kind::Entropy || kind == Kind::Exponential)
        makeEntropyTables(mostBits);
    else if (fromSums())
        makeWholeTables();
    else if (kind == Kind::Power)
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
    const double perBase = base == Base::Two ? kInverseLn2 : base == Base::Ten ? kInverseLn10 : 1;
    sumsOf.resize(most + 1);
    scalesOf.resize(most + 1);
    for (int n = 0; n <= most; n++) {
        const UInt128 half = static_cast<UInt128>(1) << (dropped - 1);
        sumsOf[n] = static_cast<std::int64_t>((wideSumsOf[n] + half) >> dropped);
        scalesOf[n] = n ? std::ldexp(perBase / n, -bits) : 0;
    }
    // D's relative error is below 0.55 2^-k; then D, the scale (twice for a base) and the product
    // are rounded, each by a relative 2^-53 at most. A unit is at least a relative 2^-53.
    const double units = 0.56 * std::ldexp(1.0, 53 - bits) + 6;
    // An exponential multiplies H's relative error by H < 11.1; the library's may be 4 units off.
    bandUnits = static_cast<std::uint32_t>(
        std::ceil(kind == Kind::Exponential ? 11.1 * units + 12 : units));
}

void Answers::makeWholeTables()
{
    sumsOf.resize(most + 1);
    wideSumsOf.resize(most + 1);
    for (std::int64_t n = 0; n <= most; n++) {
        sumsOf[n] = kind == Kind::Richness ? n > 0 : n * n;
        wideSumsOf[n] = static_cast<UInt128>(sumsOf[n]);
    }
    if (kind != Kind::Simpson) {
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
    if (kind == Kind::Entropy || kind == Kind::Simpson) {
        any = row([&](std::int64_t sum, int of) { return toDouble(table[of] - sum) * scale[of]; });
        if (kind == Kind::Entropy) return any;
    } else if (kind == Kind::Exponential) {
        return row([&](std::int64_t sum, int of) {
            return std::exp(toDouble(table[of] - sum) * scale[of]);
        });
    } else if (kind == Kind::InverseSimpson) {
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
    if (kind != Kind::Entropy && kind != Kind::Exponential)
        return decideWide(static_cast<UInt128>(sum), cells, answer);
    answer = static_cast<float>(emptyValue);
    if (cells == 0) return true;
    double value = toDouble(sumsOf[cells] - sum) * scalesOf[cells];
    if (kind == Kind::Exponential) value = std::exp(value);
    answer = static_cast<float>(value);
    return !nearBoundary(value, bandUnits);
}

/// D / (N 2^104), by the base; D > 0.
Interval Answers::entropyInterval(UInt128 difference, int cells) const
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
    if (base != Base::E) {
        mantissa = multiplyHigh(mantissa, base == Base::Two ? kWideInverseLn2 : kWideInverseLn10);
        exponent += base == Base::Two ? 128 - 127 : 128 - 129;
        normalise();
    }
    // D is off by wideError for each of its m + 1 terms, relative to D 1.1 wideError 2^-104, and a
    // unit of the mantissa is at least a relative 2^-128. The divisions' few units, shifted left by
    // 16 bits at most, are covered by the doubling.
    return {mantissa, exponent, wideError << 26};
}

template <class T>
bool Answers::decideWide(UInt128 sum, int cells, T &answer) const
{
    answer = static_cast<T>(emptyValue);
    if (cells == 0) return true;
    const std::uint64_t whole = static_cast<std::uint64_t>(sum);
    const std::uint64_t square = static_cast<std::uint64_t>(cells) * cells;
    switch (kind) {
    case Kind::Richness: answer = static_cast<T>(whole); return true;
    case Kind::Simpson:
        answer = square == whole ? T{0} : roundRatio<T>(square - whole, square);
        return true;
    case Kind::InverseSimpson: answer = roundRatio<T>(square, whole); return true;
    default: break;
    }
    const UInt128 difference = wideSumsOf[cells] - sum;
    answer = kind == Kind::Exponential;
    if (difference == 0) return true;
    const Interval entropy = entropyInterval(difference, cells);
    if (kind == Kind::Entropy && roundInterval(entropy, answer)) return true;
    // A guess for roundByOrder(). The exponential turns H's error, H times that, into a relative
    // one, and H is below 11.1.
    const Real value(entropy.mantissa, entropy.exponent);
    const Real guess = kind == Kind::Exponential ? exponential(value) : value;
    if (kind == Kind::Exponential && roundInterval(guess.interval(wideError << 30), answer))
        return true;
    answer = roundMiddle<T>(guess.interval(0));
    return false;
}

template bool Answers::decideWide(UInt128 sum, int cells, double &answer) const;

/// (sum p^q)^(1 / (1 - q)) = exp((q ln(N / M) - ln(sum (n / M)^q)) / (q - 1)), M the largest count:
/// no power overflows, and those that vanish do not matter. Numerator and denominator have the same
/// sign. Near q = 1 both are small; the nearest q leaves the exponent off by 2^-57.
Real Answers::hillNumber(const std::vector<int> &sorted, int cells) const
{
    const Real order = Real::of(hillOrder), one(1, 0);
    const auto logOfRatio = [&](int a, int b) {
        return Real(logarithmsOf[a] - logarithmsOf[b], -Logarithms::kBits);
    };
    Real sum;
    for (auto n = sorted.begin(); n != sorted.end();) {
        const auto next = std::upper_bound(n, sorted.end(), *n);
        const Real power = inverseExponential(order * logOfRatio(sorted.back(), *n));
        sum = sum + power * Real(static_cast<UInt128>(next - n), 0);
        n = next;
    }
    return exponential((order * logOfRatio(cells, sorted.back()) - logarithm(sum)) / (order - one));
}

template <class T>
T Answers::exactEntropy(const int *counts, int number, T guess) const
{
    const ExactEntropy exact(counts, number);
    return roundByOrder(guess, [&](std::uint64_t m, int e) {
        return kind == Kind::Entropy ? exact.order(base, m, e) : exact.orderOfExponential(m, e);
    });
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
    if (kind == Kind::Maximum) return roundRatio<T>(cells, sorted.back());
    if (kind == Kind::Power) return roundMiddle<T>(hillNumber(sorted, cells).interval(0));
    UInt128 sum = 0;
    for (int n : sorted) sum += wideSumsOf[n];
    T nearest;
    if (decideWide(sum, cells, nearest)) return nearest;
    return exactEntropy(sorted.data(), static_cast<int>(sorted.size()), nearest);
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
