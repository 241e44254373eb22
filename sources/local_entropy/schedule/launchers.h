// The launchers of an engine: what computes in the memory of GPUs, made when it is asked for.
#pragma once

#include "local_entropy/methods/method.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace local_entropy
{

/// Nanoseconds a result in the memory of a GPU, about, by the best method; infinite if there is
/// none.
double launchCost(const Problem &problem);

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
