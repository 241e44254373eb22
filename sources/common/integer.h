// Integers: quotients rounded up, and what the command line spells.
#pragma once

#include "common/error.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <type_traits>

namespace common
{

/// Smallest integer that is not less than a / b; a >= 0, b >= 1. Never overflows.
template <typename A, typename B>
constexpr std::common_type_t<A, B> ceilDiv(A a, B b)
{
    return a / b + (a % b > 0);
}

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
