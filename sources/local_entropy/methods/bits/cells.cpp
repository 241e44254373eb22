#include "local_entropy/methods/bits/cells.h"

#include "local_entropy/answers/partitions.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace local_entropy::bits
{
namespace
{

/// Sixteen counters of a byte, as two numbers: all of them are added at once.
struct Counts
{
    std::uint64_t low = 0, high = 0;

    Counts &operator+=(Counts other)
    {
        low += other.low;
        high += other.high;
        return *this;
    }
    Counts &operator-=(Counts other)
    {
        low -= other.low;
        high -= other.high;
        return *this;
    }
};

Counts countOf(float cell)
{
    const int level = static_cast<int>(cell);
    const std::uint64_t one = std::uint64_t(1) << 8 * (level % 8);
    return level < 8 ? Counts{one, 0} : Counts{0, one};
}

/// One look-up gives the terms of two levels.
struct Logs
{
    static constexpr int kBits = 5; // of a count
    static_assert(kWindowCells < 1 << kBits);

    double ofTwo[1 << 2 * kBits] = {}; ///< n ln n + m ln m, by n | m << kBits
    double ln[kWindowCells + 1] = {};
    Logs()
    {
        for (int n = 1; n <= kWindowCells; ++n) ln[n] = std::log(static_cast<double>(n));
        for (int n = 0; n <= kWindowCells; ++n)
            for (int m = 0; m <= kWindowCells; ++m) ofTwo[n | m << kBits] = n * ln[n] + m * ln[m];
    }
    /// Over eight levels, each a byte.
    double sum(std::uint64_t counts) const
    {
        constexpr std::uint64_t kMask = (1 << 2 * kBits) - 1, kFirst = 0x001f001f001f001f;
        const std::uint64_t pairs = (counts & kFirst) | (counts >> (8 - kBits) & kFirst << kBits);
        return (ofTwo[pairs & kMask] + ofTwo[pairs >> 16 & kMask]) +
               (ofTwo[pairs >> 32 & kMask] + ofTwo[pairs >> 48 & kMask]);
    }
};

/// Double precision is enough to round the right way: no entropy of a window lies so near to the
/// middle between two floats that its error of some 1e-15 mattered. A test tries all partitions.
float entropyOf(Counts counts, int cells)
{
    static const Logs logs;
    const double sum = logs.sum(counts.low) + logs.sum(counts.high);
    const double entropy = logs.ln[cells] - sum / cells;
    return entropy < 1e-9 ? 0.0f : static_cast<float>(entropy); // one level: exactly 0
}

} // namespace

void computeCells(const Task &task, std::int64_t begin, std::int64_t end, Scratch &scratch)
{
    const std::int64_t width = task.width;
    // of the rows that the windows of a row reach
    auto *const columns =
        static_cast<Counts *>(scratch.get(Scratch::MethodA, width * sizeof(Counts)));
    std::uninitialized_fill_n(columns, width, Counts{});
    const auto addRow = [&](std::int64_t y) {
        for (std::int64_t x = 0; x < width; ++x) columns[x] += countOf(task.sample[y * width + x]);
    };
    const std::int64_t first = std::max<std::int64_t>(begin - kRadius, 0);
    for (std::int64_t y = first; y < std::min(begin + kRadius, task.height); ++y) addRow(y);
    for (std::int64_t y = begin; y < end; ++y) {
        if (y + kRadius < task.height) addRow(y + kRadius);
        if (y - kRadius > first)
            for (std::int64_t x = 0; x < width; ++x)
                columns[x] -= countOf(task.sample[(y - kRadius - 1) * width + x]);
        const std::int64_t rows =
            std::min(y + kRadius + 1, task.height) - std::max<std::int64_t>(y - kRadius, 0);
        Counts window;
        for (std::int64_t x = 0; x < std::min<std::int64_t>(kRadius, width); ++x)
            window += columns[x];
        for (std::int64_t x = 0; x < width; ++x) {
            if (x + kRadius < width) window += columns[x + kRadius];
            if (x > kRadius) window -= columns[x - kRadius - 1];
            const std::int64_t across =
                std::min(x + kRadius + 1, width) - std::max<std::int64_t>(x - kRadius, 0);
            task.result[(y - task.firstRow) * width + x] =
                entropyOf(window, static_cast<int>(across * rows));
        }
    }
}

Cells lookAt(const Task &task, const Region &place)
{
    const std::int64_t left = std::max<std::int64_t>(place.x - kRadius, 0);
    const std::int64_t right = std::min(place.x + place.width + kRadius, task.width);
    const std::int64_t top = std::max<std::int64_t>(place.y - kRadius, 0);
    const std::int64_t bottom = std::min(place.y + place.height + kRadius, task.height);
    bool missing = false;
    for (std::int64_t y = top; y < bottom; ++y)
        for (const float *cell = task.sample + y * task.width + left,
                         *end = task.sample + y * task.width + right;
             cell < end; ++cell) {
            if (*cell >= 0 && *cell < kLevels &&
                *cell == static_cast<float>(static_cast<int>(*cell)))
                continue;
            if (*cell == *cell) return Cells::Bad;
            missing = true;
        }
    return missing ? Cells::Missing : Cells::Good;
}

} // namespace local_entropy::bits
