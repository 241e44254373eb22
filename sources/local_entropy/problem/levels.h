// Which level a cell is.
#pragma once

#include "common/host_device.h"
#include "local_entropy/problem/problem.h"

#include <cmath>
#include <cstdint>
#include <optional>

namespace local_entropy
{

constexpr std::int32_t kAbsent = -1;   ///< the cell does not count: nodata or NaN
constexpr std::int32_t kBadLevel = -2; ///< it is not a level

/// The rule of a filter.
class LevelRule
{
public:
    explicit LevelRule(const Filter &filter)
        : levels(filter.levels), most(filter.levels.count - 1),
          high(filter.levels.binned ? filter.levels.high : filter.levels.low + most),
          perUnit(filter.levels.count / (filter.levels.high - filter.levels.low)),
          hasNodata(filter.nodata.has_value()), nodata(filter.nodata.value_or(0)),
          ofNaN(filter.nanIsError ? kBadLevel : kAbsent)
    {
    }

    /// The level of a cell, kAbsent or kBadLevel.
    HOST_DEVICE std::int32_t operator()(double cell) const
    {
        if (cell != cell) return ofNaN;
        if (hasNodata && cell == nodata) return kAbsent;
        const bool inside = cell >= levels.low && cell <= high;
        if (!inside && !levels.clamp) return kBadLevel;
        double level = cell - levels.low;
        if (levels.binned)
            level = std::floor(level * perUnit);
        else if (inside && cell != std::floor(cell))
            return kBadLevel; // the difference may be an integer all the same: 1e-30 - -1 is 1
        // Clamped; or `high`, and products that were rounded up.
        level = level < 0 ? 0 : level > most ? most : level;
        return static_cast<std::int32_t>(level);
    }

private:
    Levels levels;
    double most, high, perUnit; ///< `high`: the largest cell that is a level
    bool hasNodata;
    double nodata;
    std::int32_t ofNaN;
};

/// The same for cells that are integers of 16 bits or less, and not binned: conditions are masks of
/// bits, which compilers make vectors of on every processor.
class IntegerRule
{
public:
    explicit IntegerRule(const Filter &filter)
        : low(filter.levels.binned ? 0 : static_cast<std::int32_t>(filter.levels.low)),
          most(filter.levels.count - 1), nodata(integerOr(filter.nodata, kNever)),
          clamp(filter.levels.clamp)
    {
    }

    HOST_DEVICE std::int32_t operator()(std::int32_t cell) const
    {
        std::int32_t level = cell - low;
        if (clamp) {
            level &= ~(level >> 31);
            level += (most - level) & (most - level) >> 31;
        }
        const std::int32_t outside = (level | (most - level)) >> 31;
        const std::int32_t absent = -(cell == nodata);
        return (((level & ~outside) | (kBadLevel & outside)) & ~absent) | (kAbsent & absent);
    }

private:
    static constexpr std::int32_t kNever = 1 << 30; ///< beyond all cells, and all less `low`

    static std::int32_t integerOr(const std::optional<double> &number, std::int32_t other)
    {
        const bool isInteger =
            number && std::abs(*number) < kNever && *number == std::floor(*number);
        return isInteger ? static_cast<std::int32_t>(*number) : other;
    }

    std::int32_t low, most, nodata;
    bool clamp;
};

/// The level of the cells beyond the edge, for Border::Constant.
inline std::int32_t constantLevel(const Filter &filter, CellType type)
{
    const double cell = type == CellType::Bool ? filter.constant != 0 : filter.constant;
    return LevelRule(filter)(cell);
}

/// Cells that are levels as they are: bytes, or two of them, that need at most be compared.
inline bool levelsAreCells(const Filter &filter, CellType type)
{
    return (type == CellType::Uint8 || type == CellType::Uint16) && !filter.levels.binned &&
           filter.levels.low == 0 && !filter.nodata && !filter.levels.clamp;
}

} // namespace local_entropy
