// HOST_DEVICE: marks a function that kernels and plain C++ both call; without nvcc it is nothing.
// RARE_HOST_DEVICE: one that is long and rarely called: a kernel calls it instead of holding a copy
// at each call, which compilers take minutes for.
#pragma once

#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__
#define RARE_HOST_DEVICE __host__ __device__ __noinline__
#else
#define HOST_DEVICE
#define RARE_HOST_DEVICE
#endif
