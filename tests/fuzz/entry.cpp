// What libFuzzer calls: the target that this program was built for.
#include "targets.h"

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    try {
        fuzz::TARGET(data, size);
    } catch (const std::exception &error) { // libFuzzer keeps the input that ends the program
        std::fprintf(stderr, "FOUND: %s\n", error.what());
        std::abort();
    }
    return 0;
}
