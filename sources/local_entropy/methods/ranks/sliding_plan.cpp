#include "local_entropy/methods/ranks/sliding_plan.h"

#include "local_entropy/methods/answers_of.h"
#include "local_entropy/methods/costs.h"
#include "local_entropy/methods/plain/plain.h"
#include "local_entropy/methods/results.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace local_entropy
{
namespace
{

std::int64_t ceilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The counts of the levels of one window.
template <typename Cell>
void countLevels(const Tile &tile, const Shape &window, std::int64_t x, std::int64_t y,
                 std::vector<int> &counts)
{
    Cell seen[255];
    int number = 0;
    for (int row = 0; row < window.height; ++row) {
        const Cell *cells = tile.row<Cell>(y + row) + x;
        for (int column = 0; column < window.width; ++column) seen[number++] = cells[column];
    }
    std::sort(seen, seen + number);
    for (int i = 0, first = 0; i <= number; ++i) {
        if (i < number && seen[i] == seen[first]) continue;
        if (!tile.missing || seen[first] != tile.none) counts.push_back(i - first);
        first = i;
    }
}

/// The sum over the levels of one window, "no cell" among them. `tallies` has a place for every
/// value of a cell, all 0, as they are afterwards.
template <typename Cell>
std::int64_t sumLevels(const Tile &tile, const Shape &window, std::int64_t x, std::int64_t y,
                       const std::int64_t *deltas, std::uint8_t *tallies)
{
    std::int64_t sum = 0;
    for (int row = 0; row < window.height; ++row) {
        const Cell *cells = tile.row<Cell>(y + row) + x;
        for (int column = 0; column < window.width; ++column)
            sum += deltas[tallies[cells[column]]++];
    }
    for (int row = 0; row < window.height; ++row) {
        const Cell *cells = tile.row<Cell>(y + row) + x;
        for (int column = 0; column < window.width; ++column) tallies[cells[column]] = 0;
    }
    return sum;
}

template <typename Cell>
float recountCells(const SlidingJob &job, std::int64_t x, std::int64_t y, std::uint8_t *tallies)
{
    const Tile &tile = job.tile;
    const int absent = tile.missing ? tile.absent[y * tile.absentStride + x] : 0;
    const std::int64_t sum =
        sumLevels<Cell>(tile, job.window, x, y, job.fineAnswers.deltas(), tallies) -
        job.fineAnswers.sums()[absent];
    return job.fineAnswers.nearestFloat(
        sum, job.window.cells - absent,
        [&](std::vector<int> &counts) { countLevels<Cell>(tile, job.window, x, y, counts); });
}

} // namespace

DeltaPlanes::DeltaPlanes(const Answers &answers)
{
    for (int rank = 0; rank < answers.mostCells(); ++rank)
        for (int p = 0; p < kPlanes; ++p)
            plane[p][rank] = static_cast<std::uint8_t>(answers.deltas()[rank] >> (8 * p));
}

bool nearBoundary(double value, std::uint32_t band)
{
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    const std::uint32_t low = static_cast<std::uint32_t>(bits);
    return ((low - (1u << 28) + band) & ((1u << 29) - 1)) <= 2 * band;
}

// A start costs as much as half the window's height in rows: fewer cells to compare, half of the
// ranks to look up.
double SlidingLayout::work(const Shape &window) const
{
    return columns * (static_cast<double>(rows) + 0.6 * window.height);
}

SlidingLayout SlidingLayout::of(const Shape &window, std::int64_t width, std::int64_t height,
                                int lanes)
{
    SlidingLayout best;
    bool found = false;
    for (int strips = 1; strips <= lanes; strips *= 2) {
        SlidingLayout layout;
        const std::int64_t columns = ceilDiv(width + window.width - 1, strips);
        if (columns > kMostColumns) continue;
        layout.strips = strips;
        layout.columns = std::max<int>({static_cast<int>(columns), kLeastColumns, window.width});
        layout.rows = ceilDiv(height, lanes / strips);
        if (found && layout.work(window) >= best.work(window)) continue;
        best = layout;
        found = true;
    }
    return best;
}

bool SlidingJob::undecided(double difference) const
{
    const double scale = answers.scales()[window.cells], value = difference * scale;
    if (answers.fractionBits() == 0 || value <= 0) return nearBoundary(value, answers.band());
    // F(2) is the least F(n) of such a level. Each F(n) is off by half a unit at most, F(N) too.
    const std::int64_t *sums = answers.sums();
    const double levels = (static_cast<double>(sums[window.cells]) - difference) / sums[2] + 1;
    const double unit = std::ldexp(1.0, std::ilogb(value) - 52);
    constexpr int kRoundings = 6; // as in Answers::band()
    const double band = std::ceil((levels + 1) / 2 * scale / unit) + kRoundings;
    return nearBoundary(value, static_cast<std::uint32_t>(std::min<double>(band, answers.band())));
}

float SlidingJob::recount(std::int64_t x, std::int64_t y, std::uint8_t *tallies) const
{
    return tile.bytes == 1 ? recountCells<std::uint8_t>(*this, x, y, tallies)
                           : recountCells<std::uint16_t>(*this, x, y, tallies);
}

bool SlidingJob::hasMissing(std::int64_t x, std::int64_t y, int n) const
{
    const std::uint16_t *absent = tile.absent + y * tile.absentStride + x;
    std::uint16_t any = 0;
    for (int i = 0; i < n; ++i) any |= absent[i];
    return any != 0;
}

void SlidingJob::finishMissing(std::int64_t x, std::int64_t y, const std::int64_t *sums, float *out,
                               int n, std::uint8_t *tallies) const
{
    const std::uint16_t *absent = tile.absent + y * tile.absentStride + x;
    if (!answers.finishRow(sums, window.cells, absent, out, n)) return;
    for (int i = 0; i < n; ++i) {
        const int cells = window.cells - absent[i];
        if (answers.undecided(sums[i] - answers.sums()[absent[i]], cells))
            out[i] = recount(x + i, y, tallies);
    }
}

namespace
{

/// The kernels of a path.
struct SlidingPath
{
    Path path;
    int lanes;
    SlidingKernel (*kernel)(int cellBytes, int windowHeight);
};

/// Less is not worth parting.
constexpr std::int64_t kLeastInnerWidth = 200, kLeastInnerHeight = 60;

/// The fastest first.
constexpr SlidingPath kSlidingPaths[] = {
    {Path::Avx512Vbmi, kLanesAvx512, slidingKernelAvx512Vbmi},
    {Path::Avx512, kLanesAvx512, slidingKernelAvx512},
    {Path::Avx2, kLanesAvx2, slidingKernelAvx2},
};

const SlidingPath *pathOf(Path have)
{
    for (const SlidingPath &path : kSlidingPaths)
        if (pathIncludes(have, path.path)) return &path;
    return nullptr;
}

/// The windows that lie within the image, and those that reach beyond its edges: up to 5 parts. The
/// first, by far the most, often need no copy of their cells, have no missing cells, and bytes are
/// enough for 256 levels.
int splitPlace(const Problem &problem, const Region &place, Region *parts)
{
    const Shape &window = problem.shape;
    const std::int64_t left = std::max<std::int64_t>(window.left - place.x, 0);
    const std::int64_t top = std::max<std::int64_t>(window.top - place.y, 0);
    const std::int64_t right = std::max<std::int64_t>(
        place.x + place.width + window.width - 1 - window.left - problem.image.width, 0);
    std::int64_t bottom = std::max<std::int64_t>(
        place.y + place.height + window.height - 1 - window.top - problem.image.height, 0);
    if (bottom > 0) ++bottom; // no slack lies behind the last row of an image: it would be copied
    const Region inner = {place.x + left, place.y + top, place.width - left - right,
                          place.height - top - bottom};
    if (inner.width < kLeastInnerWidth || inner.height < kLeastInnerHeight) {
        parts[0] = place;
        return 1;
    }
    int number = 0;
    const auto add = [&](const Region &part) {
        if (part.width > 0 && part.height > 0) parts[number++] = part;
    };
    add({place.x, place.y, place.width, top});
    add({place.x, inner.y, left, inner.height});
    add(inner);
    add({inner.x + inner.width, inner.y, right, inner.height});
    add({place.x, inner.y + inner.height, place.width, bottom});
    return number;
}

constexpr std::int64_t kBandHeights = 20; ///< of a window: so high that starts cost some percent

/// Columns that fill all lanes with strips that are not too narrow.
std::int64_t mostWidth(const Shape &window, int lanes)
{
    constexpr std::int64_t kColumns = 40;
    return lanes * std::max<std::int64_t>(kColumns, window.width) - (window.width - 1);
}

/// Bands so high that their start costs little; cells, and the lanes' rows, that stay in a cache;
/// some tiles for each thread. In small images a tile for each thread, of about 16 rows or more,
/// whatever its start costs: that is little beside threads without one.
TileSize slidingTile(const Problem &problem, int lanes, int threads)
{
    constexpr std::int64_t kLeastHeights = 5, kCells = 1 << 20, kLeastRows = 16;
    const Shape &window = problem.shape;
    const Region &region = problem.region;
    const std::int64_t width =
        ceilDiv(region.width, ceilDiv(region.width, mostWidth(window, lanes)));
    const int strips = SlidingLayout::of(window, width, region.height, lanes).strips;
    const std::int64_t bands = lanes / strips;
    std::int64_t height = bands * kBandHeights * window.height;
    height = std::min(height, std::max(kCells / width, bands * kLeastHeights * window.height));
    const std::int64_t across = ceilDiv(region.width, width);
    if (threads > 1)
        height = std::min(height, std::max(ceilDiv(region.height * across, 3 * threads),
                                           bands * kLeastHeights * window.height));
    if (across * ceilDiv(region.height, height) < threads)
        height = std::min(height, std::max(kLeastRows, ceilDiv(region.height * across, threads)));
    return {width, ceilDiv(region.height, ceilDiv(region.height, height))};
}

/// SlidingLayout::work() of all lanes, for each result of a tile.
double workOfResult(const Shape &window, const TileSize &tile, int lanes)
{
    const SlidingLayout layout = SlidingLayout::of(window, tile.width, tile.height, lanes);
    return lanes * layout.work(window) / static_cast<double>(tile.width * tile.height);
}

class SlidingRanksPlan : public Plan
{
public:
    SlidingRanksPlan(const Problem &problem, const SlidingPath &path)
        : path(path), answers(answersOf(problem, DeltaPlanes::kFractionBits)),
          fineAnswers(answersOf(problem)), planes(answers)
    {
        for (int bytes = 1; bytes <= 2; ++bytes)
            kernels[bytes - 1] = path.kernel(bytes, problem.shape.height);
    }

    TileSize tileSize(const Problem &problem, int threads) const override
    {
        return slidingTile(problem, path.lanes, threads);
    }

    void work(const Problem &problem, TileQueue &queue, Scratch &scratch) const override
    {
        Region place;
        while (queue.take(place)) {
            Region parts[5];
            const int number = splitPlace(problem, place, parts);
            for (int i = 0; i < number; ++i) fill(problem, parts[i], scratch);
        }
    }

private:
    void fill(const Problem &problem, const Region &place, Scratch &scratch) const
    {
        const Tile tile = loadTile(problem, place, scratch);
        if (tile.bytes > 2) return plainTile(problem, tile, answers);
        const SlidingLayout layout =
            SlidingLayout::of(problem.shape, tile.width, tile.height, path.lanes);
        kernels[tile.bytes - 1]({problem.shape, answers, fineAnswers, planes, tile,
                                 resultRow<float>(problem, place, 0), problem.result.stride, layout,
                                 scratch});
    }

    const SlidingPath &path;
    const Answers answers, fineAnswers;
    const DeltaPlanes planes;
    SlidingKernel kernels[2];
};

class SlidingRanks : public Method
{
public:
    const char *name() const override { return "sliding-ranks"; }

    bool can(const Problem &problem, Path path) const override
    {
        constexpr int kFewestCells = 26, kMostCells = 255; // ranks are bytes
        const Shape &shape = problem.shape;
        const Measure measure = problem.filter.measure;
        return pathOf(path) && shape.rectangle && !problem.result.isDouble &&
               shape.cells >= kFewestCells && shape.cells <= kMostCells &&
               shape.width <= SlidingLayout::kMostColumns &&
               (measure == Measure::Entropy || measure == Measure::Simpson);
    }

    double cost(const Problem &problem, Path path) const override
    {
        return costOf(Costed::SlidingRanks, problem, path);
    }

    double costInTiles(const Problem &problem, Path path, int threads) const override
    {
        const int lanes = pathOf(path)->lanes;
        const Shape &window = problem.shape;
        const TileSize large = {mostWidth(window, lanes), kBandHeights * window.height};
        const double times = workOfResult(window, slidingTile(problem, lanes, threads), lanes) /
                             workOfResult(window, large, lanes);
        return cost(problem, path) * std::max(times, 1.0);
    }

    std::unique_ptr<const Plan> plan(const Problem &problem, Path path) const override
    {
        return std::make_unique<SlidingRanksPlan>(problem, *pathOf(path));
    }
};

} // namespace

const Method &slidingRanksMethod()
{
    static const SlidingRanks &method = *new SlidingRanks; // never destroyed, see methods()
    return method;
}

} // namespace local_entropy
