// Parts of kernels that count in packed histograms in shared memory (.cu): the counters, the sums
// of differences, and the way from a sum to a float.
#pragma once

#include <cstddef>
#include <cstdint>

namespace local_entropy::walk
{

constexpr int kLanes = 32;

/// Where results go, and what makes them of sums; see scale.h for F.
struct Results
{
    float *result;
    int width, height;
    std::int64_t stride;
    bool fours;               ///< whether rows begin at addresses that 16 divides
    const std::int64_t *sums; ///< F(n), n = 0 ... windowCells
    const double *scales;     ///< of N cells: what D is multiplied by; scales[0] is 0
    int windowCells;
    double error; ///< of D
    float empty;  ///< the result where no cell counts
    std::uint32_t *undecided;
    std::int64_t wordsARow;
};

/// Shared memory by its own 32-bit addresses: what is computed with them fits one instruction.
__device__ inline std::uint32_t addressOf(const void *shared)
{
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}
__device__ inline std::uint32_t addTo(std::uint32_t address, std::uint32_t what)
{
    std::uint32_t before;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(before) : "r"(address), "r"(what));
    return before;
}
__device__ inline std::uint32_t wordAt(std::uint32_t address)
{
    std::uint32_t word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address));
    return word;
}
/// Of the table of differences, which does not change: the compiler may move it.
template <int kOffset>
__device__ inline std::int32_t differenceAt(std::uint32_t address)
{
    std::int32_t difference;
    asm("ld.shared.s32 %0, [%1 + %2];" : "=r"(difference) : "r"(address), "n"(kOffset));
    return difference;
}

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
    /// Four times a window's counter, plus an address: of the table's entry.
    __device__ static std::uint32_t entry(std::uint32_t word, int window, std::uint32_t table)
    {
        if constexpr (kBits == 8)
            return __dp4a(word, 4u << (8 * window), table);
        else
            return table + 4 * (window ? word >> 16 : word & 0xffff);
    }
    __device__ static int count(std::uint32_t word, int window)
    {
        return static_cast<int>(word >> (kBits * window) & ((1u << kBits) - 1));
    }
};

/// The sums of a thread's windows.
template <int kWindows>
class Sums
{
public:
    __device__ void clear()
    {
#pragma unroll
        for (int window = 0; window < kWindows; ++window) sums[window] = 0, part[window] = 0;
    }
    __device__ void add(int window, std::int32_t difference) { part[window] += difference; }
    /// After at most four pairs of differences.
    __device__ void fold(int window)
    {
        sums[window] += part[window];
        part[window] = 0;
    }
    __device__ std::int64_t of(int window) const { return sums[window]; }

private:
    std::int64_t sums[kWindows];
    std::int32_t part[kWindows];
};

/// The float for one window of which so many cells exist; true if its sum leaves two. `ofNone` are
/// the cells that a mask or nodata takes away, `ofFirst` those of level 0, with what does not
/// exist.
template <bool kMissing>
__device__ bool finish(const Results &results, std::int64_t sum, int existing, int ofFirst,
                       int ofNone, float &answer)
{
    int cells = existing;
    if (existing < results.windowCells) {
        const int beyond = results.windowCells - existing;
        sum += __ldg(&results.sums[ofFirst - beyond]) - __ldg(&results.sums[ofFirst]);
    }
    if (kMissing) {
        cells -= ofNone;
        sum -= __ldg(&results.sums[ofNone]);
    }
    const std::int64_t difference = __ldg(&results.sums[cells]) - sum;
    const double scale = __ldg(&results.scales[cells]), value = static_cast<double>(difference);
    const auto low = static_cast<float>((value - results.error) * scale);
    const auto high = static_cast<float>((value + results.error) * scale);
    answer = difference ? low : 0; // one level
    if (cells == 0) answer = results.empty;
    return difference && low != high;
}

/// The results of a thread, those that are in its row.
template <int kWindows>
__device__ void write(const Results &results, float *to, int x, const float *answers)
{
    if (results.fours && x + kWindows <= results.width) {
        if constexpr (kWindows == 4)
            __stcs(reinterpret_cast<float4 *>(to),
                   make_float4(answers[0], answers[1], answers[2], answers[3]));
        else
            __stcs(reinterpret_cast<float2 *>(to), make_float2(answers[0], answers[1]));
        return;
    }
#pragma unroll
    for (int window = 0; window < kWindows; ++window)
        if (x + window < results.width) __stcs(to + window, answers[window]);
}

} // namespace local_entropy::walk
