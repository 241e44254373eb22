// The largest of many errors, one after the other.
#pragma once

#include <cmath>

/// NaN once one is NaN, over which std::max would pass: and NaN is below no bound.
inline double largerError(double largest, double error)
{
    return error <= largest || std::isnan(largest) ? largest : error;
}
