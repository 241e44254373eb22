// Memory as the GPU kernel uses it: by addresses of shared memory (32 bits), and without branches,
// into which the compiler would move other work.
#pragma once

#include "common/dependent_launch.h"
#include "local_entropy/methods/words/hash.h"

#include <cstdint>

namespace local_entropy::words
{

using common::letNextKernelStart, common::waitForLastKernel;

__device__ inline std::uint32_t sharedAddress(const void *pointer)
{
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// ---- tables, which nobody writes while they are read: the compiler may move these loads, but not
// to before the packed rows are loaded, on which their addresses depend ---------------------------

__device__ inline Word loadWord(std::uint32_t address)
{
    Word word;
    asm("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(word.low), "=r"(word.high) : "r"(address));
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
template <typename T>
__device__ T loadAs(std::uint32_t address);
template <>
__device__ inline std::uint32_t loadAs(std::uint32_t address)
{
    return load(address);
}
template <>
__device__ inline float4 loadAs(std::uint32_t address)
{
    float4 four;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(four.x), "=f"(four.y), "=f"(four.z), "=f"(four.w)
                 : "r"(address)
                 : "memory");
    return four;
}
template <>
__device__ inline uint4 loadAs(std::uint32_t address)
{
    uint4 four;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(four.x), "=r"(four.y), "=r"(four.z), "=r"(four.w)
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
__device__ inline void store(std::uint32_t address, uint4 four)
{
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(four.x),
                 "r"(four.y), "r"(four.z), "r"(four.w)
                 : "memory");
}

/// Stores 4 or 16 bytes of zeros.
template <int kBytes>
__device__ void storeZero(std::uint32_t address)
{
    if constexpr (kBytes == 16)
        store(address, make_uint4(0, 0, 0, 0));
    else
        store(address, 0u);
}

/// Copies 4 or 16 bytes from global to shared memory, from Ampere on without waiting. 128B is a
/// hint to the second-level cache, which may fetch the rest of the line, also where the array has
/// ended; that cannot fail.
template <int kBytes>
__device__ void copyAsync(std::uint32_t to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], %2;" ::"r"(to), "l"(from),
                 "n"(kBytes)
                 : "memory");
#else
    for (int i = 0; i < kBytes; i += 4)
        store(to + i,
              *reinterpret_cast<const std::uint32_t *>(static_cast<const char *>(from) + i));
#endif
}
/// The copies of this thread since the last group are one too.
__device__ inline void endGroup()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/// Waits until the groups of this thread have arrived.
__device__ inline void waitForGroups()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group 0;" ::: "memory");
#endif
}
/// Waits until all copies of this thread have arrived.
__device__ inline void waitForCopies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// ---- from warp to warp -------------------------------------------------------------------------

/// Waits until so many warps of the block wait at the same barrier, of the 16 that a block has, and
/// what they wrote to shared memory can be read.
__device__ inline void syncWarps(unsigned barrier, unsigned warps)
{
    asm volatile("barrier.sync %0, %1;" ::"r"(barrier), "r"(32 * warps) : "memory");
}

// ---- results -----------------------------------------------------------------------------------

/// Writes to global memory, past the caches, if `left` is more than `place`.
__device__ inline void writeIf(int left, int place, float *to, float4 four)
{
    asm volatile("{ .reg .pred p; setp.gt.s32 p, %0, %1;\n"
                 "@p st.global.cs.v4.f32 [%2], {%3, %4, %5, %6}; }" ::"r"(left),
                 "r"(place), "l"(to), "f"(four.x), "f"(four.y), "f"(four.z), "f"(four.w)
                 : "memory");
}
__device__ inline void writeIf(int left, int place, float *to, std::uint32_t one)
{
    asm volatile("{ .reg .pred p; setp.gt.s32 p, %0, %1;\n"
                 "@p st.global.cs.u32 [%2], %3; }" ::"r"(left),
                 "r"(place), "l"(to), "r"(one)
                 : "memory");
}

} // namespace local_entropy::words
