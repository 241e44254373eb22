#include "local_entropy/methods/bits/tables.h"

#include "common/error.h"
#include "common/integer.h"
#include "local_entropy/methods/bits/hash.h"

#include <map>
#include <string>
#include <sys/mman.h>

namespace local_entropy::bits
{

/// Truth tables of the functions of a hash over the counts 0..25: bit n is the answer for count n.
/// They come from the code that the kernel runs, computed for all counts at once: in the word for
/// a digit, bit n is that digit of n.
template <typename Hash>
static std::array<std::uint32_t, kFunctions> truthTables()
{
    std::uint32_t digits[kCountDigits] = {}, answers[kFunctions];
    for (int n = 0; n <= kWindowCells; ++n)
        for (int digit = 0; digit < kCountDigits; ++digit)
            digits[digit] |= static_cast<std::uint32_t>(n >> digit & 1) << n;
    Hash::functions(digits, answers);
    std::array<std::uint32_t, kFunctions> tables{};
    for (int i = 0; i < kFunctions; ++i) tables[i] = answers[i];
    return tables;
}

/// Where the kernel looks up a window with these counts.
template <typename Hash>
static int indexOf(const Partition &partition)
{
    static const std::array<std::uint32_t, kFunctions> table = truthTables<Hash>();
    int sums[kFunctions] = {};
    for (int i = 0; i < kFunctions; ++i)
        for (int n = 0; n <= kWindowCells; ++n)
            sums[i] += (table[i] >> n & 1) * partition.levels[n];
    int index = 0;
    for (int bit = 0; bit < kIndexDigits; ++bit)
        for (const Digit &digit : Hash::kFold[bit])
            if (digit.function >= 0) index ^= (sums[digit.function] >> digit.digit & 1) << bit;
    return index;
}

/// Zeros that start on a huge page where the system has them: a table of 4 KiB pages would take
/// half the first-level address translations of a core.
static common::HostArray<float> zeros(std::size_t size)
{
    constexpr std::size_t kHugePage = std::size_t(2) << 20;
    const std::size_t bytes = common::ceilDiv(size * sizeof(float), kHugePage) * kHugePage;
    common::HostArray<float> memory(static_cast<float *>(std::aligned_alloc(kHugePage, bytes)));
    if (!memory) throw common::Unavailable("no host memory for the tables of entropies");
#ifdef MADV_HUGEPAGE
    madvise(memory.get(), bytes, MADV_HUGEPAGE); // advice: it may be refused
#endif
    std::fill_n(memory.get(), size, 0.0f);
    return memory;
}

template <typename Hash>
static Tables build()
{
    const std::vector<int> sizes = windowSizes();
    Tables tables;
    tables.memory = zeros(sizes.size() * kTableSize);
    float *table = tables.memory.get();
    for (const int cells : sizes) {
        std::map<int, std::array<int, 9>> taken;
        for (const Partition &partition : partitionsOf(cells)) {
            const int index = indexOf<Hash>(partition);
            const auto entry = taken.emplace(index, partition.sumOfLogs());
            if (entry.first->second != partition.sumOfLogs())
                throw common::Error(
                    "the hash of the method bits maps two entropies of windows of " +
                    std::to_string(cells) + " cells to " + std::to_string(index));
            if (entry.second) table[index] = exactEntropy(partition);
        }
        tables.ofCells[cells] = table;
        table += kTableSize;
    }
    return tables;
}

const Tables &ternaryTables()
{
    static const Tables &tables =
        *new Tables(build<TernaryHash>()); // for ever: calls may come late
    return tables;
}

const Tables &binaryTables()
{
    static const Tables &tables = *new Tables(build<BinaryHash>()); // for ever: calls may come late
    return tables;
}

} // namespace local_entropy::bits
