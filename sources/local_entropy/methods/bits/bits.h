// The entropy of every 5x5 window of an array, as fast as a CPU can: the interface.
#pragma once

#include "common/host_array.h"

#include <cstdint>

namespace local_entropy::bits
{

/// How to compute. Every path gives the same bits.
enum class Path {
    Best,     ///< chosen for the array and the processor; see bestKernel()
    Avx512,   ///< bit-sliced, 512 cells at once
    Avx2,     ///< bit-sliced, 256
    Portable, ///< bit-sliced, 128, on any processor
    Plain     ///< cell by cell: the quickest for a handful of cells
};

constexpr Path kPaths[] = {Path::Avx512, Path::Avx2, Path::Portable, Path::Plain};

const char *pathName(Path path);
bool pathWorksHere(Path path);

/// The fastest bit-sliced path of this processor, or the one that ENTROPY_CPU_PATH in the
/// environment names (avx512, avx2, portable). Throws common::Error if that is none of them, or
/// cannot run here.
Path bestKernel();

/// Settings that tests and benchmarks may fix; what is left at Best is chosen by the engine.
struct CpuOptions
{
    enum class Choice { Best, Yes, No };

    int threads = 0; ///< at most so many; 0: what OpenMP offers
    Path path = Path::Best;
    Choice gather = Choice::Best; ///< look up by gather instructions, slow on some processors
    Choice stream = Choice::Best; ///< write around the caches; Best: results larger than these
};

/// The correctly rounded entropy (natural logarithm) of the 5x5 window around every cell in the
/// rows [begin, end) of an array; windows are cut at the edge of the array.
///
/// sample   height rows of width cells, sample[y * width + x], each an integer 0..15.
/// result   the same shape; only rows [begin, end) are written, so that several devices or calls
///          can share an array. Any alignment of both.
///
/// Rows begin - 2 .. end + 1, where they exist, decide the result. A cell of these that is not
/// 0..15 throws common::Error with its place and value; then the rows of the result hold anything.
/// Cells of other rows may be read, but nothing outside the array. May be called from several
/// threads at once. The first call takes longer: it builds tables.
void entropyOnCpu(std::int64_t width, std::int64_t height, const float *sample, float *result,
                  std::int64_t begin, std::int64_t end, const CpuOptions &options = {});

/// Asks the system for large pages for that memory and, from 16 MiB on, to hand out those that are
/// not there yet now, to all threads at once: cheaper than one by one, when each is first written
/// to. What they hold stays.
void populatePages(void *memory, std::size_t bytes);

/// Memory for a result, to be freed by free(), with its pages populated: touching small ones, one
/// by one, costs more than computing what goes into them. With glibc, what is freed of results of
/// 16 MiB and more stays with the process, up to 2 GiB, for the next one; only of those that the
/// main thread allocates. To that end malloc's thresholds are set, for good and for the whole
/// process. ENTROPY_KEEP_MEMORY=0 in the environment, from the start, prevents that memory is kept.
common::HostArray<float> allocateResult(std::size_t cells);

} // namespace local_entropy::bits
