// Wrong in a cell of each group, in every other one by a number, in the rest by none.
#include "entropy/core.h"
#include "entropy/reference.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

void cudaCallback(int width, int height, float *sample, float **result)
{
    const std::vector<float> gold = entropy::reference(width, height, sample);
    *result = static_cast<float *>(std::malloc(gold.size() * sizeof(float)));
    std::copy(gold.begin(), gold.end(), *result);
    static int group = 0;
    (*result)[width * height - 1] += ++group % 2 ? 1.0f : NAN;
}
