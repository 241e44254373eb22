// Steps of disks whose radius the compiler knows (.cu): see foot.h.
//
// A cell that is at the end of one window's column is at the end of its neighbours' columns too
// where these reach as far up and down. So it enters or leaves them by one addition. In its row the
// ends of all columns that reach as far lie together: they are read as words.
#pragma once

#include "local_entropy/methods/histogram/foot_count.h"
#include "local_entropy/methods/histogram/foot_pattern.h"
#include "local_entropy/methods/histogram/foot_rows.h"
#include "local_entropy/methods/histogram/foot_walker.h"

#include <type_traits>
#include <utility>

namespace local_entropy::footprint
{

/// Calls `call` with integral_constants 0 ... kCount - 1.
template <int... kNumbers, typename Call>
__device__ void forEach(std::integer_sequence<int, kNumbers...>, const Call &call)
{
    (call(std::integral_constant<int, kNumbers>()), ...);
}
template <int kCount, typename Call>
__device__ void forEach(const Call &call)
{
    forEach(std::make_integer_sequence<int, kCount>(), call);
}

/// The steps of a disk, each in kParts parts, one after the other. When a part's counters are
/// changed, those of the part before have come: they name entries of the table, which are asked for
/// next. So no look-up waits for a counter that has just been asked for. A step begins before the
/// one before it ends.
template <int kRadius, typename In, int kPlace, typename Rows>
class DiskSteps
{
public:
    using Cell = std::uint8_t;
    using Own = Walker<Cell, In>;
    static constexpr int kWindows = In::kWindows, kParts = kRadius < 7 ? 4 : 5;
    static constexpr int kMost = Rows::kMost - (2 * kRadius + 1); ///< steps, from the first one on

    __device__ static bool can(const PieceView<Cell> &piece, int x)
    {
        const auto place =
            static_cast<int>((reinterpret_cast<std::uintptr_t>(piece.cells) + x) % 4);
        return Rows::can(piece) &&
               (kPlace == kAnyPlace || (piece.stride % 4 == 0 && place == kPlace));
    }
    /// Counts the window of row y.
    __device__ static void count(Own &walker, const PieceView<Cell> &piece, int x, int y)
    {
        DiskCount<kRadius, In>::count(walker, piece, x, y);
    }
    /// For the step from row y.
    __device__ void begin(const PieceView<Cell> &piece, int x, int y)
    {
        rows.begin(piece, x, y);
        load();
    }
    /// The first part of a step, from counters that are what the step before left. `another`: a
    /// step from the next row follows, whose cells are on their way from now on.
    __device__ void change(Own &walker, bool another)
    {
        take(walker.task.plane.mask);
        if (another) rows.next();
        load();
        changePart<0>(walker);
    }
    /// The other parts, but for the last look-ups.
    __device__ void goOn(Own &walker)
    {
        forEach<kParts - 1>([&](auto number) {
            constexpr int part = decltype(number)::value;
            changePart<part + 1>(walker);
            lookUp<part>(walker);
        });
    }
    __device__ void end(Own &walker) { lookUp<kParts - 1>(walker); }

private:
    using Pattern = DiskPattern<kRadius, In>;
    using Loads = DiskLoads<Pattern, kPlace>;

    HOST_DEVICE static constexpr int leavingRow(int height) { return kRadius - height; }
    HOST_DEVICE static constexpr int enteringRow(int height) { return kRadius + height + 1; }

