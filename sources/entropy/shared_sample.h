// An array and its right answer, made once and handed to child processes.
#pragma once

#include "common/csv.h"
#include "common/error.h"
#include "common/integer.h"
#include "common/shared_array.h"
#include "entropy/contents.h"
#include "entropy/reference.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace entropy
{

/// Random cells, and the gold answer.
class SharedSample
{
public:
    SharedSample(int width, int height)
        : width(width), height(height), cells(static_cast<std::size_t>(width) * height),
          gold(cells.size())
    {
        const std::vector<std::uint8_t> levels = makeContent({}, width, height, 20200702);
        std::copy(levels.begin(), levels.end(), cells.data());
        const std::vector<float> answer = reference(width, height, cells.data());
        std::copy(answer.begin(), answer.end(), gold.data());
    }

    /// In a child, from what arguments() gave its parent.
    explicit SharedSample(const std::vector<std::string> &arguments)
        : width(number(arguments, 0)), height(number(arguments, 1)),
          cells(number(arguments, 2), static_cast<std::size_t>(width) * height),
          gold(number(arguments, 3), cells.size())
    {
    }

    std::vector<std::string> arguments() const
    {
        return {std::to_string(width), std::to_string(height), std::to_string(cells.descriptor()),
                std::to_string(gold.descriptor())};
    }

    /// A copy of its own in ordinary memory, as a program has it.
    std::vector<float> copy() const { return {cells.data(), cells.data() + cells.size()}; }

    /// Throws unless `result` is right.
    void check(const float *result) const
    {
        const Comparison comparison = compare(width, height, result, gold.data());
        if (!comparison.passed)
            throw common::Error("WRONG: error " + common::number(comparison.largestError) +
                                " at x " + std::to_string(comparison.x) + ", y " +
                                std::to_string(comparison.y));
    }

    const int width, height;

private:
    static int number(const std::vector<std::string> &arguments, std::size_t index)
    {
        return static_cast<int>(
            common::parseInteger("--child", arguments.at(index), 0, 2000000000));
    }

    common::SharedArray<float> cells, gold;
};

} // namespace entropy
