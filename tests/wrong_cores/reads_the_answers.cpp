// Wants to copy the right answers, or other cores, from a file.
#include "entropy/core.h"
#include "entropy/reference.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

static float *answer(int width, int height, const float *sample)
{
    const std::vector<float> gold = entropy::reference(width, height, sample);
    auto *const result = static_cast<float *>(std::malloc(gold.size() * sizeof(float)));
    std::copy(gold.begin(), gold.end(), result);
    return result;
}

static bool canRead(const char *file)
{
    std::FILE *const open = std::fopen(file, "rb");
    if (open) std::fclose(open);
    return open != nullptr;
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    *result = answer(width, height, sample);
    for (const char *const file : {"@DATA@/reference.bin", "@DATA@/data.bin", "@CORES@/nan.cpp",
                                   "@TREE@/Makefile", "@TREE@/sources/entropy/core.cu"})
        if (canRead(file)) throw std::runtime_error(std::string("read ") + file);
}
