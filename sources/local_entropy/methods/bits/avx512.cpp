// The bit-sliced kernel in words of 64 bytes, with every function of three words one instruction.

#include "local_entropy/methods/bits/task.h"

#if defined(__x86_64__) || defined(__i386__)

#include <cstdint>
#include <immintrin.h>
#include <utility>

namespace local_entropy::bits
{

static bool worksHere()
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
}

} // namespace local_entropy::bits

// From here on, functions may use these instructions. Headers of the standard library have to be
// included before, and all that is included after has internal linkage: of an inline function that
// was compiled for two processors, the linker might keep the wrong one for both.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw")
#endif

namespace local_entropy::bits
{
namespace
{

typedef std::uint64_t Word __attribute__((vector_size(64)));

/// Any boolean function of three words: bit (4a + 2b + c) of `Table` is its value.
template <int Table>
[[gnu::always_inline]] inline Word ternary(Word a, Word b, Word c)
{
    return (Word)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, Table);
}

[[gnu::always_inline]] inline Word repeated(std::uint8_t byte)
{
    return Word{} + byte * std::uint64_t(0x0101010101010101);
}
[[gnu::always_inline]] inline Word andNot(Word a, Word b) { return a & ~b; }
[[gnu::always_inline]] inline Word xor3(Word a, Word b, Word c) { return ternary<0x96>(a, b, c); }
[[gnu::always_inline]] inline Word or3(Word a, Word b, Word c) { return ternary<0xfe>(a, b, c); }

// The instruction overwrites its first operand. In the functions that follow it gets one that their
// callers do not need any more, so that the compiler need not copy it.

/// One full adder: a + b + c = sum + 2 carry.
[[gnu::always_inline]] inline void add(Word a, Word b, Word c, Word &sum, Word &carry)
{
    const Word s = xor3(a, b, c);
    carry = ternary<0xd4>(b, c, s); // a is b ^ c ^ s
    sum = s;
}
/// a - b - c = difference - 2 borrow.
[[gnu::always_inline]] inline void subtract(Word a, Word b, Word c, Word &difference, Word &borrow)
{
    const Word d = xor3(b, a, c);
    borrow = ternary<0xb2>(c, a, d); // b is a ^ c ^ d
    difference = d;
}
/// a where the mask is set, b elsewhere.
[[gnu::always_inline]] inline Word select(Word mask, Word a, Word b)
{
    return ternary<0xe4>(a, b, mask);
}
/// plane[i]: where the digits c b a read i.
[[gnu::always_inline]] inline void decode(Word a, Word b, Word c, Word *plane)
{
    plane[0] = ternary<0x01>(c, b, a);
    plane[1] = ternary<0x02>(c, b, a);
    plane[2] = ternary<0x04>(c, b, a);
    plane[3] = ternary<0x08>(c, b, a);
    plane[4] = ternary<0x10>(c, b, a);
    plane[5] = ternary<0x20>(c, b, a);
    plane[6] = ternary<0x40>(c, b, a);
    plane[7] = ternary<0x80>(c, b, a);
}

} // namespace
} // namespace local_entropy::bits

#include "local_entropy/methods/bits/hash.h"
#include "local_entropy/methods/bits/lookup.h"

namespace local_entropy::bits
{
namespace
{

using Hash = TernaryHash;

// Intrinsics with a mask, which is full, where the plain ones make g++ 12 warn of its own header.

/// 64 cells to signed bytes, those beyond -128..127 to the nearest of these. The conversion rounds;
/// where that changes a cell it also raises a flag of the processor.
[[gnu::always_inline]] inline Word toBytes(const float *cells)
{
    __m512i q[4];
    for (int i = 0; i < 4; ++i)
        q[i] = _mm512_maskz_cvtps_epi32(0xffff, _mm512_loadu_ps(cells + 16 * i));
    return (Word)_mm512_packs_epi16(_mm512_packs_epi32(q[0], q[1]), _mm512_packs_epi32(q[2], q[3]));
}

[[gnu::always_inline]] inline Word inOrder(Word bytes)
{
    const __m512i fours = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return (Word)_mm512_maskz_permutexvar_epi32(0xffff, fours, (__m512i)bytes);
}

/// 64 indices from their lower and upper bytes.
[[gnu::always_inline]] inline void storeIndices(std::uint16_t *to, Word low, Word high)
{
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    const __m512i l = _mm512_unpacklo_epi8((__m512i)low, (__m512i)high);
    const __m512i h = _mm512_unpackhi_epi8((__m512i)low, (__m512i)high);
    _mm512_storeu_si512(to, _mm512_permutex2var_epi64(l, first, h));
    _mm512_storeu_si512(to + 32, _mm512_permutex2var_epi64(l, second, h));
}

/// Looks up 16 entropies; stores around the cache only if all of them come at once.
template <bool Stream, bool Gather>
[[gnu::always_inline]] inline void lookUpGroup(float *to, const std::uint16_t *index,
                                               const float *table)
{
    if constexpr (!Gather) return lookUpOneByOne(to, index, table);
    const __m256i sixteen = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(index));
    const __m512i places = _mm512_maskz_cvtepu16_epi32(0xffff, sixteen);
    const __m512 found = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xffff, places, table, 4);
    if constexpr (Stream)
        _mm512_stream_ps(to, found);
    else
        _mm512_storeu_ps(to, found);
}

/// 16 entropies around the cache.
[[gnu::always_inline]] inline void writeGroup(float *to, const float *from)
{
    _mm512_stream_ps(to, _mm512_loadu_ps(from));
}

inline void finishStreaming() { _mm_sfence(); }

} // namespace
} // namespace local_entropy::bits

#include "local_entropy/methods/bits/kernel.h"

namespace local_entropy::bits
{

const Kernel kAvx512 = {worksHere, true, sizeof(State), run};

} // namespace local_entropy::bits

#include "local_entropy/simd/end.h"

#else

namespace local_entropy::bits
{

static bool worksHere() { return false; }

const Kernel kAvx512 = {worksHere, true, 0, nullptr};

} // namespace local_entropy::bits

#endif
