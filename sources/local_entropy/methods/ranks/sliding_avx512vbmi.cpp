// Sliding ranks: 64 lanes, AVX-512 with VBMI and VNNI.
#include "local_entropy/methods/ranks/sliding_plan.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)

#include "local_entropy/simd/avx512vbmi.h"

#include "local_entropy/methods/ranks/sliding.h"
#include "local_entropy/methods/ranks/sliding_avx512.h"

namespace local_entropy
{
namespace
{

/// A table has 64 entries. The bytes of 4 ranks of one window are put side by side, so that one
/// instruction adds 4 looked-up bytes into 32 bits: no widening, no carries.
struct Avx512VbmiSums : Avx512Results
{
    /// Sets of tables, a bit each.
    static constexpr std::uint32_t kFirstTable = 1, kFewTables = 3;

    static std::uint32_t united(std::uint32_t a, std::uint32_t b) { return a | b; }

    /// Those of the ranks that were or-ed, and all below.
    [[gnu::always_inline]] static inline std::uint32_t tablesUpTo(Vector all)
    {
        if (__builtin_expect(_mm512_test_epi8_mask(all, set(0xc0)) == 0, 1)) return kFirstTable;
        return _mm512_movepi8_mask(all) ? kAllTables : kFewTables;
    }

    /// Where one level fills most of a window, ranks are small or near the number of its cells: the
    /// first table and the last are enough, and one instruction looks up in both.
    class Seen
    {
    public:
        [[gnu::always_inline]] inline Seen() { all = differ = zero(); }
        [[gnu::always_inline]] inline void add(const std::uint8_t *pair)
        {
            const Vector a = load(pair), b = load(pair + kBytes);
            all = both(all, a, b);
            // The highest bit: whether the highest two differ.
            differ = _mm512_ternarylogic_epi64(differ, a, Avx512VbmiSums::add(a, a), 0xf6);
            differ = _mm512_ternarylogic_epi64(differ, b, Avx512VbmiSums::add(b, b), 0xf6);
        }
        [[gnu::always_inline]] inline std::uint32_t tables() const
        {
            const std::uint32_t most = tablesUpTo(all);
            return most == kAllTables && _mm512_movepi8_mask(differ) == 0 ? kFirstAndLast : most;
        }

    private:
        Vector all, differ;
    };

    /// The cells with these ranks enter and leave windows. Returns a bit for every
    /// answer that is undecided: that of place(bit).
    [[gnu::noinline]] static std::uint64_t update(const std::uint8_t *ranks, int terms,
                                                  std::uint32_t tables, const DeltaPlanes &planes,
                                                  double scale, std::uint32_t band,
                                                  double *differences, float *answers)
    {
        const int groups = (terms + 1) / 2;
        Vector sums[kQuarters][kPlanes];
        for (auto &quarter : sums)
            for (Vector &sum : quarter) sum = zero();
        if (__builtin_expect(tables == kFirstTable, 1))
            addDeltas<1>(ranks, groups, 0, planes, sums);
        else if (tables == kFewTables || tables == kFirstAndLast)
            addDeltas<2>(ranks, groups, tables == kFewTables ? 1 : 3, planes, sums);
        else
            addDeltas<4>(ranks, groups, 1, planes, sums);
        std::uint64_t undecided = 0;
#pragma GCC unroll 4
        for (int q = 0; q < kQuarters; ++q)
            undecided |= std::uint64_t(finishQuarter(sums[q], scale, band, differences + 16 * q,
                                                     answers + 16 * q))
                         << 16 * q;
        return undecided;
    }

private:
    static constexpr std::uint32_t kFirstAndLast = 9, kAllTables = 15;

    /// number: of tables. The second of two is table `second`: 1 or 3.
    template <int number>
    [[gnu::always_inline]] static inline void addDeltas(const std::uint8_t *ranks, int groups,
                                                        int second, const DeltaPlanes &planes,
                                                        Vector (&sums)[kQuarters][kPlanes])
    {
        const Vector weights = _mm512_set1_epi32(static_cast<int>(0xff01ff01)); // enter +, leave -
        Vector table[kPlanes][number];
        for (int p = 0; p < kPlanes; ++p)
            for (int k = 0; k < number; ++k)
                table[p][k] = load(planes.plane[p] + 64 * (k == 1 ? second : k));
        for (; groups > 0; --groups, ranks += 4 * kBytes) {
            const Vector a = load(ranks), b = load(ranks + kBytes), c = load(ranks + 2 * kBytes),
                         d = load(ranks + 3 * kBytes);
            const Vector abLow = unpackLow(a, b), cdLow = unpackLow(c, d);
            const Vector abHigh = unpackHigh(a, b), cdHigh = unpackHigh(c, d);
            const Vector quarter[kQuarters] = {
                _mm512_unpacklo_epi16(abLow, cdLow), _mm512_unpackhi_epi16(abLow, cdLow),
                _mm512_unpacklo_epi16(abHigh, cdHigh), _mm512_unpackhi_epi16(abHigh, cdHigh)};
#pragma GCC unroll 4
            for (int q = 0; q < kQuarters; ++q) {
#pragma GCC unroll 5
                for (int p = 0; p < kPlanes; ++p)
                    sums[q][p] =
                        Lookups::addProducts(sums[q][p], delta(table[p], quarter[q]), weights);
            }
        }
    }

    using Lookups = Avx512VbmiBytes;

    [[gnu::always_inline]] static inline Vector delta(const Vector (&table)[1], Vector rank)
    {
        return Lookups::lookUp64(table[0], rank);
    }
    [[gnu::always_inline]] static inline Vector delta(const Vector (&table)[2], Vector rank)
    {
        return Lookups::lookUp128(table[0], table[1], rank);
    }
    [[gnu::always_inline]] static inline Vector delta(const Vector (&table)[4], Vector rank)
    {
        return _mm512_mask_mov_epi8(Lookups::lookUp128(table[0], table[1], rank),
                                    _mm512_movepi8_mask(rank),
                                    Lookups::lookUp128(table[2], table[3], rank));
    }

    /// 16 windows. Sums of planes are below 2^13 each.
    [[gnu::always_inline]] static inline __mmask16 finishQuarter(const Vector *sums, double scale,
                                                                 std::uint32_t band,
                                                                 double *differences,
                                                                 float *answers)
    {
        const Vector low = _mm512_add_epi32(
            sums[0], _mm512_add_epi32(_mm512_maskz_slli_epi32(kAll16, sums[1], 8),
                                      _mm512_maskz_slli_epi32(kAll16, sums[2], 16)));
        const Vector high = _mm512_add_epi32(sums[3], _mm512_maskz_slli_epi32(kAll16, sums[4], 8));
        return finish(low, high, 0x1p24, scale, band, differences, answers);
    }
};

} // namespace
} // namespace local_entropy

#include "local_entropy/simd/end.h"

#endif

namespace local_entropy
{

SlidingKernel slidingKernelAvx512Vbmi([[maybe_unused]] int cellBytes,
                                      [[maybe_unused]] int windowHeight)
{
#if defined(__x86_64__)
    return slidingKernel<Avx512VbmiSums>(cellBytes, windowHeight);
#else
    return nullptr;
#endif
}

} // namespace local_entropy
