// The bit-sliced kernel: entropies of 5x5 windows, hundreds of them in one instruction.
//
// Layout. A panel is 480 columns, seen as 8 lanes of 60. One row of it, of one yes-or-no property
// (a "plane": "this cell is a 7"), is 64 bytes; byte j, bit b is column 60 b + j - 2 of the panel:
//
//              byte 0   1   2   3  ...  61   62   63
//     bit 0 column -2  -1   0   1  ...  59   60   61     each lane begins with the last two columns
//     bit 1        58  59  60  61  ... 119  120  121     of the lane before it and ends with the
//     ...                                                first two of the next one
//     bit 7       418 419 420 421  ... 479  480  481
//
// so the neighbour to the right of all 480 cells at once is the same plane loaded one byte further
// on, and nothing ever has to be shifted or shuffled.
//
// Counting. A number for each cell is a list of planes, its binary digits. Adding such numbers is
// what a circuit does, with full adders of two instructions (for the sum, for the carry) for 512
// cells:
//   across  five indicator planes, one byte apart, give 3 digits: that level in a row of 5 cells;
//   down    count += across(this row) - across(five rows ago): the count slides down the panel.
// The hash (hash.h) makes of the sixteen counts 15 planes of an index. Transposing them as
// blocks of 8x8 bits leaves a 16-bit index a cell, and a table holds the exact entropy for it.
//
// Each step has work for other parts of the processor than the next: loads of one row's entropies,
// arithmetic of the next row and packing of the next block of input are interleaved by hand.
//
// How it is used: a file for one kind of processor defines Word and its operations (see
// portable.cpp), includes this, and exports a Kernel. Everything here has internal linkage.
#pragma once

#include "local_entropy/methods/bits/hash.h"
#include "local_entropy/methods/bits/task.h"

#include <utility>

