// The contract of a core: the versions of the matrix transpose, and how to call one.
#pragma once

#include <string>
#include <vector>

namespace transpose
{

/// Where a version runs, and so in which memory its arrays lie.
enum class Platform { Cpu, OpenMp, Cuda };

inline const char *platformName(Platform platform)
{
    switch (platform) {
    case Platform::Cpu: return "CPU";
    case Platform::OpenMp: return "OpenMP";
    case Platform::Cuda: return "CUDA";
    }
    return "unknown";
}

/// output[x * rows + y] = input[y * columns + x] for every row y and column x, out of place: the
/// arrays, both owned by the caller, must not overlap. They lie in host memory or, for a CUDA
/// version, in the memory of the current device, aligned to a float and no further.
///
/// block   threads along one side of a thread block, for versions that leave the choice.
///
/// Throws common::Error where a launch fails, common::Unavailable where a limit is in the way.
using Function = void (*)(int rows, int columns, const float *input, float *output, int block);

/// A row of the table.
struct Version
{
    std::string name;        ///< "t6", the name of its namespace
    Platform platform;       ///< what it needs
    std::string idea;        ///< what it changes, in a few words
    Function function;       ///< its matrixTranspose
    std::string unavailable; ///< why it cannot run here ("needs a GPU: ..."); empty if it can
    bool blocks = false;     ///< its thread block can be chosen
    bool copiesBits = true;  ///< false: computes 1 * x, which may change the bits of a NaN
};

/// Every version of the core in order; the first is the plain one that checks the others.
const std::vector<Version> &versions();

/// The one that the switch at the end of core.cu names.
const Version &activeVersion();

/// Sides that a thread block may have in the versions that leave the choice.
inline const std::vector<int> kBlocks = {8, 16, 32};

/// Throws common::Error, and says why, unless `block` is one of kBlocks.
void checkBlock(int block);

/// Transposes from host memory to host memory by any version: for one on CUDA it copies the input
/// to device 0's memory and the output back. Shapes as for Function. Throws an exception derived
/// from std::runtime_error, one sentence that names the version and the cause, on bad arguments,
/// lack of memory, lack of a GPU or a failed launch; `output` then holds nothing of use.
void run(const Version &version, int rows, int columns, const float *input, float *output,
         int block);

} // namespace transpose
