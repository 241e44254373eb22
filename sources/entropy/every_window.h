// Every window there can be, as far as its entropy goes, and what float makes of it.
#pragma once

#include "entropy/window.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace entropy
{

using Counts = std::vector<int>; ///< of the levels that occur in a window, in descending order

/// Every way to split `total` cells among at most kLevels levels, none with more than `largest`.
inline std::vector<Counts> partitions(int total, int largest, int levels = kLevels)
{
    if (total == 0) return {{}};
    if (levels == 0) return {};
    std::vector<Counts> all;
    for (int first = std::min(total, largest); first >= 1; --first)
        for (Counts counts : partitions(total - first, first, levels - 1)) {
            counts.insert(counts.begin(), first);
            all.push_back(std::move(counts));
        }
    return all;
}

/// Smallest and largest value of a sum in float over all orders of its terms. Rounding never swaps
/// two sums, so the extremes of a longer sum come from those of a shorter one.
/// add(sum, n) returns the smallest and largest outcome of adding the term of a level of n cells.
template <typename Add>
class FloatSum
{
public:
    explicit FloatSum(Add add) : add(add) {}

    std::pair<float, float> overAllOrders(const Counts &counts)
    {
        if (counts.empty()) return {0.0f, 0.0f};
        const auto found = known.find(counts);
        if (found != known.end()) return found->second;
        std::pair<float, float> range{INFINITY, -INFINITY};
        for (std::size_t last = 0; last < counts.size(); ++last) {
            Counts others = counts;
            others.erase(others.begin() + last);
            const auto [low, high] = overAllOrders(others);
            range.first = std::min(range.first, add(low, counts[last]).first);
            range.second = std::max(range.second, add(high, counts[last]).second);
        }
        return known[counts] = range;
    }

private:
    Add add;
    std::map<Counts, std::pair<float, float>> known;
};

/// a * b + c with and without the rounding between: a compiler may do either.
inline std::pair<float, float> multiplyAdd(float a, float b, float c)
{
    const volatile float product = a * b; // volatile: never fused with the sum
    return std::minmax({product + c, std::fma(a, b, c)});
}

/// -sum p ln p in double.
inline double entropyOf(const Counts &counts, int total)
{
    double entropy = 0;
    for (const int n : counts) {
        const double p = static_cast<double>(n) / total;
        entropy -= p * std::log(p);
    }
    return entropy;
}

} // namespace entropy
