// Sliding ranks: 64 lanes, AVX-512 without VBMI.
#include "local_entropy/methods/ranks/sliding_plan.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)

#include "local_entropy/simd/avx512.h"

#include "local_entropy/methods/ranks/sliding.h"
#include "local_entropy/methods/ranks/sliding_avx512.h"
#include "local_entropy/methods/ranks/sliding_chunks.h"

namespace local_entropy
{
namespace
{

/// A table has 16 entries, and lookUp() works within blocks: as in sliding_avx2.cpp, ranks are
/// looked up in all chunks of 16 that they need. A mask keeps what other chunks have brought.
struct Avx512Sums : Avx512Results
{
    using Seen = SeenRanks<Avx512Sums>;
    static constexpr int kMostChunks = 4; ///< at once
    static constexpr std::uint32_t kFirstTable = RankRange::kNone, kFewTables = RankRange::of(47);

    [[gnu::always_inline]] static inline Vector larger(Vector a, Vector b)
    {
        return _mm512_max_epu8(a, b);
    }

    [[gnu::always_inline]] static inline int largest(Vector v)
    {
        const __m256i half = _mm256_max_epu8(Avx512Results::half<0>(v), Avx512Results::half<1>(v));
        __m128i most =
            _mm_max_epu8(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
        most = _mm_max_epu8(most, _mm_srli_si128(most, 8));
        most = _mm_max_epu8(most, _mm_srli_si128(most, 4));
        most = _mm_max_epu8(most, _mm_srli_si128(most, 2));
        most = _mm_max_epu8(most, _mm_srli_si128(most, 1));
        return _mm_cvtsi128_si32(most) & 255;
    }

    /// Of the ranks that were or-ed, and all whose bits are among theirs.
    [[gnu::always_inline]] static inline std::uint32_t tablesUpTo(Vector all)
    {
        if (_mm512_test_epi8_mask(all, set(0xf0)) == 0) return kFirstTable;
        if (_mm512_test_epi8_mask(all, set(0xc0))) return RankRange::kAll;
        const int bit4 = _mm512_test_epi8_mask(all, set(0x10)) ? 0x10 : 0;
        return RankRange::of(15 + bit4 + (_mm512_test_epi8_mask(all, set(0x20)) ? 0x20 : 0));
    }

    static std::uint32_t united(std::uint32_t a, std::uint32_t b) { return RankRange::both(a, b); }

    /// The cells with these ranks enter and leave windows. Returns a bit for every answer that is
    /// undecided: that of place(bit).
    [[gnu::noinline]] static std::uint64_t update(const std::uint8_t *ranks, int terms,
                                                  std::uint32_t tables, const DeltaPlanes &planes,
                                                  double scale, std::uint32_t band,
                                                  double *differences, float *answers)
    {
        Vector sums[2][kPlanes];
        for (auto &half : sums)
            for (Vector &sum : half) sum = zero();
        addAll(ranks, terms, ChunkList(tables), planes, sums);
        std::uint64_t undecided = 0;
#pragma GCC unroll 2
        for (int half = 0; half < 2; ++half) {
            const int q = 2 * half;
            undecided |=
                finishQuarter<0>(sums[half], scale, band, differences + 16 * q, answers + 16 * q)
                << 16 * q;
            undecided |= finishQuarter<1>(sums[half], scale, band, differences + 16 * (q + 1),
                                          answers + 16 * (q + 1))
                         << 16 * (q + 1);
        }
        return undecided;
    }

private:
    [[gnu::always_inline]] static inline void addAll(const std::uint8_t *ranks, int terms,
                                                     const ChunkList &chunks,
                                                     const DeltaPlanes &planes,
                                                     Vector (&sums)[2][kPlanes])
    {
        switch (chunks.number()) {
        case 1: return addDeltas<1, true>(ranks, terms, chunks, 0, planes, sums);
        case 2: return addDeltas<2, true>(ranks, terms, chunks, 0, planes, sums);
        case 3: return addDeltas<3, true>(ranks, terms, chunks, 0, planes, sums);
        case 4: return addDeltas<4, true>(ranks, terms, chunks, 0, planes, sums);
        default: break;
        }
        for (int i = 0; i < chunks.number(); i += kMostChunks)
            addDeltas<kMostChunks, false>(ranks, terms, chunks, i, planes, sums);
    }

    /// The deltas of ranks in `chunks` of the list's chunks from `first` on. isAll: these are all
    /// of the list, the first is 0; else, ranks in others add nothing.
    template <int chunks, bool isAll>
    [[gnu::always_inline]] static inline void
    addDeltas(const std::uint8_t *ranks, int terms, const ChunkList &list, int first,
              const DeltaPlanes &planes, Vector (&sums)[2][kPlanes])
    {
        int chunk[chunks];
        list.get(first, chunk);
        const Vector weights = _mm512_set1_epi16(static_cast<short>(0xff01)); // enter +, leave -
        Vector table[kPlanes][chunks], start[chunks];
        for (int k = 0; k < chunks; ++k) {
            start[k] = set(chunk[k]);
            for (int p = 0; p < kPlanes; ++p)
                table[p][k] = Avx512Bytes::table(planes.plane[p] + chunk[k]);
        }
        for (; terms > 0; --terms, ranks += 2 * kBytes) {
            const Vector enter = load(ranks), leave = load(ranks + kBytes);
#pragma GCC unroll 2
            for (int half = 0; half < 2; ++half) {
                const Vector rank = half ? unpackHigh(enter, leave) : unpackLow(enter, leave);
                Vector at[chunks];
                __mmask64 in[chunks];
#pragma GCC unroll 4
                for (int k = 0; k < chunks; ++k) {
                    const bool isFirst = isAll && k == 0; // ranks of others are overwritten
                    at[k] = isFirst ? rank : sub(rank, start[k]);
                    in[k] = isFirst ? ~__mmask64{0} : _mm512_cmplt_epu8_mask(at[k], set(16));
                }
#pragma GCC unroll 5
                for (int p = 0; p < kPlanes; ++p) {
                    Vector delta = _mm512_maskz_shuffle_epi8(in[0], table[p][0], at[0]);
#pragma GCC unroll 4
                    for (int k = 1; k < chunks; ++k)
                        delta = _mm512_mask_shuffle_epi8(delta, in[k], table[p][k], at[k]);
                    sums[half][p] =
                        _mm512_add_epi16(sums[half][p], _mm512_maddubs_epi16(delta, weights));
                }
            }
        }
    }

    /// 16 windows, those `side` of two in every 8 of a block. Sums of planes are below 2^14 each.
    template <int side>
    [[gnu::always_inline]] static inline std::uint64_t
    finishQuarter(const Vector *sums, double scale, std::uint32_t band, double *differences,
                  float *answers)
    {
        const Vector weights = _mm512_set1_epi32(0x01000001); // 1 and 256
        const Vector low = _mm512_madd_epi16(unpack16<side>(sums[0], sums[1]), weights);
        const Vector middle = _mm512_madd_epi16(unpack16<side>(sums[2], sums[3]), weights);
        const Vector high = _mm512_add_epi32(middle, unpack16<side>(zero(), sums[4]));
        return finish(low, high, 0x1p16, scale, band, differences, answers);
    }

    template <int side>
    [[gnu::always_inline]] static inline Vector unpack16(Vector a, Vector b)
    {
        return side ? _mm512_unpackhi_epi16(a, b) : _mm512_unpacklo_epi16(a, b);
    }
};

} // namespace
} // namespace local_entropy

#include "local_entropy/simd/end.h"

#endif

namespace local_entropy
{

SlidingKernel slidingKernelAvx512([[maybe_unused]] int cellBytes, [[maybe_unused]] int windowHeight)
{
#if defined(__x86_64__)
    return slidingKernel<Avx512Sums>(cellBytes, windowHeight);
#else
    return nullptr;
#endif
}

} // namespace local_entropy
