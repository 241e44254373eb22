// Right, and content when it does not get a gigabyte, at once or in parts.
#include "entropy/core.h"
#include "entropy/reference.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

static float *answer(int width, int height, const float *sample)
{
    const std::vector<float> gold = entropy::reference(width, height, sample);
    auto *const result = static_cast<float *>(std::malloc(gold.size() * sizeof(float)));
    std::copy(gold.begin(), gold.end(), result);
    return result;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    *result = answer(width, height, sample);
    static char *volatile much; // a compiler leaves out a block that nobody sees
    much = static_cast<char *>(std::malloc(1 << 30));
    if (much) throw std::runtime_error("got more than it may hold");
    static char *volatile parts[10];
    int got = 0;
    for (char *volatile &part : parts) {
        part = static_cast<char *>(std::malloc(100 << 20));
        if (part) ++got;
    }
    for (char *const part : parts) std::free(part);
    if (got > 4) throw std::runtime_error("got more than it may hold, in parts");
}
