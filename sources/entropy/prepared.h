// What a run of main.cu needs before the first call of the core: the command line, the groups, the
// right answers, the output file. Prepared once, and before the benchmark at load time if there is
// one: who waits for minutes should not be refused afterwards.
#pragma once

#include "common/output_file.h"
#include "entropy/options.h"
#include "entropy/samples.h"

#include <optional>
#include <string>
#include <vector>

namespace entropy
{

struct Prepared
{
    Options options; ///< where help is wanted, nothing else is prepared
    SampleFile data;
    std::optional<std::vector<std::vector<float>>> gold; ///< one array a group, if from a file
    std::string goldSource;                              ///< where they come from, for people
    std::optional<common::OutputFile> csv;
};

/// The one run of this program, prepared by the first call. Throws common::Error, at every call
/// the same, if it cannot go on: bad usage, bad input, unwritable output, an active version that
/// cannot run here.
Prepared &preparedRun();

} // namespace entropy
