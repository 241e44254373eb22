// The walk of a warp: what the kernel of the GPU engine does, for any array and any content.
//
// A warp walks down a strip of columns, six rows at a time; in large arrays four do so side by
// side, as a team that shares what it has packed. Each lane owns four columns side by side; it
// keeps the sums of the five rows of its windows, adds the row that enters and subtracts the one
// that leaves, which it has kept in registers. Cells outside the array have the word zero: edges
// need no code of their own.
//
//     six rows of cells arrive in shared memory, ordered while the six before them were computed
//     4 cells --> 4 bytes --> a packed row in shared memory; then the next six rows are ordered
//     each row: 8 bytes around a lane's columns --> 8 words --> 4 sums of five across
//     --> 4 sums of five down --> 4 codes --> 4 lookups --> 4 floats
//
// Counting and codes are told in hash.h, the lookup in tables.h.
//
// What makes it fast. Few instructions: six rows are one more than a window has, so that a row
// enters where none leaves, and the ring of rows never moves from register to register. Rows are
// ordered ahead into shared memory, which costs no registers (cp.async). There is no branch between
// rows, so that the compiler overlaps them, and nothing is spilled in the loop.
//
// And little to ask of memory: the kernel without its arithmetic takes nearly as long. 16-byte
// copies go through the first-level cache; past it, they fetch every sector twice. Two more columns
// on either side of a strip are two more sectors for every 16 to ask for, although most are found
// in that cache; of four warps that share packed rows, only the outer two ask, one side each. At
// the edges, too, cells are ordered ahead, and few operations come before the first order: small
// arrays wait for these.
//
// What lost: a ring of five rows (8 moves a row); asking the neighbours for their bytes by shuffles
// (2 operations a row more); the address of each word from a checked float by one multiply-add,
// without packing (8 operations a row less, but more to read from shared memory); a second stage;
// 20 warps with 96 registers; reading ahead into registers (they spill); prefetching rows further
// ahead into the second-level cache; strips that overlap; eight warps in step, or two; taking rows
// from warps that are behind (a large share of small items or of far rows costs more than warps
// that wait at the end).
#pragma once

#include "local_entropy/answers/partitions.h"
#include "local_entropy/methods/words/arrive.h"
#include "local_entropy/methods/words/hash.h"
#include "local_entropy/methods/words/memory.h"
#include "local_entropy/methods/words/plan.h"
#include "local_entropy/methods/words/tables.h"
#include "local_entropy/problem/plane.h"

#include <cstdint>

namespace local_entropy::words
{

/// A warp on its way down a strip: what a lane carries from row to row. kFromTop: all items begin
/// with row 0.
template <typename Cell, Layout kLayout, bool kFromTop>
struct Walk : Arrival<Cell, kLayout>
{
    using Base = Arrival<Cell, kLayout>;
    using Base::addressOf, Base::insideFrom, Base::storeBeside, Base::pitch, Base::resultPitch;
    using Base::kAligned, Base::kNarrow;
    using Base::plan, Base::sample, Base::result, Base::shared, Base::lane, Base::leader;
    using Base::strip, Base::lastRow, Base::rowsLeft, Base::mostLeft, Base::leastLeft, Base::from;
    using Base::to, Base::columnsLeft, Base::inside, Base::before, Base::own, Base::packedRow;
    using typename Base::Four;

    /// Of a narrow array, for each of the results that a lane writes of a row: how far behind the
    /// first one it lies, and how many more rows of it there are.
    std::uint32_t further[kColumns];
    int rowsOf[kColumns];

    Word ring[kBatch][kColumns];
    Sums sums[kColumns];

