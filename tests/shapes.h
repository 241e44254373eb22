// Awkward shapes and contents that every version of every core must survive.
#pragma once

#include "entropy/contents.h"

#include <string>
#include <vector>

struct Shape
{
    int width, height;
};

/// Single cells and lines, smaller than a window, one more and one less than a block (32), than a
/// tile of v9 (28) and than the blocks of the other cores (1024, 512 across), primes, wider than
/// high and the reverse.
inline const std::vector<Shape> kShapes = {
    {1, 1},   {2, 1},    {1, 2},    {3, 3},    {4, 4},    {5, 5},     {1, 100},   {100, 1},
    {2, 77},  {77, 2},   {4, 31},   {28, 28},  {29, 27},  {31, 33},   {32, 32},   {33, 31},
    {56, 57}, {60, 61},  {97, 89},  {64, 64},  {65, 63},  {1009, 13}, {13, 1009}, {511, 9},
    {513, 3}, {1023, 7}, {1024, 5}, {1025, 6}, {2049, 3}, {1025, 1}};

inline const std::vector<std::string> kContents = {"random",   "smooth",       "flat",
                                                   "levels=2", "checkerboard", "levels=1"};

inline std::vector<float> makeSample(const std::string &content, Shape shape)
{
    const auto cells = entropy::makeContent(entropy::parseContent(content), shape.width,
                                            shape.height, 7 * shape.width + shape.height);
    return {cells.begin(), cells.end()};
}
