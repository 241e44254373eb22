#include "engine/gpu_tables.h"

#include "common/error.h"
#include "engine/gpu_hash.h"
#include "engine/partitions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace engine
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

/// All codes and what they stand for, by rows. Throws if a code stands for two entropies.
std::map<std::uint32_t, std::map<std::uint32_t, float>> rowsOfCodes()
{
    std::map<std::uint32_t, std::map<std::uint32_t, float>> rows;
    std::map<std::uint32_t, std::pair<int, std::array<int, 9>>> meaning;
    for (const int cells : windowSizes())
        for (const Partition &partition : partitionsOf(cells)) {
            const std::uint32_t code = codeOf(partition);
            const float entropy = exactEntropy(partition);
            const auto known =
                meaning.emplace(code, std::make_pair(cells, partition.sumOfLogs())).first->second;
            if (known != std::make_pair(cells, partition.sumOfLogs()))
                throw common::Error("the code " + std::to_string(code) +
                                    " of the GPU engine stands for two entropies");
            rows[code >> GpuTables::kRowBits][code] = entropy;
        }
    return rows;
}

/// Lays the rows over each other, the fullest first, each at the first place where it fits.
std::unique_ptr<GpuTables> build()
{
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
    for (const auto &[row, codes] : rows) order.push_back(row);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return rows.at(a).size() > rows.at(b).size();
    });
    std::vector<bool> taken(GpuTables::kEntries, false);
    for (const std::uint32_t row : order) {
        const auto &codes = rows.at(row);
        const std::int64_t first = codes.begin()->first, last = codes.rbegin()->first;
        if (row < GpuTables::kFirstRow || row >= GpuTables::kFirstRow + GpuTables::kRows)
            throw common::Error("a code of the GPU engine lies outside its table");
        std::int64_t place = 0; // of the row's first code
        const auto fits = [&] {
            return std::none_of(codes.begin(), codes.end(), [&](const auto &entry) {
                return taken[place + entry.first - first];
            });
        };
        while (place + last - first < GpuTables::kEntries && !fits()) ++place;
        if (place + last - first >= GpuTables::kEntries)
            throw common::Error("the tables of the GPU engine do not fit");
        for (const auto &[code, entropy] : codes) {
            taken[place + code - first] = true;
            tables->entropies[place + code - first] = entropy;
        }
        tables->shifts[row - GpuTables::kFirstRow] =
            static_cast<std::int32_t>((place - first) * std::int64_t(sizeof(float)));
    }
    return tables;
}

} // namespace

const GpuTables &gpuTables()
{
    static const std::unique_ptr<GpuTables> tables = build();
    return *tables;
}

} // namespace engine
