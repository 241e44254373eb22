#include "bench/cost_scene.h"

#include "bench/disk.h"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace bench
{

using local_entropy::Costed;
using local_entropy::CostKind;
using local_entropy::Path;
using local_entropy::Window;

namespace
{

constexpr int kResults = 1024; ///< side by side and one below the other, at most
constexpr int kMargin = 128;   ///< around them: no window reaches over the edge
constexpr int kSide = kResults + 2 * kMargin;

/// Of this thread, on the processor.
double nanoseconds()
{
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/// So many results, about, or more, so that the first window of a walk, down or across, is a small
/// part of it: for a wide window up to kMore times as many, for a tall one as many as the narrowest
/// region of that height has, and be they ten times kMore. Where results are so slow that nobody
/// walks, few rows are enough.
Region regionFor(double results, const Window &window)
{
    constexpr double kNarrowest = 128, kFewestRows = 8, kDown = 16, kAcross = 8, kLeastAcross = 512,
                     kWalks = 3 * kResults, kMore = 4;
    const bool walks = results >= kWalks, isBroad = window.width > window.height;
    const double leastHeight =
        walks ? std::min<double>(kDown * window.height, kResults) : kFewestRows;
    const double wanted = std::max<double>(kAcross * window.width, isBroad ? kLeastAcross : 0);
    const double leastWidth =
        std::clamp<double>(std::min(wanted, kMore * results / leastHeight), kNarrowest, kResults);
    const double width = std::clamp<double>(results / kResults, leastWidth, kResults);
    const double height = std::clamp<double>(results / width, leastHeight, kResults);
    return {kMargin, kMargin, static_cast<std::int64_t>(width), static_cast<std::int64_t>(height)};
}

} // namespace

Engine costEngine(Costed method, Path path)
{
    local_entropy::EngineOptions options;
    options.threads = 1;
    options.path = pathName(path);
    options.method = costedName(method);
    return Engine(options);
}

Window diskOf(int side)
{
    const double square = side * side / std::acos(-1.0); // of the radius
    return diskWindow(static_cast<int>(std::sqrt(square)), square);
}

CostScene::CostScene(int levels, bool hasFloats)
    : levels(levels),
      picture(makePicture(levels > 256 ? "uint16" : "uint8", "natural", levels, kSide, kSide)),
      masked(picture), results(kSide * kSide), doubles(kSide * kSide)
{
    masked.mask = makeMask(masked.width, masked.height);
    if (hasFloats) floats = makePicture("float32", "natural", levels, kSide, kSide);
}

Filter CostScene::filterOf(const CostPoint &point) const
{
    Filter filter;
    filter.levels.count = levels;
    filter.window = point.window;
    if (point.kind == CostKind::OtherMeasure) filter.measure = local_entropy::Measure::Simpson;
    return filter;
}

const Picture &CostScene::pictureOf(const CostPoint &point) const
{
    if (point.isFloat) return floats;
    return point.kind == CostKind::Missing ? masked : picture;
}

bool CostScene::can(const Engine &engine, const CostPoint &point)
{
    const Filter filter = filterOf(point);
    // nobody writes: the methods of a whole image are those of its parts
    if (point.kind == CostKind::Double)
        return !methodsFor(engine, filter, pictureOf(point), doubles.data()).empty();
    return !methodsFor(engine, filter, pictureOf(point), results.data()).empty();
}

double CostScene::time(Engine &engine, const CostPoint &point, double estimate, double most)
{
    const Filter filter = filterOf(point);
    const Picture &image = pictureOf(point);
    const Region region =
        point.isWhole ? Region{0, 0, kSide, kSide} : regionFor(most / estimate, point.window);
    const double begin = nanoseconds();
    if (point.kind == CostKind::Double)
        compute(engine, filter, image, doubles.data(), region);
    else
        compute(engine, filter, image, results.data(), region);
    const double end = nanoseconds();
    return (end - begin) / static_cast<double>(region.width * region.height);
}

} // namespace bench
