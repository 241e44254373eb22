// Windows that slide down, their equal cells counted (.cu): any number of levels.
//
// A cell that enters a window which already holds m cells equal to it changes the sum of F(n) over
// the levels (see scale.h) by F(m + 1) - F(m); a cell that leaves, and leaves m behind, by as much
// the other way. So a row that enters is compared with the rows that stay and with its own cells to
// the left, and so is the row that leaves. One comparison serves all windows that hold both cells.
//
// For each displacement, a word has how many of the cells at that displacement, in the rows that
// stay, differ from each of a lane's four cells: a byte for each. Sums over the displacements that
// a window covers are differing cells of the window; from one place of a cell in its windows to the
// next, one displacement comes and one goes. The differences of F lie in shared memory, by
// how many cells differ.
//
// The rows of a window lie in shared memory as words of columns (strip.h), in a ring.
#pragma once

#include "local_entropy/methods/equal/share_scale.h"
#include "local_entropy/methods/equal/strip.h"

#include <type_traits>
#include <utility>

namespace local_entropy::equal
{

/// Windows have at most so many cells: numbers of cells are bytes.
constexpr int kMostCells = 255;

/// An integer below kBias, added to the bits of this double, is the double of kBias and it.
constexpr double kBias = 0x1p52;
constexpr std::int64_t kBitsOfBias = std::int64_t(0x433) << 52;

template <typename Cell>
struct SlideTask
{
    Strips<Cell> strips;
    const std::int32_t *differences; ///< F(n + 1) - F(n), n = 0 ... windowCells - 1
    const std::int64_t *sums;        ///< F(n), n = 0 ... windowCells
    const double *scales;            ///< of N cells: what D is multiplied by; scales[0] is 0
    std::int64_t sum;                ///< F(windowCells)
    double error;                    ///< of D
    double scale, shift;             ///< of windowCells, and the error multiplied by it
    double bias;                     ///< kBias times the scale
    Middles middles;                 ///< of windowCells, if `undecided` is null
    float empty;                     ///< the result where no cell counts
    const Exception *exceptions;     ///< all, ascending, if `undecided` is null
    int exceptionCount;
    std::uint32_t *undecided;
    std::int64_t wordsARow;
};

/// What is rare is not made part of the kernels' loops, which would grow by it.
template <typename Cell>
__device__ __noinline__ float exceptionalAnswer(const SlideTask<Cell> &task, int cells,
                                                std::int64_t difference)
{
    const std::int64_t key = exceptionKey(cells, difference);
    int begin = 0;
    for (int end = task.exceptionCount; begin + 1 < end;) {
        const int middle = (begin + end) / 2;
        (task.exceptions[middle].key <= key ? begin : end) = middle;
    }
    return task.exceptions[begin].answer;
}

/// The table of differences: also what lanes without results may ask for, and whole groups.
constexpr __host__ __device__ int tableWordsOf(int windowCells, int windowWidth)
{
    return (windowCells + windowWidth + 3) / 4 * 4;
}

/// A row of a ring in shared memory: words of columns, with groups of four beside the strip.
template <int kWidth>
struct Slot
{
    static constexpr int kLeft = (kWidth + 2) / 4, kRight = kWidth / 4; ///< groups
    static constexpr int kWords = 4 * (kLeft + kLanes + kRight);
};

/// f(0), f(1), ... f(kCount - 1), each as a constant.
template <typename Function, int... kNumbers>
__device__ void unrolledOver(Function &f, std::integer_sequence<int, kNumbers...>)
{
    (f(std::integral_constant<int, kNumbers>()), ...);
}
template <int kCount, typename Function>
__device__ void unrolled(Function &&f)
{
    unrolledOver(f, std::make_integer_sequence<int, kCount>());
}

/// For each displacement from -(kWidth - 1) to kWidth - 1, in four bytes, how many cells there
/// differ from each of a lane's four.
template <int kWidth>
class Differing
{
public:
    template <int kFirst, int kEnd>
    __device__ void add(const Words<kFirst, kEnd> &row, const Negatives &cells,
                        const Factors &factors)
    {
#pragma unroll
        for (int k = -kMost; k <= kMost; ++k) at(k) = cells.addDiffering(row.of(k), factors, at(k));
    }
    /// Two rows at once take an addition less: one has three terms.
    template <int kFirst, int kEnd>
    __device__ void add(const Words<kFirst, kEnd> &row, const Words<kFirst, kEnd> &other,
                        const Negatives &cells, const Factors &factors)
    {
#pragma unroll
        for (int k = -kMost; k <= kMost; ++k)
            at(k) = cells.addDiffering(row.of(k), other.of(k), factors, at(k));
    }
    /// Of their own row.
    template <int kFirst, int kEnd>
    __device__ void addLeft(const Words<kFirst, kEnd> &row, const Negatives &cells,
                            const Factors &factors)
    {
#pragma unroll
        for (int k = -kMost; k < 0; ++k) at(k) += cells.differing(row.of(k), factors);
    }

