// 16 bytes by the compilers' vector extensions, for any processor: GCC and clang choose the
// instructions. See bytes.h.
#pragma once

#include <cstdint>
#include <cstring>

namespace local_entropy
{
namespace
{

struct PortableBytes
{
    typedef std::uint8_t Vector __attribute__((vector_size(16)));
    static constexpr int kBytes = 16;

    [[gnu::always_inline]] static inline Vector zero() { return Vector{}; }
    [[gnu::always_inline]] static inline Vector all(std::uint8_t b) { return Vector{} + b; }
    [[gnu::always_inline]] static inline Vector load(const void *p)
    {
        return *static_cast<const Vector *>(p);
    }
    [[gnu::always_inline]] static inline Vector loadAny(const void *p)
    {
        Vector v;
        std::memcpy(&v, p, sizeof v);
        return v;
    }
    [[gnu::always_inline]] static inline Vector loadBlocks(const std::uint8_t *p,
                                                           const std::int64_t *offsets)
    {
        return loadAny(p + offsets[0]);
    }
    [[gnu::always_inline]] static inline void store(void *p, Vector v)
    {
        *static_cast<Vector *>(p) = v;
    }
    [[gnu::always_inline]] static inline Vector add(Vector a, Vector b) { return a + b; }
    [[gnu::always_inline]] static inline Vector sub(Vector a, Vector b) { return a - b; }
    [[gnu::always_inline]] static inline Vector addEqual(Vector sum, Vector a, Vector b)
    {
        return sum - (Vector)(a == b); // equal is -1
    }
    [[gnu::always_inline]] static inline Vector addEqual(Vector sum, Vector a0, Vector b0,
                                                         Vector a1, Vector b1)
    {
        return sum - ((Vector)(a0 == b0) & (Vector)(a1 == b1));
    }
    [[gnu::always_inline]] static inline Vector table(const std::uint8_t *p) { return loadAny(p); }
    /// Without an instruction for it this is long code: not inlined.
    [[gnu::noinline]] static Vector lookUp(Vector t, Vector i)
    {
#if defined(__clang__)
        Vector v;
        for (int k = 0; k < kBytes; k++) v[k] = t[i[k] & 15];
        return v;
#else
        return __builtin_shuffle(t, i);
#endif
    }
    using Table32 = const float *;
    [[gnu::always_inline]] static inline Table32 table32(const float *p) { return p; }
    [[gnu::always_inline]] static inline void lookUp32(Table32 t, const std::uint8_t *keys,
                                                       float *to)
    {
        for (int k = 0; k < 16; k++) to[k] = t[keys[k] & 31];
    }
    [[gnu::always_inline]] static inline Vector unpackLow(Vector a, Vector b)
    {
#if defined(__clang__)
        return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7,
                                       23);
#else
        return __builtin_shuffle(a, b,
                                 Vector{0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23});
#endif
    }
    [[gnu::always_inline]] static inline Vector unpackHigh(Vector a, Vector b)
    {
#if defined(__clang__)
        return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30,
                                       15, 31);
#else
        return __builtin_shuffle(
            a, b, Vector{8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31});
#endif
    }
};

} // namespace
} // namespace local_entropy
