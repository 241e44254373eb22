// The entropy of every 5x5 window of an array in device memory: the interface. On an H200 a large
// aligned array takes little longer than a copy of it. Needs CUDA.
#pragma once

#include "common/device_array.h"
#include "local_entropy/methods/words/hash.h"
#include "local_entropy/methods/words/plan.h"
#include "local_entropy/methods/words/tables.h"
#include "local_entropy/problem/bad_cells.h"

#include <cstdint>
#include <limits>

namespace local_entropy::words
{

/// What one device needs to compute entropies: its tables, a word by which it reports, and
/// counters. Launches that have the same counter must follow each other, in one stream say.
class Gpu
{
public:
    /// For the device that is current now, and whenever it is used, or for so many of its
    /// multiprocessors. Throws common::Error where CUDA does, common::Unavailable where there is
    /// too little memory, on the device or shared by a block.
    explicit Gpu(int mostMultiprocessors = std::numeric_limits<int>::max(), int counters = 1);

    /// Bytes of shared memory that a block needs, at least.
    static int sharedBytes();

    /// Puts the computation of the rows [begin, end) of an array into `stream`: the correctly
    /// rounded entropy (natural logarithm) of the 5x5 window around every cell; windows are cut at
    /// the edge of the array.
    ///
    /// sample   device memory: height rows of width cells, sample[y * width + x], each an integer
    ///          0..15. Rows begin - 2 .. end + 1, where they exist, decide the result; nothing
    ///          outside the array is read.
    /// result   device memory: the same shape; only rows [begin, end) are written.
    ///
    /// Fastest where width is a multiple of 4 and both are aligned to 16 bytes.
    void launch(std::int64_t width, std::int64_t height, const float *sample, float *result,
                std::int64_t begin, std::int64_t end, cudaStream_t stream = nullptr,
                int counter = 0);

    /// The same for cells of one byte, each a level below `levels`, 2 ... 16, of an array with gaps
    /// between its rows, whose bytes may be read.
    ///
    /// result   device memory: of the cell (area.left, area.begin); rows are resultStride apart.
    ///
    /// Fastest where all columns have results, width and strides are multiples of 4, `sample` is
    /// aligned to 4 bytes and `result` to 16.
    void launch(const Area &area, int levels, const Level *sample, float *result,
                std::int64_t resultStride, cudaStream_t stream = nullptr, int counter = 0);

    /// The same two with a counter of the caller's, in device memory, that nobody else uses until
    /// this has ended. May be captured into a graph.
    void launch(const Area &area, const float *sample, float *result, std::int64_t resultStride,
                unsigned *counter, cudaStream_t stream);
    void launch(const Area &area, int levels, const Level *sample, float *result,
                std::int64_t resultStride, unsigned *counter, cudaStream_t stream);

    /// After the launches have ended: the first cell that was no level, of those that windows
    /// reached; kNoBadCell: none. Else the results hold anything. Forgets it. Waits for `stream`.
    BadCell firstBadCell(cudaStream_t stream = nullptr) { return badCells.take(stream); }
    bool sawBadCell(cudaStream_t stream = nullptr) { return firstBadCell(stream) != kNoBadCell; }

private:
    template <typename Cell, Layout kLayout>
    void launchKernel(const Area &area, const Cell *sample, float *result,
                      std::int64_t resultStride, int levels, cudaStream_t stream, unsigned *counter,
                      bool overlaps);
    /// In the layout that suits it best.
    template <typename Cell>
    void launchFittest(const Area &area, const Cell *sample, float *result,
                       std::int64_t resultStride, int levels, cudaStream_t stream,
                       unsigned *counter, bool overlaps);

    common::DeviceArray<GpuTables> tables;
    common::DeviceArray<unsigned> nextItem; ///< of the small items, by counter; 0 between launches
    BadCells badCells;                      ///< that were seen
    int multiprocessors = 0, warps = 0;     ///< that are used; of a block
    bool canOverlap = false;                ///< a launch may begin while the last one ends
};

} // namespace local_entropy::words
