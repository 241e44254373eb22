// The kernels of a program that is linked with its launches wrapped (Makefile): all, and those that
// have been launched.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kernels
{

std::size_t number();

/// By their names in C++, in alphabetical order.
std::vector<std::string> notLaunched();

} // namespace kernels
