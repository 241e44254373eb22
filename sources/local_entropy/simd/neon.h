// 16 bytes: NEON, which every 64-bit ARM has. See bytes.h.
#pragma once

#include <arm_neon.h>

#include <cstdint>

namespace local_entropy
{
namespace
{

struct NeonBytes
{
    using Vector = uint8x16_t;
    static constexpr int kBytes = 16;

    [[gnu::always_inline]] static inline Vector zero() { return vdupq_n_u8(0); }
    [[gnu::always_inline]] static inline Vector all(std::uint8_t b) { return vdupq_n_u8(b); }
    [[gnu::always_inline]] static inline Vector load(const void *p) { return loadAny(p); }
    [[gnu::always_inline]] static inline Vector loadAny(const void *p)
    {
        return vld1q_u8(static_cast<const std::uint8_t *>(p));
    }
    [[gnu::always_inline]] static inline Vector loadBlocks(const std::uint8_t *p,
                                                           const std::int64_t *offsets)
    {
        return loadAny(p + offsets[0]);
    }
    [[gnu::always_inline]] static inline void store(void *p, Vector v)
    {
        vst1q_u8(static_cast<std::uint8_t *>(p), v);
    }
    [[gnu::always_inline]] static inline Vector add(Vector a, Vector b) { return vaddq_u8(a, b); }
    [[gnu::always_inline]] static inline Vector sub(Vector a, Vector b) { return vsubq_u8(a, b); }
    [[gnu::always_inline]] static inline Vector addEqual(Vector sum, Vector a, Vector b)
    {
        return vsubq_u8(sum, vceqq_u8(a, b)); // equal is -1
    }
    [[gnu::always_inline]] static inline Vector addEqual(Vector sum, Vector a0, Vector b0,
                                                         Vector a1, Vector b1)
    {
        return vsubq_u8(sum, vandq_u8(vceqq_u8(a0, b0), vceqq_u8(a1, b1)));
    }
    [[gnu::always_inline]] static inline Vector table(const std::uint8_t *p) { return loadAny(p); }
    [[gnu::always_inline]] static inline Vector lookUp(Vector t, Vector i)
    {
        return vqtbl1q_u8(t, vandq_u8(i, vdupq_n_u8(15))); // beyond 15 NEON gives 0
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
        return vzip1q_u8(a, b);
    }
    [[gnu::always_inline]] static inline Vector unpackHigh(Vector a, Vector b)
    {
        return vzip2q_u8(a, b);
    }
};

} // namespace
} // namespace local_entropy
