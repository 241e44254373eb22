// Made-up arrays for data, tests and benchmarks: the same cells on every machine.
#pragma once

#include "common/error.h"
#include "entropy/window.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace entropy
{

/// What an array is filled with.
struct Content
{
    enum class Kind { Random, Smooth, Flat, Checkerboard, Dominant };
    Kind kind = Kind::Random;
    int levels = kLevels; ///< Random: how many of the levels occur
};

/// "random", "smooth", "flat", "checkerboard", "dominant" or "levels=k" with k in 1..16.
inline Content parseContent(const std::string &name)
{
    if (name == "random") return {};
    if (name == "smooth") return {Content::Kind::Smooth};
    if (name == "flat") return {Content::Kind::Flat};
    if (name == "checkerboard") return {Content::Kind::Checkerboard};
    if (name == "dominant") return {Content::Kind::Dominant};
    const std::string prefix = "levels=", digits = name.substr(0, prefix.size()) == prefix
                                                       ? name.substr(prefix.size())
                                                       : std::string();
    for (int k = 1; k <= kLevels; ++k)
        if (digits == std::to_string(k)) return {Content::Kind::Random, k};
    throw common::Error("content '" + name +
                        "' is not known, expected random, smooth, flat, checkerboard, dominant "
                        "or levels=k with k in 1..16");
}

/// height rows of width cells. Random: every cell drawn on its own. Smooth: slopes between random
/// heights on a grid of 64x64 cells. Flat: patches of 48x48 equal cells. Checkerboard: 0 and 15
/// by turns. Dominant: 5, but for one cell in forty: counts of 25 and just below. Integers only,
/// and std::mt19937_64, whose numbers the standard fixes.
inline std::vector<std::uint8_t> makeContent(Content content, int width, int height,
                                             std::uint64_t seed)
{
    std::mt19937_64 generator(seed);
    const auto draw = [&](int levels) { // 0 .. levels - 1
        return static_cast<int>((generator() >> 32) * static_cast<std::uint64_t>(levels) >> 32);
    };
    constexpr int kStep = 64, kPatch = 48;
    const int spacing = content.kind == Content::Kind::Smooth ? kStep : kPatch;
    const std::size_t across = static_cast<std::size_t>(width / spacing) + 2;
    std::vector<int> grid;
    if (content.kind == Content::Kind::Smooth || content.kind == Content::Kind::Flat) {
        grid.resize(across * (static_cast<std::size_t>(height / spacing) + 2));
        for (int &level : grid) level = draw(kLevels);
    }

    std::vector<std::uint8_t> cells(static_cast<std::size_t>(width) * height);
    std::size_t cell = 0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x, ++cell) {
            const std::size_t corner = across * (y / spacing) + x / spacing; // upper left, in grid
            const int right = x % spacing, down = y % spacing;
            int level = 0;
            switch (content.kind) {
            case Content::Kind::Random: level = draw(content.levels); break;
            case Content::Kind::Checkerboard: level = (x + y) % 2 * (kLevels - 1); break;
            case Content::Kind::Flat: level = grid[corner]; break;
            case Content::Kind::Dominant: level = draw(40) ? 5 : draw(kLevels); break;
            case Content::Kind::Smooth: {
                const int *top = &grid[corner], *bottom = &grid[corner + across];
                const int above = top[0] * (kStep - right) + top[1] * right;
                const int below = bottom[0] * (kStep - right) + bottom[1] * right;
                level = (above * (kStep - down) + below * down) / (kStep * kStep);
                break;
            }
            }
            cells[cell] = static_cast<std::uint8_t>(level);
        }
    return cells;
}

} // namespace entropy
