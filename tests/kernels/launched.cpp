// An object that nvcc compiles tells the runtime of its kernels before main(). It gives the address
// of a host function for each, and launches name the kernel by that address. What the linker is
// told to wrap comes here first.
#include "launched.h"

#include "../brief.h"

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <map>
#include <mutex>

namespace
{

struct Kernel
{
    std::string name;
    bool isLaunched = false;
};

/// By address. Made when the first object tells of its kernels, and never destroyed.
std::map<const void *, Kernel> &all()
{
    static auto &kernels = *new std::map<const void *, Kernel>;
    return kernels;
}

std::mutex mutex;

std::string readable(const char *name)
{
    int status = 0;
    char *const text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    const std::string result = status == 0 ? text : name;
    std::free(text);
    return result;
}

void note(const void *kernel)
{
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = all().find(kernel);
    if (found != all().end()) found->second.isLaunched = true;
}

} // namespace

std::size_t kernels::number() { return all().size(); }

std::vector<std::string> kernels::notLaunched()
{
    const std::lock_guard<std::mutex> lock(mutex);
    std::vector<std::string> names;
    for (const auto &[address, kernel] : all())
        if (!kernel.isLaunched) names.push_back(kernel.name);
    std::sort(names.begin(), names.end());
    return names;
}

// The runtime's own functions, by the types of their arguments' sizes: this file knows nothing of
// CUDA. Which of them launch depends on the toolkit; those that it does not have are null.
struct Sides
{
    unsigned x, y, z;
};

extern "C" {

void __real___cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *,
                                   void *, void *, int *);
void __wrap___cudaRegisterFunction(void **object, const char *host, char *device, const char *name,
                                   int limit, void *thread, void *block, void *threads,
                                   void *blocks, int *size)
{
    all()[host].name = readable(name);
    __real___cudaRegisterFunction(object, host, device, name, limit, thread, block, threads, blocks,
                                  size);
}

/// From CUDA 13 on, before the first launch of each.
__attribute__((weak)) int __real___cudaGetKernel(void **, const void *);
int __wrap___cudaGetKernel(void **handle, const void *kernel)
{
    note(kernel);
    return __real___cudaGetKernel(handle, kernel);
}

/// Before that.
__attribute__((weak)) int __real_cudaLaunchKernel(const void *, Sides, Sides, void **, std::size_t,
                                                  void *);
int __wrap_cudaLaunchKernel(const void *kernel, Sides grid, Sides block, void **arguments,
                            std::size_t shared, void *stream)
{
    note(kernel);
    return __real_cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

/// Some kernels have as many blocks as a GPU runs at once, however small the image is, and each
/// block clears its tables in shared memory: more than the image itself asks for.
int __real_cudaDeviceGetAttribute(int *value, int attribute, int device);
int __wrap_cudaDeviceGetAttribute(int *value, int attribute, int device)
{
    constexpr int kMultiprocessors = 16, kFew = 8; // cudaDevAttrMultiProcessorCount
    const int status = __real_cudaDeviceGetAttribute(value, attribute, device);
    if (status == 0 && attribute == kMultiprocessors && isBrief()) *value = std::min(*value, kFew);
    return status;
}

/// With attributes.
__attribute__((weak)) int __real_cudaLaunchKernelExC(const void *, const void *, void **);
int __wrap_cudaLaunchKernelExC(const void *configuration, const void *kernel, void **arguments)
{
    note(kernel);
    return __real_cudaLaunchKernelExC(configuration, kernel, arguments);
}

} // extern "C"
