// The judge of the library: every result from the definition, one window at a time, in long double.
// It shares no code with the library but the plain data of filter.h.
#pragma once

#include "local_entropy/filter.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <type_traits>

namespace judge
{

using local_entropy::Base;
using local_entropy::Border;
using local_entropy::Filter;
using local_entropy::Measure;
using local_entropy::View;

/// The index that SciPy's border modes read for index i of n: step by step, as they are drawn.
/// -1: nothing; -2: the constant.
inline std::int64_t indexOf(Border border, std::int64_t i, std::int64_t n)
{
    while (i < 0 || i >= n) switch (border) {
        case Border::Cut: return -1;
        case Border::Constant: return -2;
        case Border::Nearest: return i < 0 ? 0 : n - 1;
        case Border::Wrap: i += i < 0 ? n : -n; break;
        case Border::Reflect: i = i < 0 ? -1 - i : 2 * n - 1 - i; break; // the edge twice
        case Border::Mirror:
            if (n == 1) return 0;
            i = i < 0 ? -i : 2 * n - 2 - i; // the edge once
            break;
        }
    return i;
}

/// The level of a cell; nothing if it does not count.
inline std::optional<int> levelOf(const Filter &filter, double cell)
{
    if (std::isnan(cell) || (filter.nodata && cell == *filter.nodata)) return {};
    const auto &levels = filter.levels;
    double level = cell - levels.low;
    if (levels.binned)
        level = std::floor((cell - levels.low) * (levels.count / (levels.high - levels.low)));
    if (levels.binned && cell <= levels.high) level = std::fmin(level, levels.count - 1);
    if (levels.clamp) level = std::fmax(0, std::fmin(level, levels.count - 1));
    return static_cast<int>(level);
}

/// What a window with these counts is worth. Terms are above 0, so that none cancels another: where
/// one level has nearly all cells, ln N - sum(n ln n) / N would keep few of its digits.
inline long double valueOf(const Filter &filter, const std::map<int, int> &counts)
{
    long double cells = 0, logs = 0, others = 0, powers = 0, largest = 0;
    for (const auto &entry : counts) cells += entry.second;
    if (cells == 0) return filter.empty;
    for (const auto &entry : counts) {
        const long double n = entry.second;
        logs += n * std::log1p((cells - n) / n); // n ln(N / n)
        others += n * (cells - n);
        powers += std::pow(n / cells, static_cast<long double>(filter.order));
        largest = std::fmax(largest, n / cells);
    }
    const long double entropy = logs / cells;
    switch (filter.measure) {
    case Measure::Entropy:
        return filter.base == Base::E     ? entropy
               : filter.base == Base::Two ? entropy / std::log(2.0L)
                                          : entropy / std::log(10.0L);
    case Measure::Simpson: return others / (cells * cells);
    case Measure::Richness: return counts.size();
    case Measure::Hill: break;
    }
    if (filter.order == 1) return std::exp(entropy);
    if (std::isinf(filter.order)) return 1 / largest;
    return std::pow(powers, 1 / (1 - static_cast<long double>(filter.order)));
}

/// The result of cell (x, y) of an image.
template <typename Cell>
long double resultOf(const Filter &filter, const View<const Cell> &image,
                     const View<const std::uint8_t> &mask, std::int64_t x, std::int64_t y)
{
    const auto &window = filter.window;
    std::map<int, int> counts;
    for (int row = 0; row < window.height; ++row)
        for (int column = 0; column < window.width; ++column) {
            if (!window.footprint.empty() && !window.footprint[row * window.width + column])
                continue;
            const std::int64_t cx =
                indexOf(filter.border, x - window.width / 2 - window.originX + column, image.width);
            const std::int64_t cy =
                indexOf(filter.border, y - window.height / 2 - window.originY + row, image.height);
            if (cx == -1 || cy == -1) continue;
            double cell = std::is_same_v<Cell, bool> ? filter.constant != 0 : filter.constant;
            if (cx >= 0 && cy >= 0) {
                if (mask.data && !mask.data[cy * mask.stride + cx]) continue;
                cell = static_cast<double>(image.data[cy * image.stride + cx]);
            }
            const std::optional<int> level = levelOf(filter, cell);
            if (level) ++counts[*level];
        }
    return valueOf(filter, counts);
}

/// Whether `value` is the T nearest to the truth, as far as long double can tell: where the truth
/// lies so near to the middle of two that it cannot, both are right. NaN is right for NaN only.
template <typename T>
bool isNearest(T value, long double truth)
{
    if (std::isnan(truth)) return std::isnan(value);
    const long double doubt =
        64 * std::numeric_limits<long double>::epsilon() * std::fmax(std::fabs(truth), 1e-6L);
    return value == static_cast<T>(truth - doubt) || value == static_cast<T>(truth) ||
           value == static_cast<T>(truth + doubt);
}

} // namespace judge
