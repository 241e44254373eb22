// What a method does in the memory of a GPU, on levels that have been loaded (problem/plane.h).
#pragma once

#include "local_entropy/problem/plane.h"
#include "local_entropy/problem/problem.h"

#include <cstddef>

namespace local_entropy
{

/// Results that a method could not decide with the bits it has: bit x % 32 of word
/// y * wordsARow + x / 32 is result (x, y) of the region.
struct Undecided
{
    std::uint32_t *words = nullptr; ///< in device memory; see PlanePlan::clearsUndecided()
    std::int64_t wordsARow = 0;
};

/// What is to be computed: a problem whose arrays are in the memory of the current GPU, its levels,
/// and memory to work in.
struct PlanePart
{
    const Problem &problem;
    const Plane &plane;
    void *scratch; ///< PlanePlan::scratchBytes(), at an address that 256 divides
    Undecided undecided;
    BadCell *bad; ///< see fillPlane()
};

/// What a method has made ready for a filter, a type of result and the GPU that was current:
/// tables. Used by several threads at once.
class PlanePlan
{
public:
    virtual ~PlanePlan() = default;

    virtual std::size_t scratchBytes(const Problem &, const Plane &) const { return 0; }

    /// Whether it may leave results undecided: then another look at them follows.
    virtual bool leavesUndecided() const { return false; }

    /// Whether it writes all bits that stand for results; else they are all 0 before it begins.
    virtual bool clearsUndecided() const { return false; }

    /// Whether its kernels AND what they read with Plane::mask.
    virtual bool masksCells() const { return false; }

    /// Puts the computation into `stream`, a cudaStream_t of that GPU. Throws common::Error.
    virtual void launch(const PlanePart &part, void *stream) const = 0;

    /// Whether its kernels also look for cells that are no levels, where they read them, and tell
    /// PlanePart::bad: then nobody else has to.
    virtual bool checksCells() const { return false; }
};

} // namespace local_entropy
