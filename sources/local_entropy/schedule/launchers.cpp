#include "local_entropy/schedule/launchers.h"

#include "common/error.h"
#include "local_entropy/error.h"
#include "local_entropy/memory/shared_bytes.h"
#include "local_entropy/schedule/plane_launcher.h"

#include <exception>
#include <limits>
#include <string>

namespace local_entropy
{
namespace
{

[[noreturn]] void refuse(const Method *only)
{
    std::string possible;
    for (const Method *method : methods())
        if (method->launches() && (!only || method == only))
            possible += std::string(possible.empty() ? ", only " : ", or ") + method->launches();
    throw Error(Status::Unavailable,
                std::string(only ? std::string("the method '") + only->name() + "'" : "no method") +
                    (only ? " does not compute" : " computes") +
                    " this in the memory of a GPU yet" + possible +
                    ": copy the image into host memory and call run()");
}

[[noreturn]] void refuse(const Problem &problem, const Method &only, int sharedBytes)
{
    throw Error(Status::Unavailable, std::string("the method '") + only.name() + "' needs " +
                                         std::to_string(only.sharedBytes(problem)) +
                                         " bytes of shared memory for a block here, and this GPU "
                                         "has " +
                                         std::to_string(sharedBytes) + ": leave the method open");
}

const Method &methodFor(const Problem &problem, const Method *only)
{
    const int sharedBytes = sharedBytesOfBlock();
    const Method *const best = launchMethod(problem, only, sharedBytes);
    if (best) return *best;
    if (only && only->canLaunch(problem)) refuse(problem, *only, sharedBytes);
    refuse(only);
}

double launchCost(const Problem &problem, int sharedBytes)
{
    const Method *const best = launchMethod(problem, nullptr, sharedBytes);
    return best ? best->launchCost(problem) : std::numeric_limits<double>::infinity();
}

} // namespace

const Method *launchMethod(const Problem &problem, const Method *only, int sharedBytes)
{
    const Method *best = nullptr;
    for (const Method *method : methods()) {
        if ((only && method != only) || !method->canLaunch(problem)) continue;
        if (best && method->launchCost(problem) >= best->launchCost(problem)) continue;
        if (method->sharedBytes(problem) <= sharedBytes) best = method;
    }
    return best;
}

double launchCost(const Problem &problem)
{
    try {
        return launchCost(problem, sharedBytesOfBlock());
    } catch (const common::Error &) {
        return std::numeric_limits<double>::infinity();
    }
}

double leastLaunchCost(const Problem &problem)
{
    return launchCost(problem, std::numeric_limits<int>::max());
}

Launcher &Launchers::launcherOf(const Method &method)
{
    const std::lock_guard<std::mutex> lock(mutex);
    for (const auto &[whose, launcher] : launchers)
        if (whose == &method) return *launcher;
    std::unique_ptr<Launcher> launcher = method.launcher();
    if (!launcher) launcher = makePlaneLauncher(method);
    launchers.emplace_back(&method, std::move(launcher));
    return *launchers.back().second;
}

void Launchers::enqueue(const Problem &problem, const Method *only, const Workspace &workspace,
                        void *stream)
{
    launcherOf(methodFor(problem, only)).enqueue(problem, workspace, stream);
}

std::size_t Launchers::workspaceBytes(const Problem &problem, const Method *only)
{
    return launcherOf(methodFor(problem, only)).workspaceBytes(problem);
}

void Launchers::synchronize()
{
    std::vector<Launcher *> all;
    {
        const std::lock_guard<std::mutex> lock(mutex);
        for (const auto &one : launchers) all.push_back(one.second.get());
    }
    std::exception_ptr badCell, failure; // all are waited for, and forget what they tell
    for (Launcher *launcher : all) try {
            launcher->synchronize();
        } catch (const Error &error) {
            (error.status() == Status::BadLevel ? badCell : failure) = std::current_exception();
        } catch (...) {
            failure = std::current_exception();
        }
    if (failure) std::rethrow_exception(failure);
    if (badCell) std::rethrow_exception(badCell);
}

} // namespace local_entropy
