// Right, but forgets a million and a half bytes in each call, with the sample in them.
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
    auto *const copy = static_cast<float *>(std::malloc(1500000));
    std::copy_n(sample, width * height, copy);
    *result = answer(width, height, copy);
}
