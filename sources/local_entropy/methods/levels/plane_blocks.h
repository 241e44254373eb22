// Blocks of results by byte planes (plane_sums.h). Counts of 16 bits become bytes; what does not
// fit the planes' 128 entries is looked up one by one, as sums.h does:
//
//   counts of a level, 64 windows     60 71 .. 127 | 128 200 | 255 300 ..     256 cells or more
//   for the planes                    60 71 .. 127 |   0   0 |   0   0 ..     G(0) is 0
//   for the upper planes               0  0 ..   0 |   1  73 |   0   0 ..     entry 0 is 0
//   for the table of the large ones    0  0 ..   0 |   0   0 | G(255) G(300)  0 where n is smaller
//
// Few levels have large counts, and levels keep theirs for many windows: the branch is foreseen.
#pragma once

#include "local_entropy/methods/levels/plane_sums.h"
#include "local_entropy/methods/levels/row_look_up.h"
#include "local_entropy/methods/levels/sums.h"

namespace local_entropy
{
namespace
{

/// Count is uint8 for windows of up to PlaneTables::kNarrow cells, and uint16 above.
template <class Count>
class PlaneBlocks
{
public:
    PlaneBlocks(const PlaneTables &tables, const Finish &finish, int levels)
        : tables(tables), finish(finish), sums(tables, levels), levels(levels)
    {
    }

    void block(const std::uint8_t *counts, std::int64_t stride, float *to, int some) const
    {
        decide(sums.block(counts, stride, {nullptr, 0, nullptr}, to), counts, stride, to, some);
    }

    void block(const std::uint16_t *counts, std::int64_t stride, float *to, int some) const
    {
        alignas(64) std::uint8_t small[kMostRows][kBlock], upper[kMostRows][kBlock];
        alignas(64) std::uint16_t large[kMostRows][kBlock];
        std::int64_t more[kBlock] = {};
        int withUpper = 0, withLarge = 0;
        const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
        const int all = static_cast<int>(roundUp(levels, kTogether));
        for (int level = 0; level < all; level++) {
            const __m512i first = _mm512_loadu_si512(counts + level * stride);
            const __m512i second = _mm512_loadu_si512(counts + level * stride + 32);
            const __m512i bytes = _mm512_maskz_permutexvar_epi64(
                kAllEight, order, _mm512_packus_epi16(first, second)); // at most 255
            const __mmask64 tooLarge = _mm512_movepi8_mask(bytes);
            _mm512_store_si512(small[level], _mm512_maskz_mov_epi8(~tooLarge, bytes));
            if (!tooLarge) continue;
            const __mmask64 farTooLarge = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(-1));
            if (const __mmask64 somewhat = tooLarge & ~farTooLarge)
                _mm512_store_si512(
                    upper[withUpper++],
                    _mm512_maskz_sub_epi8(somewhat, bytes,
                                          _mm512_set1_epi8(PlaneTables::kEntries - 1)));
            if (!farTooLarge) continue;
            _mm512_store_si512(large[withLarge], first);
            _mm512_store_si512(large[withLarge++] + 32, second);
        }
        for (; withUpper % kTogether; withUpper++)
            _mm512_store_si512(upper[withUpper], _mm512_setzero_si512());
        if (withLarge) addLookUps(large[0], kBlock, withLarge, tables.large.data(), kBlock, more);
        const PlaneSums::Large toAdd = {upper[0], withUpper, withLarge ? more : nullptr};
        decide(sums.block(small[0], kBlock, toAdd, to), counts, stride, to, some);
    }

private:
    static constexpr int kMostRows = PlaneTables::kMostLevels;
    static_assert(PlaneTables::kCellsPerLevel * kMostRows < 32768,
                  "_mm512_packus_epi16 takes counts of 16 bits for signed ones");

    void decide(std::uint64_t undecided, const Count *counts, std::int64_t stride, float *to,
                int some) const
    {
        for (; undecided; undecided &= undecided - 1) {
            const int bit = __builtin_ctzll(undecided);
            const int q = bit / 16, j = bit % 16 / 4, i = bit % 4;
            const int window = 16 * j + 4 * q + i;
            if (window < some) to[window] = finish.one(counts + window, stride);
        }
    }

    const PlaneTables &tables;
    const Finish &finish;
    const PlaneSums sums;
    const int levels;
};

} // namespace
} // namespace local_entropy
