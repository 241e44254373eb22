// How a warp stores a row of results of 3x3 windows (.cu), which may begin at any address.
//
// A lane has four results side by side, and stores them at once if they are a *quad*: 16 bytes at
// an address that 16 divides. They are if the row begins at such an address. Else it begins one to
// three columns behind one, and each lane's results lie in two quads. With two:
//
//   quads of memory             [       ] [       ] [       ] [
//   columns of the result           0 1   2 3 4 5   6 7 8 9  10 ...
//   the lanes that compute them     0 0   0 0 1 1   1 1 2 2   2 ...
//   the lanes that store them       0 0   1 1 1 1   2 2 2 2   3 ...
//
// So a lane stores the quad in which its first column lies: here the last two results of the lane
// before, and the first two of its own. What lanes hand on are not results but what results are
// looked up by: for four windows that is two words, and they move on by one shift, whatever the
// number of columns. That number differs from row to row where a stride is no multiple of a quad.
//
// The quad of a strip's first lane would need results of the strip before. So strips overlap by the
// columns of one lane, and the strip before stores that quad. Less than a quad is stored only at
// the ends of the result's rows.
//
// Where all rows begin at a quad, a lane's results are one: nothing moves, and strips do not
// overlap. Kernels for these have kAnywhere false.
#pragma once

#include "local_entropy/methods/equal/nine.h"

namespace local_entropy::equal
{

/// Columns from one strip to the next. `anywhere`: rows may begin at any address.
constexpr __host__ __device__ int nineColumns(bool anywhere)
{
    return resultColumns(3) - (anywhere ? kCellsALane : 0);
}

/// Whether the lane stores quads of the strip that begins in that column. The lane behind those
/// with results of their own could store the results of the last of these, but leaves them to the
/// next strip: a row ends before them in the last strip.
template <bool kAnywhere>
__device__ bool storesQuads(int strip)
{
    constexpr int kEnd = resultColumns(3) / kCellsALane;
    const int lane = threadIdx.x % kLanes;
    return (!kAnywhere || lane > 0 || strip == 0) && lane < kEnd;
}

/// From a lane's own columns of a row to its quad. Not kAnywhere: they are the same.
template <bool kAnywhere>
class Turn
{
public:
    /// `to`: the lane's first column of the row, for all lanes equally far behind a quad's begin.
    __device__ explicit Turn(float *to)
        : to(to), address(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(to)))
    {
    }

    /// The quad begins so many columns left of the lane's own: 0 ... 3.
    __device__ int columns() const
    {
        return kAnywhere ? static_cast<int>(address / kBytes % kCellsALane) : 0;
    }
    __device__ float4 *quad() const
    {
        constexpr std::uintptr_t kWithin = kCellsALane * kBytes - 1;
        const auto first = reinterpret_cast<std::uintptr_t>(to);
        return reinterpret_cast<float4 *>(kAnywhere ? first & ~kWithin : first);
    }

    // Shifts are by columns() times kBits. The address has columns() times kBytes in it, and of a
    // shift its last five bits count: so there is nothing to take out of it.

    /// Of the quad's windows. By all lanes.
    __device__ Weights operator()(const Weights &own) const
    {
        if (!kAnywhere) return own;
        constexpr std::uint32_t kBits = 16; // so two columns are a word
        const Weights before{__shfl_up_sync(kAllLanes, own.first, 1),
                             __shfl_up_sync(kAllLanes, own.last, 1)};
        const bool byWord = address & 2 * kBytes;
        const std::uint32_t left = byWord ? before.first : before.last;
        const std::uint32_t middle = byWord ? before.last : own.first;
        const std::uint32_t right = byWord ? own.first : own.last;
        return {__funnelshift_l(left, middle, kBits / kBytes * address),
                __funnelshift_l(middle, right, kBits / kBytes * address)};
    }
    /// A byte of each.
    __device__ std::uint32_t operator()(std::uint32_t own) const
    {
        if (!kAnywhere) return own;
        constexpr std::uint32_t kBits = 8;
        return __funnelshift_l(__shfl_up_sync(kAllLanes, own, 1), own, kBits / kBytes * address);
    }

private:
    static constexpr std::uint32_t kBytes = sizeof(float);

    float *const to;
    const std::uint32_t address; ///< its last bits
};

/// The answers of a quad that begins in column x: those that are in the result.
__device__ inline void storeWithin(float4 *quad, float4 answers, int x, int width)
{
    if (x >= 0 && x + kCellsALane <= width) {
        __stcs(quad, answers);
        return;
    }
    const float each[kCellsALane] = {answers.x, answers.y, answers.z, answers.w};
#pragma unroll
    for (int i = 0; i < kCellsALane; ++i)
        if (x + i >= 0 && x + i < width) __stcs(reinterpret_cast<float *>(quad) + i, each[i]);
}

} // namespace local_entropy::equal
