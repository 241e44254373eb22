// Right: OpenMP, rows in blocks, by the divup that the main of the original course brings.
#include <algorithm>
#include <cmath>
#include <cstdlib>

int divup(int, int);

static float windowEntropy(int width, int height, const float *sample, int x, int y)
{
    int count[16] = {}, total = 0;
    for (int wy = std::max(0, y - 2); wy <= std::min(height - 1, y + 2); ++wy)
        for (int wx = std::max(0, x - 2); wx <= std::min(width - 1, x + 2); ++wx) {
            ++count[static_cast<int>(sample[wy * width + wx])];
            ++total;
        }
    double sum = 0;
    for (const int n : count)
        if (n > 0) sum += n * std::log(static_cast<double>(n));
    return static_cast<float>(std::log(static_cast<double>(total)) - sum / total);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    constexpr int kRows = 4;
    *result = static_cast<float *>(std::malloc(sizeof(float) * width * height));
#pragma omp parallel for schedule(dynamic)
    for (int block = 0; block < divup(height, kRows); ++block)
        for (int y = block * kRows; y < std::min(height, (block + 1) * kRows); ++y)
            for (int x = 0; x < width; ++x)
                (*result)[y * width + x] = windowEntropy(width, height, sample, x, y);
}