    /// use(place, sum of the displacements that a window covers in which the cells have that place)
    template <typename Use>
    __device__ void forPlaces(Use &&use) const
    {
        std::uint32_t sum = 0;
#pragma unroll
        for (int k = 0; k < kWidth; ++k) sum += at(k);
        unrolled<kWidth>([&](auto place) {
            constexpr int kPlace = decltype(place)::value;
            if constexpr (kPlace > 0) sum += at(-kPlace) - at(kWidth - kPlace);
            use(place, sum);
        });
    }

private:
    static constexpr int kMost = kWidth - 1;
    __device__ std::uint32_t &at(int k) { return sums[k + kMost]; }
    __device__ std::uint32_t at(int k) const { return sums[k + kMost]; }

    std::uint32_t sums[2 * kMost + 1] = {};
};

/// What a step adds to the sums of four windows, by the lane whose windows they are: this one, or
/// one so many to the left.
template <int kWidth>
class Changes
{
public:
    /// Of a lane's cell i in its windows' column `place`: at most four a window come and four go.
    template <int kPlace, int kCell>
    __device__ void add(std::int32_t change)
    {
        constexpr int kLane = (kPlace - kCell + 3) / 4;
        changes[kLane][kCell - kPlace + 4 * kLane] += change;
    }

    __device__ void addTo(std::int64_t *sums, std::uint32_t one) const
    {
#pragma unroll
        for (int i = 0; i < kCellsALane; ++i) addOne(changes[0][i], one, sums[i]);
#pragma unroll
        for (int lane = 1; lane <= kLanesLeft; ++lane)
#pragma unroll
            for (int i = 0; i < kCellsALane; ++i)
                if (4 * lane - i < kWidth)
                    addOne(__shfl_down_sync(kAllLanes, changes[lane][i], lane), one, sums[i]);
    }

private:
    static constexpr int kLanesLeft = (kWidth + 2) / 4;

    __device__ static void addOne(std::int32_t change, std::uint32_t one, std::int64_t &sum)
    {
        asm("mad.wide.s32 %0, %1, %2, %0;" : "+l"(sum) : "r"(change), "r"(one));
    }

    std::int32_t changes[kLanesLeft + 1][kCellsALane] = {};
};

/// The four windows of a lane; kHeight is 0 where the kernel is for windows of any height.
template <typename Cell, int kWidth, int kHeight, bool kMissing>
class Windows
{
public:
    using Ring = Slot<kWidth>;

    __device__ Windows(const SlideTask<Cell> &task, bool cutAside, std::uint32_t *ring,
                       std::uint32_t table)
        : task(task), factors(task.strips.factors),
          height(kHeight ? kHeight : task.strips.windowHeight), cutAside(cutAside), ring(ring),
          table(table), none(task.strips.plane.none | task.strips.plane.none << 16,
                             task.strips.plane.none | task.strips.plane.none << 16)
    {
        for (std::int64_t &one : biased) one = kBitsOfBias + task.sum;
    }

    /// Row `number` of the first windows enters.
    __device__ void fill(int number, const Four<Cell> &row)
    {
        change<false>(row, number, number, table + 4 * kWidth * (height - 1 - number));
    }
    /// A row enters, in whose slot the row is that leaves.
    __device__ void slide(int slot, const Four<Cell> &row)
    {
        change<true>(row, slot, height - 1, table);
    }

