// Shared and global memory as the GPU kernel uses them: by addresses of shared memory (32 bits),
// and without branches, into which the compiler would move other work.
#pragma once

#include "engine/gpu_hash.h"

#include <cstdint>

namespace engine
{

__device__ inline std::uint32_t sharedAddress(const void *pointer)
{
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// ---- tables, which nobody writes while they are read: the compiler may move these loads --------

/// `filled` keeps it, and so all lookups that depend on it, behind the barrier after which the
/// tables are filled; no instruction comes of it.
__device__ inline Word loadWord(std::uint32_t address, std::uint32_t filled)
{
    Word word;
    asm("ld.shared.v2.u32 {%0, %1}, [%2]; // %3"
        : "=r"(word.low), "=r"(word.high)
        : "r"(address), "r"(filled));
    return word;
}
__device__ inline std::uint32_t loadShift(std::uint32_t address)
{
    std::uint32_t shift;
    asm("ld.shared.u32 %0, [%1];" : "=r"(shift) : "r"(address));
    return shift;
}
__device__ inline float loadEntropy(std::uint32_t address)
{
    float entropy;
    asm("ld.shared.f32 %0, [%1];" : "=f"(entropy) : "r"(address));
    return entropy;
}

// ---- what comes and goes: these stay where they are --------------------------------------------

__device__ inline std::uint32_t load(std::uint32_t address)
{
    std::uint32_t word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
    return word;
}
__device__ inline float2 loadTwo(std::uint32_t address)
{
    float2 two;
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];"
                 : "=f"(two.x), "=f"(two.y)
                 : "r"(address)
                 : "memory");
    return two;
}
__device__ inline float4 loadFour(std::uint32_t address)
{
    float4 four;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(four.x), "=f"(four.y), "=f"(four.z), "=f"(four.w)
                 : "r"(address)
                 : "memory");
    return four;
}
__device__ inline void store(std::uint32_t address, std::uint32_t word)
{
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(word) : "memory");
}
__device__ inline void store(std::uint32_t address, float4 four)
{
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(address), "f"(four.x),
                 "f"(four.y), "f"(four.z), "f"(four.w)
                 : "memory");
}

/// Copies 4, 8 or 16 bytes from global to shared memory; from Ampere on without waiting.
template <int kBytes>
__device__ void copyAsync(std::uint32_t to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (kBytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(kBytes)
                     : "memory");
#else
    for (int i = 0; i < kBytes; i += 4)
        store(to + i,
              *reinterpret_cast<const std::uint32_t *>(static_cast<const char *>(from) + i));
#endif
}
/// Makes a group of the copies since the last call.
__device__ inline void endGroup()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/// Waits until all groups of this thread have arrived but the last kPending.
template <int kPending>
__device__ void waitForGroups()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
#endif
}

/// Writes to global memory, past the caches, if `columnsLeft` is more than kColumn.
template <int kColumn>
__device__ void writeIf(int columnsLeft, float *to, float4 four)
{
    asm volatile("{ .reg .pred p; setp.gt.s32 p, %0, %1;\n"
                 "@p st.global.cs.v4.f32 [%2], {%3, %4, %5, %6}; }" ::"r"(columnsLeft),
                 "n"(kColumn), "l"(to), "f"(four.x), "f"(four.y), "f"(four.z), "f"(four.w)
                 : "memory");
}
template <int kColumn>
__device__ void writeIf(int columnsLeft, float *to, std::uint32_t one)
{
    asm volatile("{ .reg .pred p; setp.gt.s32 p, %0, %1;\n"
                 "@p st.global.cs.u32 [%2], %3; }" ::"r"(columnsLeft),
                 "n"(kColumn), "l"(to), "r"(one)
                 : "memory");
}

} // namespace engine