namespace local_entropy::bits
{
namespace
{

// ---- the layout --------------------------------------------------------------------------------

constexpr int kBits = 4;                           ///< of a cell
constexpr int kLanes = 8;                          ///< bits of a byte
constexpr int kLane = 60;                          ///< columns of a lane
constexpr int kPlane = 64;                         ///< bytes of a plane
constexpr int kParts = kPlane / sizeof(Word);      ///< words of a plane
constexpr int kRead = kPanelColumns + 2 * kRadius; ///< cells that a row of a panel is packed from
constexpr int kGroup = 16;                         ///< cells that are looked up in one go
constexpr int kGroups = kPanelColumns / kGroup;
static_assert(kLanes * kLane == kPanelColumns && kBits * kPlane == kPackedRow);

/// So many elements of a size, and more to fill whole planes: what is behind stays aligned.
constexpr int wholePlanes(int elements, int size)
{
    return (elements * size + kPlane - 1) / kPlane * kPlane / size;
}
constexpr int kStored = (kLanes - 1) * kLane + kPlane; ///< indices: lanes are stored whole
constexpr int kIndices = wholePlanes(kStored, sizeof(std::uint16_t));
constexpr int kBorder = wholePlanes(kRead, sizeof(float));
static_assert(kRead == (kLanes - 1) * kLane + kPlane); // packPairs() reads lanes as long as planes

/// What is kept while a panel is worked through from top to bottom: small enough for the
/// first-level cache.
struct alignas(kPlane) State
{
    /// Which cells are of that level, of two rows. The second half stays empty: loads that begin
    /// in the first half may reach into it.
    std::uint8_t indicator[2][kLevels][2 * kPlane];
    Word across[kWindow][kLevels][kParts][3];  ///< that level in 5 cells of a row, of five rows
    Word count[kLevels][kParts][kCountDigits]; ///< that level in the window
    std::uint16_t index[2][kIndices];          ///< of two rows
    float entropy[2][kPanelColumns];           ///< of two rows, on their way to the result
    float border[kBorder];                     ///< cells at the first or last end of the array
    std::uint8_t inside[kPlane];               ///< plane: the column exists
    Word outOfRange;                           ///< not zero once a cell was none of 0..15
};

[[gnu::always_inline]] inline Word load(const void *from)
{
    Word word;
    __builtin_memcpy(&word, from, sizeof word);
    return word;
}

[[gnu::always_inline]] inline void store(void *to, Word word)
{
    __builtin_memcpy(to, &word, sizeof word);
}

inline std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
inline std::int64_t larger(std::int64_t a, std::int64_t b) { return a > b ? a : b; }

// ---- transposing bits --------------------------------------------------------------------------

/// Exchanges, in every pair of bits that lie `Distance` apart, the upper bit of `a` with the lower
/// bit of `b`: one step of transposing a square of bits whose rows are bytes of different words.
template <int Distance>
[[gnu::always_inline]] inline void exchange(Word &a, Word &b)
{
    constexpr std::uint8_t kLower = Distance == 1 ? 0x55 : Distance == 2 ? 0x33 : 0x0f;
    const Word lower = repeated(kLower), up = b << Distance, down = a >> Distance;
    a = select(lower, a, up);
    b = select(lower, down, b);
}

/// Transposes squares of 8x8 bits: bit b of byte j of word[i] and bit i of byte j of word[b].
[[gnu::always_inline]] inline void transpose8(Word *word)
{
    for (const int i : {0, 1, 2, 3}) exchange<4>(word[i], word[i + 4]);
    for (const int i : {0, 1, 4, 5}) exchange<2>(word[i], word[i + 2]);
    for (const int i : {0, 2, 4, 6}) exchange<1>(word[i], word[i + 1]);
}

// ---- packing the input -------------------------------------------------------------------------

/// Cells of a row of a panel, from column -2, to four planes: the binary digits of the cells.
/// pairs[i] holds lane i in the lower half of its bytes and lane i + 4 in the upper half, so that
/// bit d of lane i has to go from bit d of pairs[i] to bit i of plane d.
[[gnu::always_inline]] inline void packRow(const float *cells, std::uint8_t *packed, State &state)
{
    alignas(kPlane) std::uint8_t pairs[kBits][kPlane];
    packPairs(cells, pairs, state.outOfRange);
    for (int offset = 0; offset < kPlane; offset += sizeof(Word)) {
        Word p[kBits];
        for (int i = 0; i < kBits; ++i) p[i] = load(pairs[i] + offset);
        exchange<1>(p[0], p[1]), exchange<1>(p[2], p[3]);
        exchange<2>(p[0], p[2]), exchange<2>(p[1], p[3]);
        for (int i = 0; i < kBits; ++i) store(packed + i * kPlane + offset, p[i]);
    }
}

/// Rows of a block and of the two above and below that its windows reach.
inline std::int64_t packedRows(const Block &block) { return block.end - block.begin + 2 * kRadius; }

/// Packs a block, one row of one panel a step, in the order in which the array lies in memory.
/// Rows that do not exist are left as they are: nobody reads them.
struct Packer
{
    const Task &task;
    State &state;
    Block block;
    std::uint8_t *packed = nullptr;
    std::int64_t panel = 0, row = 0;
    const char *ahead; ///< memory that will be read soon

    void start(const Block &next, std::uint8_t *to)
    {
        block = next;
        packed = to;
        panel = row = 0;
    }

    bool busy() const { return row < packedRows(block) && block.panels > 0; }

    /// What lies in columns outside the array does not matter (State::inside), so a row that is cut
    /// by an edge is read beyond it, into the rows before and after; but not beyond the array.
    [[gnu::always_inline]] inline void step()
    {
        const std::int64_t y = block.begin - kRadius + row;
        if (y >= 0 && y < task.height) {
            const std::int64_t first =
                y * task.width + (block.firstPanel + panel) * kPanelColumns - kRadius;
            const float *cells = task.sample + first;
            ahead = reinterpret_cast<const char *>(cells + 2 * kPanelColumns);
            if (__builtin_expect(first < 0 || first + kRead > task.width * task.height, 0))
                cells = copyRow(first);
            packRow(cells, packed + (panel * packedRows(block) + row) * kPackedRow, state);
        }
        if (++panel == block.panels) panel = 0, ++row;
        if (!busy()) ahead = reinterpret_cast<const char *>(&state);
    }

