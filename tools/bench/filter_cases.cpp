#include "bench/filter_cases.h"

#include "bench/disk.h"

#include <utility>

namespace bench
{
namespace
{

using local_entropy::Measure;

FilterCase rectangle(const std::string &type, int levels, int width, int height)
{
    FilterCase one{type, std::to_string(width) + "x" + std::to_string(height), {}};
    one.filter.nanIsError = type == "float32"; // there is none, and the method words asks for that
    one.filter.levels.count = levels;
    one.filter.window.width = width;
    one.filter.window.height = height;
    return one;
}

FilterCase square(const std::string &type, int levels, int side)
{
    return rectangle(type, levels, side, side);
}

FilterCase disk(const std::string &type, int levels, int radius)
{
    FilterCase one = square(type, levels, 2 * radius + 1);
    one.window = "disk" + std::to_string(radius);
    one.filter.window = diskWindow(radius, radius * radius);
    return one;
}

FilterCase masked(FilterCase one)
{
    one.isMasked = true;
    return one;
}

FilterCase inDoubles(FilterCase one)
{
    one.isDouble = true;
    return one;
}

FilterCase simpson(FilterCase one)
{
    one.filter.measure = Measure::Simpson;
    return one;
}

std::string typeFor(int levels) { return levels > 256 ? "uint16" : "uint8"; }

std::vector<FilterCase> makeGrid()
{
    std::vector<FilterCase> grid;
    for (const int levels : {2, 5, 12, 20, 40, 100, 256, 1000})
        for (const auto &[width, height] : std::vector<std::pair<int, int>>{
                 {4, 6}, {5, 5}, {8, 8}, {21, 5}, {5, 21}, {13, 13}, {18, 18}, {40, 3}, {41, 41}})
            grid.push_back(rectangle(typeFor(levels), levels, width, height));
    for (const int radius : {3, 7}) grid.push_back(disk("uint8", 100, radius));
    for (const int levels : {3, 12, 100})
        for (const int side : {5, 10, 25}) {
            const FilterCase one = square("uint8", levels, side);
            grid.push_back(masked(one));
            grid.push_back(inDoubles(one));
            grid.push_back(simpson(one));
        }
    return grid;
}

} // namespace

std::string FilterCase::name() const
{
    return type + "-" + std::to_string(filter.levels.count) + "-" + window +
           (isMasked ? "-mask" : "") + (isDouble ? "-double" : "") +
           (filter.measure == Measure::Simpson ? "-simpson" : "");
}

std::string FilterCase::what() const
{
    const bool isDisk = !filter.window.footprint.empty();
    const bool isEntropy = filter.measure == Measure::Entropy;
    return std::string(isEntropy ? "entropy, base e," : "Simpson's measure") + " of " +
           std::to_string(filter.levels.count) + " levels in " +
           (isDisk ? "a disk of radius " + window.substr(4) : window + " cells") + ", " + type +
           " in, " + (isDouble ? "float64" : "float32") + " out, windows cut at the edge" +
           (isMasked ? ", masked" : "");
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

const std::vector<FilterCase> &launchCases()
{
    static const std::vector<FilterCase> cases = [] {
        std::vector<FilterCase> all = filterCases();
        const int every = 65536;
        for (const FilterCase &one :
             {square("uint8", 64, 5), square("uint8", 16, 5), square("uint16", every, 3),
              square("uint16", every, 5), square("uint16", every, 7), square("uint16", 4096, 15),
              square("uint16", 4096, 31), masked(square("uint8", 256, 9))})
            all.push_back(one);
        return all;
    }();
    return cases;
}

const std::vector<FilterCase> &gridCases()
{
    static const std::vector<FilterCase> cases = makeGrid();
    return cases;
}

} // namespace bench
