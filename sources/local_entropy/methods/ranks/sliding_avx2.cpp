// Sliding ranks: 32 lanes, AVX2.
#include "local_entropy/methods/ranks/sliding_plan.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)

#include "local_entropy/simd/avx2.h"

#include "local_entropy/methods/ranks/sliding.h"
#include "local_entropy/methods/ranks/sliding_chunks.h"

namespace local_entropy
{
namespace
{

/// The last stages. A table has 16 entries here: ranks are looked up in all chunks of 16 that they
/// need, one or two in most images. The bytes of the cell that enters and of the one that
/// leaves are put side by side; one instruction takes their difference to 16 bits.
struct Avx2Sums : Avx2Bytes
{
    static constexpr int kPlanes = DeltaPlanes::kPlanes;
    using Seen = SeenRanks<Avx2Sums>;
    static constexpr int kMostChunks = 4; ///< at once
    static constexpr std::uint32_t kFirstTable = RankRange::kNone, kFewTables = RankRange::of(47);
    static constexpr int kMostTerms = SlidingLayout::kMostColumns;
    static constexpr int kWritten = 8; ///< columns, and lanes, that write() turns at once

    /// The lane of place i of a column's differences and answers.
    static int lane(int i) { return i; }

    /// v[k], block q: 16 cells from column c on of lane 16 q + k, of every cell byte `byte`.
    template <int cellBytes>
    [[gnu::always_inline]] static inline void loadLanes(const std::uint8_t *const *from, int c,
                                                        int byte, Vector *v)
    {
        for (int k = 0; k < 16; ++k) {
            const __m128i low = loadBlock<cellBytes>(from[k] + c * cellBytes, byte);
            const __m128i high = loadBlock<cellBytes>(from[16 + k] + c * cellBytes, byte);
            v[k] = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
        }
    }

    /// A cell that enters and one that leaves with the same rank change nothing: both become 0, so
    /// that flat parts of an image need no more chunks than others.
    [[gnu::always_inline]] static inline void cancel(Vector &enter, Vector &leave)
    {
        const Vector same = _mm256_cmpeq_epi8(enter, leave);
        enter = _mm256_andnot_si256(same, enter);
        leave = _mm256_andnot_si256(same, leave);
    }

    /// Two ranks more.
    [[gnu::always_inline]] static inline Vector both(Vector all, Vector a, Vector b)
    {
        return larger(all, larger(a, b));
    }

    [[gnu::always_inline]] static inline Vector larger(Vector a, Vector b)
    {
        return _mm256_max_epu8(a, b);
    }

    [[gnu::always_inline]] static inline int largest(Vector v)
    {
        __m128i most = _mm_max_epu8(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
        most = _mm_max_epu8(most, _mm_srli_si128(most, 8));
        most = _mm_max_epu8(most, _mm_srli_si128(most, 4));
        most = _mm_max_epu8(most, _mm_srli_si128(most, 2));
        most = _mm_max_epu8(most, _mm_srli_si128(most, 1));
        return _mm_cvtsi128_si32(most) & 255;
    }

    /// Up to the largest rank.
    [[gnu::always_inline]] static inline std::uint32_t tablesUpTo(Vector all)
    {
        return RankRange::of(largest(all));
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
            const int first = 8 * half;
            undecided |= finish<0>(sums[half], scale, band, differences + first, answers + first)
                         << 16 * half;
            undecided |=
                finish<1>(sums[half], scale, band, differences + first + 4, answers + first + 4)
                << (16 * half + 8);
        }
        return undecided;
    }

    /// nearBoundaries() has two doubles of its first vector, then two of its second.
    static int place(int bit) { return bit % 4 / 2 * 16 + bit / 8 * 4 + bit % 8 / 4 * 2 + bit % 2; }

    /// Places of a column are lanes of a row: to[i][c + k] = from[k * stride + i].
    static void write(const float *from, int stride, float *const *to, int c);

private:
    using Place = std::uint8_t[kBytes]; ///< a vector in memory

    template <int cellBytes>
    [[gnu::always_inline]] static inline __m128i loadBlock(const std::uint8_t *from, int byte)
    {
        const auto *p = reinterpret_cast<const __m128i *>(from);
        const __m128i a = _mm_loadu_si128(p);
        if constexpr (cellBytes == 1) return a;
        const __m128i b = _mm_loadu_si128(p + cellBytes - 1);
        if (byte == 1) return _mm_packus_epi16(_mm_srli_epi16(a, 8), _mm_srli_epi16(b, 8));
        const __m128i low = _mm_set1_epi16(255);
        return _mm_packus_epi16(_mm_and_si128(a, low), _mm_and_si128(b, low));
    }

