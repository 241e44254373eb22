// How cells reach a walk (walk.h): six rows at a time are ordered into shared memory, and packed to
// bytes there once they have arrived.
#pragma once

#include "local_entropy/answers/partitions.h"
#include "local_entropy/methods/words/hash.h"
#include "local_entropy/methods/words/memory.h"
#include "local_entropy/methods/words/plan.h"

#include <cstdint>
#include <type_traits>

namespace local_entropy::words
{

constexpr int kWarp = 32, kMostWarps = 16; ///< of a block: with 128 registers a lane, all there are
constexpr int kColumns = 4;                ///< of a lane
constexpr int kStripColumns = kWarp * kColumns;
constexpr unsigned kAll = ~0u; ///< lanes

/// Packed rows of kTeam warps. For each team: a four before its strips, the fours in them, and up
/// to two behind. There is room for teams of one warp; one of them all needs less.
constexpr int kPackedFours = 1 + kWarp + 2;
using PackedRows = std::uint32_t[kBatch][kTeam * kPackedFours];
constexpr int kPackedRowBytes = sizeof(PackedRows) / kBatch;

/// Shared memory, by addresses.
struct Shared
{
    std::uint32_t words;  ///< a multiple of 256
    std::uint32_t shifts; ///< of the row of code 0, if there were one
    std::uint32_t warp;   ///< what this warp has for itself
    std::uint32_t packed; ///< row 0 of the packed ones, from the four before the strip on
};

/// The cells of a strip on their way: where a lane is, and what it packs.
///
/// Cells are read in fours, at addresses that are multiples of a four. Where a row starts at any
/// address (kAligned is false), its fours begin up to three cells before the strip; its bytes are
/// shifted to the strip's columns when they are read from the packed row.
///
/// Where rows are narrow, a warp's lanes are groups, each with rows of its own, one behind the
/// other in the packed row. The last lane of a group is beyond its row: where one group ends and
/// the next one begins there are no cells, as at any edge.
template <typename Cell, Layout kLayout>
struct Arrival
{
    static constexpr bool kFloats = std::is_same_v<Cell, float>;
    static constexpr bool kLevels = std::is_same_v<Cell, Level>;
    static_assert(kFloats || kLevels);
    static constexpr bool kAligned = kLayout == Layout::Aligned;
    static constexpr bool kNarrow = kLayout == Layout::Narrow;
    using Four = std::conditional_t<kFloats, float4, std::uint32_t>;

    // Of a warp, in shared memory: the stage where six rows arrive, the fours of the lanes and
    // those beside the strip; for each lane, what it knows of the four beside the strip that it
    // brings; results on their way out, of this row and of the last.
    static constexpr int kRowBytes = kWarp * sizeof(Four);
    static constexpr int kBesidesAt = (kBatch + 1) * kRowBytes;
    static constexpr int kResultsAt = kBesidesAt + kWarp * 16;
    static constexpr int kResultRow = kStripColumns * sizeof(float);
    static constexpr int kWarpBytes = kResultsAt + (kAligned ? 0 : 2 * kResultRow);
    static constexpr int kTeamBytes = sizeof(PackedRows) + kTeam * kWarpBytes; ///< of kTeam warps

    const Plan &plan;
    const Cell *const sample;
    float *const result;
    Shared shared;
    const std::uint32_t lane;
    const unsigned leader, place; ///< number in the block of the team's first warp; place in it

    int own = 0;              ///< the lane's four in the strip: number `lane`, or in its group
    std::int64_t strip = 0;   ///< its first column
    std::int64_t lastRow = 0; ///< behind the last row of cells
    int rowsLeft = 0;         ///< until there, from the next one on
    int mostLeft = 0, leastLeft = 0;      ///< between these the next six rows are ordered in fours
    std::uintptr_t from = 0;              ///< address of the lane's first cell in the next row
    float *to = nullptr;                  ///< the lane's first result of the next row
    int columnsLeft = 0;                  ///< in the array, from there on
    std::uint32_t inside = 0, before = 0; ///< bits of the lane's bytes; of the bytes before them
    Seen seen;

    __device__ std::uintptr_t addressOf(std::int64_t someRow) const
    {
        return reinterpret_cast<std::uintptr_t>(sample) +
               (someRow * plan.stride + strip) * sizeof(Cell);
    }

