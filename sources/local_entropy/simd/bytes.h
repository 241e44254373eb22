// Vectors of bytes. A path's header (avx512.h, avx2.h, ssse3.h, neon.h, portable.h) has a struct of
// the operations below, and kernels take the struct as a template argument:
//
//   Vector, kBytes             the type, and how many bytes it holds: 16, 32 or 64
//   zero(), all(b)             every byte 0, every byte b
//   load(p), store(p, v)       from and to a multiple of kBytes
//   loadAny(p)                 from any address
//   loadBlocks(p, offsets)     block q from p + offsets[16 * q], any address
//   add(a, b), sub(a, b)       byte by byte, modulo 256
//   addEqual(sum, a, b)        sum + 1 where a == b
//   addEqual(sum, a0, b0, a1, b1)   sum + 1 where a0 == b0 and a1 == b1: cells of two bytes
//   table(p)                   16 bytes as a table
//   lookUp(t, i)               t[i modulo 16] byte by byte, for i < 128
//   Table32, table32(p)        32 floats as a table
//   lookUp32(t, keys, to)      16 floats: to[k] = t[keys[k] modulo 32], any addresses
//   unpackLow(a, b), unpackHigh(a, b)   a0 b0 a1 b1 ... of the lower and upper half of every block
//
// A block is 16 bytes: instructions of x86 unpack and shuffle within blocks, so do all here.
//
// How to use it: a .cpp includes what it needs, then the path's header, which sets the instruction
// set for all that follows, then bytes.h and the kernel; its last line includes simd/end.h
// (not after neon.h and portable.h, which set nothing). What is
// compiled in between must have internal linkage (namespace {}), or the linker could take it for a
// processor without these instructions; so no std templates that are not inlined, and no lambdas
// (clang does not give them the instruction set).
#pragma once

#include <cstdint>
#include <cstring>

namespace local_entropy
{
namespace
{

/// Transposes 16 vectors, in every block: byte c of block q of v[k] becomes byte k of block q of
/// v[c]. Four rounds of unpacking: each interleaves the bits of the row with those of the column.
template <typename Bytes>
[[gnu::always_inline]] inline void transpose16(typename Bytes::Vector *v)
{
    typename Bytes::Vector w[16];
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < 8; k++) {
            w[2 * k] = Bytes::unpackLow(v[k], v[k + 8]);
            w[2 * k + 1] = Bytes::unpackHigh(v[k], v[k + 8]);
        }
        for (int k = 0; k < 8; k++) {
            v[2 * k] = Bytes::unpackLow(w[k], w[k + 8]);
            v[2 * k + 1] = Bytes::unpackHigh(w[k], w[k + 8]);
        }
    }
}

/// 8 floats: to[k] = table[keys[k]], for keys of two bytes, the lower one first; any addresses.
/// Floats travel as integers, two at a time, so that loads and stores use no unit that vectors
/// need. Gathers were slower on a processor of AMD's (Zen 5), singles (movss, insertps) not faster.
[[gnu::always_inline]] inline void lookUpWords(const float *table, const std::uint8_t *keys,
                                               float *to)
{
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lower byte comes first");
    const char *const bits = reinterpret_cast<const char *>(table);
    for (int four = 0; four < 2; four++) {
        std::uint64_t key;
        std::memcpy(&key, keys + 8 * four, sizeof key);
        for (int pair = 0; pair < 2; pair++, key >>= 32) {
            std::uint32_t first, second;
            std::memcpy(&first, bits + 4 * (key & 0xffff), sizeof first);
            std::memcpy(&second, bits + 4 * (key >> 16 & 0xffff), sizeof second);
            const std::uint64_t both = first | std::uint64_t(second) << 32;
            std::memcpy(to + 4 * four + 2 * pair, &both, sizeof both);
        }
    }
}

} // namespace
} // namespace local_entropy
