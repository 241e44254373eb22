// The size of an array as people write it: "2560x2560".
#pragma once

#include "common/error.h"
#include "common/integer.h"

#include <string>
#include <utility>

namespace common
{

/// Its width and its height.
inline std::pair<int, int> parseSize(const std::string &text)
{
    constexpr int kLongest = 2000000000;
    const std::size_t cross = text.find('x');
    if (cross == std::string::npos) throw Error("'" + text + "' is no size, expected WIDTHxHEIGHT");
    return {static_cast<int>(parseInteger("width", text.substr(0, cross), 1, kLongest)),
            static_cast<int>(parseInteger("height", text.substr(cross + 1), 1, kLongest))};
}

} // namespace common
