// The types of cells, by the types of C++.
#pragma once

#include "local_entropy/problem/problem.h"

#include <type_traits>

namespace local_entropy
{

template <typename Cell>
constexpr CellType typeOf()
{
    if constexpr (std::is_same_v<Cell, std::uint8_t>) return CellType::Uint8;
    if constexpr (std::is_same_v<Cell, std::uint16_t>) return CellType::Uint16;
    if constexpr (std::is_same_v<Cell, std::int16_t>) return CellType::Int16;
    if constexpr (std::is_same_v<Cell, bool>) return CellType::Bool;
    return CellType::Float32;
}

} // namespace local_entropy
