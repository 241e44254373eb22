// What a step of a disk changes, and what it has to read for that: lists that the compiler makes of
// a radius (.cu). See foot_disk.h.
#pragma once

#include "local_entropy/methods/histogram/foot_changes.h"
#include "local_entropy/methods/histogram/foot_counters.h"

namespace local_entropy::footprint
{

/// The cell of a column that is so far above the middle row, and the one as far below the next:
/// what to add to their counters when the first leaves and the second enters, and the windows, a
/// bit each, that have one more or less then.
struct Change
{
    int height, column;
    std::uint32_t leaving, entering;
    unsigned windows;
};

/// Columns are counted from the first window's first one, rows from the middle one.
template <int kRadius, typename In>
struct DiskPattern
{
    static constexpr int kWindows = In::kWindows, kColumns = 2 * kRadius + kWindows;

    /// How far the column of a window reaches; -1: it is beyond the window.
    HOST_DEVICE static constexpr int reachOf(int column, int window)
    {
        const int x = column - window - kRadius;
        return x < -kRadius || x > kRadius ? -1 : reach(kRadius, x);
    }
    /// A bit for each window that has this cell.
    HOST_DEVICE static constexpr unsigned windowsOf(int row, int column)
    {
        unsigned windows = 0;
        for (int window = 0; window < kWindows; ++window)
            if (reachOf(column, window) >= (row < 0 ? -row : row)) windows |= 1u << window;
        return windows;
    }
    /// What it adds to the counters' word.
    HOST_DEVICE static constexpr std::uint32_t codeOf(int row, int column)
    {
        return In::code(windowsOf(row, column), row, column);
    }

    HOST_DEVICE static constexpr Change changeOf(int height, int column)
    {
        return {height, column, codeOf(-height - 1, column) - codeOf(-height, column),
                codeOf(height, column) - codeOf(height + 1, column),
                windowsOf(height, column) & ~windowsOf(height + 1, column)};
    }
    HOST_DEVICE static constexpr bool isChange(int height, int column)
    {
        const Change change = changeOf(height, column);
        return change.leaving || change.entering;
    }
    HOST_DEVICE static constexpr int count()
    {
        int changes = 0;
        for (int height = 0; height <= kRadius; ++height)
            for (int i = 0; i < kColumns; ++i) changes += isChange(height, i);
        return changes;
    }
    static constexpr int kChanges = count();

    struct Changes
    {
        Change of[kChanges];
    };
    /// In an order in which no counter overflows: a cell that is counted otherwise, but of the same
    /// windows, follows the change of the cell beside it.
    HOST_DEVICE static constexpr Changes list()
    {
        Changes all{};
        int n = 0;
        for (int height = 0; height <= kRadius; ++height)
            for (int i = 0; i < kColumns; ++i) {
                if (!isChange(height, i) || changeOf(height, i).windows == 0) continue;
                all.of[n++] = changeOf(height, i);
                if (height && isChange(height - 1, i) && changeOf(height - 1, i).windows == 0)
                    all.of[n++] = changeOf(height - 1, i);
            }
        return all;
    }
    static constexpr Changes kList = list();

    HOST_DEVICE static constexpr bool isOf(int n, int window)
    {
        return kList.of[n].windows >> window & 1;
    }
    /// Whether the changes of a window up to n are a multiple of four, or all.
    HOST_DEVICE static constexpr bool folds(int n, int window)
    {
        int before = 0, all = 0;
        for (int i = 0; i < kChanges; ++i) {
            all += isOf(i, window);
            if (i <= n) before += isOf(i, window);
        }
        return before % 4 == 0 || before == all;
    }
};

/// The address of a thread's first column in any row, modulo 4, where the compiler knows it.
constexpr int kAnyPlace = -1;

/// What a thread reads of a row: a byte, or the word of 4 bytes from `column` on. Where the place
/// is not known, words are those that begin at a multiple of 4 at or before it.
struct Load
{
    int height, column;
    bool isByte;
};

/// All loads of one side of a disk, and the changes that they serve.
template <typename Pattern, int kPlace>
struct DiskLoads
{
    /// The word `load`, with the one behind it if kPlace is not known, has the cell in byte `byte`.
    struct Source
    {
        int load, byte;
    };
    struct Lists
    {
        int loads;
        Load of[2 * Pattern::kChanges + 8];
        Source from[Pattern::kChanges];
    };

    HOST_DEVICE static constexpr Lists list()
    {
        Lists all{};
        for (int n = 0; n < Pattern::kChanges;) {
            const int height = Pattern::kList.of[n].height, first = Pattern::kList.of[n].column;
            int end = n + 1; // of cells that are read together
            const auto isNear = [&](int i) {
                return i < Pattern::kChanges && Pattern::kList.of[i].height == height &&
                       Pattern::kList.of[i].column <= Pattern::kList.of[i - 1].column + 2;
            };
            if (kPlace >= 0) {
                while (end < Pattern::kChanges && Pattern::kList.of[end].height == height &&
                       (Pattern::kList.of[end].column + kPlace) / 4 == (first + kPlace) / 4)
                    ++end;
                const int begin = (first + kPlace) / 4 * 4 - kPlace;
                for (int i = n; i < end; ++i)
                    all.from[i] = {all.loads, Pattern::kList.of[i].column - begin};
                all.of[all.loads++] = {height, begin, false};
            } else {
                while (isNear(end)) ++end;
                const int columns = Pattern::kList.of[end - 1].column - first + 1;
                const int words = (columns + 3 + 3) / 4;
                if (end - n <= words) {
                    for (int i = n; i < end; ++i) {
                        all.from[i] = {all.loads, -1};
                        all.of[all.loads++] = {height, Pattern::kList.of[i].column, true};
                    }
                } else {
                    for (int i = n; i < end; ++i) {
                        const int column = Pattern::kList.of[i].column - first;
                        all.from[i] = {all.loads + column / 4, column % 4};
                    }
                    for (int word = 0; word < words; ++word)
                        all.of[all.loads++] = {height, first + 4 * word, false};
                }
            }
            n = end;
        }
        return all;
    }
    static constexpr Lists kLists = list();
    static constexpr int kLoads = kLists.loads;
    /// Whether it has the first cell of some change, not only what is shifted to it.
    HOST_DEVICE static constexpr bool isUsed(int load)
    {
        for (const Source &from : kLists.from)
            if (from.load == load) return true;
        return false;
    }
};

} // namespace local_entropy::footprint
