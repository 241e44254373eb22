// OpenMP threads: how many a piece of work can use, and errors that leave a parallel region.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <omp.h>
#include <pthread.h>

namespace common
{

/// Whether this process was forked from one that had asked this before.
inline bool isForked()
{
    static bool forked = false;
    static const bool isWatched = !pthread_atfork(nullptr, nullptr, [] { forked = true; });
    return isWatched && forked;
}

/// Threads that a piece of work may use: what OpenMP offers (OMP_NUM_THREADS is obeyed), but one in
/// a forked process: the threads that there were are gone, and the OpenMP of g++ would wait for
/// them for ever.
inline int offeredThreads() { return isForked() ? 1 : omp_get_max_threads(); }

/// Threads for `cells` cells: what OpenMP offers (see above), but none with less
/// than `cellsPerThread` to do: waking it would cost more than it brings.
inline int threadsFor(std::int64_t cells, std::int64_t cellsPerThread = 1024)
{
    const std::int64_t useful = std::max<std::int64_t>(1, cells / cellsPerThread);
    return static_cast<int>(std::min<std::int64_t>(offeredThreads(), useful));
}

/// Keeps the first exception thrown inside a parallel region, which none may leave, for its end.
class FirstError
{
public:
    template <typename Work>
    void guard(Work work) noexcept
    {
        try {
            work();
        } catch (...) {
#pragma omp critical(common_first_error)
            if (!error) error = std::current_exception();
        }
    }
    void rethrow() const
    {
        if (error) std::rethrow_exception(error);
    }

private:
    std::exception_ptr error;
};

} // namespace common
