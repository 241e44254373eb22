// Cells of floats that a rule for levels may get wrong, the filters that ask for them, and what
// each cell is by the definition.
#pragma once

#include "local_entropy/problem/levels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

/// Next to levels, and far from all.
inline std::vector<float> unusualFloats()
{
    const float infinity = std::numeric_limits<float>::infinity();
    std::vector<float> cells = {0.0f,     -0.0f,     1e-40f, -1e-40f, 0.5f,   -0.5f,
                                1e-30f,   -1e-30f,   3e38f,  -3e38f,  2.5e9f, -2.5e9f,
                                infinity, -infinity, NAN,    -NAN,    1e9f,   -1e9f};
    for (const float near : {-32768.0f, -7.0f, -1.0f, 1.0f, 2.0f, 15.0f, 16.0f, 255.0f, 256.0f,
                             65535.0f, 65536.0f, 16777216.0f, -16777216.0f})
        for (const float cell : {near, std::nextafter(near, infinity),
                                 std::nextafter(near, -infinity), near - 0.5f, near + 0.5f})
            cells.push_back(cell);
    return cells;
}

/// Of cells that are integers or none.
inline std::vector<local_entropy::Filter> filtersOfFloats()
{
    std::vector<local_entropy::Filter> filters;
    for (const int count : {2, 16, 256, 65536})
        for (const double low : {0.0, -0.0, -7.0, -15.0, 1.0, -32768.0, 16777216.0, -16777216.0})
            for (int way = 0; way < 8; ++way) {
                local_entropy::Filter filter;
                filter.levels = {count, false, low, 0, way % 2 == 1};
                filter.nanIsError = way / 2 % 2;
                if (way / 4) filter.nodata = 1;
                filters.push_back(filter);
            }
    return filters;
}

/// From the definition, for such a filter.
inline std::int32_t expectedLevel(const local_entropy::Filter &filter, double cell)
{
    using namespace local_entropy;
    const double low = filter.levels.low, high = low + filter.levels.count - 1;
    if (std::isnan(cell)) return filter.nanIsError ? kBadLevel : kAbsent;
    if (filter.nodata && cell == *filter.nodata) return kAbsent;
    if (cell >= low && cell <= high && cell != std::floor(cell)) return kBadLevel;
    if (!filter.levels.clamp && (cell < low || cell > high)) return kBadLevel;
    return static_cast<std::int32_t>(std::clamp(cell, low, high) - low);
}
