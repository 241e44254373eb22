// What the driver (bits.cpp) and the kernels, each compiled for its own processor, say to each
// other. Plain data, and functions with internal linkage: of an inline function that was compiled
// for two processors, the linker might keep the wrong one for both.
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

/// An array to be computed by several threads, who only read this. It is cut into blocks of some
/// panels by some rows, numbered along the rows.
struct Task
{
    const float *sample = nullptr; ///< the whole array
    float *result = nullptr;       ///< the whole array; rows [begin, end) are written
    std::int64_t width = 0, height = 0, begin = 0, end = 0;
    const float *const *tables = nullptr; ///< for every number of cells in a window (Tables)

    std::int64_t panels = 0, panelsPerBlock = 0, rowsPerBlock = 0; ///< see cut()
    std::int64_t blocksAcross = 0, blocks = 0;
    std::size_t packedBytes = 0; ///< for the packed rows of a block, with those its windows reach

    bool stream = false; ///< write around the cache
    bool gather = false; ///< look up by the processor's gather instruction
};

/// How far the threads have come: they change it by atomic operations.
struct Progress
{
    std::int64_t nextBlock = 0, endBlock = 0; ///< each thread takes the next one that is left
    int suspicious = 0;                       ///< some cell that was read may be none of 0..15
};

/// Panels [firstPanel, firstPanel + panels) of rows [begin, end).
struct Block
{
    std::int64_t firstPanel = 0, panels = 0;
    std::int64_t begin = 0, end = 0;
};

namespace
{

/// The block of that number.
inline Block blockOf(const Task &task, std::int64_t number)
{
    const auto smaller = [](std::int64_t a, std::int64_t b) { return a < b ? a : b; };
    Block block;
    block.firstPanel = number % task.blocksAcross * task.panelsPerBlock;
    block.panels = smaller(task.panelsPerBlock, task.panels - block.firstPanel);
    block.begin = task.begin + number / task.blocksAcross * task.rowsPerBlock;
    block.end = smaller(block.begin + task.rowsPerBlock, task.end);
    return block;
}

/// Takes the next block that nobody has; one without panels when there is none left.
inline Block takeBlock(const Task &task, Progress &progress)
{
    const std::int64_t number = __atomic_fetch_add(&progress.nextBlock, 1, __ATOMIC_RELAXED);
    return number < progress.endBlock ? blockOf(task, number) : Block{};
}

} // namespace

/// One way to compute a task.
struct Kernel
{
    const char *name;
    bool (*worksHere)();
    bool ternary;           ///< which tables it looks up in
    std::size_t stateBytes; ///< what it keeps of a panel

    /// Computes blocks until none is left; every thread of a task calls it. `scratch` is aligned to
    /// 64 bytes, holds scratchBytes() and may hold anything.
    void (*run)(const Task &task, Progress &progress, void *scratch);
};

extern const Kernel kAvx512, kAvx2, kPortable;

/// What the kernel keeps of a panel, the block that it computes and the one that it packs.
std::size_t scratchBytes(const Kernel &kernel, const Task &task);

} // namespace local_entropy::bits
