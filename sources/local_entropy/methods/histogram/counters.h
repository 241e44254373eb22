// Parts of kernels that count in packed histograms in shared memory (.cu): the counters, and the
// way from a sum to a float.
#pragma once

#include "local_entropy/methods/shared_words.h"

#include <cstdint>

namespace local_entropy::walk
{

using shared_words::addressOf, shared_words::addTo, shared_words::differenceAt,
    shared_words::wordAt;

constexpr int kLanes = 32;

/// Where results go, and what makes them of sums; see scale.h for F.
struct Results
{
    float *result;
    int width, height;
    std::int64_t stride;
    bool aligned;             ///< whether a thread's results always lie at a multiple of their size
    const std::int64_t *sums; ///< F(n), n = 0 ... windowCells
    const double *scales;     ///< of N cells: what D is multiplied by; scales[0] is 0
    int windowCells;
    double error; ///< of D
    float empty;  ///< the result where no cell counts
    std::uint32_t *undecided;
    std::int64_t wordsARow;
};

/// kWindows counters of kBits in a word.
template <int kBits>
struct Counters
{
    static constexpr int kWindows = 32 / kBits;

    /// A one for each window that holds column `i` of the thread's columns: those from i - width +
    /// 1 to i.
    __device__ static constexpr std::uint32_t ones(int i, int width)
    {
        std::uint32_t word = 0;
        for (int window = 0; window < kWindows; ++window)
            if (holds(i, window, width)) word |= 1u << (kBits * window);
        return word;
    }
    __device__ static constexpr bool holds(int i, int window, int width)
    {
        return i >= window && i < window + width;
    }
    /// Four times a window's counter, plus an address: of the table's entry. One instruction, a
    /// product of vectors: the word's bytes, or halves, by 4 for the window's and 0 for the others.
    __device__ static std::uint32_t entry(std::uint32_t word, int window, std::uint32_t table)
    {
        const std::uint32_t fours = 4u << (8 * window);
        if constexpr (kBits == 8)
            return __dp4a(word, fours, table);
        else
            return __dp2a_lo(word, fours, table);
    }
    __device__ static int count(std::uint32_t word, int window)
    {
        return static_cast<int>(word >> (kBits * window) & ((1u << kBits) - 1));
    }
};

/// The float for D = `difference`, F(N) - S, which is multiplied by `scale` and then off by at most
/// `margin`; true if that leaves two. Sums of 32 bits have a scale that leaves none.
__device__ inline bool decide(std::uint32_t difference, double scale, double, float &answer)
{
    // A double of D's bits and an exponent is 2^52 + D, and one rounding is left: that of D *
    // scale.
    const double value = __hiloint2double(0x43300000, static_cast<int>(difference));
    answer = static_cast<float>(fma(value, scale, -0x1p52 * scale));
    return false;
}
__device__ inline bool decide(std::int64_t difference, double scale, double margin, float &answer)
{
    // D is below 2^52: a double of its bits and an exponent, which is quicker than a conversion.
    const double value = __hiloint2double(0x43300000 | static_cast<int>(difference >> 32),
                                          static_cast<int>(difference)) -
                         0x1p52;
    const auto low = static_cast<float>(fma(value, scale, -margin));
    const auto high = static_cast<float>(fma(value, scale, margin));
    const bool several = value != 0; // levels
    answer = several ? low : 0;
    return several && low != high;
}

/// The float for a window of which so many cells exist; true if its sum leaves two. `ofNone` are
/// the cells that a mask or nodata takes away, `ofFirst` those of level 0, with what does not
/// exist.
template <bool kMissing, typename Sum>
__device__ bool finish(const Results &results, Sum sum, int existing, int ofFirst, int ofNone,
                       float &answer)
{
    int cells = existing;
    if (existing < results.windowCells) {
        const int beyond = results.windowCells - existing;
        sum += static_cast<Sum>(__ldg(&results.sums[ofFirst - beyond]) -
                                __ldg(&results.sums[ofFirst]));
    }
    if (kMissing) {
        cells -= ofNone;
        sum -= static_cast<Sum>(__ldg(&results.sums[ofNone]));
    }
    const double scale = __ldg(&results.scales[cells]);
    const bool open = decide(static_cast<Sum>(__ldg(&results.sums[cells])) - sum, scale,
                             results.error * scale, answer);
    if (cells == 0) answer = results.empty;
    return open && cells != 0;
}

/// A thread's results, at a multiple of their size.
__device__ inline void writeTogether(float *to, const float (&answers)[4])
{
    __stcs(reinterpret_cast<float4 *>(to),
           make_float4(answers[0], answers[1], answers[2], answers[3]));
}
__device__ inline void writeTogether(float *to, const float (&answers)[2])
{
    __stcs(reinterpret_cast<float2 *>(to), make_float2(answers[0], answers[1]));
}

/// Notes which of the thread's results are undecided, a bit each; without a branch, since most
/// rows of a warp have some.
__device__ inline void note(std::uint32_t *word, std::uint32_t bits)
{
    asm volatile("{ .reg .pred some; setp.ne.u32 some, %1, 0;\n"
                 "@some red.global.or.b32 [%0], %1; }" ::"l"(word),
                 "r"(bits));
}

} // namespace local_entropy::walk
