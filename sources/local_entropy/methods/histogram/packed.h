// Packed histograms: the counts of neighbouring windows, side by side in one word a level.
//
// K windows next to each other in a row share nearly all their cells. Their histograms are one
// array: the word of a level holds K counts of it, window 0 in the lowest bits. A cell that enters
// several of the windows costs one load, one addition and one store for all of them; what is left
// to do for each window is S += F(n + 1) - F(n), a look-up. A run of cells that enters every window
// (shifted by a cell from window to window) is K - 1 + its length cells:
//
//     cell      0 1 2 3 4 5 6 7     a run of 5, K = 4
//     window 0  x x x x x
//     window 1    x x x x x         the head: cells 0 to 2 enter windows 0 .. j
//     window 2      x x x x x       the body: cells 3 and 4 enter all
//     window 3        x x x x x     the tail: cells 5 to 7 enter the others
//
// A cell of the level of the cell before must wait for its store. So P packs, K windows apart, take
// their cells in turn: their words are different ones, and the waits overlap.
//
// Counts are read from memory before the word is changed, in halves of a word or, where a half has
// one count that is wanted, by themselves: the loads and the instructions that take halves apart
// then keep a processor equally busy. To be compiled without the vectoriser: it would join sums and
// counts to vectors, and a load of parts that were stored apart (or the reverse) waits for the
// cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace local_entropy
{
namespace
{

/// The value itself, in a register, and nothing known of it: a copy of sums is then no copy of
/// vectors, and an address is not computed again.
template <typename T>
[[gnu::always_inline]] inline T inRegister(T value)
{
    asm("" : "+r"(value));
    return value;
}

/// How windows share words: `kPacks` packs of `kWindows` windows.
template <typename WordType, int kWindowsOfPack, int kPacksAtOnce>
struct Packing
{
    using Word = WordType;
    static constexpr int kWindows = kWindowsOfPack, kPacks = kPacksAtOnce;
    static constexpr int kBits = 8 * sizeof(Word) / kWindows; ///< of a count: 8 or 16
    static constexpr int kColumns = kWindows * kPacks;        ///< windows in all

    using Count = std::conditional_t<kBits == 8, std::uint8_t, std::uint16_t>;
    /// As much of a word as is loaded at once.
    using Part = std::conditional_t<(sizeof(Word) > 4), std::uint32_t, Word>;

    /// 1 in the counts of windows first .. last.
    static constexpr Word ones(int first, int last)
    {
        Word word = 0;
        for (int window = first; window <= last; ++window) word |= Word(1) << (kBits * window);
        return word;
    }
};

/// A group of packs: its histograms, and the steps of its windows' sums. kStride: words from a pack
/// to the next where the compiler may know it (a register less), or 0.
template <typename PackingType, typename SumType, int kStride>
struct PackedGroup
{
    using Packing = PackingType;
    using Word = typename Packing::Word;
    using Sum = SumType;
    using Steps = const Sum *; ///< steps[n]: F(n) - F(n - 1)
    static constexpr int kWindows = Packing::kWindows, kPacks = Packing::kPacks;
    static constexpr int kColumns = Packing::kColumns;

    struct Sums
    {
        Sum of[kColumns];
    };

    PackedGroup(Word *counts, std::size_t stride, Steps steps)
        : counts(counts), runtimeStride(stride), enterSteps(inRegister(steps + 1)),
          leaveSteps(steps)
    {
    }

    Word *counts; ///< the word of level v in pack i is at i * stride + v
    std::size_t runtimeStride;
    const Sum *enterSteps; ///< enterSteps[n]: F(n + 1) - F(n)
    const Sum *leaveSteps; ///< leaveSteps[n]: F(n) - F(n - 1)

    std::size_t stride() const { return kStride ? kStride : runtimeStride; }

    [[gnu::always_inline]] static inline void load(Sums &sums, const Sum *from)
    {
        for (int i = 0; i < kColumns; ++i) sums.of[i] = inRegister(from[i]);
    }

    [[gnu::always_inline]] static inline void store(const Sums &sums, Sum *to)
    {
        for (int i = 0; i < kColumns; ++i) to[i] = inRegister(sums.of[i]);
    }

    /// The run of `length` cells at `cells` enters, or leaves, the first window of a group, the run
    /// a cell further to the right the second, and so on.
    template <bool kEnters, typename Cell>
    [[gnu::always_inline]] inline void moveRun(const Cell *cells, int length, Sums &sums) const;
};

/// Where a word's part of `kSize` bytes is that begins `kFrom` bytes above its lowest.
template <typename Packing, int kFrom, int kSize>
[[gnu::always_inline]] inline const char *partOf(const typename Packing::Word *word)
{
    constexpr bool kLittle = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    constexpr int kPlace = kLittle ? kFrom : static_cast<int>(sizeof *word) - kFrom - kSize;
    return reinterpret_cast<const char *>(word) + kPlace;
}

/// The look-ups of those of windows kFirst .. kLast that have their counts in quarter or half word
/// `kPart`, of `Part`'s size, by the counts before the change.
template <typename Packing, bool kEnters, int kFirst, int kLast, typename Part, int kPart,
          typename Sum, int... kCount>
[[gnu::always_inline]] inline void addStepsOf(const typename Packing::Word *word, Sum *sums,
                                              const Sum *steps,
                                              std::integer_sequence<int, kCount...>)
{
    using Count = typename Packing::Count;
    constexpr int kCounts = sizeof(Part) / sizeof(Count);
    constexpr int kBegin = std::max(kFirst, kPart * kCounts);
    constexpr int kEnd = std::min(kLast + 1, (kPart + 1) * kCounts);
    const auto add = [&](int window, unsigned n) __attribute__((always_inline))
    {
        if constexpr (kEnters)
            sums[window] += steps[n];
        else
            sums[window] -= steps[n];
    };
    if constexpr (kEnd - kBegin == 1) { // alone: a load of its own, nothing to take apart
        Count n;
        std::memcpy(&n, partOf<Packing, kBegin *int(sizeof n), sizeof n>(word), sizeof n);
        add(kBegin, n);
    } else if constexpr (kEnd - kBegin > 1) {
        Part part;
        std::memcpy(&part, partOf<Packing, kPart *int(sizeof part), sizeof part>(word),
                    sizeof part);
        constexpr int kUsed = (1 << (kEnd - kPart * kCounts)) - (1 << (kBegin - kPart * kCounts));
        ((kUsed >> kCount & 1
              ? add(kPart * kCounts + kCount, static_cast<Count>(part >> (Packing::kBits * kCount)))
              : void()),
         ...);
    }
}

template <typename Packing, bool kEnters, int kFirst, int kLast, typename Sum, int... kPart>
[[gnu::always_inline]] inline void addSteps(const typename Packing::Word *word, Sum *sums,
                                            const Sum *steps, std::integer_sequence<int, kPart...>)
{
    using Part = typename Packing::Part;
    using Counts = std::make_integer_sequence<int, sizeof(Part) / sizeof(typename Packing::Count)>;
    (addStepsOf<Packing, kEnters, kFirst, kLast, Part, kPart>(word, sums, steps, Counts()), ...);
}

/// A cell enters, or leaves, windows kFirst .. kLast of a pack.
template <typename Packing, bool kEnters, int kFirst, int kLast, typename Sum>
[[gnu::always_inline]] inline void moveCell(typename Packing::Word *word, Sum *sums,
                                            const Sum *steps)
{
    constexpr int kParts = sizeof *word / sizeof(typename Packing::Part);
    addSteps<Packing, kEnters, kFirst, kLast>(word, sums, steps,
                                              std::make_integer_sequence<int, kParts>());
    constexpr typename Packing::Word kOnes = Packing::ones(kFirst, kLast);
    if constexpr (kEnters)
        *word += kOnes;
    else
        *word -= kOnes;
}

/// A cell for each pack of a group, `kWindows` cells apart.
template <bool kEnters, int kFirst, int kLast, typename Group, typename Cell, int... kPack>
[[gnu::always_inline]] inline void moveCells(const Group &group, const Cell *cells,
                                             typename Group::Sum *sums,
                                             std::integer_sequence<int, kPack...>)
{
    using Packing = typename Group::Packing;
    (moveCell<Packing, kEnters, kFirst, kLast>(
         group.counts + kPack * group.stride() + cells[kPack * Packing::kWindows],
         sums + kPack * Packing::kWindows, kEnters ? group.enterSteps : group.leaveSteps),
     ...);
}

template <bool kEnters, int kFirst, int kLast, typename Group, typename Cell>
[[gnu::always_inline]] inline void moveCells(const Group &group, const Cell *cells,
                                             typename Group::Sum *sums)
{
    moveCells<kEnters, kFirst, kLast>(group, cells, sums,
                                      std::make_integer_sequence<int, Group::Packing::kPacks>());
}

/// A run that is shorter than K, so that no cell enters all windows.
template <bool kEnters, int kLength, typename Group, typename Cell, int... kCell>
[[gnu::always_inline]] inline void moveShortRun(const Group &group, const Cell *cells,
                                                typename Group::Sum *sums,
                                                std::integer_sequence<int, kCell...>)
{
    constexpr int kLastWindow = Group::Packing::kWindows - 1;
    (moveCells<kEnters, (kCell < kLength ? 0 : kCell - kLength + 1),
               (kCell < kLastWindow ? kCell : kLastWindow)>(group, cells + kCell, sums),
     ...);
}

/// A run of K cells or more.
template <bool kEnters, typename Group, typename Cell, int... kCell>
[[gnu::always_inline]] inline void moveLongRun(const Group &group, const Cell *cells, int length,
                                               typename Group::Sum *sums,
                                               std::integer_sequence<int, kCell...>)
{
    constexpr int kLastWindow = Group::Packing::kWindows - 1;
    (moveCells<kEnters, 0, kCell>(group, cells + kCell, sums), ...);
    const Cell *const tail = cells + length;
    const Cell *cell = cells + kLastWindow;
    for (; cell + 4 <= tail; cell += 4) {
        moveCells<kEnters, 0, kLastWindow>(group, cell, sums);
        moveCells<kEnters, 0, kLastWindow>(group, cell + 1, sums);
        moveCells<kEnters, 0, kLastWindow>(group, cell + 2, sums);
        moveCells<kEnters, 0, kLastWindow>(group, cell + 3, sums);
    }
    for (; cell < tail; ++cell) moveCells<kEnters, 0, kLastWindow>(group, cell, sums);
    (moveCells<kEnters, kCell + 1, kLastWindow>(group, tail + kCell, sums), ...);
}

/// A run of any length; those below kTry are done already.
template <bool kEnters, int kTry = 1, typename Group, typename Cell>
[[gnu::always_inline]] inline void moveRun(const Group &group, const Cell *cells, int length,
                                           typename Group::Sum *sums)
{
    constexpr int kWindows = Group::Packing::kWindows;
    if constexpr (kTry >= kWindows) {
        moveLongRun<kEnters>(group, cells, length, sums,
                             std::make_integer_sequence<int, kWindows - 1>());
    } else if (length == kTry) {
        moveShortRun<kEnters, kTry>(group, cells, sums,
                                    std::make_integer_sequence<int, kTry + kWindows - 1>());
    } else {
        moveRun<kEnters, kTry + 1>(group, cells, length, sums);
    }
}

template <typename Packing, typename Sum, int kStride>
template <bool kEnters, typename Cell>
inline void PackedGroup<Packing, Sum, kStride>::moveRun(const Cell *cells, int length,
                                                        Sums &sums) const
{
    local_entropy::moveRun<kEnters>(*this, cells, length, sums.of);
}

} // namespace
} // namespace local_entropy
