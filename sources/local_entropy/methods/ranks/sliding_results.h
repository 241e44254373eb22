// The results of the sliding ranks: the sums of all lanes' windows, a row of answers, and their way
// to the rows of the result. Included by sliding.h.
#pragma once

#include "local_entropy/methods/ranks/sliding_plan.h"

#include <algorithm>
#include <cstring>

namespace local_entropy
{
namespace
{

template <typename Path>
class SlidingResults
{
public:
    static constexpr int kLanes = Path::kBytes;

    explicit SlidingResults(const SlidingJob &job)
        : job(job), columns(job.layout.columns), scale(job.answers.scales()[job.window.cells]),
          band(job.answers.band())
    {
        const std::size_t windows = std::size_t(columns) * kLanes;
        const std::size_t values = std::size_t(1) << 8 * job.tile.bytes;
        differences = static_cast<double *>(job.scratch.get(
            Scratch::MethodC, windows * (sizeof(double) + 2 * sizeof(float)) + values));
        // Before the first row, windows hold cells that equal no other.
        const std::int64_t *sums = job.answers.sums();
        const int cells = job.window.cells;
        std::fill(differences, differences + windows,
                  static_cast<double>(sums[cells] - cells * sums[1]));
        answers = reinterpret_cast<float *>(differences + windows);
        spare = answers + windows;
        tallies = reinterpret_cast<std::uint8_t *>(spare + windows);
        std::memset(tallies, 0, values);
        for (int i = 0; i < kLanes; ++i) places[i] = placeOf(Path::lane(i));
    }

    /// Row `row` of the bands' windows is next; negative while the first windows fill.
    void beginRow(std::int64_t row) { windowRow = row; }

    /// A part of the row comes into the cache while the ranks of column c are counted.
    [[gnu::always_inline]] inline void fetch(int c) const
    {
        const int each = (kLanes + columns - 1) / columns;
        for (int i = c * each; i < (c + 1) * each && i < kLanes; ++i) {
            if (resultsOf(places[i]) == 0) continue;
            const float *result = resultOf(places[i]);
            for (int at = 0; at < columns; at += 16) __builtin_prefetch(result + at, 1);
        }
    }

    /// The windows at column c: `terms` cells enter and leave, with these ranks (SlidingCounts).
    [[gnu::always_inline]] inline void update(int c, const std::uint8_t *ranks, int terms,
                                              std::uint32_t tables)
    {
        const std::uint64_t undecided =
            Path::update(ranks, terms, tables, job.planes, scale, band, differences + c * kLanes,
                         answers + c * kLanes);
        if (__builtin_expect(undecided != 0, 0) && windowRow >= 0) settle(c, undecided);
    }

    void writeRow()
    {
        float *to[kLanes];
        for (int i = 0; i < kLanes; ++i)
            to[i] = resultsOf(places[i]) == columns ? resultOf(places[i]) : spare + i * columns;
        for (int i = 0; i < kLanes; i += Path::kWritten)
            for (int c = 0; c < columns; c += Path::kWritten) {
                const int first = std::min(c, columns - Path::kWritten);
                Path::write(answers + first * kLanes + i, kLanes, to + i, first);
            }
        for (int i = 0; i < kLanes; ++i) {
            const int n = resultsOf(places[i]);
            if (n > 0 && n < columns)
                std::memcpy(resultOf(places[i]), spare + i * columns, n * sizeof(float));
        }
        if (job.tile.missing) finishMissing();
    }

private:
    /// A lane's part of the tile's results.
    struct Place
    {
        std::int64_t x, y; ///< its first window
        std::int64_t rows; ///< of windows that are in the tile
        int results;       ///< in each of them
        float *result;     ///< of its first window
    };

    Place placeOf(int lane) const
    {
        const SlidingLayout &layout = job.layout;
        const Tile &tile = job.tile;
        Place place;
        place.x = layout.x(lane);
        place.y = layout.y(lane);
        place.rows = std::min(layout.rows, tile.height - place.y);
        const std::int64_t rest = std::max<std::int64_t>(tile.width - place.x, 0);
        place.results = static_cast<int>(std::min<std::int64_t>(rest, columns));
        place.result = job.result; // a pointer beyond the results must not even be computed
        if (place.results > 0 && place.rows > 0)
            place.result += place.y * job.resultStride + place.x;
        return place;
    }

    /// How many results of a place, in this row of windows, are in the tile.
    int resultsOf(const Place &place) const { return windowRow < place.rows ? place.results : 0; }

    float *resultOf(const Place &place) const
    {
        return place.result + windowRow * job.resultStride;
    }

    /// The windows at column c whose double leaves two floats; bits as Path::update() has them.
    [[gnu::noinline]] void settle(int c, std::uint64_t undecided)
    {
        for (; undecided; undecided &= undecided - 1) {
            const int i = Path::place(__builtin_ctzll(undecided));
            const Place &place = places[i];
            if (c < resultsOf(place) && job.undecided(differences[c * kLanes + i]))
                answers[c * kLanes + i] = job.recount(place.x + c, place.y + windowRow, tallies);
        }
    }

    /// Over the results of this row, those of windows with missing cells.
    void finishMissing()
    {
        const double all = static_cast<double>(job.answers.sums()[job.window.cells]);
        for (int i = 0; i < kLanes; ++i) {
            const Place &place = places[i];
            const int n = resultsOf(place);
            const std::int64_t y = place.y + windowRow;
            if (n == 0 || !job.hasMissing(place.x, y, n)) continue;
            std::int64_t sums[SlidingLayout::kMostColumns];
            for (int c = 0; c < n; ++c)
                sums[c] = static_cast<std::int64_t>(all - differences[c * kLanes + i]);
            job.finishMissing(place.x, y, sums, resultOf(place), n, tallies);
        }
    }

    const SlidingJob &job;
    const int columns;
    const double scale;
    const std::uint32_t band;
    double *differences;   ///< F(N) - S: kLanes for each column, in the order of Path::lane()
    float *answers;        ///< the same shape
    float *spare;          ///< rows of lanes that do not lie within the tile
    std::uint8_t *tallies; ///< for SlidingJob::recount()
    std::int64_t windowRow = 0;
    Place places[kLanes];
};

} // namespace
} // namespace local_entropy
