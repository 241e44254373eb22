// Where a warp of slide.h keeps the rows of its windows (.cu): in shared memory, each in a slot of
// a ring, as words of columns (strip.h).
#pragma once

#include "local_entropy/methods/equal/strip.h"

#include <cstdint>

namespace local_entropy::equal
{

/// A ring of rows. A slot is words of columns, with groups of four beside the strip.
template <int kWidth>
class Ring
{
public:
    static constexpr int kLeft = (kWidth + 2) / 4, kRight = kWidth / 4;           ///< groups
    static constexpr int kGroups = kLeft + kLanes + kRight, kWords = 4 * kGroups; ///< of a slot
    using Row = Words<-4 * kLeft, 4 * (kRight + 1)>;
    using LeftOfRow = Words<-4 * kLeft, 4>;

    __device__ explicit Ring(std::uint32_t *words) : words(words) {}

    __device__ void write(int slot, const Words<0, 4> &own) const
    {
        const int lane = threadIdx.x % kLanes;
        std::uint32_t *const first = words + slot * kWords + 4 * kLeft;
        reinterpret_cast<uint4 *>(first)[lane] =
            make_uint4(*own.of(0), *own.of(1), *own.of(2), *own.of(3));
        // The words left of the strip that have a cell of it.
        if (lane == 0) first[-2] = *own.of(0) << 16, first[-1] = *own.of(1) << 16;
    }

    /// What a lane needs of the row whose slot begins with group `at`: the columns of its windows,
    /// and those left of it.
    __device__ Row readAt(int at) const
    {
        Row row;
        read<-kLeft, kRight + 1>(at, row);
        return row;
    }
    /// Of these, the columns to the left, and its own.
    __device__ LeftOfRow readLeft(int slot) const
    {
        LeftOfRow row;
        read<-kLeft, 1>(slot * kGroups, row);
        return row;
    }

private:
    /// The groups kBegin ... kEnd - 1 of four words, counted from a lane's own, of the slot that
    /// begins with that group of the ring.
    template <int kBegin, int kEnd, int kFirst, int kEndOfWords>
    __device__ void read(int at, Words<kFirst, kEndOfWords> &to) const
    {
        const auto *groups =
            reinterpret_cast<const uint4 *>(words) + at + kLeft + threadIdx.x % kLanes;
#pragma unroll
        for (int group = kBegin; group < kEnd; ++group) {
            const uint4 four = groups[group];
            std::uint32_t *const into = to.of(4 * group);
            into[0] = four.x, into[1] = four.y, into[2] = four.z, into[3] = four.w;
        }
    }

    std::uint32_t *const words;
};

} // namespace local_entropy::equal
