// Sums of 64-bit look-ups over the levels. Internal linkage: files compiled for several instruction
// sets include this.
#pragma once

#include <cstdint>
#include <cstring>

namespace local_entropy
{
namespace
{

/// sums[i] += sum of table[counts[level * stride + i]] over the levels, i < n.
///
/// Scalar loads: a gather costs more on every processor that we know. Four or eight counts come by
/// one load, so that a look-up is a shift, a cut and an addition from memory. What lies behind
/// the n-th count must be readable up to 8 bytes; it may hold anything, and is taken for 0.
template <class Count>
void addLookUps(const Count *counts, std::int64_t stride, int levels, const std::int64_t *table,
                int n, std::int64_t *sums)
{
    constexpr int kAtOnce = 4, kBits = 8 * sizeof(Count);
    constexpr unsigned kMask = (1u << kBits) - 1;
    for (int i = 0; i < n; i += kAtOnce) {
        std::int64_t sum[kAtOnce] = {};
        const Count *from = counts + i;
        const std::uint64_t known =
            n - i < kAtOnce ? (std::uint64_t{1} << (n - i) * kBits) - 1 : ~std::uint64_t{0};
        for (int level = 0; level < levels; level++, from += stride) {
            std::uint64_t four = 0;
            std::memcpy(&four, from, kAtOnce * sizeof(Count));
            four &= known;
            sum[0] += table[four & kMask];
            sum[1] += table[(four >> kBits) & kMask];
            sum[2] += table[(four >> 2 * kBits) & kMask];
            sum[3] += table[(four >> 3 * kBits) & kMask];
        }
        for (int k = 0; k < kAtOnce && i + k < n; k++) sums[i + k] += sum[k];
    }
}

} // namespace
} // namespace local_entropy