    /// Counts the cells of level 0, where that is not known since the first window.
    __device__ void countFirst()
    {
        notFirst = 0;
        for (int slot = 0; slot < height; ++slot) notFirst += others(slot, Negatives(0, 0));
    }

    /// The floats for the windows, of which so many rows and columns exist; a bit for each that
    /// its sum leaves undecided. Those of no result are anything.
    __device__ unsigned finish(bool cut, int rows, const int *columns, float *answers) const
    {
        if (kMissing || cut) return finishFewer(cut, rows, columns, answers);
        if constexpr (kHeight && kWidth * kHeight <= ShareScale::kMostCells) {
            finishAll(answers);
            return 0;
        }
        unsigned undecided = 0;
        const int cells = task.strips.windowCells;
#pragma unroll
        for (int i = 0; i < kCellsALane; ++i)
            if (!decides(__longlong_as_double(biased[i]) - kBias, task.scale, task.shift,
                         answers[i]))
                undecided |= 1u << i;
        if (undecided == 0 || task.undecided) return undecided;
#pragma unroll
        for (int i = 0; i < kCellsALane; ++i)
            if (undecided >> i & 1) lookUp(cells, biased[i] - kBitsOfBias, answers[i]);
        return 0;
    }

private:
    /// Of windows of few cells, all of which count: what is to be looked up is told by the product
    /// alone. It is rounded once: kBias goes as it came.
    __device__ void finishAll(float *answers) const
    {
        bool any = false;
        std::uint32_t lower[kCellsALane];
#pragma unroll
        for (int i = 0; i < kCellsALane; ++i) {
            const double value = fma(__longlong_as_double(biased[i]), task.scale, -task.bias);
            answers[i] = static_cast<float>(value);
            lower[i] = static_cast<std::uint32_t>(__double2loint(value));
            any |= task.middles.hold(lower[i]);
        }
        if (!any) return;
#pragma unroll
        for (int i = 0; i < kCellsALane; ++i)
            if (task.middles.hold(lower[i]))
                lookUp(kWidth * kHeight, biased[i] - kBitsOfBias, answers[i]);
    }

    __device__ unsigned finishFewer(bool cut, int rows, const int *columns, float *answers) const
    {
        unsigned undecided = 0;
#pragma unroll
        for (int i = 0; i < kCellsALane; ++i) {
            const Fewer fewer = fewerCells(cut, i, rows * columns[i]);
            const double scale = __ldg(&task.scales[fewer.cells]);
            const double difference = static_cast<double>(fewer.difference);
            if (!decides(difference, scale, task.error * scale, answers[i]))
                undecided |= lookUp(fewer.cells, fewer.difference, answers[i]) << i;
            if (fewer.cells == 0) answers[i] = task.empty;
        }
        return undecided;
    }

    /// A window of which not all cells count: how many do, and D.
    struct Fewer
    {
        int cells;
        std::int64_t difference;
    };
    __device__ Fewer fewerCells(bool cut, int i, int existing) const
    {
        const int windowCells = task.strips.windowCells;
        const int ofFirst = windowCells - byteOf(notFirst, i);
        const int missing = kMissing ? windowCells - byteOf(notNone, i) : 0;
        // Of no result, there may be less than none.
        const int cells = max(existing - missing, 0);
        const int ofFirstLevel = max(ofFirst - (windowCells - existing), 0);
        std::int64_t difference = __ldg(&task.sums[cells]) - task.sum + (biased[i] - kBitsOfBias);
        if (cut) difference += __ldg(&task.sums[ofFirst]) - __ldg(&task.sums[ofFirstLevel]);
        if (kMissing) difference += __ldg(&task.sums[missing]);
        return {cells, difference};
    }

    /// The float, whether D leaves no other. Where D is 0 it is 0; else D is much more than its
    /// error. `shift` is the error, scaled as D is.
    __device__ static bool decides(double difference, double scale, double shift, float &answer)
    {
        const auto low = static_cast<float>(fma(difference, scale, -shift));
        const auto high = static_cast<float>(fma(difference, scale, shift));
        answer = fmaxf(low, 0);
        return !(low > 0 && low < high); // also of no result, which may be NaN
    }
    /// The answer if it is listed, then 0; else 1.
    __device__ unsigned lookUp(int cells, std::int64_t difference, float &answer) const
    {
        if (task.undecided) return 1;
        answer = exceptionalAnswer(task, cells, difference);
        return 0;
    }

