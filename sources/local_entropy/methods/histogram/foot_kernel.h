// The kernel for footprints (.cu): see foot.h.
#pragma once

#include "common/dependent_launch.h"
#include "local_entropy/methods/histogram/foot_part.h"
#include "local_entropy/methods/histogram/foot_walker.h"

namespace local_entropy::footprint
{

/// The same number in all lanes, which the compiler knows.
__device__ inline int uniform(int number)
{
#if __CUDA_ARCH__ >= 800
    return static_cast<int>(__reduce_max_sync(~0u, static_cast<unsigned>(number)));
#else
    return number;
#endif
}

/// A thread's columns of results.
template <typename Cell, typename In, bool kMissing>
class Columns
{
public:
    static constexpr int kWindows = In::kWindows;
    using Own = Walker<Cell, In>;

    __device__ Columns(const Task<Cell> &task, Own &walker, const PieceView<Cell> &piece,
                       int column)
        : task(task), walker(walker), piece(piece), column(column),
          // Threads beyond the last column do as the last ones do, and write nothing.
          x(min(column, (task.results.width - 1) / kWindows * kWindows)),
          whole(task.results.aligned && column + kWindows <= task.results.width)
    {
    }

    /// Results of rows first ... end - 1. Steps from rows innerBegin ... innerEnd - 1, of windows
    /// whose rows all exist, meet rows of the piece alone. allExist: so do their columns.
    template <typename Quick, typename Inner, typename Any>
    __device__ void walkDown(int first, int end, int innerBegin, int innerEnd, bool allExist,
                             bool quick)
    {
        Inner::count(walker, piece, x, first);
        for (int y = first; y < end - 1;) {
            int next = innerEnd;
            if (y < innerBegin || y >= innerEnd) {
                next = min(y < innerBegin ? min(innerBegin, end - 1) : end - 1, y + Any::kMost);
                inner<Any, false>(y, next, false);
            } else if (!kMissing && quick) {
                inner<Quick, true>(y, next, true);
            } else {
                inner<Inner, false>(y, next, allExist);
            }
            y = next;
        }
        mark(end - 1, writeCut(end - 1, absent()));
    }

private:
    /// The counters that tell of cells that do not count, of this row.
    struct Absent
    {
        std::uint32_t first, none; ///< of level 0 and of `none`
    };

    __device__ Absent absent() const
    {
        return {walker.counters(0), kMissing ? walker.counters(task.plane.none) : 0};
    }

    /// Rows y ... end - 1 and the steps from them.
    template <typename Steps, bool kAllExist>
    __device__ void inner(int y, int end, bool allExist)
    {
        const bool whole = !kMissing && (kAllExist || allExist);
        Steps steps;
        steps.begin(piece, x, y);
        if constexpr (Steps::kParts == 0) {
            for (; y < end; ++y) {
                mark(y, whole ? writeWhole(y) : writeCut(y, absent()));
                steps.step(walker, x, y, y + 1 < end);
            }
        } else {
            // A step begins before the look-ups of the one before it end.
            Absent now = whole ? Absent{} : absent();
            steps.change(walker);
#pragma unroll 1
            for (;; ++y) {
                steps.changeMore(walker);
                const std::uint32_t undecided = whole ? writeWhole(y) : writeCut(y, now);
                steps.order(y + 1 < end); // before `mark`: behind it, they end up too late
                mark(y, undecided);
                steps.goOn(walker);
                if (y + 1 == end) break;
                if (!whole) now = absent();
                steps.change(walker);
                steps.end(walker);
            }
            steps.end(walker);
        }
    }

    /// Results of windows of which all cells count; gives the undecided ones, a bit each.
    __device__ std::uint32_t writeWhole(int y) const
    {
        float answers[kWindows];
        std::uint32_t undecided = 0;
#pragma unroll
        for (int window = 0; window < kWindows; ++window) {
            // 2^52 + rest, in the bits of a double
            const std::int64_t rest = walker.rest(window);
            const double value = __longlong_as_double(rest + 0x4330000000000000) - 0x1p52;
            const double margin = task.margin.of(value);
            const auto low = static_cast<float>(fma(value, task.scale, -margin));
            const auto high = static_cast<float>(fma(value, task.scale, margin));
            answers[window] = value != 0 ? low : 0; // one level
            if (value != 0 && low != high) undecided |= 1u << window;
        }
        return write(y, answers, undecided);
    }

