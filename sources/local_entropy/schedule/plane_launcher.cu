#include "local_entropy/schedule/plane_launcher.h"

#include "local_entropy/memory/current_gpu.h"

#ifdef __CUDACC__
#include "common/device_stream.h"
#include "common/integer.h"
#include "local_entropy/library_errors.h"
#include "local_entropy/memory/device_memory.h"
#include "local_entropy/memory/each_gpu.h"
#include "local_entropy/memory/launches.h"
#include "local_entropy/memory/stream_memory.h"
#include "local_entropy/methods/second_look.h"
#include "local_entropy/problem/bad_cells.h"
#include "local_entropy/schedule/same_filter.h"

#include <algorithm>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#endif

namespace local_entropy
{

#ifdef __CUDACC__

namespace
{

/// The plans for a filter and a type of result.
struct KeptPlans
{
    Filter filter;
    bool isDouble;
    std::unique_ptr<const PlanePlan> first, second; ///< second: null if nothing is left undecided
    bool isCaptured = false; ///< a graph, which may be launched at any time, reads the tables

    bool isFor(const Problem &problem) const
    {
        return isDouble == problem.result.isDouble && isSame(filter, problem.filter);
    }
};

constexpr std::size_t kBoundary = 256;

/// What a launch works in: its plane, the bits of what is undecided, and a method's scratch memory.
struct Layout
{
    Layout(const Problem &problem, const KeptPlans &plans);

    Plane plane;
    std::int64_t wordsARow;
    std::size_t bitsAt, bits, scratchAt, bytes; ///< offsets and sizes
};

Layout::Layout(const Problem &problem, const KeptPlans &plans)
    : plane(planeFor(problem, plans.first->masksCells())),
      wordsARow(common::ceilDiv<std::int64_t>(problem.region.width, 32))
{
    const auto rounded = [](std::size_t size) {
        return common::ceilDiv(size, kBoundary) * kBoundary;
    };
    bitsAt = rounded(plane.size);
    bits = plans.second ? sizeof(std::uint32_t) * wordsARow * problem.region.height : 0;
    scratchAt = bitsAt + rounded(bits);
    std::size_t scratch = plans.first->scratchBytes(problem, plane);
    if (plans.second) scratch = std::max(scratch, plans.second->scratchBytes(problem, plane));
    bytes = scratchAt + scratch;
}

void checkWorkspace(const Workspace &workspace, std::size_t needed, int device)
{
    checkDeviceMemory("workspace", workspace.data, device, Whose::Own);
    if (reinterpret_cast<std::uintptr_t>(workspace.data) % kBoundary != 0)
        throw Error(Status::BadArgument, "the workspace begins at an address that " +
                                             std::to_string(kBoundary) + " does not divide");
    if (workspace.bytes < needed)
        throw Error(Status::BadArgument, "the workspace has " + std::to_string(workspace.bytes) +
                                             " bytes, expected " + std::to_string(needed));
}

void checkSize(const Problem &problem)
{
    if (!fitsPlane(problem))
        throw Error(Status::Unavailable, "more than 2^30 columns or rows, or those of an image "
                                         "with 2^32, are not computed in the memory of a GPU: "
                                         "call it for parts of them");
}

/// What there is for one GPU, which is current whenever it is used.
class OfDevice
{
public:
    OfDevice(const Method &method, int device) : method(method), pool(poolOf(device)) {}

    void enqueue(const Problem &problem, const Workspace &workspace, cudaStream_t stream)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        const bool captured = isCaptured(stream); // then who launches the graph waits for it
        isGraphed |= captured;
        const KeptPlans &plans = plansFor(problem, captured);
        const Layout layout(problem, plans);
        if (workspace.data) checkWorkspace(workspace, layout.bytes, currentDevice());
        if (captured) return enqueue(problem, plans, layout, workspace, stream);
        launches.put(stream, [&](int) { enqueue(problem, plans, layout, workspace, stream); });
    }

    std::size_t workspaceBytes(const Problem &problem)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        return Layout(problem, plansFor(problem, false)).bytes;
    }

    /// The first cell that was no level since this was asked last; kNoBadCell: none.
    BadCell badCell()
    {
        return launches.whenAllHaveEnded(
            mutex, [&](bool any) { return any || isGraphed ? bad.take(own.get()) : kNoBadCell; });
    }

private:
    static constexpr std::size_t kMorePlans = 32; ///< than those that graphs read

