// Where kernels tell of cells that are no levels. For .cu files that nvcc compiles.
#pragma once

#include "common/device_array.h"
#include "local_entropy/error.h"
#include "local_entropy/problem/plane.h"

#include <string>

namespace local_entropy
{

/// The first one that kernels of a GPU have seen: the one that was current when this was made, and
/// is so whenever it is used.
class BadCells
{
public:
    BadCells() : first(common::upload(&kNoBadCell, 1)) {}

    /// In the memory of the GPU: kernels lower it to the cell that they see.
    BadCell *data() { return first.data(); }

    /// It, once; kNoBadCell: none. For when no kernel runs that may lower it. Waits for `stream`.
    BadCell take(cudaStream_t stream)
    {
        BadCell cell = kNoBadCell;
        const common::PartScope scope(common::Part::Down);
        CUDA_CHECK(
            cudaMemcpyAsync(&cell, first.data(), sizeof cell, cudaMemcpyDeviceToHost, stream));
        CUDA_CHECK(cudaStreamSynchronize(stream));
        if (cell == kNoBadCell) return cell;
        CUDA_CHECK(cudaMemsetAsync(first.data(), 0xFF, sizeof cell, stream));
        CUDA_CHECK(cudaStreamSynchronize(stream)); // before launches in other streams
        return cell;
    }

private:
    common::DeviceArray<BadCell> first;
};

/// Throws Error (BadLevel) with the place of the cell, unless it is kNoBadCell.
inline void throwIfBad(BadCell cell)
{
    if (cell == kNoBadCell) return;
    const BadCell x = cell & ((BadCell(1) << kBadCellBits) - 1), y = cell >> kBadCellBits;
    throw Error(Status::BadLevel, "the cell at x " + std::to_string(x) + ", y " +
                                      std::to_string(y) +
                                      " of an image that was put into a stream is not a level");
}

} // namespace local_entropy
