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
//
// A cell of the level of the cell before needs the word that was just stored, and a processor takes
// long to hand it on. So cells move in twos: both words are loaded, and where they are one word,
// what the first cell adds is added in a register, without a branch. Of rectangles, whose cells
// all move so (kPairs > 1), content then decides only how often a word is loaded soon after it was
// stored.
#pragma once

#include "local_entropy/methods/histogram/packed.h"
#include "local_entropy/methods/histogram/pair_steps.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
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
        // In a register: compilers would add up table and entry anew for each look-up.
        const char *table =
            reinterpret_cast<const char *>(kEnters ? steps->enters() : steps->leaves());
        move<kEnters, 1>(inRegister(table), cells, length, sums);
    }

private:
    static constexpr int kLast = kWindows - 1;

    /// Lengths below kTry are done already.
    template <bool kEnters, int kTry, typename Cell>
    [[gnu::always_inline]] inline void move(const char *table, const Cell *cells, int length,
                                            Sums &sums) const
    {
        if constexpr (kTry >= kWindows) {
            moveLong<kEnters>(table, cells, length, sums, std::make_integer_sequence<int, kLast>());
        } else if (length == kTry) {
            moveShort<kEnters, kTry>(table, cells, sums,
                                     std::make_integer_sequence<int, (kTry + kLast) / 2>());
        } else {
            move<kEnters, kTry + 1>(table, cells, length, sums);
        }
    }

    /// A run that is shorter than a pack has windows, so that no cell enters all of them.
    template <bool kEnters, int kLength, typename Cell, int... kTwo>
    [[gnu::always_inline]] inline void moveShort(const char *table, const Cell *cells, Sums &sums,
                                                 std::integer_sequence<int, kTwo...>) const
    {
        constexpr int kCells = kLength + kLast;
        (moveTwo<kEnters, ShortRunCell<kLength, 2 * kTwo>, ShortRunCell<kLength, 2 * kTwo + 1>>(
             table, cells + 2 * kTwo, cells + 2 * kTwo + 1, sums),
         ...);
        if constexpr (kCells % 2)
            moveOne<kEnters, ShortRunCell<kLength, kCells - 1>>(table, cells + kCells - 1, sums);
    }

    /// A run of as many cells or more: what enters the first windows only with what enters the last
    /// ones only, and then what enters all.
    template <bool kEnters, typename Cell, int... kCell>
    [[gnu::always_inline]] inline void moveLong(const char *table, const Cell *cells, int length,
                                                Sums &sums,
                                                std::integer_sequence<int, kCell...>) const
    {
        using All = Range<0, kLast>;
        const Cell *const tail = cells + length;
        (moveTwo<kEnters, Range<0, kCell>, Range<kCell + 1, kLast>>(table, cells + kCell,
                                                                    tail + kCell, sums),
         ...);
        const Cell *cell = cells + kLast;
        for (; cell + 2 <= tail; cell += 2) moveTwo<kEnters, All, All>(table, cell, cell + 1, sums);
        if (cell < tail) moveOne<kEnters, All>(table, cell, sums);
    }

    /// The windows that a cell enters, or leaves.
    template <int kFirstWindow, int kLastWindow>
    struct Range
    {
        static constexpr int kFrom = kFirstWindow, kTo = kLastWindow;
    };
    template <int kLength, int kCell>
    using ShortRunCell = Range<std::max(0, kCell - kLength + 1), std::min(kCell, kLast)>;

    /// What is added to a word if a cell enters a range of windows.
    template <typename Windows>
    [[gnu::always_inline]] inline Word addedBy() const
    {
        return static_cast<Word>(steps->added(Windows::kFrom, Windows::kTo));
    }

    template <bool kEnters>
    [[gnu::always_inline]] static inline Word moved(Word word, Word added)
    {
        return static_cast<Word>(kEnters ? word + added : word - added);
    }

    /// A cell for each pack.
    template <bool kEnters, typename Windows, typename Cell>
    [[gnu::always_inline]] inline void moveOne(const char *table, const Cell *cell,
                                               Sums &sums) const
    {
        const Word added = addedBy<Windows>();
        for (int pack = 0; pack < kPacks; ++pack) {
            Word *const word = counts + pack * stride() + cell[pack * kWindows];
            addSteps<kEnters, Windows>(table, word, sums, pack * kPairs, AllPairs());
            *word = moved<kEnters>(*word, added);
        }
    }

    /// Two cells for each pack, one after the other: together, unless packs are so small that many
    /// take turns.
    template <bool kEnters, typename Windows, typename OtherWindows, typename Cell>
    [[gnu::always_inline]] inline void moveTwo(const char *table, const Cell *cell,
                                               const Cell *otherCell, Sums &sums) const
    {
        if constexpr (kPairs > 1) {
            moveTogether<kEnters, Windows, OtherWindows>(table, cell, otherCell, sums);
        } else {
            moveOne<kEnters, Windows>(table, cell, sums);
            moveOne<kEnters, OtherWindows>(table, otherCell, sums);
        }
    }

    /// Indices of the first cell are loaded by themselves, those of the second are taken from a
    /// register: so loads and shifts share the work.
    template <bool kEnters, typename Windows, typename OtherWindows, typename Cell>
    [[gnu::always_inline]] inline void moveTogether(const char *table, const Cell *cell,
                                                    const Cell *otherCell, Sums &sums) const
    {
        const Word added = addedBy<Windows>(), otherAdded = addedBy<OtherWindows>();
        for (int pack = 0; pack < kPacks; ++pack) {
            const Cell level = cell[pack * kWindows], otherLevel = otherCell[pack * kWindows];
            Word *const word = counts + pack * stride() + level;
            Word *const other = counts + pack * stride() + otherLevel;
            const Word before = inRegister(*word), otherLoaded = inRegister(*other);
            const Word none = inRegister(Word(0)); // not known: a selection, no branch
            const Word both = inRegister(level == otherLevel ? added : none);
            const Word otherBefore = inRegister(moved<kEnters>(otherLoaded, both));
            addSteps<kEnters, Windows>(table, word, sums, pack * kPairs, AllPairs());
            *word = moved<kEnters>(before, added);
            *other = moved<kEnters>(otherBefore, otherAdded);
            addSteps<kEnters, OtherWindows>(table, otherBefore, sums, pack * kPairs, AllPairs());
        }
    }

    using AllPairs = std::make_integer_sequence<int, kPairs>;

    /// `word`: a word before the change, or where it is.
    template <bool kEnters, typename Windows, typename AnyWord, int... kPair>
    [[gnu::always_inline]] static inline void addSteps(const char *table, AnyWord word, Sums &sums,
                                                       int firstPair,
                                                       std::integer_sequence<int, kPair...>)
    {
        (addStep<kEnters, (Windows::kFrom <= 2 * kPair && 2 * kPair <= Windows::kTo),
                 (Windows::kFrom <= 2 * kPair + 1 && 2 * kPair + 1 <= Windows::kTo), kPair>(
             table, word, sums.of[firstPair + kPair], sums.waiting[firstPair + kPair]),
         ...);
    }

    /// One pair.
    template <bool kEnters, bool kLeft, bool kRight, int kPair, typename AnyWord>
    [[gnu::always_inline]] static inline void addStep(const char *table, AnyWord word, PairSum &sum,
                                                      PairSum &waiting)
    {
        if constexpr (kLeft || kRight) {
            const char *at = table + stepOffset<kPair>(word);
            const PairStep *step = reinterpret_cast<const PairStep *>(at);
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

    /// Bytes from the table's begin to the steps of a pair.
    template <int kPair>
    [[gnu::always_inline]] static inline std::size_t stepOffset(Word *word)
    {
        return std::size_t(indexOf<kPair>(word)) * (sizeof(PairStep) / kUnit);
    }

    /// Of an index in a register, shifted once for both: to the lowest bits, and times the factor.
    template <int kPair>
    [[gnu::always_inline]] static inline std::size_t stepOffset(Word word)
    {
        constexpr int kFactor = sizeof(PairStep) / kUnit, kBits = kUnit == 1 ? 4 : 3;
        static_assert(kFactor == 1 << kBits);
        constexpr std::size_t kMask = std::size_t(std::numeric_limits<PairSteps::Index>::max());
        if constexpr (kPair == 0)
            return (word & kMask) * kFactor;
        else
            return (word >> (16 * kPair - kBits)) & (kMask * kFactor);
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