    /// Goes to the first row of an item; order<0>() and finish() follow.
    __device__ void start(const Item &item)
    {
        const std::int64_t begin = item.begin, rows = item.rows;
        const int group = kNarrow ? lane / plan.lanes : 0;
        const std::int64_t taken = min(rows, item.end - begin);
        own = kNarrow ? lane % plan.lanes : lane;
        const int above = kFromTop ? 0 : kRadius;
        strip = item.column;
        const std::int64_t ofGroup = begin + group * rows, firstRow = ofGroup - above;
        lastRow = ofGroup + taken + kRadius;
        rowsLeft = static_cast<int>(lastRow - firstRow);
        from = addressOf(firstRow) + sizeof(Four) * own;
        inside = insideFrom(own * kColumns);
        before = insideFrom(own * kColumns - kColumns);
        if constexpr (kNarrow) {
            goToNarrow(item, taken);
            Base::storeNothingBeside();
        } else {
            const int first = static_cast<int>(lane) * (kAligned ? kColumns : 1);
            to = result + (begin * plan.resultStride + strip + first);
            columnsLeft =
                static_cast<int>(min(plan.right - strip, std::int64_t(kStripColumns))) - first;
            storeBeside();
        }

        const RowRange safe =
            safeRows(plan, strip, kNarrow ? kColumns * plan.lanes : kStripColumns);
        const std::int64_t lastOfAll = begin + (plan.groups - 1) * rows + taken + kRadius;
        const std::int64_t lastOfFirst = begin + taken + kRadius;
        mostLeft = static_cast<int>(min(lastOfFirst - safe.begin, std::int64_t(rowsLeft)));
        leastLeft = static_cast<int>(
            min(max(lastOfAll - safe.end, std::int64_t(0)) + kBatch, std::int64_t(rowsLeft) + 1));
    }

    /// The results of a narrow array: those of the warp lie in shared memory group by group, and
    /// each lane writes every 32nd.
    __device__ void goToNarrow(const Item &item, std::int64_t taken)
    {
        const auto columns = static_cast<int>(kColumns * plan.lanes); // of a group
        to = result + item.begin * plan.resultStride;
#pragma unroll
        for (int j = 0; j < kColumns; ++j) {
            const int place = static_cast<int>(lane) + j * kWarp;
            const int column = place % columns;
            const std::int64_t row = place / columns * item.rows;
            further[j] = static_cast<std::uint32_t>(row * plan.resultStride + column);
            const std::int64_t left = min(taken, item.end - item.begin - row);
            rowsOf[j] = column < plan.width ? static_cast<int>(max(left, std::int64_t(0))) : 0;
        }
    }

    /// Goes down to the end. The first rows only enter: their windows are not complete.
    __device__ void finish()
    {
#pragma unroll
        for (int i = 0; i < kColumns; ++i) {
            sums[i] = Sums();
#pragma unroll
            for (int j = 0; j < kBatch; ++j) ring[j][i] = {0, 0};
        }
        walkBatch<kFromTop ? kRadius : 2 * kRadius>();
#pragma unroll 1
        while (rowsLeft > 0) walkBatch<0>();
    }

    /// Takes six rows; the first kFirst of them have no results.
    template <int kFirst>
    __device__ void walkBatch()
    {
        waitForCopies();
        if (Base::canReadFours(rowsLeft))
            Base::template packFours<false>();
        else
            Base::template packFours<true>();
        syncTeam(); // packed rows are read by the neighbours
        const std::uint32_t low = static_cast<std::uint32_t>(from);
        const int rows = columnsLeft > 0 ? rowsLeft : 0;
        Base::template order<kBatch>();
        from += pitch(kBatch) * sizeof(Cell);
        rowsLeft -= kBatch;
#pragma unroll
        for (int i = 0; i < kBatch; ++i) {
            enter(i, low);
            if (i >= kFirst) write<kFirst>(i, rows, to + resultPitch(i - kFirst));
        }
        to += resultPitch(kBatch - kFirst);
        if constexpr (kNarrow)
#pragma unroll
            for (int j = 0; j < kColumns; ++j) rowsOf[j] -= kBatch - kFirst;
        syncTeam(); // before the packed rows are overwritten
    }
    __device__ void syncTeam() const { syncWarps(leader, plan.team); }

    // ---- bad cells -----------------------------------------------------------------------------

    /// Whether the warp has read a cell that is no level, since it was asked last.
    __device__ bool sawBadCell()
    {
        const bool good =
            Base::kLevels ? !(this->seen.raw & kTooHighBits) : cellsAreValid(this->seen);
        this->seen = Seen();
        return __any_sync(kAll, !good);
    }
    /// Looks for the first one that windows of an item reach, and lowers `*bad` to it.
    __device__ void tellBadCells(const Item &item, BadCell *bad) const
    {
        const std::int64_t left = max(item.column - kRadius, std::int64_t(0));
        const std::int64_t right = min(item.column + kStripColumns + kRadius, plan.width);
        const std::int64_t end = min(item.begin + item.rows * plan.groups, item.end) + kRadius;
        for (std::int64_t y = max(item.begin - kRadius, std::int64_t(0)); y < min(end, plan.height);
             ++y)
            for (std::int64_t x = left + lane; x < right; x += kWarp)
                if (!isLevel(sample[y * plan.stride + x]))
                    atomicMin(bad,
                              static_cast<BadCell>(y) << kBadCellBits | static_cast<BadCell>(x));
    }
    __device__ bool isLevel(float cell) const
    {
        return cell >= 0 && cell < kLevels && cell == truncf(cell);
    }
    __device__ bool isLevel(Level cell) const { return static_cast<unsigned>(cell) < plan.levels; }

