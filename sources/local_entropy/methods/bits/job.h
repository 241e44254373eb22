// What the driver (cpu.cpp) and the kernels, each compiled for its own processor, say to each
// other. Plain data only: an inline function compiled for two processors might be kept in the wrong
// one by the linker.
#pragma once

#include <cstddef>
#include <cstdint>

namespace local_entropy::bits
{

/// Columns that one set of words holds side by side (kernel.h).
constexpr int kPanelColumns = 480;
/// Bytes of one row of a panel once it is packed.
constexpr int kPackedRow = 256;

/// An array to be computed by several threads. It is cut into blocks of some panels by some rows,
/// numbered along the rows; each thread takes the next one that is left.
struct Job
{
    const float *sample = nullptr; ///< the whole array
    float *result = nullptr;       ///< the whole array; rows [begin, end) are written
    std::int64_t width = 0, height = 0, begin = 0, end = 0;
    const float *const *tables = nullptr; ///< for every number of cells in a window (CpuTables)

    std::int64_t panels = 0, panelsPerBlock = 0, rowsPerBlock = 0, blocks = 0;
    bool stream = false; ///< write around the cache
    bool gather = false; ///< look up by the processor's gather instruction

    std::int64_t nextBlock = 0; ///< taken with an atomic addition
    int suspicious = 0;         ///< some cell that was read may be none of 0..15; set atomically

    /// Bytes for the packed rows of one block, with those above and below that its windows reach.
    std::size_t packedBytes() const
    {
        return static_cast<std::size_t>(panelsPerBlock * (rowsPerBlock + 4)) * kPackedRow;
    }
};

/// One way to compute a job.
struct Kernel
{
    const char *name;
    bool (*worksHere)();
    bool ternary;           ///< which tables it looks up in
    std::size_t stateBytes; ///< what it keeps of a panel, to be followed by 2 x packedBytes()
    /// Computes blocks until none is left; every thread of a job calls it. `scratch` is aligned to
    /// 64 bytes, holds stateBytes + 2 * packedBytes() and may hold anything.
    void (*run)(Job &job, void *scratch);
};

extern const Kernel kAvx512, kAvx2, kPortable;

} // namespace local_entropy::bits