    /// Those of the cells first .. first + kRead - 1 that are in the array, in their places.
    [[gnu::noinline]] const float *copyRow(std::int64_t first)
    {
        const std::int64_t begin = larger(first, 0);
        const std::int64_t end = smaller(first + kRead, task.width * task.height);
        __builtin_memset(state.border, 0, sizeof state.border);
        __builtin_memcpy(state.border + (begin - first), task.sample + begin,
                         (end - begin) * sizeof(float));
        return state.border;
    }
};

// ---- counting ----------------------------------------------------------------------------------

/// Sixteen indicator planes from the four planes of a packed row: level 5 is where the digits are
/// 0101. Columns that do not exist are of no level at all, so that the edges of the array need no
/// further care.
inline void makeIndicators(State &state, int slot, const std::uint8_t *packed)
{
    for (int offset = 0; offset < kPlane; offset += sizeof(Word)) {
        const Word inside = load(state.inside + offset);
        const Word eights = load(packed + 3 * kPlane + offset);
        const Word low = andNot(inside, eights), high = inside & eights;
        Word octal[8];
        decode(load(packed + offset), load(packed + kPlane + offset),
               load(packed + 2 * kPlane + offset), octal);
        for (int i = 0; i < 8; ++i) {
            store(state.indicator[slot][i] + offset, octal[i] & low);
            store(state.indicator[slot][i + 8] + offset, octal[i] & high);
        }
    }
}

/// Moves the windows of one level down by a row; count receives how many of its cells they hold.
[[gnu::always_inline]] inline void slide(const std::uint8_t *plane, Word *across, Word *kept,
                                         Word *count)
{
    Word sum, carry1, carry2; // five neighbours: sum + 2 (carry1 + carry2)
    add(load(plane), load(plane + 1), load(plane + 2), sum, carry1);
    add(sum, load(plane + 3), load(plane + 4), sum, carry2);
    const Word fresh[3] = {sum, carry1 ^ carry2, carry1 & carry2};

    // fresh - old, in two's complement: three digits, and the last borrow as all higher ones.
    const Word old[3] = {across[0], across[1], across[2]};
    const Word change0 = fresh[0] ^ old[0], borrow0 = andNot(old[0], fresh[0]);
    Word change1, change2, borrow1, higher;
    subtract(fresh[1], old[1], borrow0, change1, borrow1);
    subtract(fresh[2], old[2], borrow1, change2, higher);

    const Word before[kCountDigits] = {kept[0], kept[1], kept[2], kept[3], kept[4]};
    count[0] = before[0] ^ change0;
    Word carry = before[0] & change0;
    add(before[1], change1, carry, count[1], carry);
    add(before[2], change2, carry, count[2], carry);
    add(before[3], higher, carry, count[3], carry);
    count[4] = xor3(before[4], higher, carry);
    for (int i = 0; i < 3; ++i) across[i] = fresh[i];
    for (int i = 0; i < kCountDigits; ++i) kept[i] = count[i];
}

/// The lowest `Digits` binary digits of how many of sixteen planes are set. A digit takes in two
/// planes at a time and passes one carry on to the next digit, which sees half as many.
template <int Digits>
struct Sum16
{
    Word digit[Digits], waiting[Digits];

    /// Takes in plane number `Turn` of 0..15.
    template <int Turn, int Place = 0>
    [[gnu::always_inline]] inline void take(Word plane)
    {
        if constexpr (Turn % 2 == 0) {
            waiting[Place] = plane;
        } else if constexpr (Place == Digits - 1) { // the last digit: nobody wants its carries
            digit[Place] =
                Turn == 1 ? waiting[Place] ^ plane : xor3(digit[Place], waiting[Place], plane);
        } else if constexpr (Turn == 1) {
            digit[Place] = waiting[Place] ^ plane;
            take<0, Place + 1>(waiting[Place] & plane);
        } else {
            Word carry;
            add(digit[Place], waiting[Place], plane, digit[Place], carry);
            take<Turn / 2, Place + 1>(carry);
        }
    }
};

/// The six sums of the hash.
struct Sums
{
    Sum16<Hash::kDigits[0]> sum0;
    Sum16<Hash::kDigits[1]> sum1;
    Sum16<Hash::kDigits[2]> sum2;
    Sum16<Hash::kDigits[3]> sum3;
    Sum16<Hash::kDigits[4]> sum4;
    Sum16<Hash::kDigits[5]> sum5;