    [[gnu::always_inline]] static inline void addAll(const std::uint8_t *ranks, int terms,
                                                     const ChunkList &chunks,
                                                     const DeltaPlanes &planes,
                                                     Vector (&sums)[2][kPlanes])
    {
        if (chunks.number() == 1) return addDeltas<1, true>(ranks, terms, chunks, 0, planes, sums);
        if (chunks.number() == 2) return addDeltas<2, true>(ranks, terms, chunks, 0, planes, sums);
        for (int i = 0; i < chunks.number(); i += kMostChunks) switch (chunks.number() - i) {
            case 1: addDeltas<1, false>(ranks, terms, chunks, i, planes, sums); break;
            case 2: addDeltas<2, false>(ranks, terms, chunks, i, planes, sums); break;
            case 3: addDeltas<3, false>(ranks, terms, chunks, i, planes, sums); break;
            default: addDeltas<4, false>(ranks, terms, chunks, i, planes, sums);
            }
    }

    /// The deltas of ranks in `chunks` of the list's chunks from `first` on; ranks in others add
    /// nothing. isAll: these are all of the list, the first is 0.
    template <int chunks, bool isAll>
    [[gnu::always_inline]] static inline void
    addDeltas(const std::uint8_t *ranks, int terms, const ChunkList &list, int first,
              const DeltaPlanes &planes, Vector (&sums)[2][kPlanes])
    {
        int chunk[chunks];
        list.get(first, chunk);
        alignas(32) Place places[2][kMostTerms][chunks];
        for (int t = 0; t < terms; ++t) {
            const Vector enter = load(ranks + 2 * t * kBytes);
            const Vector leave = load(ranks + (2 * t + 1) * kBytes);
            const Vector low = unpackLow(enter, leave), high = unpackHigh(enter, leave);
#pragma GCC unroll 4
            for (int k = 0; k < chunks; ++k) {
                store(places[0][t][k], inChunk<isAll, chunks>(low, k, chunk[k]));
                store(places[1][t][k], inChunk<isAll, chunks>(high, k, chunk[k]));
            }
        }
        for (int p = 0; p < kPlanes; ++p) {
            Vector table[chunks];
            for (int k = 0; k < chunks; ++k)
                table[k] = Avx2Bytes::table(planes.plane[p] + chunk[k]);
            // Of even and odd terms: an addition waits for the one before it.
            Vector sum[2][2] = {{sums[0][p], sums[1][p]}, {zero(), zero()}};
            int t = 0;
            for (; t + 1 < terms; t += 2) {
                addTerm<chunks>(table, places[0][t], places[1][t], sum[0]);
                addTerm<chunks>(table, places[0][t + 1], places[1][t + 1], sum[1]);
            }
            if (t < terms) addTerm<chunks>(table, places[0][t], places[1][t], sum[0]);
            for (int half = 0; half < 2; ++half)
                sums[half][p] = _mm256_add_epi16(sum[0][half], sum[1][half]);
        }
    }

    /// One byte of the deltas of a cell that enters and one that leaves, of both halves.
    template <int chunks>
    [[gnu::always_inline]] static inline void addTerm(const Vector (&table)[chunks],
                                                      const Place (&low)[chunks],
                                                      const Place (&high)[chunks], Vector (&sum)[2])
    {
        const Vector weights = _mm256_set1_epi16(static_cast<short>(0xff01)); // enter +, leave -
#pragma GCC unroll 2
        for (int half = 0; half < 2; ++half) {
            const Place(&at)[chunks] = half ? high : low;
            Vector delta = lookUp(table[0], load(at[0]));
#pragma GCC unroll 4
            for (int k = 1; k < chunks; ++k)
                delta = _mm256_or_si256(delta, lookUp(table[k], load(at[k])));
            sum[half] = _mm256_add_epi16(sum[half], _mm256_maddubs_epi16(delta, weights));
        }
    }

    /// Where lookUp() finds a rank of chunk number k, which begins at rank `first`; its highest bit
    /// is set, and lookUp() then gives 0, for ranks of others.
    template <bool isAll, int chunks>
    [[gnu::always_inline]] static inline Vector inChunk(Vector rank, int k, int first)
    {
        if (isAll && chunks == 1) return rank;
        if (!isAll || k > 0) rank = sub(rank, all(static_cast<std::uint8_t>(first)));
        return _mm256_adds_epu8(rank, all(0x70));
    }

