// The contract of this lab's core: what main.cu and the tests call, and the table behind it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace maximum
{

/// Largest element of a matrix of rows x columns integers, stored row by row.
///
/// matrix   rows * columns integers in host memory, owned by the caller, not changed.
///
/// Any integers, INT_MIN included; rows, columns >= 1. End to end: a GPU version copies the matrix
/// to the device first. Throws common::Error, one sentence that names the version, the call and
/// the cause, on bad arguments, lack of memory, lack of a GPU or a failed launch.
int findMaximum(std::int64_t rows, std::int64_t columns, const int *matrix);

enum class Platform { Cpu, Cuda };

inline const char *platformName(Platform platform)
{
    return platform == Platform::Cpu ? "CPU" : "CUDA";
}

using Callback = int (*)(std::int64_t rows, std::int64_t columns, const int *matrix);

/// A row of the ladder.
struct Version
{
    const char *name;        ///< "m3", the name of its namespace
    Platform platform;       ///< what it needs
    const char *idea;        ///< the step from the version before, in a few words
    Callback callback;       ///< its findMaximum
    std::string unavailable; ///< why it cannot run here ("needs a GPU: ..."); empty if it can
    bool yardstick = false;  ///< the toolkit's own: kernel times are compared with this one's
};

/// Every version of the core in order. The one list: program, benchmark and tests read it.
const std::vector<Version> &versions();

/// The version behind maximum::findMaximum, a row of versions().
const Version &activeVersion();

} // namespace maximum
