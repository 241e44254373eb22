// Words of shared memory by its own 32-bit addresses, for kernels (.cu): what is computed with such
// an address fits one instruction.
#pragma once

#include <cstdint>

namespace local_entropy::shared_words
{

__device__ inline std::uint32_t addressOf(const void *shared)
{
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}
/// The word before.
__device__ inline std::uint32_t addTo(std::uint32_t address, std::uint32_t what)
{
    std::uint32_t before;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(before) : "r"(address), "r"(what));
    return before;
}
__device__ inline std::uint32_t wordAt(std::uint32_t address)
{
    std::uint32_t word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address));
    return word;
}
/// Of a table of differences, which does not change: the compiler may move it.
template <int kOffset>
__device__ inline std::int32_t differenceAt(std::uint32_t address)
{
    std::int32_t difference;
    asm("ld.shared.s32 %0, [%1 + %2];" : "=r"(difference) : "r"(address), "n"(kOffset));
    return difference;
}

} // namespace local_entropy::shared_words
