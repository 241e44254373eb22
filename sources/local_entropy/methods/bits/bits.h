// The entropy of every 5x5 window of an array, as fast as a CPU can: the interface.
#pragma once

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

/// The fastest bit-sliced path of this processor.
Path bestKernel();

/// Settings that tests and benchmarks may fix; what is left at Best is chosen here.
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
/// Cells of other rows may be read, but nothing outside the array, and they may hold anything. May
/// be called from several threads at once, under any rounding mode, and from destructors of global
/// and thread-local objects. In a process that was forked after a call, it takes one thread. The
/// first call takes longer: it builds tables. What these and the threads take is kept.
void entropyOnCpu(std::int64_t width, std::int64_t height, const float *sample, float *result,
                  std::int64_t begin, std::int64_t end, const CpuOptions &options = {});

} // namespace local_entropy::bits