    /// The groups kBegin ... kEnd - 1 of four words, counted from a lane's own, of the slot that
    /// begins with that group of the ring.
    template <int kBegin, int kEnd, int kFirst, int kEndOfWords>
    __device__ void read(int at, Words<kFirst, kEndOfWords> &to) const
    {
        const auto *groups =
            reinterpret_cast<const uint4 *>(ring) + at + Ring::kLeft + threadIdx.x % kLanes;
#pragma unroll
        for (int group = kBegin; group < kEnd; ++group) {
            const uint4 four = groups[group];
            std::uint32_t *const words = to.of(4 * group);
            words[0] = four.x, words[1] = four.y, words[2] = four.z, words[3] = four.w;
        }
    }

    __device__ void write(int slot, const Words<0, 4> &own) const
    {
        const int lane = threadIdx.x % kLanes;
        std::uint32_t *const first = ring + slot * Ring::kWords + 4 * Ring::kLeft;
        reinterpret_cast<uint4 *>(first)[lane] =
            make_uint4(*own.of(0), *own.of(1), *own.of(2), *own.of(3));
        // The words left of the strip that have a cell of it.
        if (lane == 0) first[-2] = *own.of(0) << 16, first[-1] = *own.of(1) << 16;
    }

    using Row = Words<-4 * Ring::kLeft, 4 * (Ring::kRight + 1)>;
    __device__ Row readAt(int at) const
    {
        Row row;
        read<-Ring::kLeft, Ring::kRight + 1>(at, row);
        return row;
    }
    using LeftOfRow = Words<-4 * Ring::kLeft, 4>;
    __device__ LeftOfRow readLeft(int slot) const
    {
        LeftOfRow row;
        read<-Ring::kLeft, 1>(slot * (Ring::kWords / 4), row);
        return row;
    }

    /// In four bytes, how many cells of the windows' row in that slot are not `value`.
    __device__ std::uint32_t others(int slot, const Negatives &value) const
    {
        const Row row = readAt(slot * (Ring::kWords / 4));
        std::uint32_t sum = 0;
#pragma unroll
        for (int k = 0; k < kWidth; ++k) sum = value.addDiffering(row.of(k), factors, sum);
        return sum;
    }
    __device__ void watch(int slot, std::uint32_t sign)
    {
        if (cutAside) notFirst += sign * others(slot, Negatives(0, 0));
        if (kMissing) notNone += sign * others(slot, none);
    }

    template <bool kLeaves>
    __device__ void change(const Four<Cell> &cells, int slot, int above, std::uint32_t table)
    {
        Differing<kWidth> entering, leaving;
        Negatives left;
        if constexpr (kLeaves) {
            watch(slot, 0u - 1u);
            const LeftOfRow row = readLeft(slot);
            left = Negatives(*row.of(0), *row.of(1));
            leaving.addLeft(row, left, factors);
        }
        Words<0, 4> own;
        expand<false>(cells, own);
        __syncwarp();
        write(slot, own);
        __syncwarp();
        watch(slot, 1);
        const Negatives entered(*own.of(0), *own.of(1));
        entering.addLeft(readLeft(slot), entered, factors);
        constexpr int kGroups = Ring::kWords / 4;
        int at = slot * kGroups;
        const auto higher = [&] {
            at = (at == 0 ? height * kGroups : at) - kGroups;
            return readAt(at);
        };
#pragma unroll(kLeaves &&kHeight ? kHeight : 1)
        for (int i = 0; i + 1 < above; i += 2) {
            const Row row = higher(), other = higher();
            entering.add(row, other, entered, factors);
            if constexpr (kLeaves) leaving.add(row, other, left, factors);
        }
        if (above % 2) {
            const Row row = higher();
            entering.add(row, entered, factors);
            if constexpr (kLeaves) leaving.add(row, left, factors);
        }
        Changes<kWidth> changes;
        add<-1>(changes, entering, table);
        if constexpr (kLeaves) add<1>(changes, leaving, table);
        changes.addTo(biased, factors.one);
    }

