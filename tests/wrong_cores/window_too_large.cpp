// The classic: <= where < is right. The window takes in a column and a row behind the array.
#include <cmath>
#include <cstdlib>

void cudaCallback(int width, int height, float *sample, float **result)
{
    *result = static_cast<float *>(std::malloc(sizeof(float) * width * height));
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            int count[16] = {}, total = 0;
            for (int wy = y - 2; wy <= y + 2; ++wy)
                for (int wx = x - 2; wx <= x + 2; ++wx) {
                    if (wx < 0 || wx > width || wy < 0 || wy > height) continue;
                    ++count[static_cast<int>(sample[wy * width + wx])];
                    ++total;
                }
            float entropy = 0;
            for (const int n : count)
                if (n > 0) {
                    const float p = static_cast<float>(n) / total;
                    entropy -= p * std::log(p);
                }
            (*result)[y * width + x] = entropy;
        }
}
