// The method bits as tests call it: any rows of an array, every choice, no engine.
#pragma once

#include "local_entropy/answers/default_rounding.h"
#include "local_entropy/error.h"
#include "local_entropy/methods/bits/bits.h"
#include "local_entropy/own_queue.h"
#include "local_entropy/problem/load.h"
#include "local_entropy/schedule/pool.h"

#include <cstdint>

/// Who computes.
enum class Way { Best, Avx512, Avx2, Portable, CellByCell };
constexpr Way kWays[] = {Way::Avx512, Way::Avx2, Way::Portable, Way::CellByCell};

inline local_entropy::Path pathOf(Way way)
{
    switch (way) {
    case Way::Avx512: return local_entropy::Path::Avx512;
    case Way::Avx2: return local_entropy::Path::Avx2;
    case Way::Portable: return local_entropy::Path::Portable;
    default: return local_entropy::bestPath();
    }
}

inline std::string wayName(Way way)
{
    return way == Way::CellByCell ? "cell_by_cell" : local_entropy::pathName(pathOf(way));
}

struct BitsOptions
{
    using Choice = local_entropy::bits::Choices::Choice;
    int threads = 2;
    Way way = Way::Best;
    Choice gather = Choice::Best, stream = Choice::Best;
};

/// The assignment's question about rows [begin, end).
inline local_entropy::Problem bitsProblem(std::int64_t width, std::int64_t height,
                                          const float *sample, float *result, std::int64_t begin,
                                          std::int64_t end)
{
    local_entropy::Filter filter;
    filter.levels.count = 16;
    return local_entropy::checkedProblem(
        filter, {sample, local_entropy::CellType::Float32, width, height, 0}, {},
        {result + begin * width, false, width, end - begin, 0}, {0, begin, width, end - begin});
}

/// Calls work(scratch) in that many threads; errors name their cell.
template <typename Work>
void inThreads(int threads, const local_entropy::Problem &problem, Work work)
try {
    local_entropy::Pool(threads).run(threads, [&](int) {
        const local_entropy::DefaultRounding rounding;
        local_entropy::Scratch scratch;
        work(scratch);
    });
} catch (const local_entropy::Error &error) {
    if (error.status() == local_entropy::Status::BadLevel) throwFirstBadCell(problem);
    throw;
}

/// Fills rows [begin, end) of a result that is as large as the sample.
inline void entropyOnCpu(std::int64_t width, std::int64_t height, const float *sample,
                         float *result, std::int64_t begin, std::int64_t end,
                         const BitsOptions &options = {})
{
    using Choice = BitsOptions::Choice;
    const local_entropy::DefaultRounding rounding;
    const auto problem = bitsProblem(width, height, sample, result, begin, end);
    local_entropy::bits::Choices choices;
    if (options.way != Way::Best)
        choices.cellByCell = options.way == Way::CellByCell ? Choice::Yes : Choice::No;
    choices.gather = options.gather;
    choices.stream = options.stream;
    const local_entropy::bits::BitsPlan plan(pathOf(options.way), choices);
    OwnQueue queue(problem.region, plan.tileSize(problem, options.threads));
    inThreads(options.threads, problem,
              [&](local_entropy::Scratch &scratch) { plan.work(problem, *queue, scratch); });
}
