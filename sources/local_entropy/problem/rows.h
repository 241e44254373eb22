// Rows of an image, as levels.
#pragma once

#include "local_entropy/error.h"
#include "local_entropy/problem/levels.h"
#include "local_entropy/problem/problem.h"

#include <cstdint>
#include <cstring>

namespace local_entropy
{

inline const void *cellAt(const Image &image, std::int64_t x, std::int64_t y)
{
    return static_cast<const char *>(image.data) + (y * image.stride + x) * cellBytes(image.type);
}

[[noreturn]] inline void throwBadLevel() { throw Error(Status::BadLevel, "a cell is not a level"); }

/// Rows of an image as levels: kAbsent where a cell is nodata or NaN, kBadLevel where it is no
/// level. The mask is not asked. The loops for the usual rules are such that compilers make vectors
/// of them.
class RowReader
{
public:
    explicit RowReader(const Problem &problem)
        : problem(problem), rule(problem.filter), integers(problem.filter),
          plainFloats(!problem.filter.levels.binned && !problem.filter.levels.clamp &&
                      !problem.filter.nodata)
    {
        if (problem.image.type == CellType::Uint8)
            for (int cell = 0; cell < 256; ++cell) ofByte[cell] = rule(cell);
        if (problem.image.type == CellType::Bool)
            for (int cell = 0; cell < 256; ++cell) ofByte[cell] = rule(cell != 0);
    }

    /// Cells x .. x + n - 1 of row y.
    void read(std::int64_t x, std::int64_t y, std::int64_t n, std::int32_t *to) const
    {
        const void *const cells = cellAt(problem.image, x, y);
        switch (problem.image.type) {
        case CellType::Bool:
            convert(static_cast<const std::uint8_t *>(cells), n, to,
                    [this](std::uint8_t cell) { return ofByte[cell]; });
            break;
        case CellType::Uint8: readIntegers(static_cast<const std::uint8_t *>(cells), n, to); break;
        case CellType::Uint16:
            readIntegers(static_cast<const std::uint16_t *>(cells), n, to);
            break;
        case CellType::Int16: readIntegers(static_cast<const std::int16_t *>(cells), n, to); break;
        case CellType::Float32:
            if (plainFloats)
                convertFloats(static_cast<const float *>(cells), n, to);
            else
                convert(static_cast<const float *>(cells), n, to, rule);
            break;
        }
    }

private:
    template <typename Cell>
    void readIntegers(const Cell *cells, std::int64_t n, std::int32_t *to) const
    {
        if (!problem.filter.levels.binned)
            convert(cells, n, to, integers);
        else if constexpr (sizeof(Cell) == 1)
            convert(cells, n, to, [this](Cell cell) { return ofByte[cell]; });
        else
            convert(cells, n, to, rule);
    }

    template <typename Cell, typename Rule>
    static void convert(const Cell *cells, std::int64_t n, std::int32_t *to, const Rule &rule)
    {
        const Rule own = rule; // what is stored to `to` cannot change it
        for (std::int64_t i = 0; i < n; ++i) to[i] = own(cells[i]);
    }

    /// Floats that are integers, the usual ones. They are compared as the integers that their bits
    /// are, which order floats of the same sign: compilers make vectors of that, but not of
    /// comparisons of floats, which might trap.
    void convertFloats(const float *cells, std::int64_t n, std::int32_t *to) const
    {
        const float low = static_cast<float>(problem.filter.levels.low);
        const std::int32_t end = bitsOf(static_cast<float>(problem.filter.levels.count));
        const std::int32_t ofNaN = problem.filter.nanIsError ? kBadLevel : kAbsent;
        for (std::int64_t i = 0; i < n; ++i) {
            const float level = cells[i] - low + 0.0f; // exact where it is one; and never -0
            const std::int32_t bits = bitsOf(level), inside = -((bits >= 0) & (bits < end));
            const auto integer = static_cast<std::int32_t>(floatOf(bits & inside));
            // The difference may be an integer though the cell is none: -1 and a little, for one.
            const float back = static_cast<float>(integer) + low + 0.0f;
            const std::int32_t good = inside & -(bitsOf(static_cast<float>(integer)) == bits) &
                                      -(bitsOf(back) == bitsOf(cells[i] + 0.0f));
            const std::int32_t isNaN = -((bitsOf(cells[i]) & 0x7fffffff) > 0x7f800000);
            to[i] = (integer & good) | (~good & ((ofNaN & isNaN) | (kBadLevel & ~isNaN)));
        }
    }

    static std::int32_t bitsOf(float number)
    {
        std::int32_t bits;
        std::memcpy(&bits, &number, sizeof bits);
        return bits;
    }
    static float floatOf(std::int32_t bits)
    {
        float number;
        std::memcpy(&number, &bits, sizeof number);
        return number;
    }

    const Problem &problem;
    const LevelRule rule;
    const IntegerRule integers;
    const bool plainFloats; ///< the rule is no more than that cells are integers
    std::int32_t ofByte[256] = {};
};

} // namespace local_entropy