    /// Bits that the bytes of four columns may have; outside the array, kNoCell.
    __device__ std::uint32_t insideFrom(int column) const
    {
        // Of the columns that there are:
        const int first = -static_cast<int>(min(strip, std::int64_t(2 * kColumns)));
        const int end = static_cast<int>(min(plan.width - strip, std::int64_t(2 * kStripColumns)));
        const auto has = [&](int which) { return which >= first && which < end; };
        if constexpr (kAligned) return (has(column) ? kCellBits : kNoCell) * kBytes;
        std::uint32_t bits = 0;
#pragma unroll
        for (int i = 0; i < kColumns; ++i) bits |= (has(column + i) ? kCellBits : kNoCell) << 8 * i;
        return bits;
    }
    /// The same for a four of a row, which starts at an address that ends with `low`: up to three
    /// cells earlier.
    static __device__ std::uint32_t shifted(std::uint32_t bitsBefore, std::uint32_t bits,
                                            std::uint32_t low)
    {
        return kAligned ? bits : __funnelshift_l(bitsBefore, bits, bitsAt(low)); // modulo 32
    }
    /// Bits of the packed cells between a four's begin and an address that ends with `low`.
    static __device__ std::uint32_t bitsAt(std::uint32_t low) { return 8 / sizeof(Cell) * low; }
    /// Keeps a byte's bits, or makes it kNoCell.
    static __device__ std::uint32_t keep(std::uint32_t bytes, std::uint32_t bits)
    {
        return (bytes | kNoCell * kBytes) & bits;
    }

    /// Four bytes that may still have other bits.
    static __device__ std::uint32_t pack(float4 cells)
    {
        return packed(scaledCell(cells.x), scaledCell(cells.y), scaledCell(cells.z),
                      scaledCell(cells.w)) >>
               1;
    }
    static __device__ std::uint32_t pack(std::uint32_t cells) { return cells << 3; }

    /// Notes what tells bad cells, of a four that has so many `bits`.
    __device__ void see(float4 cells, std::uint32_t)
    {
        seen.scaled |= scaledCell(cells.x) | scaledCell(cells.y);
        seen.scaled |= scaledCell(cells.z) | scaledCell(cells.w);
        seen.raw |= bitsOf(cells.x) | bitsOf(cells.y);
        seen.raw |= bitsOf(cells.z) | bitsOf(cells.w);
    }
    __device__ void see(std::uint32_t cells, std::uint32_t bits)
    {
        seen.raw |= tooHigh(cells, plan.levels) & ~bits;
    }

    // Beside the strip lie one four on the left and one on the right, and another one there if rows
    // start anywhere. In six rows: lane 8 * side + i brings the one of row i, in the outermost
    // warps of a team; the others find them packed by their neighbours.
    static constexpr unsigned kSides = kAligned ? 2 : 3;
    __device__ unsigned besideRow() const { return lane % 8; }
    __device__ int besideFour() const
    {
        return lane < 8 ? -1 : kWarp - 1 + static_cast<int>(lane / 8);
    }
    __device__ bool hasBeside() const
    {
        return !kNarrow && besideRow() < kBatch && lane < 8 * kSides &&
               place == (lane < 8 ? 0 : plan.team - 1);
    }
    __device__ bool isOutermost() const { return place == 0 || place == plan.team - 1; }

    /// Beside a narrow array there is nothing, in no row.
    __device__ void storeNothingBeside() const
    {
        constexpr int kFours[] = {0, 1 + kWarp, 2 + kWarp}; // one before, two behind
#pragma unroll
        for (const int four : kFours)
            if (lane < kBatch) store(packedRow(lane) + 4 * four, kNoCell * kBytes);
    }

    /// Keeps, in shared memory to spare registers, which bits the bytes before and those of the
    /// four have, and where it goes when it is packed. Lanes without one send what they find to the
    /// last word of their record, which nobody reads, so that its lanes need no branch.
    __device__ void storeBeside() const
    {
        const int four = besideFour();
        const std::uint32_t target = hasBeside() ? packedRow(besideRow()) + 4 * (1 + four)
                                                 : shared.warp + kBesidesAt + 16 * lane + 12;
        store(
            shared.warp + kBesidesAt + 16 * lane,
            make_uint4(insideFrom((four - 1) * kColumns), insideFrom(four * kColumns), target, 0));
    }

    /// Cells from a row to one that many rows below; the same of results.
    __device__ std::uint64_t pitch(int rows) const
    {
        return static_cast<unsigned>(plan.stride) * std::uint64_t(rows);
    }
    __device__ std::uint64_t resultPitch(int rows) const
    {
        if constexpr (!kLevels) return pitch(rows);
        return static_cast<unsigned>(plan.resultStride) * std::uint64_t(rows);
    }
    /// Where four number i of the lane arrives; the last is the one beside the strip.
    __device__ std::uint32_t stage(int i) const
    {
        return shared.warp + i * kRowBytes + sizeof(Four) * lane;
    }
    __device__ std::uint32_t packedRow(int i) const { return shared.packed + i * kPackedRowBytes; }

    /// The next six rows, where so many are left.
    __device__ bool canReadFours(int left) const { return left <= mostLeft && left >= leastLeft; }

