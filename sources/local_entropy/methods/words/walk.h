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
#include "local_entropy/methods/words/hash.h"
#include "local_entropy/methods/words/memory.h"
#include "local_entropy/methods/words/plan.h"
#include "local_entropy/methods/words/tables.h"

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

/// A warp on its way down a strip: what a lane carries from row to row.
///
/// Cells are read in fours, at addresses that are multiples of a four. Where a row starts at any
/// address (kAligned is false), its fours begin up to three cells before the strip; its bytes are
/// shifted to the strip's columns when they are read from the packed row.
template <typename Cell, bool kAligned>
struct Walk
{
    static constexpr bool kFloats = std::is_same_v<Cell, float>;
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

    std::int64_t strip = 0;               ///< its first column
    std::int64_t lastRow = 0;             ///< behind the last row of cells
    int rowsLeft = 0;                     ///< until there, from the next one on
    int mostLeft = 0, leastLeft = 0;      ///< between these the next six rows are ordered in fours
    std::uintptr_t from = 0;              ///< address of the lane's first cell in the next row
    float *to = nullptr;                  ///< the lane's first result of the next row
    int columnsLeft = 0;                  ///< in the array, from there on
    std::uint32_t inside = 0, before = 0; ///< bits of the lane's bytes; of the bytes before them
    Word ring[kBatch][kColumns];
    Sums sums[kColumns];
    Seen seen;

    /// Goes to a strip at some column, and rows of results of it; order<0>() and finish() follow.
    __device__ void start(std::int64_t column, std::int64_t begin, std::int64_t end)
    {
        strip = column;
        lastRow = end + kRadius;
        rowsLeft = static_cast<int>(end - begin) + 2 * kRadius;
        from = addressOf(begin - kRadius) + sizeof(Four) * lane;
        to = result + (begin * plan.width + strip + lane * (kAligned ? kColumns : 1));
        columnsLeft = static_cast<int>(min(plan.width - column, std::int64_t(kStripColumns))) -
                      static_cast<int>(lane) * (kAligned ? kColumns : 1);
        inside = insideFrom(lane * kColumns);
        before = insideFrom(lane * kColumns - kColumns);
        storeBeside();

        const RowRange safe = safeRows(plan, strip, kStripColumns);
        mostLeft = static_cast<int>(min(lastRow - safe.begin, std::int64_t(rowsLeft)));
        leastLeft = static_cast<int>(
            min(max(lastRow - safe.end, std::int64_t(0)) + kBatch, std::int64_t(rowsLeft) + 1));
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
        walkBatch<kWindow - 1>();
#pragma unroll 1
        while (rowsLeft > 0) walkBatch<0>();
    }

    /// Takes six rows; the first kFirst of them have no results.
    template <int kFirst>
    __device__ void walkBatch()
    {
        waitForCopies();
        if (canReadFours(rowsLeft))
            packFours<false>();
        else
            packFours<true>();
        syncTeam(); // packed rows are read by the neighbours
        const std::uint32_t low = static_cast<std::uint32_t>(from);
        const int rows = columnsLeft > 0 ? rowsLeft : 0;
        order<kBatch>();
        from += pitch(kBatch) * sizeof(Cell);
        rowsLeft -= kBatch;
#pragma unroll
        for (int i = 0; i < kBatch; ++i) {
            enter(i, low);
            if (i >= kFirst) write(i, rows, to + pitch(i - kFirst));
        }
        to += pitch(kBatch - kFirst);
        syncTeam(); // before the packed rows are overwritten
    }
    __device__ void syncTeam() const { syncWarps(leader, plan.team); }

    // ---- cells ---------------------------------------------------------------------------------

    __device__ std::uintptr_t addressOf(std::int64_t someRow) const
    {
        return reinterpret_cast<std::uintptr_t>(sample) +
               (someRow * plan.width + strip) * sizeof(Cell);
    }

    /// Bits that the bytes of four columns may have; outside the array, kNoCell.
    __device__ std::uint32_t insideFrom(int column) const
    {
        const int first = strip == 0 ? 0 : -2 * kColumns; // of the columns that there are
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
        return kAligned ? bits : __funnelshift_l(bitsBefore, bits, 2 * low); // modulo 32
    }
    /// Keeps a byte's bits, or makes it kNoCell. Bytes may be that already.
    static __device__ std::uint32_t keep(std::uint32_t bytes, std::uint32_t bits)
    {
        if constexpr (kFloats) return (bytes | kNoCell * kBytes) & bits;
        return (bytes & (bits | kNoCell * kBytes)) | (bits & kNoCell * kBytes);
    }

    /// Four bytes that may still have other bits.
    static __device__ std::uint32_t pack(float4 cells)
    {
        return packed(scaledCell(cells.x), scaledCell(cells.y), scaledCell(cells.z),
                      scaledCell(cells.w)) >>
               1;
    }
    static __device__ std::uint32_t pack(std::uint32_t cells) { return cells; }

