#include "local_entropy/schedule/same_filter.h"

#include <cstring>

namespace local_entropy
{
namespace
{

bool isSame(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

bool isSame(const Window &a, const Window &b)
{
    return a.width == b.width && a.height == b.height && a.originX == b.originX &&
           a.originY == b.originY && a.footprint == b.footprint;
}

bool isSame(const Levels &a, const Levels &b)
{
    return a.count == b.count && a.binned == b.binned && a.clamp == b.clamp &&
           isSame(a.low, b.low) && isSame(a.high, b.high);
}

bool isSame(const std::optional<double> &a, const std::optional<double> &b)
{
    return a.has_value() == b.has_value() && (!a || isSame(*a, *b));
}

} // namespace

bool isSame(const Filter &a, const Filter &b)
{
    return isSame(a.window, b.window) && isSame(a.levels, b.levels) && a.border == b.border &&
           isSame(a.constant, b.constant) && a.measure == b.measure && isSame(a.order, b.order) &&
           a.base == b.base && isSame(a.empty, b.empty) && isSame(a.nodata, b.nodata) &&
           a.nanIsError == b.nanIsError;
}

} // namespace local_entropy
