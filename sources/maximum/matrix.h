// The matrices of this lab: the same elements on every machine.
#pragma once

#include "common/host_array.h"
#include "common/threads.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <random>

namespace maximum
{

constexpr int kSmallest = 1, kLargest = 2018; // the elements of the assignment

/// A matrix of rows x columns integers in host memory, row by row.
struct Matrix
{
    Matrix(std::int64_t rows, std::int64_t columns)
        : rows(rows), columns(columns), elements(common::allocateHost<int>(size()))
    {
    }
    std::int64_t size() const { return rows * columns; }

    std::int64_t rows, columns;
    common::HostArray<int> elements;
};

/// Random elements 1..2018, drawn one after the other.
inline Matrix randomMatrix(std::int64_t rows, std::int64_t columns)
{
    Matrix matrix(rows, columns);
    std::mt19937_64 generator(2018);
    constexpr std::uint64_t kValues = kLargest - kSmallest + 1;
    for (std::int64_t i = 0; i < matrix.size(); ++i)
        matrix.elements[i] = kSmallest + static_cast<int>(generator() % kValues);
    return matrix;
}

/// The same for a billion elements: each is computed from its own number (the mixing function of
/// SplitMix64), so that all threads can draw at once. The last one is 2019 and the only such: a
/// version that stops short of the end finds another maximum.
inline Matrix hashedMatrix(std::int64_t rows, std::int64_t columns)
{
    Matrix matrix(rows, columns);
    const std::int64_t size = matrix.size();
    int *const elements = matrix.elements.get();
#pragma omp parallel for schedule(static) num_threads(common::threadsFor(size, 1 << 16))
    for (std::int64_t i = 0; i < size; ++i) {
        std::uint64_t bits = (static_cast<std::uint64_t>(i) + 1) * 0x9E3779B97F4A7C15u;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
        bits ^= bits >> 31;
        constexpr std::uint64_t kValues = kLargest - kSmallest + 1;
        elements[i] = kSmallest + static_cast<int>((bits >> 32) * kValues >> 32);
    }
    elements[size - 1] = kLargest + 1;
    return matrix;
}

/// The right answer, by all threads; shares nothing with core.cu.
inline int reference(const Matrix &matrix)
{
    const std::int64_t size = matrix.size();
    const int *const elements = matrix.elements.get();
    int largest = INT_MIN;
#pragma omp parallel for schedule(static) num_threads(common::threadsFor(size, 1 << 16))           \
    reduction(max                                                                                  \
              : largest)
    for (std::int64_t i = 0; i < size; ++i) largest = std::max(largest, elements[i]);
    return largest;
}

} // namespace maximum