    const KeptPlans &plansFor(const Problem &problem, bool captured)
    {
        for (KeptPlans &one : kept)
            if (one.isFor(problem)) {
                one.isCaptured |= captured;
                return one;
            }
        if (captured) refuseCapture();
        KeptPlans made{problem.filter, problem.result.isDouble, nullptr, nullptr};
        pool->whereMemoryMayBeMissing([&] {
            made.first = method.planePlan(problem);
            if (made.first->leavesUndecided()) made.second = makeSecondLook(problem);
        });
        // A copy of so few bytes may go on when it returns, and other streams do not wait for it.
        CUDA_CHECK(cudaStreamSynchronize(nullptr));
        if (kept.size() >= mostPlans) forgetPlans();
        kept.push_back(std::move(made));
        return kept.back();
    }

    /// But not those that graphs read.
    void forgetPlans()
    {
        launches.waitForAll(); // they read the tables
        kept.remove_if([](const KeptPlans &one) { return !one.isCaptured; });
        mostPlans = kept.size() + kMorePlans;
    }

    void enqueue(const Problem &problem, const KeptPlans &plans, const Layout &layout,
                 const Workspace &workspace, cudaStream_t stream)
    {
        const StreamMemory memory =
            workspace.data ? StreamMemory(workspace.data)
                           : StreamMemory(*pool, layout.bytes, stream, "pass a workspace");
        Plane plane = layout.plane;
        placePlane(problem, plane, memory.at(0));
        const Undecided undecided{reinterpret_cast<std::uint32_t *>(memory.at(layout.bitsAt)),
                                  layout.wordsARow};
        if (plans.first->checksCells()) plane.isChecked = true;
        const PlanePart task{problem, plane, memory.at(layout.scratchAt), undecided, bad.data()};
        // Not between the kernels: of these, one begins while the one before it ends.
        if (layout.bits && !plans.first->clearsUndecided())
            CUDA_CHECK(cudaMemsetAsync(undecided.words, 0, layout.bits, stream));
        fillPlane(problem, plane, bad.data(), stream);
        plans.first->launch(task, stream);
        if (plans.second) plans.second->launch(task, stream);
    }

    const Method &method;
    const std::shared_ptr<DevicePool> pool;
    BadCells bad;
    const common::Stream own;
    std::mutex mutex;       ///< guards what follows, and `bad`
    bool isGraphed = false; ///< then launches of graphs, of which nothing is known here, may tell
    std::list<KeptPlans> kept;
    std::size_t mostPlans = kMorePlans;
    Launches launches; ///< the last member: it waits for all before the others go
};

class PlaneLauncher : public Launcher
{
public:
    explicit PlaneLauncher(const Method &method) : method(method) {}

    void enqueue(const Problem &problem, const Workspace &workspace, void *stream) override
    {
        withLibraryErrors([&] {
            checkSize(problem);
            const int device = currentDevice();
            const auto in = static_cast<cudaStream_t>(stream);
            if (isCaptured(in) && !devices.find(device)) refuseCapture();
            checkArrays(problem, device);
            of(device).enqueue(problem, workspace, in);
        });
    }

    std::size_t workspaceBytes(const Problem &problem) override
    {
        return withLibraryErrors([&] {
            checkSize(problem);
            return of(currentDevice()).workspaceBytes(problem);
        });
    }

    void synchronize() override
    {
        withLibraryErrors([&] {
            OfDevice *const current = devices.find(currentDevice());
            if (current) throwIfBad(current->badCell());
        });
    }

private:
    OfDevice &of(int device)
    {
        return devices.get(device, [&] { return std::make_unique<OfDevice>(method, device); });
    }

    const Method &method;
    EachGpu<OfDevice> devices;
};

} // namespace

std::unique_ptr<Launcher> makePlaneLauncher(const Method &method)
{
    // Asked once: one that does not answer the first time may be there the second time.
    if (const std::string why = common::whyNoDevice(); !why.empty())
        throw Error(Status::Unavailable, "enqueue " + why);
    return std::make_unique<PlaneLauncher>(method);
}

#else

std::unique_ptr<Launcher> makePlaneLauncher(const Method &) { refuseWithoutGpu(); }

#endif

} // namespace local_entropy
