// Can CUDA be used where this runs? One kernel on one GPU: exit status 0 and a line, or why not.
#include <cstdio>

__global__ void answer(int *cell) { *cell = 42; }

static int fails(const char *call, cudaError_t status)
{
    if (status == cudaSuccess) return 0;
    std::printf("%s: %s\n", call, cudaGetErrorString(status));
    return 1;
}

int main()
{
    int count = 0, *cell = nullptr, found = 0;
    if (fails("cudaGetDeviceCount", cudaGetDeviceCount(&count))) return 1;
    if (fails("cudaMalloc", cudaMalloc(&cell, sizeof found))) return 1;
    answer<<<1, 1>>>(cell);
    if (fails("a kernel", cudaGetLastError())) return 1;
    if (fails("cudaMemcpy", cudaMemcpy(&found, cell, sizeof found, cudaMemcpyDeviceToHost)))
        return 1;
    std::printf("%d GPUs, %s\n", count, found == 42 ? "usable" : "a wrong answer");
    return found == 42 ? 0 : 1;
}
