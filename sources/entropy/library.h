// How v15 to v17 call the library.
#pragma once

#include <cstdint>

namespace entropy
{

/// What the library may compute with.
enum class Machine {
    Gpu,       ///< the current GPU
    Cpu,       ///< its cores
    Everything ///< its cores and its GPUs
};

/// The correctly rounded entropy of the 5x5 window around every cell; windows are cut at the edge.
///
/// sample   height rows of width cells, each an integer 0..15; any other cell throws
///          common::Error with its place and value.
/// result   the same shape.
///
/// Takes as many threads as OpenMP offers, and the path that ENTROPY_CPU_PATH names when it is
/// first asked for, by a call or by requireCpuPath(): avx512, avx2, portable; the library's choice
/// where it names none. Throws common::Error where it names another, or one that cannot run here.
/// May be called while the process ends.
void computeByLibrary(Machine machine, std::int64_t width, std::int64_t height, const float *sample,
                      float *result);

/// Throws common::Error where ENTROPY_CPU_PATH names a path that there is not, or that cannot run
/// here. Programs ask at once, whatever the version (settings.h). Null in one without the library.
__attribute__((weak)) void requireCpuPath();

} // namespace entropy
