// What every findMaximum begins with.
#pragma once

#include "common/error.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace maximum
{

/// A call in progress: checks the arguments, counts the elements, puts the version's name before
/// any error that is thrown while it lives.
struct Call
{
    Call(const char *version, std::int64_t rows, std::int64_t columns, const int *matrix)
        : scope(version)
    {
        constexpr std::int64_t kMostElements = std::int64_t(1) << 60; // room for sizes in bytes
        if (rows < 1 || columns < 1 || rows > kMostElements / columns)
            throw common::Error("findMaximum: the matrix is " + std::to_string(rows) + " x " +
                                std::to_string(columns) +
                                ", expected 1 or more rows and columns, 2^60 elements at most");
        if (!matrix) throw common::Error("findMaximum: matrix is null");
        size = rows * columns;
    }

    common::ErrorScope scope;
    std::int64_t size = 0;
};

} // namespace maximum
