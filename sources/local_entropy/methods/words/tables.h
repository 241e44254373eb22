// The exact entropies in the order in which the GPU kernel asks for them.
#pragma once

#include <cstdint>

namespace local_entropy::words
{

/// Everything the GPU kernel looks up, as it lies in shared memory. The codes (hash.h) are few
/// and far between, so their table is folded: it is cut into rows of kRowCodes, and the rows are
/// laid over each other, shifted so that entries fall into gaps (Tarjan and Yao, Storing a sparse
/// table, 1979). Shared memory has 32 banks, each of which serves one word at a time: entries that
/// are often asked for at once, if levels come by chance, are spread over the banks.
struct alignas(16) GpuTables
{
    static constexpr int kRowBits = 10, kRowCodes = 1 << kRowBits;
    static constexpr std::uint32_t kFirstRow = 616; ///< no code lies in a row before this one
    static constexpr int kRows = 290, kEntries = 6516, kWords = 2 * 17;

    std::uint32_t words[kWords]; ///< one-hot, low and high; the last is that of kNoCell: zero
    std::int32_t shifts[kRows];  ///< in bytes: a code's entry lies at 4 * code + its row's shift
    float entropies[kEntries];   ///< gaps are NaN
};

/// Built and verified at the first call: throws common::Error if two different entropies share an
/// entry or do not fit. May be called by several threads at once.
const GpuTables &gpuTables();

} // namespace local_entropy::words
