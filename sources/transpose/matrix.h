// What main.cu does with a matrix in host memory, on all threads: fill, transpose as a reference,
// poison, compare; and print.
#pragma once

#include "common/threads.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace transpose
{

/// Calls work(part, begin, end) for consecutive parts of `cells` cells, at once where that pays.
/// There are no more parts than threadsFor(cells) threads.
template <typename Work>
void forEachPart(std::size_t cells, Work work)
{
    const int parts = common::threadsFor(static_cast<std::int64_t>(cells), 1 << 16);
#pragma omp parallel for schedule(static, 1) num_threads(parts)
    for (int part = 0; part < parts; ++part)
        work(part, cells * part / parts, cells * (part + 1) / parts);
}

/// Random floats in [0, 1), the same on every machine: a hash of the cell's number (the finalizer
/// of splitmix64, Steele et al. 2014), so that any thread can make any cell.
inline void fillRandom(float *matrix, std::size_t cells)
{
    constexpr std::uint64_t kSeed = 20240602;
    forEachPart(cells, [&](int, std::size_t begin, std::size_t end) {
        for (std::size_t cell = begin; cell < end; ++cell) {
            std::uint64_t bits = (kSeed + cell) * 0x9e3779b97f4a7c15u;
            bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
            bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
            matrix[cell] = static_cast<float>((bits ^ (bits >> 31)) >> 40) * 0x1p-24f;
        }
    });
}

/// The right answer, by all threads; shares nothing with core.cu.
inline void reference(int rows, int columns, const float *input, float *output)
{
#pragma omp parallel for num_threads(common::threadsFor(1LL * rows * columns, 1 << 16))
    for (std::int64_t x = 0; x < columns; ++x)
        for (std::int64_t y = 0; y < rows; ++y) output[x * rows + y] = input[y * columns + x];
}

/// Every byte 0xFF, which reads as NaN: a cell that a version does not write cannot look right.
inline void poison(float *matrix, std::size_t cells)
{
    forEachPart(cells, [&](int, std::size_t begin, std::size_t end) {
        std::memset(matrix + begin, 0xFF, (end - begin) * sizeof(float));
    });
}

/// The first cell whose bits differ; `cells` if none does. NaN equals the same NaN, and only that.
inline std::size_t firstDifference(const float *a, const float *b, std::size_t cells)
{
    std::vector<std::size_t> first(omp_get_max_threads(), cells);
    forEachPart(cells, [&](int part, std::size_t begin, std::size_t end) {
        constexpr std::size_t kPiece = 1 << 14;
        for (; begin < end; begin += kPiece) {
            const std::size_t size = std::min(kPiece, end - begin);
            if (std::memcmp(a + begin, b + begin, size * sizeof(float)) == 0) continue;
            while (std::memcmp(a + begin, b + begin, sizeof(float)) == 0) ++begin;
            first[part] = begin;
            return;
        }
    });
    return *std::min_element(first.begin(), first.end());
}

/// A title, then a line a row.
inline void printMatrix(const char *title, int rows, int columns, const float *matrix)
{
    std::printf("%s, %d x %d:\n", title, rows, columns);
    for (int y = 0; y < rows; ++y, std::printf("\n"))
        for (int x = 0; x < columns; ++x)
            std::printf("%12.5f", matrix[static_cast<std::size_t>(y) * columns + x]);
}

} // namespace transpose