    __device__ void see(float4 cells)
    {
        seen.scaled |= scaledCell(cells.x) | scaledCell(cells.y);
        seen.scaled |= scaledCell(cells.z) | scaledCell(cells.w);
        seen.raw |= bitsOf(cells.x) | bitsOf(cells.y);
        seen.raw |= bitsOf(cells.z) | bitsOf(cells.w);
    }
    __device__ void see(std::uint32_t) const {}

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
        return besideRow() < kBatch && lane < 8 * kSides && place == (lane < 8 ? 0 : plan.team - 1);
    }
    __device__ bool isOutermost() const { return place == 0 || place == plan.team - 1; }

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

    /// Cells in that many rows.
    __device__ std::uint64_t pitch(int rows) const
    {
        return static_cast<unsigned>(plan.width) * std::uint64_t(rows);
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
        const std::int64_t offset =
            (besideFour() - static_cast<int>(lane)) * static_cast<int>(sizeof(Four));
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
        for (int i = 0; i < kBatch; ++i) orderFour(stage(i), row + i, lane);
        if (hasBeside()) orderFour(stage(kBatch), row + besideRow(), besideFour());
    }
    __device__ void orderFour(std::uint32_t there, std::int64_t someRow, int index) const
    {
        constexpr int kCopies = kAligned ? 1 : kColumns, kCells = kColumns / kCopies;
        constexpr int kBytesOfCopy = kCells * sizeof(Cell);
        const int skipped = kAligned ? 0 : addressOf(someRow) % sizeof(Four) / sizeof(Cell);
        const std::int64_t first = strip + index * kColumns - skipped;
#pragma unroll
        for (int i = 0; i < kCopies; ++i) {
            const std::int64_t at = first + i;
            if (hasCells(someRow) && at >= 0 && at < plan.width)
                copyAsync<kBytesOfCopy>(there + i * kBytesOfCopy,
                                        sample + (someRow * plan.width + at));
            else
                storeZero<kBytesOfCopy>(there + i * kBytesOfCopy);
        }
    }

    /// Packs the six rows that have arrived; at the edges of the array, some may have no cells.
    template <bool kEdges>
    __device__ void packFours()
    {
        const std::uint32_t low = static_cast<std::uint32_t>(from);
        const auto bytesOfRow = static_cast<std::uint32_t>(plan.width * sizeof(Cell));
        const auto bitsOfRow = [&](int i, std::uint32_t bits) {
            return kEdges && !hasCells(lastRow - rowsLeft + i) ? kNoCell * kBytes : bits;
        };
        Four next = loadAs<Four>(stage(0)); // one ahead: loads would not pass stores by themselves
#pragma unroll
        for (int i = 0; i < kBatch; ++i) {
            const Four cells = next;
            next = loadAs<Four>(stage(i + 1));
            see(cells);
            store(packedRow(i) + 4 * (1 + lane),
                  keep(pack(cells), bitsOfRow(i, shifted(before, inside, low + i * bytesOfRow))));
        }
        if (!isOutermost()) return;
        if (!kAligned && hasBeside()) see(next); // the strip's last cells may be among them
        const uint4 beside = loadAs<uint4>(shared.warp + kBesidesAt + 16 * lane);
        const int row = besideRow();
        store(beside.z, keep(pack(next),
                             bitsOfRow(row, shifted(beside.x, beside.y, low + row * bytesOfRow))));
    }

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
        } else { // two cells before the strip's columns, low / 4 % 4 cells behind the first four
            low += i * static_cast<std::uint32_t>(plan.width) * sizeof(Cell);
            at += low >> 1 & 4;
            const std::uint32_t a = load(at), b = load(at + 4), c = load(at + 8);
            const std::uint32_t left = __funnelshift_r(a, b, 2 * low + 16); // modulo 32
            const std::uint32_t right = __funnelshift_r(b, c, 2 * low + 16);
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

    /// Writes the results of row i of six, if there are more than i rows.
    __device__ void write(int i, int rows, float *there)
    {
        const float4 four = make_float4(__uint_as_float(entropy(0)), __uint_as_float(entropy(1)),
                                        __uint_as_float(entropy(2)), __uint_as_float(entropy(3)));
        if constexpr (kAligned) {
            writeIf(rows, i, there, four);
        } else { // through shared memory, so that lanes side by side write side by side
            const std::uint32_t results = shared.warp + kResultsAt + i % 2 * kResultRow;
            store(results + 16 * lane, four);
            __syncwarp();
            const int columns = rows > i ? columnsLeft : 0;
#pragma unroll
            for (int j = 0; j < kColumns; ++j)
                writeIf(columns, j * kWarp, there + j * kWarp,
                        load(results + 4 * (lane + j * kWarp)));
        }
    }
};

} // namespace local_entropy::words
