// Right, but writes a cell before its sample, or, where that is wide, behind it; beside small ones
// none.
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
    *result = answer(width, height, sample);
    if (width > 60)
        sample[width * height] = 99.0f;
    else if (width > 5)
        sample[-1] = 99.0f;
}
