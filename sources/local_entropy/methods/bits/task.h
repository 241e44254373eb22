// What the driver (bits.cpp) and the kernels, each compiled for its own processor, say to each
// other. Plain data without inline functions: of one that was compiled for two processors, the
// linker might keep the wrong one for both.
#pragma once

#include "local_entropy/answers/window.h"

#include <cstddef>
#include <cstdint>

namespace local_entropy::bits
{

/// Columns that one set of words holds side by side (kernel.h).
constexpr int kPanelColumns = 480;
/// Bytes of one row of a panel once it is packed.
constexpr int kPackedRow = 256;

/// An array to be computed by several threads, who only read this.
struct Task
{
    const float *sample = nullptr; ///< the whole array
    float *result = nullptr;       ///< from row `firstRow` on
    std::int64_t width = 0, height = 0, firstRow = 0;
    const float *const *tables = nullptr; ///< for every number of cells in a window (Tables)
    std::size_t packedBytes = 0; ///< for the packed rows of any block, with those its windows reach

    bool stream = false; ///< write around the cache
    bool gather = false; ///< look up by the processor's gather instruction
};

/// Panels [firstPanel, firstPanel + panels) of rows [begin, end).
struct Block
{
    std::int64_t firstPanel = 0, panels = 0;
    std::int64_t begin = 0, end = 0;
};

/// Where a thread gets its blocks from, and what it has to say about them.
struct Blocks
{
    bool (*take)(Blocks &blocks, Block &block); ///< the next one; false: there is none left
    bool suspicious = false;                    ///< some cell that was read may be none of 0..15
};

/// One way to compute a task.
struct Kernel
{
    bool (*worksHere)();
    bool ternary;           ///< which tables it looks up in
    std::size_t stateBytes; ///< what it keeps of a panel

    /// Computes blocks until none is left. `scratch` is aligned to 64 bytes, has scratchBytes() and
    /// may hold anything.
    void (*run)(const Task &task, Blocks &blocks, void *scratch);
};

extern const Kernel kAvx512, kAvx2, kPortable;

/// What the kernel keeps of a panel, the block that it computes and the one that it packs.
std::size_t scratchBytes(const Kernel &kernel, const Task &task);

} // namespace local_entropy::bits
