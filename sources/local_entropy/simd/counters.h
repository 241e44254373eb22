// Counters in vectors. A path's struct (counters_avx512.h, counters_avx2.h, counters_portable.h)
// has the operations of bytes.h and these:
//
//   subEqual(sum, a, b)        sum - 1 where a == b, byte by byte
//   storeAny(p, v)             to any address
//   loadWords(p)               kBytes / 2 counters as 16 bits each, from 8 or 16 bits at any
//   address addWords(a, b)             16 bits by 16 bits, modulo 65536
//
// Counter below is how kernels name them for either width.
#pragma once

#include <cstdint>

namespace local_entropy
{
namespace
{

/// Vectors of counters of 8 or 16 bits.
template <class Ops, class Count>
struct Counter;

template <class Ops>
struct Counter<Ops, std::uint8_t>
{
    using Vector = typename Ops::Vector;
    static constexpr int kLanes = Ops::kBytes;
    [[gnu::always_inline]] static inline Vector load(const std::uint8_t *p)
    {
        return Ops::loadAny(p);
    }
    [[gnu::always_inline]] static inline Vector add(Vector a, Vector b) { return Ops::add(a, b); }
};

template <class Ops>
struct Counter<Ops, std::uint16_t>
{
    using Vector = typename Ops::Vector;
    static constexpr int kLanes = Ops::kBytes / 2;
    template <class Narrow>
    [[gnu::always_inline]] static inline Vector load(const Narrow *p)
    {
        return Ops::loadWords(p);
    }
    [[gnu::always_inline]] static inline Vector add(Vector a, Vector b)
    {
        return Ops::addWords(a, b);
    }
};

} // namespace
} // namespace local_entropy