    /// Whether a row has cells, of those that this walk needs.
    __device__ bool hasCells(std::int64_t someRow) const
    {
        return someRow >= 0 && someRow < min(plan.height, lastRow);
    }

    /// Orders six rows, the next or later ones.
    template <int kAhead>
    __device__ void order() const
    {
        if (rowsLeft <= kAhead) return;
        if (!canReadFours(rowsLeft - kAhead)) {
            orderCells(lastRow - rowsLeft + kAhead);
            return;
        }
#pragma unroll
        for (int i = 0; i < kBatch; ++i)
            copyAsync<sizeof(Four)>(stage(i), fourAt(from + pitch(kAhead + i) * sizeof(Cell)));
        const std::int64_t offset = (besideFour() - own) * static_cast<int>(sizeof(Four));
        if (hasBeside())
            copyAsync<sizeof(Four)>(
                stage(kBatch), fourAt(from + pitch(kAhead + besideRow()) * sizeof(Cell) + offset));
    }
    /// The four in which the cell at an address lies.
    static __device__ const Four *fourAt(std::uintptr_t address)
    {
        if (!kAligned) address &= ~(sizeof(Four) - 1);
        return reinterpret_cast<const Four *>(address);
    }

    /// The same at the edges of the array: where there are no cells, none are read. Fours of rows
    /// that start at any address may hold some of either kind: these are read one by one.
    __device__ void orderCells(std::int64_t row) const
    {
#pragma unroll 1
        for (int i = 0; i < kBatch; ++i) orderFour(stage(i), row + i, own);
        if (hasBeside()) orderFour(stage(kBatch), row + besideRow(), besideFour());
    }
    __device__ void orderFour(std::uint32_t there, std::int64_t someRow, int index) const
    {
        if constexpr (sizeof(Cell) == 1 && !kAligned) return collectFour(there, someRow, index);
        constexpr int kCopies = kAligned ? 1 : kColumns, kCells = kColumns / kCopies;
        constexpr int kBytesOfCopy = kCells * sizeof(Cell);
        const int skipped = kAligned ? 0 : addressOf(someRow) % sizeof(Four) / sizeof(Cell);
        const std::int64_t first = strip + index * kColumns - skipped;
#pragma unroll
        for (int i = 0; i < kCopies; ++i) {
            const std::int64_t at = first + i;
            if (hasCells(someRow) && at >= 0 && at < plan.width)
                copyAsync<kBytesOfCopy>(there + i * kBytesOfCopy,
                                        sample + (someRow * plan.stride + at));
            else
                storeZero<kBytesOfCopy>(there + i * kBytesOfCopy);
        }
    }
    /// The same for single bytes, which cannot be ordered.
    __device__ void collectFour(std::uint32_t there, std::int64_t someRow, int index) const
    {
        const std::int64_t first = strip + index * kColumns - addressOf(someRow) % sizeof(Four);
        std::uint32_t bytes = 0;
#pragma unroll
        for (int i = 0; i < kColumns; ++i)
            if (hasCells(someRow) && first + i >= 0 && first + i < plan.width)
                bytes |= static_cast<std::uint32_t>(sample[someRow * plan.stride + first + i])
                         << 8 * i;
        store(there, bytes);
    }

    /// Packs the six rows that have arrived; at the edges of the array, some may have no cells.
    template <bool kEdges>
    __device__ void packFours()
    {
        const std::uint32_t low = static_cast<std::uint32_t>(from);
        const auto bytesOfRow = static_cast<std::uint32_t>(plan.stride * sizeof(Cell));
        const auto bitsOfRow = [&](int i, std::uint32_t bits) {
            return kEdges && !hasCells(lastRow - rowsLeft + i) ? kNoCell * kBytes : bits;
        };
        Four next = loadAs<Four>(stage(0)); // one ahead: loads would not pass stores by themselves
#pragma unroll
        for (int i = 0; i < kBatch; ++i) {
            const Four cells = next;
            next = loadAs<Four>(stage(i + 1));
            const std::uint32_t bits = bitsOfRow(i, shifted(before, inside, low + i * bytesOfRow));
            see(cells, bits);
            store(packedRow(i) + 4 * (1 + lane), keep(pack(cells), bits));
        }
        if (kNarrow || !isOutermost()) return;
        const uint4 beside = loadAs<uint4>(shared.warp + kBesidesAt + 16 * lane);
        const int row = besideRow();
        const std::uint32_t bits =
            bitsOfRow(row, shifted(beside.x, beside.y, low + row * bytesOfRow));
        if (!kAligned && hasBeside()) see(next, bits); // the strip's last cells may be among them
        store(beside.z, keep(pack(next), bits));
    }
};

} // namespace local_entropy::words
