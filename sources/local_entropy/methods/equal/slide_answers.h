// From what slide.h has counted to floats (.cu): where all cells of the windows count, where they
// may not, and where a sum leaves two floats.
#pragma once

#include "local_entropy/methods/equal/share_scale.h"
#include "local_entropy/methods/equal/slide_task.h"
#include "local_entropy/methods/equal/strip.h"

#include <cstdint>

namespace local_entropy::equal
{

/// What is rare is not made part of the kernels' loops, which would grow by it.
template <typename Cell>
__device__ __noinline__ float exceptionalAnswer(const SlideTask<Cell> &task, int cells,
                                                std::int64_t difference)
{
    const std::int64_t key = exceptionKey(cells, difference);
    int begin = 0;
    for (int end = task.exceptionCount; begin + 1 < end;) {
        const int middle = (begin + end) / 2;
        (task.exceptions[middle].key <= key ? begin : end) = middle;
    }
    return task.exceptions[begin].answer;
}

/// What a lane knows of its four windows, which Windows (slide_windows.h) keeps, and the floats
/// that follow. kHeight is 0 where the kernel is for windows of any height.
template <typename Cell, int kWidth, int kHeight, bool kMissing>
class FourWindows
{
public:
    /// Windows sets the sums, after its own members: then the machine code stays what was measured.
    __device__ explicit FourWindows(const SlideTask<Cell> &task) : task(task) {}

    /// The floats for the windows, of which so many rows and columns exist; a bit for each that
    /// its sum leaves undecided. Those of no result are anything.
    __device__ unsigned finish(bool cut, int rows, const int *columns, float *answers) const
    {
        if (kMissing || cut) return finishFewer(cut, rows, columns, answers);
        if constexpr (kHeight && kWidth * kHeight <= ShareScale::kMostCells) {
            finishAll(answers);
            return 0;
        }
        unsigned undecided = 0;
        const int cells = task.strips.windowCells;
#pragma unroll
        for (int i = 0; i < kCellsALane; ++i)
            if (!decides(__longlong_as_double(biased[i]) - kBias, task.scale, task.shift,
                         answers[i]))
                undecided |= 1u << i;
        if (undecided == 0 || task.undecided) return undecided;
#pragma unroll
        for (int i = 0; i < kCellsALane; ++i)
            if (undecided >> i & 1) lookUp(cells, biased[i] - kBitsOfBias, answers[i]);
        return 0;
    }

protected:
    std::int64_t biased[kCellsALane];        ///< F(windowCells) - sum F(n), and kBitsOfBias
    std::uint32_t notFirst = 0, notNone = 0; ///< cells, in four bytes

private:
    /// Of windows of few cells, all of which count: what is to be looked up is told by the product
    /// alone. It is rounded once: kBias goes as it came.
    __device__ void finishAll(float *answers) const
    {
        bool any = false;
        std::uint32_t lower[kCellsALane];
#pragma unroll
        for (int i = 0; i < kCellsALane; ++i) {
            const double value = fma(__longlong_as_double(biased[i]), task.scale, -task.bias);
            answers[i] = static_cast<float>(value);
            lower[i] = static_cast<std::uint32_t>(__double2loint(value));
            any |= task.middles.hold(lower[i]);
        }
        if (!any) return;
#pragma unroll
        for (int i = 0; i < kCellsALane; ++i)
            if (task.middles.hold(lower[i]))
                lookUp(kWidth * kHeight, biased[i] - kBitsOfBias, answers[i]);
    }

    __device__ unsigned finishFewer(bool cut, int rows, const int *columns, float *answers) const
    {
        unsigned undecided = 0;
#pragma unroll
        for (int i = 0; i < kCellsALane; ++i) {
            const Fewer fewer = fewerCells(cut, i, rows * columns[i]);
            const double scale = __ldg(&task.scales[fewer.cells]);
            const double difference = static_cast<double>(fewer.difference);
            if (!decides(difference, scale, task.error * scale, answers[i]))
                undecided |= lookUp(fewer.cells, fewer.difference, answers[i]) << i;
            if (fewer.cells == 0) answers[i] = task.empty;
        }
        return undecided;
    }

    /// A window of which not all cells count: how many do, and D.
    struct Fewer
    {
        int cells;
        std::int64_t difference;
    };
    __device__ Fewer fewerCells(bool cut, int i, int existing) const
    {
        const int windowCells = task.strips.windowCells;
        const int ofFirst = windowCells - byteOf(notFirst, i);
        const int missing = kMissing ? windowCells - byteOf(notNone, i) : 0;
        // Of no result, there may be less than none.
        const int cells = max(existing - missing, 0);
        const int ofFirstLevel = max(ofFirst - (windowCells - existing), 0);
        std::int64_t difference = __ldg(&task.sums[cells]) - task.sum + (biased[i] - kBitsOfBias);
        if (cut) difference += __ldg(&task.sums[ofFirst]) - __ldg(&task.sums[ofFirstLevel]);
        if (kMissing) difference += __ldg(&task.sums[missing]);
        return {cells, difference};
    }

    /// The float, whether D leaves no other. Where D is 0 it is 0; else D is much more than its
    /// error. `shift` is the error, scaled as D is.
    __device__ static bool decides(double difference, double scale, double shift, float &answer)
    {
        const auto low = static_cast<float>(fma(difference, scale, -shift));
        const auto high = static_cast<float>(fma(difference, scale, shift));
        answer = fmaxf(low, 0);
        return !(low > 0 && low < high); // also of no result, which may be NaN
    }
    /// The answer if it is listed, then 0; else 1.
    __device__ unsigned lookUp(int cells, std::int64_t difference, float &answer) const
    {
        if (task.undecided) return 1;
        answer = exceptionalAnswer(task, cells, difference);
        return 0;
    }

    const SlideTask<Cell> &task;
};

} // namespace local_entropy::equal
