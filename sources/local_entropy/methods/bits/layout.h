// Where the bits lie. A panel is 480 columns, seen as 8 lanes of 60. One row of it, of one
// yes-or-no property (a "plane": "this cell is a 7"), is 64 bytes. Byte j, bit b is the panel's
// column 60 b + j - 2:
//
//              byte 0   1   2   3  ...  61   62   63
//     bit 0 column -2  -1   0   1  ...  59   60   61     each lane begins with the last two columns
//     bit 1        58  59  60  61  ... 119  120  121     of the lane before it and ends with the
//     ...                                                first two of the next one
//     bit 7       418 419 420 421  ... 479  480  481
//
// so the neighbour to the right of all 480 cells at once is the same plane loaded one byte further
// on, and nothing ever has to be shifted or shuffled.
#pragma once

#include "local_entropy/methods/bits/hash.h"
#include "local_entropy/methods/bits/task.h"

#include <cstdint>

namespace local_entropy::bits
{
namespace
{

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

} // namespace
} // namespace local_entropy::bits