    template <int Level>
    [[gnu::always_inline]] inline void take(const Word *count)
    {
        Word answer[kFunctions];
        Hash::functions(count, answer);
        sum0.template take<Level>(answer[0]);
        sum1.template take<Level>(answer[1]);
        sum2.template take<Level>(answer[2]);
        sum3.template take<Level>(answer[3]);
        sum4.template take<Level>(answer[4]);
        sum5.template take<Level>(answer[5]);
    }

    /// The planes of the index.
    template <int... Bit>
    [[gnu::always_inline]] inline void fold(Word *index, std::integer_sequence<int, Bit...>) const
    {
        const Word *const digits[kFunctions] = {sum0.digit, sum1.digit, sum2.digit,
                                                sum3.digit, sum4.digit, sum5.digit};
        const auto digit = [&](Digit d) { return digits[d.function][d.digit]; };
        const auto folded = [&](const Digit(&d)[3]) {
            return d[2].function < 0 ? digit(d[0]) ^ digit(d[1])
                                     : xor3(digit(d[0]), digit(d[1]), digit(d[2]));
        };
        ((index[Bit] = folded(Hash::kFold[Bit])), ...);
    }
};

// ---- output ------------------------------------------------------------------------------------

/// A row whose indices are there: most of its cells, in groups of 16, are looked up between the
/// arithmetic of the next row.
struct Lookup
{
    float *to = nullptr;                  ///< the result, or where it is collected
    const std::uint16_t *index = nullptr; ///< of the first cell
    const float *table = nullptr;
    int groups = 0;
};

/// A row that has been looked up one by one, and goes to the result another row later, in stores as
/// long as a cache line.
struct Writing
{
    float *to = nullptr;
    const float *from = nullptr;
    int groups = 0;
};

/// What is done while a row is counted: a copy that nobody else refers to, which the compiler keeps
/// in registers.
struct Meanwhile
{
    Lookup lookup;
    Writing writing;
    const char *ahead; ///< memory to prefetch
};

/// Number of cells within reach of `place` on a side of `length` cells.
inline int reached(std::int64_t place, std::int64_t length)
{
    return static_cast<int>(smaller(place + kRadius, length - 1) - larger(place - kRadius, 0) + 1);
}

// ---- a panel from top to bottom ----------------------------------------------------------------

template <bool Stream, bool Gather>
struct Panel
{
    const Task &task;
    State &state;
    Packer &next;               ///< packs the next block meanwhile
    const std::uint8_t *packed; ///< the rows of this panel
    std::int64_t left, begin, end;
    int columns = static_cast<int>(smaller(kPanelColumns, task.width - left));
    Lookup lookup{};
    float *target = nullptr; ///< where the row of `lookup` belongs in the result
    Writing writing{};

    /// Stores around the cache have to fill whole lines at once; single entropies are collected.
    static constexpr bool kCollect = Stream && !Gather;

