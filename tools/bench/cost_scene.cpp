#include "bench/cost_scene.h"

#include "common/error.h"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace bench
{

using namespace local_entropy;

namespace
{

constexpr int kResults = 1024; ///< side by side and one below the other, at most
constexpr int kMargin = 128;   ///< around them: no window reaches over the edge
constexpr int kBitsLevels = 16, kBitsSide = 5;

/// Of this thread, on the processor.
double nanoseconds()
{
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/// A disk of about side * side cells, whose width and height are odd.
Window diskOf(int side)
{
    const double square = side * side / std::acos(-1.0); // of the radius
    const int radius = static_cast<int>(std::sqrt(square));
    Window window;
    window.width = window.height = 2 * radius + 1;
    for (int y = -radius; y <= radius; ++y)
        for (int x = -radius; x <= radius; ++x) window.footprint.push_back(x * x + y * y <= square);
    return window;
}

Window windowOf(CostKind kind, const CostWindow &at)
{
    if (kind == CostKind::Footprint) return diskOf(at.side);
    Window window;
    window.width = at.width;
    window.height = at.height;
    return window;
}

/// So many results, about: rows enough that the first window of a walk is a small part of it,
/// unless results are so slow that nobody walks.
Region regionFor(double results, int windowHeight)
{
    constexpr double kNarrowest = 128, kWalk = 16, kWalks = 3 * kResults, kFewestRows = 8;
    const double least = results < kWalks ? kFewestRows : kWalk * windowHeight;
    const double width = std::clamp<double>(results / kResults, kNarrowest, kResults);
    const double height =
        std::clamp<double>(results / width, std::min<double>(least, kResults), kResults);
    return {kMargin, kMargin, static_cast<std::int64_t>(width), static_cast<std::int64_t>(height)};
}

} // namespace

Engine costEngine(Costed method, Path path)
{
    EngineOptions options;
    options.threads = 1;
    options.path = pathName(path);
    options.method = costedName(method);
    return Engine(options);
}

CostScene::CostScene(int levels)
    : levels(levels), picture(makePicture(levels > 256 ? "uint16" : "uint8", "natural", levels,
                                          kResults + 2 * kMargin, kResults + 2 * kMargin)),
      masked(picture), results(kResults * kResults), doubles(kResults * kResults)
{
    masked.mask = makeMask(masked.width, masked.height);
    if (levels == kBitsLevels)
        floats = makePicture("float32", "natural", levels, kResults, kResults);
}

bool CostScene::has(Costed method, CostKind kind, int window) const
{
    const CostWindow &at = kCostWindows[window];
    if (method == Costed::Bits)
        return levels == kBitsLevels && kind == CostKind::Missing && at.width == kBitsSide &&
               at.height == kBitsSide;
    if (kind == CostKind::Footprint) {
        constexpr int kWidest = 63; // footprints
        const Window disk = diskOf(at.side);
        return (method == Costed::Histogram || method == Costed::Plain) && at.width == at.height &&
               disk.width <= kWidest && !shapeOf(disk).rectangle;
    }
    return costSide(method, shapeOf(windowOf(kind, at))) == at.side;
}

double CostScene::time(Engine &engine, Costed method, CostKind kind, int window, double estimate,
                       double most)
try {
    const bool isBits = method == Costed::Bits;
    Filter filter;
    filter.levels.count = levels;
    filter.window = windowOf(kind, kCostWindows[window]);
    if (kind == CostKind::OtherMeasure) filter.measure = Measure::Simpson;
    const Picture &image = isBits ? floats : kind == CostKind::Missing ? masked : picture;
    const Region region = isBits ? Region{0, 0, kResults, kResults}
                                 : regionFor(most / estimate, filter.window.height);
    const double begin = nanoseconds();
    if (kind == CostKind::Double)
        compute(engine, filter, image, doubles.data(), region);
    else
        compute(engine, filter, image, results.data(), region);
    const double end = nanoseconds();
    return (end - begin) / static_cast<double>(region.width * region.height);
} catch (const common::Unavailable &) {
    return 0;
}

} // namespace bench