    // ---- counting ------------------------------------------------------------------------------

    /// The word of a byte of `bytes`: that byte becomes the lowest one of an address.
    __device__ Word word(std::uint32_t bytes, int byte) const
    {
        return loadWord(__byte_perm(bytes, shared.words, 0x7650 + byte));
    }

    /// Lets row i of the six enter the windows, and the one five rows before it leave; the first
    /// row starts at an address that ends with `low`.
    __device__ void enter(int i, std::uint32_t low)
    {
        std::uint32_t at = packedRow(i) + 4 * lane;
        Word words[2 * kColumns];
        if constexpr (kAligned) {
            const std::uint32_t left = load(at), own = load(at + 4), right = load(at + 8);
            words[0] = word(left, 2), words[1] = word(left, 3);
            words[2] = word(own, 0), words[3] = word(own, 1);
            words[4] = word(own, 2), words[5] = word(own, 3);
            words[6] = word(right, 0), words[7] = word(right, 1);
        } else { // two cells before the strip's columns, up to three cells behind the first four
            low += i * static_cast<std::uint32_t>(plan.stride) * sizeof(Cell);
            const std::uint32_t shift = Base::bitsAt(low) + 16; // modulo 32
            at += Base::bitsAt(low) >> 2 & 4;
            const std::uint32_t a = load(at), b = load(at + 4), c = load(at + 8);
            const std::uint32_t left = __funnelshift_r(a, b, shift);
            const std::uint32_t right = __funnelshift_r(b, c, shift);
            for (int j = 0; j < kColumns; ++j) {
                words[j] = word(left, j);
                words[kColumns + j] = word(right, j);
            }
        }
        Word across[kColumns];
        across[0] = words[0] + words[1] + words[2] + words[3] + words[4];
#pragma unroll
        for (int j = 1; j < kColumns; ++j) across[j] = across[j - 1] - words[j - 1] + words[j + 4];
#pragma unroll
        for (int j = 0; j < kColumns; ++j) {
            const Word &leaving = ring[(i + 1) % kBatch][j];
            sums[j].all = sums[j].all + across[j] - leaving;
            sums[j].even = sums[j].even + even(across[j]) - even(leaving);
            ring[i][j] = across[j];
        }
    }

    // ---- results -------------------------------------------------------------------------------

    /// The bits of the entropy of a column's window.
    __device__ std::uint32_t entropy(int column) const
    {
        const std::uint32_t code = codeOf(sums[column], plan.eight);
        std::uint32_t tableRow = code >> GpuTables::kRowBits;
        asm("" : "+r"(tableRow)); // else: (code >> 8 & ~3) + ..., an operation more
        return __float_as_uint(loadEntropy(4 * code + loadShift(4 * tableRow + shared.shifts)));
    }

    /// Writes the results of row i of six, the first kFirst of which have none, if there are more
    /// than i rows.
    template <int kFirst>
    __device__ void write(int i, int rows, float *there)
    {
        const float4 four = make_float4(__uint_as_float(entropy(0)), __uint_as_float(entropy(1)),
                                        __uint_as_float(entropy(2)), __uint_as_float(entropy(3)));
        if constexpr (kAligned) {
            writeIf(rows, i, there, four);
        } else { // through shared memory, so that lanes side by side write side by side
            const std::uint32_t results = shared.warp + Base::kResultsAt + i % 2 * Base::kResultRow;
            store(results + 16 * lane, four);
            __syncwarp();
            const int columns = rows > i ? columnsLeft : 0;
#pragma unroll
            for (int j = 0; j < kColumns; ++j) {
                const std::uint32_t one = load(results + 4 * (lane + j * kWarp));
                if constexpr (kNarrow)
                    writeIf(rowsOf[j], i - kFirst, there + further[j], one);
                else
                    writeIf(columns, j * kWarp, there + j * kWarp, one);
            }
        }
    }
};

} // namespace local_entropy::words
