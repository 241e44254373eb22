// The size of an array as people write it: "2560x2560".
#pragma once

#include "common/error.h"
#include "common/integer.h"

#include <string>
#include <utility>

namespace common
{

/// Its width and its height. A refusal begins with the name of what `text` was given as. A longer
/// side than there may be is more likely a slip than an array.
inline std::pair<int, int> parseSize(const std::string &name, const std::string &text)
{
    constexpr int kLongest = 1000000;
    const std::size_t cross = text.find('x');
    if (cross == std::string::npos) throw Error(name + " is '" + text + "', expected WIDTHxHEIGHT");
    const auto side = [&](const char *which, const std::string &digits) {
        return static_cast<int>(parseInteger(name + ": " + which, digits, 1, kLongest));
    };
    return {side("width", text.substr(0, cross)), side("height", text.substr(cross + 1))};
}

} // namespace common
