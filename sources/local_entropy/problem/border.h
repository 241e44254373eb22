// Where a cell beyond the edge is read: the one map of indices that all methods share.
#pragma once

#include "common/host_device.h"
#include "local_entropy/filter.h"

#include <cstdint>

namespace local_entropy
{

constexpr std::int64_t kNoCell = -1;       ///< nothing is there
constexpr std::int64_t kConstantCell = -2; ///< Filter::constant is there

/// The index 0 .. size - 1 that index `i` of a row (or column) of `size` cells stands for.
HOST_DEVICE inline std::int64_t borderIndex(Border border, std::int64_t i, std::int64_t size)
{
    if (i >= 0 && i < size) return i;
    const auto modulo = [](std::int64_t a, std::int64_t b) { return (a % b + b) % b; };
    switch (border) {
    case Border::Cut: return kNoCell;
    case Border::Constant: return kConstantCell;
    case Border::Nearest: return i < 0 ? 0 : size - 1;
    case Border::Wrap: return modulo(i, size);
    case Border::Reflect: {
        const std::int64_t at = modulo(i, 2 * size);
        return at < size ? at : 2 * size - 1 - at;
    }
    case Border::Mirror: {
        if (size == 1) return 0;
        const std::int64_t at = modulo(i, 2 * size - 2);
        return at < size ? at : 2 * size - 2 - at;
    }
    }
    return kNoCell;
}

} // namespace local_entropy
