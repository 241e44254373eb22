// What cannot happen, in code that host and GPUs share.
#pragma once

#include "common/error.h"
#include "common/host_device.h"

#include <string>

namespace local_entropy
{

/// Throws common::Error; on a GPU, which knows no exceptions, it ends the kernel, and CUDA says so.
[[noreturn]] HOST_DEVICE inline void defect([[maybe_unused]] const char *what)
{
#ifdef __CUDA_ARCH__
    __trap();
#else
    throw common::Error(std::string("Internal error: ") + what);
#endif
}

} // namespace local_entropy
