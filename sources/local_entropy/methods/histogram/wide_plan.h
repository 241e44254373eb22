// Histograms of many levels in the memory of a GPU.
#pragma once

#include "local_entropy/methods/plane_plan.h"

#include <memory>

namespace local_entropy
{

/// Whether makeWidePlan() can compute that, given the shared memory: entropies as float, rectangles
/// up to 61 cells wide and of up to 4096 cells, fewer than 50000 levels, of which each has a word
/// there.
bool canWalkWide(const Problem &problem);

/// Bytes of shared memory that a block needs for it, at least; 0 without CUDA.
int wideSharedBytes(const Problem &problem);

/// Nanoseconds a result, about.
double wideCost(const Problem &problem);

/// Throws Error (Unavailable) without CUDA or a GPU.
std::unique_ptr<const PlanePlan> makeWidePlan(const Problem &problem);

} // namespace local_entropy
