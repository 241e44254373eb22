// CUDA as tests have it answer the library: as on GPUs that few machines have. tests/all is linked
// so that the calls in question come here first (--wrap); with nvcc only.
#pragma once

#include <cstdio>
#include <exception>
#include <string>
#include <unistd.h>

/// While one lives, these calls answer so, in all threads. One at a time.
class CudaFault
{
public:
    enum Kind {
        None,
        DoesNotAnswer, ///< there is a GPU, but it does not say what it has
        NoMemoryPools, ///< GPUs say that they have none
        LaunchesFail,  ///< of kernels with attributes
        EventsFail,    ///< for who waits for one; but who asks for it hears that it has come
        FirstIsGone,   ///< of two GPUs: cannot be chosen, which CUDA keeps as its last error
        TwoGpus        ///< a thread may choose one; but what it does is done on the real one
    };
    explicit CudaFault(Kind kind);
    ~CudaFault();
    CudaFault(const CudaFault &) = delete;
    CudaFault &operator=(const CudaFault &) = delete;
};

/// How many arrays of page-locked memory were allocated so far.
int pinnedArrays();

/// How many questions after what a GPU has were not answered so far.
int unansweredQuestions();

/// For a process of its own (EXPECT_EXIT): it ends with 0 if find() finds nothing wrong.
template <typename Find>
[[noreturn]] void leaveAfter(const Find &find)
{
    std::string wrong;
    try {
        wrong = find();
    } catch (const std::exception &error) {
        wrong = error.what();
    }
    std::fprintf(stderr, "%s\n", wrong.c_str());
    _exit(wrong.empty() ? 0 : 1);
}
