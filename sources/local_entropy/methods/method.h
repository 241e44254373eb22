// What a method is: a way to compute results, beside others that give the same bits. A new one is a
// folder with a Method, and one line in methods.cpp.
#pragma once

#include "local_entropy/memory/scratch.h"
#include "local_entropy/methods/plane_plan.h"
#include "local_entropy/problem/problem.h"
#include "local_entropy/schedule/tile_queue.h"
#include "local_entropy/simd/paths.h"

#include <memory>
#include <vector>

namespace local_entropy
{

class Method;

/// What a method has made ready for a filter, a type of cells and of results, and a path: tables.
/// Not changed any more; used by many threads, for any image.
class Plan
{
public:
    virtual ~Plan() = default;

    /// The tiles that it likes, if `threads` share the region. Those that it is given begin at
    /// multiples of that width from the region's first column, and are no wider; the height is
    /// free.
    virtual TileSize tileSize(const Problem &problem, int threads) const = 0;

    /// Whether it can be given parts of a region.
    virtual bool takesTiles() const { return true; }

    /// The method by which the GPU that is current in the caller's thread shall compute it, tile by
    /// tile, fed by all threads; then work() is for what cannot go that way, and has that GPU as
    /// the current one. Null: threads compute it.
    virtual const Method *throughDevice() const { return nullptr; }

    /// One thread's part: takes tiles until there are none left. The thread rounds to nearest.
    /// Throws Error; Status::BadLevel without a place, which the engine then looks for.
    virtual void work(const Problem &problem, TileQueue &queue, Scratch &scratch) const = 0;
};

/// What a method keeps for an engine that computes in the memory of GPUs. Used by one thread at a
/// time or several.
class Launcher
{
public:
    virtual ~Launcher() = default;

    /// Puts the computation of a problem that it can launch into `stream`, a cudaStream_t of the
    /// current GPU; waits for nothing that was put into streams. Throws Error.
    virtual void enqueue(const Problem &problem, const Workspace &workspace, void *stream) = 0;

    /// The bytes of a workspace for that problem; 0: it needs none.
    virtual std::size_t workspaceBytes(const Problem &) { return 0; }

    /// Waits until all that it has put into streams of the current GPU has ended. Throws Error:
    /// Status::BadLevel, with its place, if a cell was no level, once.
    virtual void synchronize() = 0;
};

class Method
{
public:
    virtual ~Method() = default;
    virtual const char *name() const = 0;

    /// Whether it can compute that, on a processor of that path, at all.
    virtual bool can(const Problem &problem, Path path) const = 0;

    /// Nanoseconds a result on one thread, about: methods are chosen by it.
    virtual double cost(const Problem &problem, Path path) const = 0;

    /// The same where so many threads share the problem's region. In small tiles, vectors are
    /// partly empty and windows start anew for few results: some methods take many times as long.
    virtual double costInTiles(const Problem &problem, Path path, int) const
    {
        return cost(problem, path);
    }

    /// Whether it is as fast where the edge of the image cuts windows: then a problem is not cut
    /// into inner cells and a frame (schedule/parts.h).
    virtual bool wantsWhole() const { return false; }

    virtual std::unique_ptr<const Plan> plan(const Problem &problem, Path path) const = 0;

    // ---- in the memory of GPUs -----------------------------------------------------------------

    // A method that computes there has either a launcher of its own, or plans for levels that have
    // been loaded, or both: then its launcher passes on what is to be loaded (makePlaneLauncher).

    /// Whether it can compute that.
    virtual bool canLaunch(const Problem &) const { return false; }

    /// Bytes of shared memory that a block needs, at least, to compute what it can: where a GPU has
    /// less for a block (memory/shared_bytes.h), another method computes it. The last one needs no
    /// more than every GPU has.
    virtual int sharedBytes(const Problem &) const { return 0; }

    /// Nanoseconds a result there, about: methods are chosen by it.
    virtual double launchCost(const Problem &) const { return 1; }

    /// What that is, to be read behind "only "; null: nothing, or everything.
    virtual const char *launches() const { return nullptr; }

    /// Null if it has none. Throws Error (Unavailable) where there is no GPU.
    virtual std::unique_ptr<Launcher> launcher() const { return nullptr; }

    /// For the current GPU; null if it has none. Throws as launcher().
    virtual std::unique_ptr<const PlanePlan> planePlan(const Problem &) const { return nullptr; }
};

/// All of them. The last, plain, can do everything.
const std::vector<const Method *> &methods();

/// The cheapest that can, other than `except`, where so many threads share the region; 0: where
/// that is large.
const Method &chooseMethod(const Problem &problem, Path path, const Method *except = nullptr,
                           int threads = 0);

} // namespace local_entropy
