// reference.bin: the gold answers to one data file. data/README.md describes the format.
#pragma once

#include "entropy/samples.h"

#include <cstdint>
#include <string>
#include <vector>

namespace entropy
{

/// The bytes of reference.bin for `data`; `gold[i]` holds the entropy of data.samples[i].
std::string referenceFile(const SampleFile &data, const std::vector<std::vector<float>> &gold);

/// The gold answers in the file `path`, one a group of `data`. Throws common::Error if the file
/// cannot be read, is no reference file, or belongs to other data than `data`.
std::vector<std::vector<float>> readReference(const std::string &path, const SampleFile &data);

} // namespace entropy