    void run()
    {
        reset();
        prepare(begin - kRadius, 0);
        int oldest = 0;
        for (std::int64_t y = begin - kRadius; y < end + kRadius; ++y) {
            const int slot = (y - begin) & 1;
            if (next.busy()) next.step();
            // A row early: a load right behind the stores that it overlaps would have to wait.
            if (y + 1 < end + kRadius) prepare(y + 1, slot ^ 1);
            if (y < begin + kRadius)
                countOnly(slot, oldest, std::make_integer_sequence<int, kLevels>());
            else
                countAndOutput(y - kRadius, slot, oldest);
            oldest = oldest == kWindow - 1 ? 0 : oldest + 1;
        }
        output(0, kGroups, {lookup, writing, nullptr});
        if (kCollect)
            output(0, kGroups,
                   {{}, {target, state.entropy[(end - 1) & 1], lookup.groups}, nullptr});
    }

private:
    void reset()
    {
        __builtin_memset(&state.across, 0, sizeof state.across);
        __builtin_memset(&state.count, 0, sizeof state.count);
        for (int byte = 0; byte < kPlane; ++byte) {
            int bits = 0;
            for (int lane = 0; lane < kLanes; ++lane) {
                const std::int64_t x = left + lane * kLane + byte - kRadius;
                bits |= (x >= 0 && x < task.width) << lane;
            }
            state.inside[byte] = static_cast<std::uint8_t>(bits);
        }
    }

    void prepare(std::int64_t y, int slot)
    {
        if (y >= 0 && y < task.height)
            makeIndicators(state, slot, packed + (y - begin + kRadius) * kPackedRow);
        else
            for (int level = 0; level < kLevels; ++level)
                __builtin_memset(state.indicator[slot][level], 0, kPlane);
    }

    template <int Level>
    [[gnu::always_inline]] inline void slideLevel(int slot, int oldest, int part, Word *count)
    {
        slide(state.indicator[slot][Level] + part * sizeof(Word), state.across[oldest][Level][part],
              state.count[Level][part], count);
    }

    template <int... Level>
    void countOnly(int slot, int oldest, std::integer_sequence<int, Level...>)
    {
        Word count[kCountDigits];
        for (int part = 0; part < kParts; ++part)
            (slideLevel<Level>(slot, oldest, part, count), ...);
    }

    /// One level of one row, with its share of the output of earlier rows in between.
    template <int Level>
    [[gnu::always_inline]] inline void level(int slot, int oldest, int part, Sums &sums,
                                             const Meanwhile &meanwhile)
    {
        constexpr int kPerPart = (kGroups + kParts - 1) / kParts;
        constexpr int kFirst = kPerPart * Level / kLevels, kLast = kPerPart * (Level + 1) / kLevels;
        Word count[kCountDigits];
        slideLevel<Level>(slot, oldest, part, count);
        sums.take<Level>(count);
        const int first = part * kPerPart;
        output(first + kFirst, first + kLast, meanwhile);
        if (part == 0 && Level < kLevels - 1) {
            __builtin_prefetch(meanwhile.ahead + 128 * Level);
            __builtin_prefetch(meanwhile.ahead + 128 * Level + 64);
        }
    }

    template <int... Level>
    [[gnu::always_inline]] inline void levels(int slot, int oldest, int part, Sums &sums,
                                              const Meanwhile &meanwhile,
                                              std::integer_sequence<int, Level...>)
    {
        (level<Level>(slot, oldest, part, sums, meanwhile), ...);
    }

    void countAndOutput(std::int64_t y, int slot, int oldest)
    {
        std::uint16_t *index = state.index[y & 1];
        const Meanwhile meanwhile{lookup, writing, next.ahead};
        for (int part = kParts - 1; part >= 0; --part) { // down: a lane's last 4 bytes are no cells
            Sums sums;
            levels(slot, oldest, part, sums, meanwhile, std::make_integer_sequence<int, kLevels>());
            Word planes[16];
            sums.fold(planes, std::make_integer_sequence<int, kIndexDigits>());
            planes[15] = Word{};
            transpose8(planes);
            transpose8(planes + 8);
            for (int lane = 0; lane < kLanes; ++lane)
                storeIndices(index + lane * kLane + part * sizeof(Word), planes[lane],
                             planes[lane + 8]);
        }
        if (kCollect) writing = {target, lookup.to, lookup.groups};
        startRow(y, index);
    }

