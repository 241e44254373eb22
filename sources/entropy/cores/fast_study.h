// The arithmetic of the fast study (fast_study.cu), as functions that its kernels and its tests
// share: cells become words, words are added up, sums become entropies. And who computes what.
//
// A word has 64 bits: a byte for each pair of levels, in it a field of three bits for the even
// level and one, three bits higher, for the odd one. Five cells of a row fit in a field. A window
// has up to 25: so two sums of rows are kept, of the words and of their even fields alone. A byte
// of the first is even + 8 * odd, at most 200; their difference is 8 * odd. Word, Sums and even()
// are the engine's (local_entropy/methods/words/hash.h).
#pragma once

#include "common/host_device.h"
#include "entropy/window.h"
#include "local_entropy/methods/words/hash.h"
#include "local_entropy/methods/words/tables.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace fast_study
{

using entropy::kLevels;
using entropy::kRadius;
using entropy::kWindow;
using local_entropy::words::GpuTables;
using local_entropy::words::Sums;
using local_entropy::words::Word;

constexpr int kColumns = 4;                    ///< of a thread, from four_columns on
constexpr int kCells = kColumns + kWindow - 1; ///< of a row that their windows hold
constexpr float kNoCell = kLevels;             ///< stands where there is no cell: its word is zero

// ---- counting ----------------------------------------------------------------------------------

/// One in the field of a level; zero for kNoCell. Pairs of fields start at 8 * (level / 2).
HOST_DEVICE inline Word wordOfLevel(int level)
{
    const std::uint64_t one = level < kLevels ? 1 : 0;
    const std::uint64_t word = one << ((4 * level - (level & 1)) & 63);
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
}

/// Of no cells; Sums() are of no cells too, as the hash of the engine wants them.
HOST_DEVICE inline Sums zeroSums() { return {{0, 0}, {0, 0}}; }

/// Adds a row, of at most five cells.
HOST_DEVICE inline void enter(Sums &sums, Word row)
{
    sums.all = sums.all + row;
    sums.even = sums.even + local_entropy::words::even(row);
}
/// Takes a row away that was added.
HOST_DEVICE inline void leave(Sums &sums, Word row)
{
    sums.all = sums.all - row;
    sums.even = sums.even - local_entropy::words::even(row);
}

/// How many cells of a level are in sums that began as zeroSums(). Where the level is known to the
/// compiler, so is where its field lies.
HOST_DEVICE inline int countOf(const Sums &sums, int level)
{
    const Word fields = level % 2 ? sums.all - sums.even : sums.even;
    const std::uint32_t half = level < kLevels / 2 ? fields.low : fields.high;
    return half >> (level / 2 % 4 * 8 + level % 2 * 3) & 31;
}

/// What a thread with four columns keeps on its way down: the last five rows, each added up over
/// the five columns of a window, and their sums. All indices are known to the compiler once the
/// loops around are unrolled: else this would be in local memory.
struct FourColumns
{
    Word ring[kWindow][kColumns] = {};
    Sums sums[kColumns];

    HOST_DEVICE explicit FourColumns(const Sums &none)
    {
        for (Sums &column : sums) column = none;
    }

    /// The next row in, the one five rows before it out; `i` counts the rows modulo 5. Neighbours
    /// share four of five columns.
    HOST_DEVICE void enter(int i, const Word (&words)[kCells])
    {
        Word across = words[0] + words[1] + words[2] + words[3] + words[4];
        for (int j = 0; j < kColumns; ++j) {
            if (j > 0) across = across - words[j - 1] + words[j + 4];
            leave(sums[j], ring[i][j]);
            fast_study::enter(sums[j], across);
            ring[i][j] = across;
        }
    }
};

// ---- the entropy, added up ---------------------------------------------------------------------

/// Cells that a window around `at` reaches, in a row or column of `size`.
HOST_DEVICE inline int reach(int at, int size)
{
    const int first = at < kRadius ? 0 : at - kRadius;
    const int last = at < size - kRadius ? at + kRadius : size - 1;
    return last - first + 1;
}

/// n ln n for n = 0 .. 25, so that a count leads to its term without a conversion.
struct TermTable
{
    double nLogN[entropy::kWindowCells + 1];
};
HOST_DEVICE inline double nLogN(int n) { return n == 0 ? 0 : n * std::log(static_cast<double>(n)); }

/// H = ln N - (1/N) sum n ln n, from sums that began as zeroSums(); N is `total`.
HOST_DEVICE inline float entropyByLogs(const Sums &sums, const TermTable &terms, int total)
{
    double sum = 0;
    for (int level = 0; level < kLevels; ++level) sum += terms.nLogN[countOf(sums, level)];
    return static_cast<float>((terms.nLogN[total] - sum) / total);
}

// ---- the entropy, looked up --------------------------------------------------------------------

/// What lies so many bytes behind the start of a table, a multiple of its own size: one load.
template <typename T>
HOST_DEVICE T loadAt(const void *table, std::uint32_t bytes)
{
    T value;
    const void *at = static_cast<const char *>(table) + bytes;
    std::memcpy(&value, __builtin_assume_aligned(at, sizeof value), sizeof value);
    return value;
}

/// The word of a cell, from the table that holds those of all levels and of kNoCell, eight bytes
/// each; scaledCell() is 16 * level.
HOST_DEVICE inline Word wordOfCell(const GpuTables &tables, float cell)
{
    return loadAt<Word>(tables.words, local_entropy::words::scaledCell(cell) / 2);
}

/// From sums that began as Sums(): they are hashed to a code, and the code leads, through the shift
/// of its row, to the exact entropy (local_entropy/methods/words/tables.h).
HOST_DEVICE inline float entropyByTable(const Sums &sums, const GpuTables &tables)
{
    const std::uint32_t code = local_entropy::words::codeOf(sums);
    const std::uint32_t row = (code >> GpuTables::kRowBits) - GpuTables::kFirstRow;
    return loadAt<float>(tables.entropies, 4 * code + tables.shifts[row]);
}

// ---- cells packed to bytes ---------------------------------------------------------------------

/// Four cells side by side, a byte each: 8 * level, which is where its word lies; kNoCell too.
HOST_DEVICE inline std::uint32_t packFour(float a, float b, float c, float d)
{
    return (local_entropy::words::scaledCell(a) >> 1) + (local_entropy::words::scaledCell(b) << 7) +
           (local_entropy::words::scaledCell(c) << 15) +
           (local_entropy::words::scaledCell(d) << 23);
}

/// The word of one of the four.
HOST_DEVICE inline Word wordOfByte(const GpuTables &tables, std::uint32_t four, int byte)
{
    return loadAt<Word>(tables.words, four >> 8 * byte & 0xFF);
}

// ---- who computes what -------------------------------------------------------------------------

/// Rows are taken five at a time, so that the place of each in the ring is known to the compiler.
/// So many batches of cells give that many rows of results: two rows at either end give none.
HOST_DEVICE constexpr int rowsOfBatches(int batches) { return batches * kWindow - 2 * kRadius; }

/// Smallest number of batches that gives so many rows.
constexpr int batchesOf(int rows) { return (rows + 2 * kRadius - 1) / kWindow + 1; }

/// An array cut into strips of columns, and each strip into parts of `rows` rows; the last one may
/// be shorter.
struct Parts
{
    int strips, parts, rows;
};

/// One part for each of so many blocks, if that leaves enough rows to each: then all blocks run at
/// once, and none waits for another's place.
inline Parts partsOf(int width, int height, int stripColumns, int blocks)
{
    constexpr int kFewest = rowsOfBatches(2); // four rows beside these are read twice
    const auto ceilDiv = [](int a, int b) { return (a - 1) / b + 1; };
    const int strips = ceilDiv(width, stripColumns);
    const int parts = std::clamp(blocks / strips, 1, ceilDiv(height, kFewest));
    const int rows = std::min(rowsOfBatches(batchesOf(ceilDiv(height, parts))), height);
    return {strips, ceilDiv(height, rows), rows};
}

/// The same with less in each part, and the rest of the rows in small parts, for whoever is done
/// first. Item by item: first a big one for each block, strip by strip, then the small ones.
struct Items
{
    int height = 0, strips = 0;
    int bigRows = 0, bigEnd = 0; ///< of a big item; where they end
    unsigned bigItems = 0, items = 0;
};

struct Item
{
    int strip, begin, end; ///< rows [begin, end) of a strip
};

constexpr int kSmallRows = rowsOfBatches(2);

inline Items itemsOf(int width, int height, int stripColumns, int blocks)
{
    constexpr double kBigShare = 0.985;
    constexpr int kMany = 80; // rows: with fewer, the rest would cost more than it saves
    const Parts parts = partsOf(width, height, stripColumns, blocks);
    Items items;
    items.height = height;
    items.strips = parts.strips;
    items.bigRows = parts.rows;
    items.bigEnd = height;
    if (parts.rows >= kMany) {
        items.bigRows = rowsOfBatches(batchesOf(static_cast<int>(kBigShare * parts.rows)) - 1);
        items.bigEnd = parts.parts * items.bigRows; // at least five rows fewer each: before the end
    }
    const auto ceilDiv = [](int a, int b) { return a / b + (a % b > 0); };
    items.bigItems = static_cast<unsigned>(items.strips) * ceilDiv(items.bigEnd, items.bigRows);
    items.items = items.bigItems +
                  static_cast<unsigned>(items.strips) * ceilDiv(height - items.bigEnd, kSmallRows);
    return items;
}

HOST_DEVICE inline Item itemOf(const Items &items, unsigned number)
{
    const bool big = number < items.bigItems;
    const unsigned index = big ? number : number - items.bigItems;
    const int rows = big ? items.bigRows : kSmallRows;
    const int strip = static_cast<int>(index % items.strips);
    const int begin = (big ? 0 : items.bigEnd) + static_cast<int>(index / items.strips) * rows;
    const int last = big ? items.bigEnd : items.height;
    return {strip, begin, last - begin < rows ? last : begin + rows};
}

} // namespace fast_study
