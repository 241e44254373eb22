// Questions about what methods cost, in windows of the table of costs.
#pragma once

#include "local_entropy/methods/costs.h"
#include "local_entropy/methods/method.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

namespace cost_questions
{

using namespace local_entropy;

constexpr int kSide = 600, kStart = 256, kResults = 8;

/// What a point of the table asks for, with an image that has room around the results.
class Question
{
public:
    Question(CostKind kind, int levels, int width, int height)
    {
        filter.levels.count = levels;
        filter.window.width = width;
        filter.window.height = height;
        if (kind == CostKind::OtherMeasure) filter.measure = Measure::Simpson;
        if (kind == CostKind::Footprint) { // a cross
            filter.window.width = filter.window.height = std::min(width, 63) | 1;
            const int side = filter.window.width;
            for (int i = 0; i < side * side; ++i)
                filter.window.footprint.push_back(i % side == side / 2 || i / side == side / 2);
        }
        hasMask = kind == CostKind::Missing;
        isDouble = kind == CostKind::Double;
    }

    Problem problem() const
    {
        static const std::vector<std::uint16_t> cells(kSide * kSide);
        static std::vector<double> results(kSide * kSide);
        static const std::vector<std::uint8_t> mask(kSide * kSide, 1);
        const CellType cellType =
            type.value_or(filter.levels.count > 256 ? CellType::Uint16 : CellType::Uint8);
        return checkedProblem(filter, {cells.data(), cellType, kSide / 2, kSide, kSide / 2},
                              hasMask ? Mask{mask.data(), kSide / 2, kSide, kSide / 2} : Mask{},
                              {results.data(), isDouble, region.width, region.height, region.width},
                              region);
    }

    Filter filter;
    bool hasMask, isDouble;
    std::optional<CellType> type;
    Region region = {kStart / 2, kStart, kResults, kResults};
};

inline std::string text(Path path, CostKind kind, int levels, const Shape &shape)
{
    return std::string(pathName(path)) + ", kind " + std::to_string(static_cast<int>(kind)) + ", " +
           std::to_string(levels) + " levels, " + std::to_string(shape.width) + "x" +
           std::to_string(shape.height);
}

inline Costed costedOf(const Method &method)
{
    for (const Costed costed : kCosted)
        if (std::string(costedName(costed)) == method.name()) return costed;
    ADD_FAILURE() << method.name() << " has no rows in the table of costs";
    return Costed::Plain;
}

inline bool isMeasured(const Method &method) { return std::string(method.name()) != "words"; }

inline double costBy(const char *name, const Problem &problem, Path path)
{
    for (const Method *method : methods())
        if (std::string(method->name()) == name) return method->cost(problem, path);
    return std::nan("");
}

} // namespace cost_questions
