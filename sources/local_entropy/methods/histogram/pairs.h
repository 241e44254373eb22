// Packed histograms of pairs: the word of a level holds an index for each pair of eight windows
// side by side, and pair_steps.h says what that is. A cell that enters all of them costs, for two
// windows, the load of an index and the addition of a table's entry to a vector of two sums.
//
// Where a run begins and ends, it enters one window of a pair only. The left window is a cell
// ahead:
//
//     cell      0 1 2 3 4 5 6 7     a run of 5; of these pairs, one enters
//     window 0  x x x x x           at 0 the left window only, at 5 the right one only;
//     window 1    x x x x x         at 1 to 4 both
//     window 2      x x x x x       at 2 the left one, at 7 the right one, ...
//     window 3        x x x x x
//
// The left half of an entry waits in a register until the right half of another joins it.
#pragma once

#include "local_entropy/methods/histogram/pair_steps.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace local_entropy
{
namespace
{

/// A register of two sums. In memory it may stand for two numbers of an array.
using PairSum [[gnu::vector_size(16), gnu::may_alias]] = long long;

/// `kPacksAtOnce` packs that take cells in turn, with an index for each pair of windows in a word.
/// kUnit: that of the steps. kStride: words from a pack to the next where the compiler may know it,
/// or 0.
template <typename WordType, int kPacksAtOnce, int kUnit, int kStride>
struct PairGroup
{
    using Word = WordType;
    using Sum = std::int64_t;
    using Steps = const PairSteps *;
    static constexpr int kPairs = sizeof(Word) / sizeof(PairSteps::Index), kWindows = 2 * kPairs;
    static constexpr int kPacks = kPacksAtOnce, kColumns = kPacks * kWindows;

    struct Sums
    {
        PairSum of[kPacks * kPairs];
        PairSum waiting[kPacks * kPairs]; ///< the left half of what is to be added
    };

    Word *counts; ///< the word of level v in pack i is at i * stride + v
    std::size_t runtimeStride;
    Steps steps;

    std::size_t stride() const { return kStride ? kStride : runtimeStride; }

    [[gnu::always_inline]] static inline void load(Sums &sums, const Sum *from)
    {
        for (int i = 0; i < kPacks * kPairs; ++i)
            sums.of[i] = reinterpret_cast<const PairSum *>(from)[i];
    }

    [[gnu::always_inline]] static inline void store(const Sums &sums, Sum *to)
    {
        for (int i = 0; i < kPacks * kPairs; ++i) reinterpret_cast<PairSum *>(to)[i] = sums.of[i];
    }

    /// The run of `length` cells at `cells` enters, or leaves, the first window of a group, the run
    /// a cell further to the right the second, and so on.
    template <bool kEnters, typename Cell>
    [[gnu::always_inline]] inline void moveRun(const Cell *cells, int length, Sums &sums) const
    {
        move<kEnters, 1>(cells, length, sums);
    }

private:
    /// Lengths below kTry are done already.
    template <bool kEnters, int kTry, typename Cell>
    [[gnu::always_inline]] inline void move(const Cell *cells, int length, Sums &sums) const
    {
        if constexpr (kTry >= kWindows) {
            moveLong<kEnters>(cells, length, sums, std::make_integer_sequence<int, kWindows - 1>());
        } else if (length == kTry) {
            moveShort<kEnters, kTry>(cells, sums,
                                     std::make_integer_sequence<int, kTry + kWindows - 1>());
        } else {
            move<kEnters, kTry + 1>(cells, length, sums);
        }
    }

    /// A run that is shorter than eight cells, so that no cell enters all windows.
    template <bool kEnters, int kLength, typename Cell, int... kCell>
    [[gnu::always_inline]] inline void moveShort(const Cell *cells, Sums &sums,
                                                 std::integer_sequence<int, kCell...>) const
    {
        (moveCell<kEnters, std::max(0, kCell - kLength + 1), std::min(kCell, kWindows - 1)>(
             cells + kCell, sums),
         ...);
    }

    /// A run of eight cells or more: what enters the first windows only in turn with what enters
    /// the last ones only, and then what enters all.
    template <bool kEnters, typename Cell, int... kCell>
    [[gnu::always_inline]] inline void moveLong(const Cell *cells, int length, Sums &sums,
                                                std::integer_sequence<int, kCell...>) const
    {
        constexpr int kLast = kWindows - 1;
        const Cell *const tail = cells + length;
        ((moveCell<kEnters, 0, kCell>(cells + kCell, sums),
          moveCell<kEnters, kCell + 1, kLast>(tail + kCell, sums)),
         ...);
        const Word added = addedBy<0, kLast>();
        const Cell *cell = cells + kLast;
        for (; cell + 2 <= tail; cell += 2) {
            moveCell<kEnters, 0, kLast>(cell, sums, added);
            moveCell<kEnters, 0, kLast>(cell + 1, sums, added);
        }
        if (cell < tail) moveCell<kEnters, 0, kLast>(cell, sums, added);
    }

    /// What is added to a word if a cell enters windows kFirst .. kLast.
    template <int kFirst, int kLast>
    [[gnu::always_inline]] inline Word addedBy() const
    {
        return static_cast<Word>(steps->added(kFirst, kLast));
    }

    template <bool kEnters, int kFirst, int kLast, typename Cell>
    [[gnu::always_inline]] inline void moveCell(const Cell *cell, Sums &sums) const
    {
        moveCell<kEnters, kFirst, kLast>(cell, sums, addedBy<kFirst, kLast>());
    }

    /// A cell for each pack.
    template <bool kEnters, int kFirst, int kLast, typename Cell>
    [[gnu::always_inline]] inline void moveCell(const Cell *cell, Sums &sums, Word added) const
    {
        for (int pack = 0; pack < kPacks; ++pack) {
            Word *const word = counts + pack * stride() + cell[pack * kWindows];
            addSteps<kEnters, kFirst, kLast>(word, sums, pack * kPairs,
                                             std::make_integer_sequence<int, kPairs>());
            *word = static_cast<Word>(kEnters ? *word + added : *word - added);
        }
    }

    template <bool kEnters, int kFirst, int kLast, int... kPair>
    [[gnu::always_inline]] inline void addSteps(const Word *word, Sums &sums, int firstPair,
                                                std::integer_sequence<int, kPair...>) const
    {
        (addStep<kEnters, (kFirst <= 2 * kPair && 2 * kPair <= kLast),
                 (kFirst <= 2 * kPair + 1 && 2 * kPair + 1 <= kLast), kPair>(
             word, sums.of[firstPair + kPair], sums.waiting[firstPair + kPair]),
         ...);
    }

    /// One pair, by its index before the change.
    template <bool kEnters, bool kLeft, bool kRight, int kPair>
    [[gnu::always_inline]] inline void addStep(const Word *word, PairSum &sum,
                                               PairSum &waiting) const
    {
        if constexpr (kLeft || kRight) {
            const PairStep *table = kEnters ? steps->enters() : steps->leaves();
            const PairStep *step = reinterpret_cast<const PairStep *>(
                reinterpret_cast<const char *>(table) +
                std::size_t(indexOf<kPair>(word)) * (sizeof(PairStep) / kUnit));
            PairSum whole = waiting;
            if constexpr (kLeft && kRight)
                whole = *reinterpret_cast<const PairSum *>(step);
            else if constexpr (kLeft)
                waiting = PairSum{step->left, 0};
            else
                whole = PairSum{waiting[0], step->right};
            if constexpr (kRight) sum = kEnters ? sum + whole : sum - whole;
        }
    }

    /// Loaded by itself: nothing to take apart.
    template <int kPair>
    [[gnu::always_inline]] static inline PairSteps::Index indexOf(const Word *word)
    {
        constexpr bool kLittle = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
        PairSteps::Index index;
        std::memcpy(&index,
                    reinterpret_cast<const char *>(word) +
                        (kLittle ? kPair : kPairs - 1 - kPair) * sizeof index,
                    sizeof index);
        return index;
    }
};

} // namespace
} // namespace local_entropy
