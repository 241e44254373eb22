#include "bench/filter_cases.h"

namespace bench
{
namespace
{

FilterCase square(const std::string &type, int levels, int side)
{
    FilterCase one{type, std::to_string(side) + "x" + std::to_string(side), {}};
    one.filter.levels.count = levels;
    one.filter.window.width = one.filter.window.height = side;
    return one;
}

FilterCase disk(const std::string &type, int levels, int radius)
{
    FilterCase one = square(type, levels, 2 * radius + 1);
    one.window = "disk" + std::to_string(radius);
    for (int y = -radius; y <= radius; ++y)
        for (int x = -radius; x <= radius; ++x)
            one.filter.window.footprint.push_back(x * x + y * y <= radius * radius);
    return one;
}

} // namespace

std::string FilterCase::name() const
{
    return type + "-" + std::to_string(filter.levels.count) + "-" + window;
}

std::string FilterCase::what() const
{
    const bool isDisk = !filter.window.footprint.empty();
    return "entropy, base e, of " + std::to_string(filter.levels.count) + " levels in " +
           (isDisk ? "a disk of radius " + window.substr(4) : window + " cells") + ", " + type +
           " in, float32 out, windows cut at the edge";
}

const std::vector<FilterCase> &filterCases()
{
    static const std::vector<FilterCase> cases = {
        square("uint8", 256, 3),  square("uint8", 256, 5),  square("uint8", 256, 7),
        square("uint8", 256, 9),  square("uint8", 256, 15), square("uint8", 256, 31),
        disk("uint8", 256, 5),    disk("uint8", 256, 10),   square("uint16", 4096, 9),
        square("uint8", 16, 9),   square("uint8", 16, 15),  square("uint8", 16, 31),
        square("uint8", 2, 5),    square("uint8", 2, 15),   square("uint8", 2, 31),
        square("float32", 16, 5),
    };
    return cases;
}

} // namespace bench
