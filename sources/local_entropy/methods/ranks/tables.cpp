#include "local_entropy/methods/ranks/tables.h"

#include "local_entropy/answers/partitions.h"

#include <algorithm>

namespace local_entropy
{

const std::uint8_t *rankWeights(int cells)
{
    static constexpr std::uint8_t kOfNine[16] = {0, 4, 22, 1, 20, 30, 16, 31, 22};
    static constexpr std::uint8_t kOfMore[16] = {0,   206, 126, 207, 144, 223, 89,  169,
                                                 207, 26,  60,  148, 186, 135, 129, 250};
    return keyBytes(cells) == 1 ? kOfNine : kOfMore;
}

RankTable::RankTable(int cells, const Answers &answers, bool mayMiss)
    : most(cells), empty(static_cast<float>(answers.empty())),
      values(keyBytes(cells) == 1 ? 32 : 65536)
{
    for (const Entry &entry : entries(cells, answers))
        values[keyBytes(cells) == 1 ? entry.weights & 31 : entry.pairs << 8 | entry.weights] =
            entry.value;
    if (!mayMiss) return;
    for (int absent = 0; absent < cells; absent++)
        addFewer(absent, entries(cells - absent, answers));
    taken = {};
}

std::vector<RankTable::Entry> RankTable::entries(int cells, const Answers &answers) const
{
    const std::uint8_t *const w = rankWeights(most);
    std::vector<Entry> all;
    forEachPartition(cells, [&](const std::vector<int> &parts) {
        unsigned pairs = 0, weights = 0;
        for (const int n : parts)
            for (int rank = 0; rank < n; rank++) {
                pairs += rank;
                weights += w[rank % 16];
            }
        all.push_back({static_cast<std::uint8_t>(pairs), static_cast<std::uint8_t>(weights),
                       answers.floatOf(parts.data(), static_cast<int>(parts.size()))});
    });
    return all;
}

/// The first place of `packed` where a row can begin; `packed` grows so that it can.
std::size_t RankTable::firstFit(const std::vector<Entry> &row, unsigned columnMask)
{
    for (std::size_t begin = 0;; begin++) {
        if (packed.size() < begin + 256) {
            packed.resize(begin + 256);
            taken.resize(begin + 256);
        }
        const auto free = [&](const Entry &entry) {
            return !taken[begin + (entry.weights & columnMask)];
        };
        if (std::all_of(row.begin(), row.end(), free)) return begin;
    }
}

/// The results for one number of cells are a sparse table of rows (pairs) and columns (weights).
/// The rows are laid over each other in one array so that no two results meet; the fullest first
/// (Tarjan and Yao, Storing a sparse table, 1979).
void RankTable::addFewer(int absent, const std::vector<Entry> &entries)
{
    Fewer rest;
    for (int rank = 0; rank < absent; rank++) {
        rest.pairs = static_cast<std::uint8_t>(rest.pairs + rank);
        rest.weights = static_cast<std::uint8_t>(rest.weights + rankWeights(most)[rank % 16]);
    }
    rest.rowMask = keyBytes(most) == 1 ? 0 : 255;
    rest.columnMask = keyBytes(most) == 1 ? 31 : 255;
    rest.rows.resize(rest.rowMask + 1);

    std::vector<std::vector<Entry>> rows(rest.rows.size());
    for (const Entry &entry : entries) rows[entry.pairs & rest.rowMask].push_back(entry);
    std::vector<int> order(rows.size());
    for (std::size_t row = 0; row < rows.size(); row++) order[row] = static_cast<int>(row);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return rows[a].size() > rows[b].size(); });
    for (const int row : order) {
        if (rows[row].empty()) break;
        const std::size_t begin = firstFit(rows[row], rest.columnMask);
        for (const Entry &entry : rows[row]) {
            const std::size_t place = begin + (entry.weights & rest.columnMask);
            packed[place] = entry.value;
            taken[place] = true;
        }
        rest.rows[row] = static_cast<std::uint16_t>(begin);
    }
    fewer.push_back(rest);
}

} // namespace local_entropy
