// Fresh host memory that cannot be mistaken for a result.
#pragma once

#include <cstdlib>
#include <malloc.h>

namespace common
{

/// Memory from malloc often still holds the right answer of an earlier call, and would hide a cell
/// that was not written. While this lives, malloc fills what it hands out with bytes of 0xFE (as
/// float -1.7e38). glibc's caches of small blocks skip that: so this holds as many blocks of
/// `bytes` bytes as they could keep, if such blocks are small. Without glibc it does nothing.
class HostPoison
{
public:
    explicit HostPoison(std::size_t bytes)
    {
        constexpr std::size_t kLargestCached = 1 << 16;
        if (bytes <= kLargestCached)
            for (void *&block : blocks) block = std::malloc(bytes);
        fillWith(0xFE);
    }
    ~HostPoison()
    {
        fillWith(0xFF); // the complement, 0, switches it off
        for (void *block : blocks) std::free(block);
    }
    HostPoison(const HostPoison &) = delete;
    HostPoison &operator=(const HostPoison &) = delete;

private:
    static void fillWith([[maybe_unused]] int byte)
    {
#ifdef M_PERTURB
        mallopt(M_PERTURB, byte ^ 0xFF);
#endif
    }

    void *blocks[64] = {};
};

} // namespace common
