// HOST_DEVICE: marks a function that kernels and plain C++ both call; without nvcc it is nothing.
#pragma once

#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif
