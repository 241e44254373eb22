// The contract of a core: what main.cu calls, and the table of versions behind it.
#pragma once

#include <string>
#include <vector>

/// Entropy (natural logarithm) of the 5x5 window around every cell; windows are cut at the edge.
///
/// sample   height rows of width cells, sample[y * width + x]; every cell is an integer 0..15.
///          Owned by the caller, not changed.
/// result   receives an array of the same shape, allocated with malloc; each cell is within 5e-6
///          of the true entropy. The caller frees it with free().
///
/// Throws an exception derived from std::runtime_error, one sentence that names the version, the
/// call and the cause, on bad arguments, lack of memory, lack of a GPU or a failed launch. Then
/// *result is unchanged.
void cudaCallback(int width, int height, float *sample, float **result);

namespace entropy
{

enum class Platform { Cuda, OpenMp, Both };

inline const char *platformName(Platform platform)
{
    switch (platform) {
    case Platform::Cuda: return "CUDA";
    case Platform::OpenMp: return "OpenMP";
    case Platform::Both: return "CUDA+OpenMP";
    }
    return "unknown";
}

using Callback = void (*)(int width, int height, float *sample, float **result);

/// A row of the ladder.
struct Version
{
    const char *name;        ///< "v7", the name of its namespace
    Platform platform;       ///< what it needs
    const char *idea;        ///< the step from the version before, in a few words
    Callback callback;       ///< its cudaCallback
    std::string unavailable; ///< why it cannot run here ("needs a GPU: ..."); empty if it can
    bool probe = false;      ///< leaves work out on purpose, to be timed: its result is no answer
};

/// Every version of the core in order. The one list: benchmark, tests and tables read it.
const std::vector<Version> &versions();

/// Name of the version behind ::cudaCallback.
const char *activeVersion();

/// Versions that failed in the benchmark at load time: a wrong answer, or an error that does not
/// just say that they cannot run here.
int loadTimeFailures();

/// Of a program with a main of its own kind: will it print its help, or refuse to go on, instead
/// of calling the core? Then nothing is timed at load time. Programs without one do not define it.
__attribute__((weak)) bool runIsRefused();

} // namespace entropy