    /// The same of any windows.
    __device__ std::uint32_t writeCut(int y, const Absent &absent) const
    {
        const PlaneView<Cell> &plane = task.plane;
        const int width = task.windowWidth, height = task.windowHeight;
        const auto within = [](int i, int end) { return min(max(i, 0), end); };
        const std::int32_t *above = task.cellsBefore + within(plane.top - y, height) * (width + 1);
        const std::int32_t *below =
            task.cellsBefore + within(plane.bottom - y, height) * (width + 1);
        walk::Results results = task.results;
        float answers[kWindows];
        std::uint32_t undecided = 0;
#pragma unroll
        for (int window = 0; window < kWindows; ++window) {
            const int left = within(plane.left - x - window, width);
            const int right = within(plane.right - x - window, width);
            const int existing = __ldg(below + right) - __ldg(below + left) - __ldg(above + right) +
                                 __ldg(above + left);
            const int none = In::count(absent.none, window);
            const int cells = existing - (kMissing ? none : 0);
            const std::int64_t rest = walker.rest(window);
            // In a sparse image many windows of a row share their cells in the same way: a bound
            // that is larger than need be would leave them all undecided.
            const bool isDominated = cells == results.windowCells && rest <= task.limit;
            results.error = __ldg(task.errors + cells + isDominated);
            if (walk::finish<kMissing>(results, task.total - rest, existing,
                                       In::count(absent.first, window), none, answers[window]))
                undecided |= 1u << window;
        }
        return write(y, answers, undecided);
    }

    /// Gives those of `undecided` that there are.
    __device__ std::uint32_t write(int y, const float (&answers)[kWindows],
                                   std::uint32_t undecided) const
    {
        const walk::Results &results = task.results;
        float *const to = results.result + y * results.stride + column;
        if (whole) {
            if constexpr (kWindows == 4)
                __stcs(reinterpret_cast<float4 *>(to),
                       make_float4(answers[0], answers[1], answers[2], answers[3]));
            else if constexpr (kWindows == 2)
                __stcs(reinterpret_cast<float2 *>(to), make_float2(answers[0], answers[1]));
            else
                __stcs(to, answers[0]);
        } else {
#pragma unroll
            for (int window = 0; window < kWindows; ++window) {
                if (column + window < results.width)
                    __stcs(to + window, answers[window]);
                else
                    undecided &= ~(1u << window);
            }
        }
        return undecided;
    }
    __device__ void mark(int y, std::uint32_t undecided) const
    {
        const walk::Results &results = task.results;
        if (undecided)
            atomicOr(&results.undecided[y * results.wordsARow + column / 32],
                     undecided << (column % 32));
    }

    const Task<Cell> &task;
    Own &walker;
    const PieceView<Cell> &piece;
    const int column, x;
    const bool whole;
};

/// `Quick` steps where they can, else `Inner` ones where a piece has all rows, else `Any`.
template <typename Cell, typename In, typename Quick, typename Inner, typename Any, bool kMissing>
__global__ void __launch_bounds__(kMostHistograms *In::kSharing *kLanes, 1)
    footprint(const __grid_constant__ Task<Cell> task)
{
    constexpr int kWindows = In::kWindows, kColumns = kWindows * kLanes;
    // How much of its part the block has taken; differences; pieces; a histogram for every warp.
    extern __shared__ std::uint32_t shared[];
    common::letNextKernelStart();
    const int pieceCount = task.pieceEnds[3 * kLongest - 1];
    const TableWords words(task.results.windowCells, pieceCount);
    auto *const taken = reinterpret_cast<unsigned long long *>(shared);
    std::uint32_t *const table = shared + TableWords::kFew;
    auto *const pieces = reinterpret_cast<Piece *>(table + words.differences);
    if (threadIdx.x == 0) *taken = 0;
    for (int n = threadIdx.x; n < task.results.windowCells; n += blockDim.x)
        table[n] = static_cast<std::uint32_t>(task.differences[n]);
    for (int i = threadIdx.x; i < pieceCount; i += blockDim.x) pieces[i] = task.pieces[i];
    common::waitForLastKernel();
    __syncthreads();

    const int lane = threadIdx.x % kLanes, warp = uniform(threadIdx.x / kLanes);
    const std::uint32_t *const own =
        shared + words.all() + warp / In::kSharing * task.values * kLanes + lane;
    Walker<Cell, In> walker(task, walk::addressOf(own), walk::addressOf(table), pieces,
                            warp % In::kSharing);
    const Part part(task, blockDim.x / kLanes);
    for (std::int64_t begin, end; part.take(taken, begin, end);)
        while (begin < end) {
            const Stretch stretch = part.stretch(begin, end);
            begin += stretch.end - stretch.first;
            const int first = uniform(stretch.first), last = uniform(stretch.end);
            const int left = uniform(stretch.strip) * kColumns;
            const int right = left + kColumns + task.windowWidth - 1;
            const PlaneView<Cell> &plane = task.plane;
            const PieceView<Cell> piece = plane.pieceOf(left, right);
            const bool allExist = !kMissing && left >= plane.left && right <= plane.right;
            const int innerBegin = max(max(first, piece.top), plane.top);
            const int innerEnd =
                min(last - 1, min(piece.top + piece.rows, plane.bottom) - task.windowHeight);
            Columns<Cell, In, kMissing> columns(task, walker, piece, left + lane * kWindows);
            columns.template walkDown<Quick, Inner, Any>(
                first, last, innerBegin, Inner::can(piece, left) ? innerEnd : innerBegin, allExist,
                allExist && Quick::can(piece, left));
        }
}

} // namespace local_entropy::footprint
