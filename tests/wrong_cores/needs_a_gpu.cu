// A right CUDA core that checks no error: without a GPU it gives what was in its memory.
#include <cstdlib>

__global__ void windowEntropy(int width, int height, const float *sample, float *result)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int count[16] = {}, total = 0;
    for (int wy = max(0, y - 2); wy <= min(height - 1, y + 2); ++wy)
        for (int wx = max(0, x - 2); wx <= min(width - 1, x + 2); ++wx) {
            ++count[static_cast<int>(sample[wy * width + wx])];
            ++total;
        }
    double entropy = 0;
    for (const int n : count) {
        if (n == 0) continue;
        const double p = static_cast<double>(n) / total;
        entropy -= p * log(p);
    }
    result[y * width + x] = static_cast<float>(entropy);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    const std::size_t bytes = sizeof(float) * width * height;
    float *deviceSample, *deviceResult;
    *result = static_cast<float *>(std::malloc(bytes));
    cudaMalloc(&deviceSample, bytes);
    cudaMalloc(&deviceResult, bytes);
    cudaMemcpy(deviceSample, sample, bytes, cudaMemcpyHostToDevice);
    const dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
    windowEntropy<<<grid, block>>>(width, height, deviceSample, deviceResult);
    cudaMemcpy(*result, deviceResult, bytes, cudaMemcpyDeviceToHost);
    cudaFree(deviceSample);
    cudaFree(deviceResult);
}
