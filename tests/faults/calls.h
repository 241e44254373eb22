// Fault injection: the CUDA runtime as the library, the core and the labs call it. Each call of
// theirs comes here first, is counted, and goes on to the real one; where a test wants it, one of
// them fails. Needs nvcc.
#pragma once

#include <cuda_runtime.h>

#include <string>

namespace calls
{

/// What fails: one call alone, or all from then on, as where the GPU is lost.
enum class Fault { OneCall, Lost };

/// While one lives, the call of this number fails, of all threads, counted from 1: it does nothing,
/// and says `status`, which is then CUDA's last error. But what gives something back does so all
/// the same, and only says that it failed: the status is then of an earlier call. A GPU that is
/// lost has ended what was under way. One at a time.
class Failing
{
public:
    Failing(int number, cudaError_t status, Fault fault = Fault::OneCall);
    ~Failing();
    Failing(const Failing &) = delete;
    Failing &operator=(const Failing &) = delete;

    /// The call that has failed; empty: there were not so many.
    std::string name() const;
};

/// What a sentence says that tells of its failure: the call as the source text has it.
std::string saidOf(const std::string &name);

/// What they have made and not given back: memory, streams, events, pools, textures.
int live();

/// Threads whose last error (cudaPeekAtLastError) is of a call that failed here.
int lastErrors();

/// Whether it gives something back, as a destructor does, which can tell nobody.
bool givesBack(const std::string &name);

} // namespace calls
