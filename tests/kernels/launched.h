// The kernels of a program that is linked with its launches wrapped (Makefile): all, and those that
// have been launched. In brief (brief.h), its GPUs are said to have few multiprocessors: what is
// launched for each of them does not grow out of proportion to small images.
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
