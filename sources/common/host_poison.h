// Fresh host memory that cannot be mistaken for a result.
#pragma once

#include <cstdlib>
#include <cstring>
#include <malloc.h>

namespace common
{

/// Memory from malloc often still holds the right answer of an earlier call, and would hide a cell
/// that was not written. While this lives, malloc fills what it hands out with bytes of 0xFE (as
/// float -1.7e38); and since glibc's caches of small blocks skip that, blocks of `bytes` bytes full
/// of NaN are left in them. Needs glibc; elsewhere it does the second part only.
class HostPoison
{
public:
    explicit HostPoison(std::size_t bytes)
    {
        void *blocks[4] = {};
        for (void *&block : blocks)
            if ((block = std::malloc(bytes))) std::memset(block, 0xFF, bytes);
        for (void *block : blocks) std::free(block);
        fillWith(0xFE);
    }
    ~HostPoison() { fillWith(0xFF); } // the complement, 0, switches it off
    HostPoison(const HostPoison &) = delete;
    HostPoison &operator=(const HostPoison &) = delete;

private:
    static void fillWith([[maybe_unused]] int byte)
    {
#ifdef M_PERTURB
        mallopt(M_PERTURB, byte ^ 0xFF);
#endif
    }
};

} // namespace common
