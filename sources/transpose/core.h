// The contract of this lab's core: what main.cu and the tests call, and the table behind it.
#pragma once

#include <climits>
#include <string>
#include <vector>

namespace transpose
{

/// The transpose, by the active version: output[x * rows + y] = input[y * columns + x] for every
/// row y and column x, out of place.
///
/// input    rows * columns floats in host memory, owned by the caller, not changed.
/// output   as many, owned by the caller; must not overlap the input.
/// block    threads along one side of a thread block, for versions that leave the choice.
///
/// End to end: for a version on CUDA it copies the input to device 0's memory and the output back.
/// Throws common::Error, one sentence that names the version and the cause, on bad arguments or a
/// failed launch; common::Unavailable where it cannot run here: no GPU, too little memory, a limit
/// in the way. `output` then holds nothing of use.
void matrixTranspose(int rows, int columns, const float *input, float *output, int block);

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

/// A version's own matrixTranspose: the same, but arguments are checked already, and for a version
/// on CUDA both arrays lie in the memory of the current device, aligned to a float and no further.
using Callback = void (*)(int rows, int columns, const float *input, float *output, int block);

/// A row of the table.
struct Version
{
    const char *name;        ///< "t6", the name of its namespace
    Platform platform;       ///< what it needs
    const char *idea;        ///< what it changes, in a few words
    Callback callback;       ///< its matrixTranspose
    std::string unavailable; ///< why it cannot run here ("needs a GPU: ..."); empty if it can
    bool blocks = false;     ///< its thread block can be chosen
    bool copiesBits = true;  ///< false: computes 1 * x, which may change the bits of a NaN
};

/// Every version of the core in order. The one list: program, benchmark and tests read it.
const std::vector<Version> &versions();

/// The version behind transpose::matrixTranspose, a row of versions().
const Version &activeVersion();

/// Rows or columns of a matrix: there is room for a last block.
constexpr int kLongestSide = INT_MAX - 128;

/// Sides that a thread block may have in the versions that leave the choice.
inline const std::vector<int> kBlocks = {8, 16, 32};

/// Throws common::Error, and says why, unless `block` is one of kBlocks.
void checkBlock(int block);

/// transpose::matrixTranspose by any version of the table.
void run(const Version &version, int rows, int columns, const float *input, float *output,
         int block);

} // namespace transpose
