// The GPU engine for arrays in host memory: up, compute, down. In every build; without CUDA it says
// so.
#pragma once

#include "common/error.h"

#include <cstdint>

namespace local_entropy::words
{

/// Some cell was none of 0..15; the sentence names it.
struct BadCell : common::Error
{
    using Error::Error;
};

/// The correctly rounded entropy of the 5x5 window around every cell, by the current device;
/// windows are cut at the edge.
///
/// sample   host memory: height rows of width cells, each an integer 0..15; any other cell throws
///          BadCell.
/// result   host memory: the same shape.
///
/// Throws common::Unavailable without CUDA, without a GPU, or where that has too little memory.
void entropyOnGpu(std::int64_t width, std::int64_t height, const float *sample, float *result);

} // namespace local_entropy::words