    template <int kSign>
    __device__ static void add(Changes<kWidth> &changes, const Differing<kWidth> &differing,
                               std::uint32_t table)
    {
        differing.forPlaces([&](auto place, std::uint32_t four) {
            constexpr int kPlace = decltype(place)::value;
            unrolled<kCellsALane>([&](auto cell) {
                constexpr int kCell = decltype(cell)::value;
                // Further left, a cell has fewer cells before it.
                const std::uint32_t difference = wordAt<4 * (kWidth - 1 - kPlace)>(
                    __dp4a(four, std::uint32_t(4) << (8 * kCell), table));
                changes.template add<kPlace, kCell>(kSign * static_cast<std::int32_t>(difference));
            });
        });
    }

    const SlideTask<Cell> &task;
    const Factors &factors;
    const int height;
    const bool cutAside;
    std::uint32_t *const ring;
    const std::uint32_t
        table; ///< entry x: the difference for a full window of which x others differ
    const Negatives none;
    std::int64_t biased[kCellsALane];        ///< F(windowCells) - sum F(n), and kBitsOfBias
    std::uint32_t notFirst = 0, notNone = 0; ///< cells, in four bytes
};

constexpr int mostThreads(int windowWidth) { return windowWidth <= 5 ? 768 : 512; }

template <typename Cell, int kWidth, int kHeight, bool kMissing>
__global__ void __launch_bounds__(mostThreads(kWidth), 1)
    slide(const __grid_constant__ SlideTask<Cell> task)
{
    extern __shared__ uint4 shared[]; // differences; a ring for every warp; a desk
    const Strips<Cell> &strips = task.strips;
    auto *const words = reinterpret_cast<std::uint32_t *>(shared);
    const int tableWords = tableWordsOf(strips.windowCells, kWidth);
    for (int i = threadIdx.x; i < tableWords; i += blockDim.x)
        words[i] = i < strips.windowCells
                       ? static_cast<std::uint32_t>(task.differences[strips.windowCells - 1 - i])
                       : 0;
    __syncthreads();

    const int warp = threadIdx.x / kLanes, warps = blockDim.x / kLanes,
              height = strips.windowHeight;
    std::uint32_t *const ring = words + tableWords + warp * height * Slot<kWidth>::kWords;
    auto &desk =
        reinterpret_cast<Desk *>(words + tableWords + warps * height * Slot<kWidth>::kWords)[warp];
    for (int number = warp * gridDim.x + blockIdx.x; number < strips.items;
         number += gridDim.x * warps) {
        Item<Cell> item(strips, number, kWidth, desk);
        Windows<Cell, kWidth, kHeight, kMissing> windows(task, item.isCutAside(), ring,
                                                         addressOf(words));
        int columns[kCellsALane]; // of the windows, that exist
#pragma unroll
        for (int i = 0; i < kCellsALane; ++i)
            columns[i] =
                item.isCutAside() ? strips.plane.columnsOf(item.column + i, kWidth) : kWidth;
        for (int i = 0; i < height; ++i) windows.fill(i, item.take());
        for (int y = item.first, slot = 0;; ++y) {
            float answers[kCellsALane];
            const bool cut = item.isCut(y);
            if (cut && !item.isCutAside()) windows.countFirst();
            const int rows = cut ? strips.plane.rowsOf(y, height) : height;
            unsigned undecided = windows.finish(cut, rows, columns, answers);
            item.write(make_float4(answers[0], answers[1], answers[2], answers[3]));
            if (undecided && item.isResult(0)) {
                undecided &= (2u << min(strips.width - 1 - item.column, kCellsALane - 1)) - 1;
                atomicOr(&task.undecided[y * task.wordsARow + item.column / 32],
                         undecided << (item.column % 32));
            }
            if (y + 1 == item.end) break;
            windows.slide(slot, item.take());
            if (++slot == height) slot = 0;
        }
    }
}

} // namespace local_entropy::equal
