#include "local_entropy/methods/words/tables.h"

#include "common/error.h"
#include "local_entropy/answers/default_rounding.h"
#include "local_entropy/answers/partitions.h"
#include "local_entropy/methods/words/hash.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace local_entropy::words
{
namespace
{

/// The code of a partition, by the kernel's own arithmetic.
std::uint32_t codeOf(const Partition &partition)
{
    Sums sums;
    int level = 0;
    for (int count = 1; count <= kWindowCells; ++count)
        for (int i = 0; i < partition.levels[count]; ++i, ++level)
            for (int cell = 0; cell < count; ++cell) {
                sums.all = sums.all + oneHot(level);
                sums.even = sums.even + even(oneHot(level));
            }
    return codeOf(sums);
}

/// How probable a window is if each of its cells has any level with the same chance; of windows
/// that an edge cuts, 0.
double chanceOf(const Partition &partition)
{
    if (partition.cells() != kWindowCells) return 0;
    double logarithm = std::lgamma(kWindowCells + 1.0) + std::lgamma(kLevels + 1.0) -
                       kWindowCells * std::log(double(kLevels));
    for (int count = 0; count <= kWindowCells; ++count)
        logarithm -= partition.levels[count] * std::lgamma(count + 1.0) +
                     std::lgamma(partition.levels[count] + 1.0);
    return std::exp(logarithm);
}

struct Entry
{
    std::uint32_t code;
    float entropy;
    double chance;
};

/// Codes that share their upper bits, ascending.
struct Row
{
    std::vector<Entry> entries;
    double chance = 0;
    bool isCommon() const { return chance > 1e-4; } ///< 84 of 211 are: 99.9 % of lookups
};

/// All codes and what they stand for, by rows. Throws if a code stands for two entropies.
std::map<std::uint32_t, Row> rowsOfCodes()
{
    using Meaning = std::pair<int, std::array<int, 9>>;
    std::map<std::uint32_t, std::pair<Meaning, Entry>> known;
    for (const int cells : windowSizes())
        for (const Partition &partition : partitionsOf(cells)) {
            const std::uint32_t code = codeOf(partition);
            const Meaning meaning(cells, partition.sumOfLogs());
            auto &[itsMeaning, entry] =
                known
                    .emplace(code, std::make_pair(meaning, Entry{code, exactEntropy(partition), 0}))
                    .first->second;
            if (itsMeaning != meaning)
                throw common::Error("the code " + std::to_string(code) +
                                    " of the method words stands for two entropies");
            entry.chance += chanceOf(partition);
        }
    std::map<std::uint32_t, Row> rows;
    for (const auto &[code, entry] : known) {
        Row &row = rows[code >> GpuTables::kRowBits];
        row.entries.push_back(entry.second);
        row.chance += entry.second.chance;
    }
    return rows;
}

/// The table of entropies while it is filled.
class Folding
{
public:
    explicit Folding(float *entropies) : entropies(entropies) {}

    /// Puts a row where it fits; returns the place of its first entry. If it is often asked for, of
    /// the first places the one that adds least to banks which are.
    std::int64_t put(const Row &row)
    {
        constexpr int kPlaces = 64; // more gain nothing, and make the table longer
        const std::uint32_t first = row.entries.front().code, last = row.entries.back().code;
        const auto fits = [&](std::int64_t place) {
            return std::none_of(row.entries.begin(), row.entries.end(), [&](const Entry &entry) {
                return taken[place + entry.code - first];
            });
        };
        const auto cost = [&](std::int64_t place) {
            double sum = 0;
            for (const Entry &entry : row.entries)
                sum += entry.chance * load[(place + entry.code - first) % kBanks];
            return sum;
        };
        std::int64_t best = -1;
        int left = row.isCommon() ? kPlaces : 1;
        for (std::int64_t place = 0; left > 0 && place + last - first < GpuTables::kEntries;
             ++place) {
            if (!fits(place)) continue;
            --left;
            if (best < 0 || cost(place) < cost(best)) best = place;
        }
        if (best < 0) throw common::Error("the tables of the method words do not fit");
        for (const Entry &entry : row.entries) {
            const std::int64_t place = best + entry.code - first;
            taken[place] = true;
            entropies[place] = entry.entropy;
            load[place % kBanks] += entry.chance;
        }
        return best;
    }

private:
    static constexpr int kBanks = 32; ///< of shared memory, a word each
    float *const entropies;
    std::vector<bool> taken = std::vector<bool>(GpuTables::kEntries, false);
    double load[kBanks] = {};
};

/// Where there is no cell at all, right of a narrow array say, the kernel looks up something that
/// it does not write: within the tables, please.
void checkCodeOfNoCells(const GpuTables &tables)
{
    const std::uint32_t code = codeOf(Sums()), row = code >> GpuTables::kRowBits;
    const bool hasRow =
        row >= GpuTables::kFirstRow && row < GpuTables::kFirstRow + GpuTables::kRows;
    const std::int64_t place = hasRow ? code + tables.shifts[row - GpuTables::kFirstRow] / 4 : -1;
    if (place < 0 || place >= GpuTables::kEntries)
        throw common::Error("the code of no cells lies outside the table of the method words");
}

/// Lays the rows over each other: those that are asked for most first, then the fullest.
std::unique_ptr<GpuTables> build()
{
    const DefaultRounding rounding;
    auto tables = std::make_unique<GpuTables>();
    for (int level = 0; level < kLevels; ++level) {
        tables->words[2 * level] = oneHot(level).low;
        tables->words[2 * level + 1] = oneHot(level).high;
    }
    tables->words[2 * kLevels] = tables->words[2 * kLevels + 1] = 0;
    std::fill_n(tables->shifts, GpuTables::kRows, 0);
    std::fill_n(tables->entropies, GpuTables::kEntries, NAN);

    const auto rows = rowsOfCodes();
    std::vector<std::uint32_t> order;
    for (const auto &[number, row] : rows) order.push_back(number);
    const auto rank = [&](std::uint32_t number) {
        const Row &row = rows.at(number);
        return std::make_pair(row.isCommon() ? row.chance : 0, row.entries.size());
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return rank(a) > rank(b); });
    Folding folding(tables->entropies);
    for (const std::uint32_t number : order) {
        if (number < GpuTables::kFirstRow || number >= GpuTables::kFirstRow + GpuTables::kRows)
            throw common::Error("a code of the method words lies outside its table");
        const Row &row = rows.at(number);
        const std::int64_t shift = folding.put(row) - row.entries.front().code;
        tables->shifts[number - GpuTables::kFirstRow] =
            static_cast<std::int32_t>(shift * std::int64_t(sizeof(float)));
    }
    checkCodeOfNoCells(*tables);
    return tables;
}

} // namespace

const GpuTables &gpuTables()
{
    static const GpuTables &tables = *build().release(); // for ever: calls may come late
    return tables;
}

} // namespace local_entropy::words