    /// 8 windows, those `side` of two in every 8 of a block: differences, then floats. Sums of
    /// planes are below 2^14 each.
    template <int side>
    [[gnu::always_inline]] static inline std::uint64_t finish(const Vector *sums, double scale,
                                                              std::uint32_t band,
                                                              double *differences, float *answers)
    {
        const Vector weights = _mm256_set1_epi32(0x01000001); // 1 and 256
        const Vector low = _mm256_madd_epi16(unpack16<side>(sums[0], sums[1]), weights);
        const Vector middle = _mm256_madd_epi16(unpack16<side>(sums[2], sums[3]), weights);
        const Vector high = _mm256_add_epi32(middle, unpack16<side>(zero(), sums[4])); // 2^16 of it
        const __m256d first =
            slide(_mm256_castsi256_si128(low), _mm256_castsi256_si128(high), differences);
        const __m256d second = slide(_mm256_extracti128_si256(low, 1),
                                     _mm256_extracti128_si256(high, 1), differences + 16);
        const __m256d scales = _mm256_set1_pd(scale);
        const __m256d a = _mm256_mul_pd(first, scales), b = _mm256_mul_pd(second, scales);
        _mm_store_ps(answers, _mm256_cvtpd_ps(a));
        _mm_store_ps(answers + 16, _mm256_cvtpd_ps(b));
        return nearBoundaries(a, b, band);
    }

    template <int side>
    [[gnu::always_inline]] static inline Vector unpack16(Vector a, Vector b)
    {
        return side ? _mm256_unpackhi_epi16(a, b) : _mm256_unpacklo_epi16(a, b);
    }

    /// The differences of 4 windows, less the sums' change.
    [[gnu::always_inline]] static inline __m256d slide(__m128i low, __m128i high,
                                                       double *differences)
    {
        const __m256d difference =
            _mm256_sub_pd(_mm256_load_pd(differences), _mm256_cvtepi32_pd(low));
        const __m256d slid = _mm256_sub_pd(
            difference, _mm256_mul_pd(_mm256_cvtepi32_pd(high), _mm256_set1_pd(0x1p16)));
        _mm256_store_pd(differences, slid);
        return slid;
    }

    /// nearBoundary() for 8 doubles: the lowest 29 bits, moved up to 32, where comparisons have a
    /// sign, so half of the range further on.
    [[gnu::always_inline]] static inline std::uint64_t nearBoundaries(__m256d a, __m256d b,
                                                                      std::uint32_t band)
    {
        const __m256 bits = _mm256_shuffle_ps(_mm256_castpd_ps(a), _mm256_castpd_ps(b), 0x88);
        const Vector low =
            _mm256_add_epi32(_mm256_castps_si256(bits), _mm256_set1_epi32(static_cast<int>(band)));
        const std::uint32_t limit = (2 * band << 3) + 1 + (1u << 31);
        const Vector is = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(limit)),
                                             _mm256_slli_epi32(low, 3));
        return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(is)));
    }
};

/// Rows and columns of 8 floats: within blocks of 4 x 4, then the blocks.
void Avx2Sums::write(const float *from, int stride, float *const *to, int c)
{
    __m256 v[8], w[8];
    for (int k = 0; k < 8; ++k) v[k] = _mm256_load_ps(from + k * stride);
    for (int k = 0; k < 8; k += 4) {
        const __m256 a = _mm256_unpacklo_ps(v[k], v[k + 1]), b = _mm256_unpackhi_ps(v[k], v[k + 1]);
        const __m256 d = _mm256_unpacklo_ps(v[k + 2], v[k + 3]);
        const __m256 e = _mm256_unpackhi_ps(v[k + 2], v[k + 3]);
        w[k] = _mm256_shuffle_ps(a, d, 0x44);
        w[k + 1] = _mm256_shuffle_ps(a, d, 0xee);
        w[k + 2] = _mm256_shuffle_ps(b, e, 0x44);
        w[k + 3] = _mm256_shuffle_ps(b, e, 0xee);
    }
    for (int i = 0; i < 4; ++i) {
        _mm256_storeu_ps(to[i] + c, _mm256_permute2f128_ps(w[i], w[4 + i], 0x20));
        _mm256_storeu_ps(to[4 + i] + c, _mm256_permute2f128_ps(w[i], w[4 + i], 0x31));
    }
}

} // namespace
} // namespace local_entropy

#include "local_entropy/simd/end.h"

#endif

namespace local_entropy
{

SlidingKernel slidingKernelAvx2([[maybe_unused]] int cellBytes, [[maybe_unused]] int windowHeight)
{
#if defined(__x86_64__)
    return slidingKernel<Avx2Sums>(cellBytes, windowHeight);
#else
    return nullptr;
#endif
}

} // namespace local_entropy
