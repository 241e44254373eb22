// Answers are compared bit for bit: NaN equals NaN, and 0 is not -0.
#pragma once

#include <cstring>
#include <vector>

template <typename Value>
bool sameBits(const std::vector<Value> &a, const std::vector<Value> &b)
{
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Value)) == 0;
}
