// The kernels of walk.h that there are. Each takes a while to compile, and so they are spread over
// several files.
#pragma once

#include "local_entropy/methods/histogram/walk.h"
#include "local_entropy/methods/histogram/walk_widths.h"

#include <utility>

namespace local_entropy::walk
{

/// A kernel and its shape.
template <typename Cell>
struct Kernel
{
    void (*run)(Task<Cell>) = nullptr;
    int windows = 0;     ///< of a thread
    int mostThreads = 0; ///< of a block
};

/// The kernel for windows of few cells, for counters of 8 bits (up to 255 cells) and of 16, null if
/// there is none for that width. `missing`: whether cells may not count; of cells of two bytes,
/// which are rare, the kernels are those that allow it.
template <typename Cell>
Kernel<Cell> shortKernel(int width, bool missing);
template <typename Cell>
Kernel<Cell> byteKernel(int width, bool missing);
template <typename Cell>
Kernel<Cell> wideKernel(int width, bool missing);

/// Of bytes that all count, with counters of 8 bits: the kernel for few warps, which may have more
/// registers each; null for widths to which they bring nothing.
Kernel<std::uint8_t> kernelOfFewWarps(int width);
constexpr int kFewWarps = 8;

/// For a file that compiles kernels: the one for a width among 1 ... kMost.
template <typename Cell, int kBits, bool kShort, bool kMissing, bool kFew = false>
class Kernels
{
public:
    template <int kMost>
    static Kernel<Cell> find(int width)
    {
        return among(width, std::make_integer_sequence<int, kMost>());
    }

private:
    template <int... kBefore>
    static Kernel<Cell> among(int width, std::integer_sequence<int, kBefore...>)
    {
        Kernel<Cell> found;
        ((width == kBefore + 1 ? void(found = kernel<kBefore + 1>()) : void()), ...);
        return found;
    }

    template <int kWidth>
    static Kernel<Cell> kernel()
    {
        constexpr int kMostThreads = kFew                   ? kFewWarps * kLanes
                                     : kWidth <= kMostLight ? 512
                                     : sizeof(Cell) == 1    ? 384
                                                            : 256;
        if constexpr (kFew && (kWidth < 6 || kWidth > kMostLight))
            return {};
        else if constexpr (kBits == 8 ? isByteWidth(kWidth) : isWideWidth(kWidth))
            return {walk<Cell, kWidth, kBits, kShort, kMissing, kMostThreads>, 32 / kBits,
                    kMostThreads};
        else
            return {};
    }

    static constexpr int kMostLight = 9; ///< width: 128 registers a thread are enough
};

} // namespace local_entropy::walk
