// Steps of disks whose radius the compiler knows (.cu): see foot.h.
//
// A cell that is at the end of one window's column is at the end of its neighbours' columns too
// where these reach as far up and down. So it enters or leaves them by one addition. In its row the
// ends of all columns that reach as far lie together: they are read as words.
#pragma once

#include "common/host_device.h"
#include "local_entropy/methods/histogram/foot.h"

#include <utility>

namespace local_entropy::footprint
{

/// Columns are counted from the first window's first one, heights from the middle row.
template <int kRadius, int kWindows, int kBits>
struct DiskPattern
{
    static constexpr int kColumns = 2 * kRadius + kWindows;

    /// A one for each window whose column `i` reaches exactly so high.
    HOST_DEVICE static constexpr std::uint32_t ones(int height, int i)
    {
        std::uint32_t word = 0;
        for (int window = 0; window < kWindows; ++window) {
            const int x = i - window - kRadius;
            if (x >= -kRadius && x <= kRadius && reach(kRadius, x) == height)
                word |= 1u << (kBits * window);
        }
        return word;
    }

    /// A cell that changes: it enters or leaves the windows of `ones`.
    struct Change
    {
        int height, column;
        std::uint32_t ones;
    };
    HOST_DEVICE static constexpr int count()
    {
        int changes = 0;
        for (int height = 0; height <= kRadius; ++height)
            for (int i = 0; i < kColumns; ++i) changes += ones(height, i) != 0;
        return changes;
    }
    static constexpr int kChanges = count();

    struct Changes
    {
        Change of[kChanges];
    };
    HOST_DEVICE static constexpr Changes list()
    {
        Changes all{};
        int n = 0;
        for (int height = 0; height <= kRadius; ++height)
            for (int i = 0; i < kColumns; ++i)
                if (ones(height, i)) all.of[n++] = {height, i, ones(height, i)};
        return all;
    }
    static constexpr Changes kList = list();

    HOST_DEVICE static constexpr bool isOf(int n, int window)
    {
        return kList.of[n].ones >> (kBits * window) & 1;
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

/// kSteady: rows are a multiple of 4 bytes apart, so that what is shifted is shifted alike in all.
template <int kRadius, typename In, bool kSteady>
class DiskSteps
{
public:
    using Cell = std::uint8_t;
    using Own = Walker<Cell, In>;
    static constexpr int kWindows = In::kWindows, kBits = In::kBits;
    static constexpr int kMostThreads = In::kSharing > 1 ? 448 : 256;

    __device__ static bool can(const PieceView<Cell> &piece)
    {
        return piece.stride >> 28 == 0 && (!kSteady || piece.stride % 4 == 0);
    }
    /// For the step from row y.
    __device__ void begin(const PieceView<Cell> &piece, int x, int y)
    {
        stride = static_cast<std::uint32_t>(piece.stride);
        first = reinterpret_cast<std::uintptr_t>(piece.cells + y * piece.stride + x);
        at = static_cast<std::uint32_t>(first);
        if (kSteady) first &= ~std::uint64_t(3);
        load();
    }
    /// From a row to the next: first all counters, which do not wait for each other.
    __device__ void change(Own &walker)
    {
        forEach<Pattern::kChanges>([&](auto number) {
            constexpr int n = decltype(number)::value;
            constexpr auto change = Pattern::kList.of[n];
            left[n] = walker.add(counters<n>(leaving, leavingRow(change.height), walker.histogram),
                                 0u - change.ones);
            entered[n] = walker.add(
                counters<n>(entering, enteringRow(change.height), walker.histogram), change.ones);
        });
    }
    /// Then the table. `another`: a step from the next row follows.
    __device__ void lookUp(Own &walker, int, int, bool another)
    {
        constexpr int kHalf = Pattern::kChanges / 2;
        forEach<kHalf>([&](auto number) { lookUp<decltype(number)::value>(walker); });
        if (another) first += stride;
        load(); // in time for the next step, and after some registers have become free
        forEach<Pattern::kChanges - kHalf>(
            [&](auto number) { lookUp<kHalf + decltype(number)::value>(walker); });
    }

private:
    using Pattern = DiskPattern<kRadius, kWindows, kBits>;
    static constexpr int kWords = (Pattern::kColumns + 3) / 4 + 1; ///< of a row

    HOST_DEVICE static constexpr int leavingRow(int height) { return kRadius - height; }
    HOST_DEVICE static constexpr int enteringRow(int height) { return kRadius + height + 1; }

    HOST_DEVICE static constexpr bool has(int height, int word)
    {
        for (int n = 0; n < Pattern::kChanges; ++n) {
            const int of = Pattern::kList.of[n].column / 4;
            if (Pattern::kList.of[n].height == height && (of == word || of + 1 == word))
                return true;
        }
        return false;
    }

    template <int n>
    __device__ void lookUp(Own &walker)
    {
        forEach<kWindows>([&](auto which) {
            constexpr int window = decltype(which)::value;
            if constexpr (Pattern::isOf(n, window)) {
                walker.left(window, left[n]);
                walker.entered(window, entered[n]);
                if constexpr (Pattern::folds(n, window)) walker.fold(window);
            }
        });
    }

    __device__ void load()
    {
        forEach<kRadius + 1>([&](auto number) {
            constexpr int height = decltype(number)::value;
            const std::uint32_t *const above = rowAt(leavingRow(height));
            const std::uint32_t *const below = rowAt(enteringRow(height));
            forEach<kWords>([&](auto which) {
                constexpr int word = decltype(which)::value;
                if constexpr (has(height, word)) {
                    leaving[height][word] = __ldg(above + word);
                    entering[height][word] = __ldg(below + word);
                }
            });
        });
        if (!kSteady) at = static_cast<std::uint32_t>(first);
    }
    __device__ const std::uint32_t *rowAt(int row) const
    {
        const std::uint64_t address = first + std::uint64_t(stride) * row;
        return reinterpret_cast<const std::uint32_t *>(kSteady ? address
                                                               : address & ~std::uint64_t(3));
    }

    template <int n>
    __device__ std::uint32_t counters(const std::uint32_t (&rows)[kRadius + 1][kWords], int row,
                                      std::uint32_t histogram) const
    {
        constexpr int height = Pattern::kList.of[n].height;
        constexpr int column = Pattern::kList.of[n].column, word = column / 4;
        // The shift counts modulo 32.
        const std::uint32_t shift = (kSteady ? at : at + stride * row) * 8;
        const std::uint32_t four =
            __funnelshift_r(rows[height][word], rows[height][word + 1], shift);
        return __dp4a(four, 4u * kLanes << (8 * (column % 4)), histogram);
    }

    std::uint64_t first; ///< address of the thread's first column in the row that it leaves
    std::uint32_t stride, at;
    std::uint32_t leaving[kRadius + 1][kWords], entering[kRadius + 1][kWords];
    std::uint32_t left[Pattern::kChanges], entered[Pattern::kChanges]; ///< counters before
};

} // namespace local_entropy::footprint
