// Rows on their way to the result.
#pragma once

#include "local_entropy/methods/bits/layout.h"

#include <cstdint>

namespace local_entropy::bits
{
namespace
{

/// A row whose indices are there: most of its cells, in groups of 16, are looked up between the
/// arithmetic of the next row.
struct Lookup
{
    float *to = nullptr;                  ///< the result, or where it is collected
    const std::uint16_t *index = nullptr; ///< of the first cell
    const float *table = nullptr;
    int groups = 0;
};

/// A row that has been looked up one by one, and goes to the result another row later, in stores as
/// long as a cache line.
struct Writing
{
    float *to = nullptr;
    const float *from = nullptr;
    int groups = 0;
};

/// What is done while a row is counted: a copy that nobody else refers to, which the compiler keeps
/// in registers.
struct Meanwhile
{
    Lookup lookup;
    Writing writing;
    const char *ahead; ///< memory to prefetch
};

template <bool Stream, bool Gather>
struct Output
{
    /// Stores around the cache have to fill whole lines at once; single entropies are collected.
    static constexpr bool kCollect = Stream && !Gather;

    /// Looks up and writes these groups of the rows that wait for it.
    [[gnu::always_inline]] static inline void groups(int first, int last,
                                                     const Meanwhile &meanwhile)
    {
        const Lookup &lookup = meanwhile.lookup;
        const Writing &writing = meanwhile.writing;
        for (int group = first; group < last; ++group) {
            const int cell = group * kGroup;
            if (group < lookup.groups)
                lookUpGroup<Stream, Gather>(lookup.to + cell, lookup.index + cell, lookup.table);
            if (kCollect && group < writing.groups)
                writeGroup(writing.to + cell, writing.from + cell);
        }
    }
};

} // namespace
} // namespace local_entropy::bits