    HOST_DEVICE static constexpr int begin(int part) { return Pattern::kChanges * part / kParts; }
    template <int kPart, typename Call>
    __device__ static void forEachOf(const Call &call)
    {
        forEach<begin(kPart + 1) - begin(kPart)>([&](auto number) {
            call(std::integral_constant<int, begin(kPart) + decltype(number)::value>());
        });
    }
    template <int kPart>
    __device__ void changePart(Own &walker)
    {
        forEachOf<kPart>([&](auto number) {
            constexpr int n = decltype(number)::value;
            constexpr auto change = Pattern::kList.of[n];
            if constexpr (change.leaving != 0)
                left[n] = walker.add(counters<n>(leaving, walker.histogram), change.leaving);
            if constexpr (change.entering != 0)
                entered[n] = walker.add(counters<n>(entering, walker.histogram), change.entering);
        });
    }
    template <int kPart>
    __device__ void lookUp(Own &walker)
    {
        forEachOf<kPart>([&](auto number) {
            constexpr int n = decltype(number)::value;
            forEach<kWindows>([&](auto which) {
                constexpr int window = decltype(which)::value;
                if constexpr (Pattern::isOf(n, window)) {
                    walker.left(window, left[n]);
                    walker.entered(window, entered[n]);
                    if constexpr (Pattern::folds(n, window)) walker.fold(window);
                }
            });
        });
    }
    /// Whether load i is of another row than the one before it.
    HOST_DEVICE static constexpr bool isOfOtherRow(int i)
    {
        return i == 0 || Loads::kLists.of[i].height != Loads::kLists.of[i - 1].height;
    }
    __device__ void load()
    {
        std::uint64_t above = 0, below = 0;
        forEach<Loads::kLoads>([&](auto number) {
            constexpr int i = decltype(number)::value;
            constexpr Load one = Loads::kLists.of[i];
            if constexpr (isOfOtherRow(i)) {
                above = rows.address(leavingRow(one.height));
                below = rows.address(enteringRow(one.height));
            }
            leavingNext[i] = read<one.isByte, one.column>(above);
            enteringNext[i] = read<one.isByte, one.column>(below);
        });
        rows.prefetch(2 * kRadius + 5);
    }
    /// The cells that have been loaded, of the row of the next loads.
    __device__ void take(std::uint32_t mask)
    {
        std::uint32_t above = 0, below = 0;
        forEach<Loads::kLoads>([&](auto number) {
            constexpr int i = decltype(number)::value;
            if constexpr (kPlace == kAnyPlace && isOfOtherRow(i)) {
                constexpr int height = Loads::kLists.of[i].height;
                above = rows.place(leavingRow(height));
                below = rows.place(enteringRow(height));
            }
            if constexpr (Loads::isUsed(i)) {
                leaving[i] = shifted<i>(leavingNext, above) & mask;
                entering[i] = shifted<i>(enteringNext, below) & mask;
            }
        });
    }
    /// `row`: the place of the row.
    template <int i>
    __device__ static std::uint32_t shifted(const std::uint32_t (&cells)[Loads::kLoads],
                                            std::uint32_t row)
    {
        constexpr Load one = Loads::kLists.of[i];
        if constexpr (one.isByte || kPlace >= 0) {
            return cells[i];
        } else {                                                    // The shift counts modulo 32.
            constexpr int next = i + 1 < Loads::kLoads ? i + 1 : i; // if there is none: not needed
            return __funnelshift_r(cells[i], cells[next], (row + one.column) * 8);
        }
    }
    template <bool kIsByte, int column>
    __device__ static std::uint32_t read(std::uint64_t row)
    {
        std::uint32_t cells;
        // Volatile: else the compiler moves them to where they are needed.
        if (kIsByte)
            asm volatile("ld.global.nc.u8 %0, [%1 + %2];" : "=r"(cells) : "l"(row), "n"(column));
        else if (kPlace >= 0)
            asm volatile("ld.global.nc.u32 %0, [%1 + %2];" : "=r"(cells) : "l"(row), "n"(column));
        else
            asm volatile("ld.global.nc.u32 %0, [%1];"
                         : "=r"(cells)
                         : "l"((row + static_cast<std::uint64_t>(column)) & ~std::uint64_t(3)));
        return cells;
    }

    /// Where the counters of a changed cell are.
    template <int n>
    __device__ std::uint32_t counters(const std::uint32_t (&cells)[Loads::kLoads],
                                      std::uint32_t histogram) const
    {
        constexpr typename Loads::Source from = Loads::kLists.from[n];
        // A byte times the bytes of a level, by a product of four bytes.
        constexpr int kShift = from.byte < 0 ? 0 : 8 * from.byte;
        return __dp4a(cells[from.load], std::uint32_t(4 * kLanes) << kShift, histogram);
    }

    Rows rows; ///< from the thread's first column on
    std::uint32_t leavingNext[Loads::kLoads], enteringNext[Loads::kLoads];
    std::uint32_t leaving[Loads::kLoads], entering[Loads::kLoads];
    std::uint32_t left[Pattern::kChanges], entered[Pattern::kChanges]; ///< counters before
};

} // namespace local_entropy::footprint