    /// Looks up and writes these groups of the rows that wait for it.
    [[gnu::always_inline]] static inline void output(int first, int last,
                                                     const Meanwhile &meanwhile)
    {
        const Lookup &lookup = meanwhile.lookup;
        const Writing &writing = meanwhile.writing;
        for (int group = first; group < last; ++group) {
            const int cell = group * kGroup;
            if (group < lookup.groups)
                lookUpGroup<Stream, Gather>(lookup.to + cell, lookup.index + cell, lookup.table);
            if (kCollect && group < writing.groups)
                writeGroup(writing.to + cell, writing.from + cell);
        }
    }

    /// The groups of row y are those of whole cache lines of the result, without the columns whose
    /// windows the left or right edge cuts; the few other cells are finished here.
    void startRow(std::int64_t y, const std::uint16_t *index)
    {
        float *row = task.result + (y - task.firstRow) * task.width + left;
        const int down = reached(y, task.height);
        const int cutLeft = left == 0 ? kRadius : 0;
        const int cutRight = static_cast<int>(larger(0, left + columns + kRadius - task.width));
        int first = static_cast<int>(-reinterpret_cast<std::uintptr_t>(row) / sizeof(float) % 16);
        if (first < cutLeft) first += kGroup;
        const int groups = static_cast<int>(larger(0, columns - cutRight - first) / kGroup);
        if (groups == 0) first = 0;
        const int last = first + groups * kGroup;
        for (int x = 0; x < first; ++x) row[x] = single(x, down, index);
        for (int x = last; x < columns; ++x) row[x] = single(x, down, index);

        target = row + first;
        lookup = {kCollect ? state.entropy[y & 1] : target, index + first,
                  task.tables[kWindow * down], groups};
    }

    float single(int x, int down, const std::uint16_t *index) const
    {
        return task.tables[reached(left + x, task.width) * down][index[x]];
    }
};

template <bool Stream, bool Gather>
inline void runPanels(const Task &task, State &state, Packer &next, const Block &block,
                      const std::uint8_t *packed)
{
    for (std::int64_t panel = 0; panel < block.panels; ++panel) {
        Panel<Stream, Gather> work{task,
                                   state,
                                   next,
                                   packed + panel * packedRows(block) * kPackedRow,
                                   (block.firstPanel + panel) * kPanelColumns,
                                   block.begin,
                                   block.end};
        work.run();
    }
}

// ---- all blocks of a thread --------------------------------------------------------------------

/// The next block; one without panels when there is none left.
inline Block takeBlock(Blocks &blocks)
{
    Block block;
    return blocks.take(blocks, block) ? block : Block{};
}

[[gnu::noinline]] void runBlocks(const Task &task, Blocks &blocks, void *scratch)
{
    State &state = *static_cast<State *>(scratch);
    __builtin_memset(&state, 0, sizeof state);
    std::uint8_t *packed[2];
    packed[0] = static_cast<std::uint8_t *>(scratch) + sizeof(State);
    packed[1] = packed[0] + task.packedBytes;

    Packer packer{task, state, {}, nullptr, 0, 0, reinterpret_cast<const char *>(&state)};
    Block block = takeBlock(blocks);
    packer.start(block, packed[0]);
    while (packer.busy()) packer.step();
    while (block.panels > 0) {
        const std::uint8_t *rows = packed[0];
        packed[0] = packed[1];
        packed[1] = const_cast<std::uint8_t *>(rows);
        const Block following = takeBlock(blocks);
        packer.start(following, packed[0]);
        if (task.stream && task.gather)
            runPanels<true, true>(task, state, packer, block, rows);
        else if (task.stream)
            runPanels<true, false>(task, state, packer, block, rows);
        else if (task.gather)
            runPanels<false, true>(task, state, packer, block, rows);
        else
            runPanels<false, false>(task, state, packer, block, rows);
        while (packer.busy()) packer.step();
        block = following;
    }
    if (task.stream) finishStreaming();

    std::uint8_t bytes[sizeof(Word)];
    store(bytes, state.outOfRange);
    for (const std::uint8_t byte : bytes)
        if (byte) blocks.suspicious = true;
}

} // namespace
} // namespace local_entropy::bits
