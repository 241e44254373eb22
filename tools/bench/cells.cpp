#include "bench/cells.h"

#include "bench/harness.h"
#include "entropy/contents.h"

#include <cstring>

namespace bench
{

Cells makeCells(const std::string &content, int width, int height)
{
    constexpr std::uint64_t kSeed = 20201122;
    const std::vector<std::uint8_t> levels =
        entropy::makeContent(entropy::parseContent(content), width, height, kSeed);
    return {width, height, {levels.begin(), levels.end()}};
}

void compute(local_entropy::Engine &engine, const Cells &cells, float *result)
{
    local_entropy::Filter filter;
    filter.levels.count = entropy::kLevels;
    filter.nanIsError = true; // as the ladder asks it
    engine.run(filter,
               local_entropy::View<const float>{cells.sample.data(), cells.width, cells.height},
               local_entropy::View<float>{result, cells.width, cells.height});
}

void requireSameBits(const Cells &cells, const float *found, const float *expected)
{
    if (std::memcmp(found, expected, cells.count() * sizeof(float)) == 0) return;
    std::size_t at = 0;
    while (std::memcmp(&found[at], &expected[at], sizeof(float)) == 0) ++at;
    const std::size_t width = static_cast<std::size_t>(cells.width);
    throw WrongAnswer("wrong at x " + std::to_string(at % width) + ", y " +
                      std::to_string(at / width) + ": " + common::number(found[at]) +
                      ", expected " + common::number(expected[at]));
}

std::string sizeOf(int width, int height)
{
    return std::to_string(width) + "x" + std::to_string(height);
}

} // namespace bench
