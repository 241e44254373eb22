// OpenMP threads: how many a piece of work can use, and errors that leave a parallel region.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <omp.h>

namespace common
{

/// Threads for `cells` cells: what OpenMP offers (OMP_NUM_THREADS is obeyed), but none with less
/// than `cellsPerThread` to do: waking it would cost more than it brings.
inline int threadsFor(std::int64_t cells, std::int64_t cellsPerThread = 1024)
{
    const std::int64_t useful = std::max<std::int64_t>(1, cells / cellsPerThread);
    return static_cast<int>(std::min<std::int64_t>(omp_get_max_threads(), useful));
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
