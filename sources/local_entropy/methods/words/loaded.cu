#include "local_entropy/methods/words/loaded.h"

#include "local_entropy/memory/current_gpu.h"

#ifdef __CUDACC__
#include "local_entropy/answers/window.h"
#include "local_entropy/methods/words/words.h"
#endif

namespace local_entropy::words
{

#ifdef __CUDACC__

namespace
{

class LoadedPlan : public PlanePlan
{
public:
    std::size_t scratchBytes(const Problem &, const Plane &) const override
    {
        return sizeof(unsigned); // the number of the next item
    }

    void launch(const PlanePart &part, void *stream) const override
    {
        // What exists is an array; windows that reach beyond it are cut.
        const Plane &plane = part.plane;
        const Result &result = part.problem.result;
        const PlanePiece &cells = plane.middle;
        Area area;
        area.width = plane.right - plane.left;
        area.height = plane.bottom - plane.top;
        area.stride = cells.stride;
        area.left = kRadius - plane.left;
        area.right = area.left + result.width;
        area.begin = kRadius - plane.top;
        area.end = area.begin + result.height;
        const auto *const first =
            static_cast<const Level *>(cells.cells) + plane.top * cells.stride + plane.left;
        gpu.launch(area, kLevels, first, static_cast<float *>(result.data), result.stride,
                   static_cast<unsigned *>(part.scratch), static_cast<cudaStream_t>(stream));
    }

private:
    /// Launches with counters of their own change nothing of it.
    mutable Gpu gpu{std::numeric_limits<int>::max(), 1};
};

} // namespace

std::unique_ptr<const PlanePlan> makeLoadedPlan() { return std::make_unique<LoadedPlan>(); }

#else

std::unique_ptr<const PlanePlan> makeLoadedPlan() { refuseWithoutGpu(); }

#endif

} // namespace local_entropy::words
