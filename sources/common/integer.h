// Integers from the command line.
#pragma once

#include "common/error.h"

#include <cerrno>
#include <cstdlib>
#include <string>

namespace common
{

/// The integer that `text` spells, all of it. Throws Error, with `name` and the range in its
/// sentence, where it is none or lies outside of smallest..largest.
inline long long parseInteger(const std::string &name, const std::string &text, long long smallest,
                              long long largest)
{
    char *end = nullptr;
    errno = 0;
    const long long value = std::strtoll(text.c_str(), &end, 10);
    const bool spelt = !text.empty() && *end == '\0' && errno == 0;
    if (!spelt || value < smallest || value > largest)
        throw Error(name + " is '" + text + "', expected an integer in " +
                    std::to_string(smallest) + ".." + std::to_string(largest));
    return value;
}

} // namespace common
