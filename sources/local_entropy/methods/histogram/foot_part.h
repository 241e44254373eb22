// How the blocks and warps of a kernel for footprints share the results (.cu).
//
// The results are strips, as wide as a warp's columns. A block gets its part of all strips' rows,
// one strip after the other, and as many rows as another one of the strips at the edges, which take
// longer. Its warps take stretches of them, in rounds: each warp one as long as any other's, then
// shorter ones of what is left, so that all end together. A whole window is counted where a stretch
// begins, and where it goes on in another strip.
#pragma once

#include "local_entropy/methods/histogram/foot.h"

namespace local_entropy::footprint
{

/// Rows first ... end - 1 of a strip.
struct Stretch
{
    int strip, first, end;
};

/// The part of one block.
class Part
{
public:
    template <typename Cell>
    __device__ Part(const Task<Cell> &task, int warps)
        : height(task.results.height), edgesBefore(task.edgesBefore), edges(task.edges),
          strips(task.strips), warps(warps)
    {
        const std::int64_t ofEdges = std::int64_t(edges) * height;
        const std::int64_t ofOthers = std::int64_t(strips - edges) * height;
        firstOfEdges = ofEdges * blockIdx.x / gridDim.x;
        edgeRows = ofEdges * (blockIdx.x + 1) / gridDim.x - firstOfEdges;
        firstOfOthers = ofOthers * blockIdx.x / gridDim.x;
        rows = edgeRows + ofOthers * (blockIdx.x + 1) / gridDim.x - firstOfOthers;
    }

    /// A warp takes rows begin ... end - 1 of the part, by all its lanes; false: there are no more.
    /// `next` is in shared memory, 0 at first.
    __device__ bool take(unsigned long long *next, std::int64_t &begin, std::int64_t &end) const
    {
        unsigned long long from = 0, size = 0;
        if (threadIdx.x % kLanes == 0) {
            from = *static_cast<volatile unsigned long long *>(next);
            for (bool taken = false; !taken && from < static_cast<unsigned long long>(rows);) {
                size = rowsAt(static_cast<std::int64_t>(from));
                const unsigned long long seen = atomicCAS(next, from, from + size);
                taken = seen == from;
                from = taken ? from : seen;
            }
        }
        begin = __shfl_sync(~0u, from, 0);
        end = begin + static_cast<std::int64_t>(__shfl_sync(~0u, size, 0));
        return begin < rows;
    }

    /// As much of these rows as lies in one strip.
    __device__ Stretch stretch(std::int64_t begin, std::int64_t end) const
    {
        const bool isEdge = begin < edgeRows;
        const std::int64_t row = isEdge ? firstOfEdges + begin : firstOfOthers + begin - edgeRows;
        const auto index = static_cast<int>(row / height);
        const auto first = static_cast<int>(row % height);
        if (isEdge) end = min(end, edgeRows);
        const int last = index < edgesBefore ? index : strips - edges + index;
        return {isEdge ? last : index + edgesBefore, first,
                static_cast<int>(min(first + end - begin, std::int64_t(height)))};
    }

private:
    /// Of the stretch that begins there. A round has three quarters of what the one before left.
    __device__ std::int64_t rowsAt(std::int64_t from) const
    {
        constexpr std::int64_t kShort = 16; // rows that take some times as long as a first window
        const std::int64_t least = min(kShort, (rows + warps - 1) / warps);
        for (std::int64_t left = rows;;) {
            const std::int64_t own = max(left * 3 / (4 * warps), least);
            left -= own * warps;
            if (from < rows - left) return min(own, rows - from);
        }
    }

    const int height, edgesBefore, edges, strips, warps;
    std::int64_t firstOfEdges, edgeRows, firstOfOthers, rows;
};

} // namespace local_entropy::footprint
