// The launchers of an engine: what computes in the memory of GPUs, made when it is asked for.
#pragma once

#include "local_entropy/methods/method.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace local_entropy
{

/// The method that computes that for the least cost in the memory of a GPU whose blocks may have so
/// many bytes of shared memory (or `only`, if it can); null if there is none. Without `only` there
/// is one wherever blocks may have 48 KiB, as on every GPU.
const Method *launchMethod(const Problem &problem, const Method *only, int sharedBytes);

/// Nanoseconds a result in the memory of the current GPU, about, by that method. Infinity where no
/// method can, or the GPU does not answer: who asks for a cost can do without.
double launchCost(const Problem &problem);

/// No GPU takes less, about. Asks none, as the first question that a process asks starts them all.
double leastLaunchCost(const Problem &problem);

class Launchers
{
public:
    /// With the method that costs least, or with `only`. Throws Error (Unavailable) with what is
    /// possible where it cannot, and where there is no GPU. From any thread.
    void enqueue(const Problem &problem, const Method *only, const Workspace &workspace,
                 void *stream);
    /// Of a workspace for that call.
    std::size_t workspaceBytes(const Problem &problem, const Method *only);

    /// Of all methods: see Launcher.
    void synchronize();

private:
    Launcher &launcherOf(const Method &method);

    std::mutex mutex;
    std::vector<std::pair<const Method *, std::unique_ptr<Launcher>>> launchers;
};

} // namespace local_entropy
