#include "local_entropy/answers/partitions.h"

#include "common/error.h"
#include "local_entropy/answers/default_rounding.h"

#include <cmath>
#include <limits>
#include <set>

namespace local_entropy
{

int Partition::cells() const
{
    int sum = 0;
    for (int n = 1; n <= kWindowCells; ++n) sum += n * levels[n];
    return sum;
}

std::array<int, 9> Partition::sumOfLogs() const
{
    constexpr int kPrimes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23};
    std::array<int, 9> exponents{};
    for (int n = 2; n <= kWindowCells; ++n)
        for (int i = 0; i < 9; ++i)
            for (int rest = n; rest % kPrimes[i] == 0; rest /= kPrimes[i])
                exponents[i] += n * levels[n];
    return exponents;
}

std::vector<int> windowSizes()
{
    std::set<int> sizes;
    for (int across = 1; across <= kWindow; ++across)
        for (int down = 1; down <= kWindow; ++down) sizes.insert(across * down);
    return {sizes.begin(), sizes.end()};
}

std::vector<Partition> partitionsOf(int cells)
{
    std::vector<Partition> all;
    forEachPartition(cells, [&](const std::vector<int> &counts) {
        if (counts.size() > kLevels) return;
        Partition partition;
        for (const int n : counts) ++partition.levels[n];
        partition.levels[0] = static_cast<std::uint8_t>(kLevels - counts.size());
        all.push_back(partition);
    });
    return all;
}

float exactEntropy(const Partition &partition)
{
    const DefaultRounding rounding;
    const int total = partition.cells();
    long double sum = 0;
    int used = 0;
    for (int n = 1; n <= kWindowCells; ++n) {
        sum += partition.levels[n] * (n * std::log(static_cast<long double>(n)));
        used += partition.levels[n];
    }
    if (used == 1) return 0; // one level only: no information, exactly
    const long double entropy = std::log(static_cast<long double>(total)) - sum / total;

    // Logarithms of at most ln 25 < 4, products below 81, some twenty roundings on the way.
    constexpr long double kError = 128 * std::numeric_limits<long double>::epsilon();
    const float nearest = static_cast<float>(entropy);
    for (const float side : {-1.0f, 10.0f}) { // towards the float below, and the one above
        const long double middle = (static_cast<long double>(nearest) +
                                    static_cast<long double>(std::nextafter(nearest, side))) /
                                   2;
        if (std::abs(entropy - middle) <= kError)
            throw common::Error("exactEntropy: long double cannot tell to which float " +
                                std::to_string(nearest) + " or its neighbour to round");
    }
    return nearest;
}

} // namespace local_entropy
