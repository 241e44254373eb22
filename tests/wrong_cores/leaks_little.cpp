// Right, but forgets a thousand bytes in each call, which is more than a heap's own unrest.
#include "entropy/core.h"
#include "entropy/reference.h"

#include <algorithm>
#include <cstdlib>

static void *volatile last; // or compilers leave it out

void cudaCallback(int width, int height, float *sample, float **result)
{
    const std::vector<float> gold = entropy::reference(width, height, sample);
    *result = static_cast<float *>(std::malloc(gold.size() * sizeof(float)));
    std::copy(gold.begin(), gold.end(), *result);
    last = std::malloc(1000);
}
