// From the sum of a window of wide_walk.h to its float, or to a bit if it leaves two (.cu).
#pragma once

#include "local_entropy/methods/histogram/wide_task.h"

#include <cstdint>

namespace local_entropy::wide
{

/// The float for the window of result (x, y), whose sum of F is `sum`, with `ofFirst` cells of
/// level 0 and `ofNone` that do not count; sets its bit if the sum leaves two.
template <typename Cell>
__device__ void finish(const Task<Cell> &task, int x, int y, std::int64_t sum,
                       std::uint32_t ofFirst, std::uint32_t ofNone)
{
    const int existing =
        task.plane.columnsOf(x, task.windowWidth) * task.plane.rowsOf(y, task.windowHeight);
    if (existing < task.windowCells) {
        const int beyond = task.windowCells - existing;
        sum += __ldg(&task.sums[ofFirst - beyond]) - __ldg(&task.sums[ofFirst]);
    }
    sum -= __ldg(&task.sums[ofNone]);
    const int count = existing - static_cast<int>(ofNone);
    const std::int64_t difference = __ldg(&task.sums[count]) - sum;
    const double scale = __ldg(&task.scales[count]), value = static_cast<double>(difference);
    const double error = count == task.windowCells ? task.margin.of(value) : task.error;
    const auto low = static_cast<float>((value - error) * scale);
    const auto high = static_cast<float>((value + error) * scale);
    float answer = difference ? low : 0; // one level
    if (count == 0) answer = task.empty;
    task.result[y * task.resultStride + x] = answer;
    if (difference && low != high)
        atomicOr(&task.undecided[y * task.wordsARow + x / 32], 1u << (x % 32));
}

} // namespace local_entropy::wide
