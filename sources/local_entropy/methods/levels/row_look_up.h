// Rows of results, in blocks of 64 windows. Included behind a path's header.
#pragma once

#include "local_entropy/methods/levels/box_tile.h"

#include <cstring>

namespace local_entropy
{
namespace
{

/// Blocks has block(counts, stride, to, some): the floats of 64 windows that miss no cells, of
/// which the first `some` matter. Windows that miss cells, and those between them, are finished by
/// Finish.
template <class Blocks>
struct RowLookUp
{
    const Blocks &blocks;
    const Finish &finish;

    template <class Count>
    void row(const Count *counts, std::int64_t stride, std::int64_t x, std::int64_t y,
             std::int64_t n) const
    {
        float *const to = finish.row<float>(y) + x;
        for (std::int64_t i = 0; i < n; i += kBlock) {
            const int some = blockAt(i, n);
            const Finish::Missing missing =
                finish.mayMiss() ? finish.missing(x + i, y, some) : Finish::Missing{0, 0};
            if (missing.end - missing.begin < some) {
                float floats[kBlock];
                blocks.block(counts + i, stride, some == kBlock ? to + i : floats, some);
                if (some < kBlock) std::memcpy(to + i, floats, some * sizeof(float));
            }
            if (missing.end)
                finish.block(counts + i + missing.begin, stride, x + i + missing.begin, y,
                             missing.end - missing.begin);
        }
    }
};

} // namespace
} // namespace local_entropy
