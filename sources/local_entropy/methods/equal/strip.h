// What the kernels of this folder share (.cu): strips of columns, cells two by two, and comparing.
//
// A warp owns a strip of 128 columns of the plane and walks down; a lane owns four of them side by
// side. Cells are 16 bits wide, two in a word: the word of column j holds the cells j and j + 2.
// So the words of columns 0 and 1 hold a lane's four cells, and the words of columns k and k + 1
// the four that lie k further right, whether k is even or odd. One instruction compares two cells
// and makes 0 of equals, 1 of others; the two answers for four cells become four bytes, in the
// order of the cells:
//   differ(word of k, word of 0) + 256 differ(word of k + 1, word of 1)
// Such bytes are added up, four cells at a time, as ordinary words.
//
// A window's last columns are other lanes' cells. What those lanes found about them comes by
// shuffles. The last lanes of a strip lack the columns behind it: they have no results, and the
// next strip begins with theirs. What the first lanes find left of the strip is not asked for.
#pragma once

#include "local_entropy/methods/equal/feed.h"
#include "local_entropy/methods/shared_words.h"
#include "local_entropy/problem/plane_view.h"

#include <cstddef>
#include <cstdint>

namespace local_entropy::equal
{

using shared_words::addressOf;

constexpr int kLanes = 32, kCellsALane = 4, kColumns = kLanes * kCellsALane;
constexpr unsigned kAllLanes = 0xffffffff;

/// Columns of results in a strip.
constexpr __host__ __device__ int resultColumns(int windowWidth)
{
    return kColumns - (windowWidth + kCellsALane - 2) / kCellsALane * kCellsALane;
}

/// Factors that are used to make one addition of two: a multiplication goes to another pipe of the
/// processor than additions and comparisons, which have more than enough to do. Where the compiler
/// knows a factor, it makes an addition or a shift of it.
struct Factors
{
    std::uint32_t one = 1, sixteen = 16, byte = 256;
};

/// What kernels read and write.
template <typename Cell>
struct Strips
{
    PlaneView<Cell> plane;
    int windowHeight, windowCells;
    float *result;
    int width, height; ///< of the result
    std::int64_t resultStride;
    bool fours; ///< whether rows of results begin at addresses that 16 divides
    /// An item: so many rows of a strip, at most. Items of the first and the last strip, which an
    /// edge may cut, take longer, so they have fewer rows, and come first.
    int strips, rows, rowsAtEnds, items, itemsAtEnds;
    Factors factors;
};

/// The word that lies kOffset behind an address, in a table in shared memory. No kernel changes
/// such a table once it is made: the compiler may move this.
template <int kOffset>
__device__ std::uint32_t wordAt(std::uint32_t address)
{
    std::uint32_t word;
    asm("ld.shared.u32 %0, [%1 + %2];" : "=r"(word) : "r"(address), "n"(kOffset));
    return word;
}

/// a factor + b
__device__ inline std::uint32_t multiplyAdd(std::uint32_t a, std::uint32_t factor, std::uint32_t b)
{
    std::uint32_t sum;
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(factor), "r"(b));
    return sum;
}

/// Of either half: 0 where `two` is what was negated (negative()), else 1.
__device__ inline std::uint32_t differ(std::uint32_t two, std::uint32_t negated)
{
    constexpr std::uint32_t kOnes = 0x00010001;
#if __CUDACC_VER_MAJOR__ >= 12
    return __viaddmin_u16x2(two, negated, kOnes);
#else
    return __vminu2(__vadd2(two, negated), kOnes);
#endif
}
__device__ inline std::uint32_t negative(std::uint32_t two) { return __vadd2(~two, 0x00010001); }

/// Four cells of a lane, negated.
struct Negatives
{
    std::uint32_t words[2];

    Negatives() = default;
    __device__ Negatives(std::uint32_t even, std::uint32_t odd)
        : words{negative(even), negative(odd)}
    {
    }

    /// `sum` plus, in four bytes, which of the cells differ from those that begin at `from`, the
    /// word of a column.
    __device__ std::uint32_t addDiffering(const std::uint32_t *from, const Factors &factors,
                                          std::uint32_t sum) const
    {
        sum = multiplyAdd(differ(from[0], words[0]), factors.one, sum);
        return multiplyAdd(differ(from[1], words[1]), factors.byte, sum);
    }
    /// Of two such words, both.
    __device__ std::uint32_t addDiffering(const std::uint32_t *from, const std::uint32_t *other,
                                          const Factors &factors, std::uint32_t sum) const
    {
        const std::uint32_t odd = differ(from[1], words[1]) + differ(other[1], words[1]);
        sum += differ(from[0], words[0]) + differ(other[0], words[0]);
        return multiplyAdd(odd, factors.byte, sum);
    }
    __device__ std::uint32_t differing(const std::uint32_t *from, const Factors &factors) const
    {
        return multiplyAdd(differ(from[1], words[1]), factors.byte, differ(from[0], words[0]));
    }
};

/// Words of the columns kFirst ... kEnd - 1, counted from a lane's first one.
template <int kFirst, int kEnd>
struct Words
{
    std::uint32_t words[kEnd - kFirst];

    __device__ std::uint32_t *of(int column) { return words + (column - kFirst); }
    __device__ const std::uint32_t *of(int column) const { return words + (column - kFirst); }
};

constexpr std::uint32_t kLowBytes = 0x00ff00ff;

/// Bytes 1 and 3 of four.
__device__ inline std::uint32_t oddBytes(std::uint32_t four)
{
    return __byte_perm(four, 0, 0x4341);
}

/// The words of columns 0 ... 3 and, if kLeft, of -2 and -1; else those stay as they are. By all
/// lanes.
template <bool kLeft, int kFirst, int kEnd>
__device__ void expand(const Four<std::uint8_t> &four, Words<kFirst, kEnd> &to)
{
    const std::uint32_t own = four.words[0], next = __shfl_down_sync(kAllLanes, own, 1);
    *to.of(0) = own & kLowBytes;
    *to.of(1) = oddBytes(own);
    const std::uint32_t right = __byte_perm(own, next, 0x5432);
    *to.of(2) = right & kLowBytes;
    *to.of(3) = oddBytes(right);
    if constexpr (kLeft) {
        const std::uint32_t left = __byte_perm(__shfl_up_sync(kAllLanes, own, 1), own, 0x5432);
        *to.of(-2) = left & kLowBytes;
        *to.of(-1) = oddBytes(left);
    }
}
template <bool kLeft, int kFirst, int kEnd>
__device__ void expand(const Four<std::uint16_t> &four, Words<kFirst, kEnd> &to)
{
    constexpr unsigned kLowHalves = 0x5410, kHighHalves = 0x7632;
    const std::uint32_t own = four.words[0], last = four.words[1];
    const std::uint32_t next = __shfl_down_sync(kAllLanes, own, 1);
    *to.of(0) = __byte_perm(own, last, kLowHalves);
    *to.of(1) = __byte_perm(own, last, kHighHalves);
    *to.of(2) = __byte_perm(last, next, kLowHalves);
    *to.of(3) = __byte_perm(last, next, kHighHalves);
    if constexpr (kLeft) {
        const std::uint32_t left = __shfl_up_sync(kAllLanes, last, 1);
        *to.of(-2) = __byte_perm(left, own, kLowHalves);
        *to.of(-1) = __byte_perm(left, own, kHighHalves);
    }
}

__device__ inline int byteOf(std::uint32_t four, int i)
{
    return static_cast<int>(four >> (8 * i) & 0xff);
}

} // namespace local_entropy::equal
