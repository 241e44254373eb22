#include "local_entropy/methods/bits/narrow.h"

#include "common/integer.h"
#include "common/threads.h"
#include "local_entropy/answers/default_rounding.h"
#include "local_entropy/memory/thread_scratch.h"
#include "local_entropy/methods/bits/cut.h"

#include <algorithm>

namespace local_entropy::bits
{
namespace
{

/// to[x * toPitch + y] = from[y * fromPitch + x], in squares that fit into the first-level cache.
void turn(const float *from, std::int64_t fromPitch, float *to, std::int64_t toPitch,
          std::int64_t width, std::int64_t height)
{
    constexpr std::int64_t kSide = 16;
    for (std::int64_t top = 0; top < height; top += kSide)
        for (std::int64_t left = 0; left < width; left += kSide) {
            const std::int64_t bottom = std::min(top + kSide, height);
            const std::int64_t right = std::min(left + kSide, width);
            for (std::int64_t x = left; x < right; ++x)
                for (std::int64_t y = top; y < bottom; ++y)
                    to[x * toPitch + y] = from[y * fromPitch + x];
        }
}

/// Computes rows [begin, end) of `whole`: turned, with the rows that their windows reach.
void runStrip(const Kernel &kernel, const Task &whole, Progress &all, std::int64_t begin,
              std::int64_t end)
{
    const std::int64_t top = std::max<std::int64_t>(begin - kRadius, 0);
    const std::int64_t bottom = std::min(end + kRadius, whole.height);
    Task task;
    task.tables = whole.tables;
    task.gather = whole.gather;
    task.width = bottom - top;
    task.height = task.end = whole.width;
    leaveWhole(task);

    const std::int64_t pitch = task.panels * kPanelColumns;
    const std::size_t working = scratchBytes(kernel, task);
    char *memory = static_cast<char *>(scratch(working + 2 * pitch * task.height * sizeof(float)));
    float *sample = reinterpret_cast<float *>(memory + working);
    float *result = sample + task.width * task.height;
    task.sample = sample;
    task.result = result;
    turn(whole.sample + top * whole.width, whole.width, sample, task.width, whole.width,
         task.width);
    Progress progress{0, task.blocks};
    kernel.run(task, progress, memory);
    turn(result + (begin - top), task.width, whole.result + begin * whole.width, whole.width,
         end - begin, whole.width);
    if (progress.suspicious) __atomic_store_n(&all.suspicious, 1, __ATOMIC_RELAXED);
}

} // namespace

bool isNarrow(std::int64_t width, std::int64_t rows)
{
    constexpr std::int64_t kWidest = kPanelColumns / 3, kFewestRows = 2 * kPanelColumns;
    return width <= kWidest && rows >= kFewestRows;
}

void runNarrow(const Kernel &kernel, const Task &whole, Progress &progress, int threads)
{
    constexpr std::int64_t kCells = 1 << 17; // of a strip: fits into a second-level cache
    const std::int64_t panels =
        std::clamp<std::int64_t>(kCells / (whole.width * kPanelColumns), 1, 16);
    const std::int64_t rows = panels * kPanelColumns - 2 * kRadius; // with those: full panels
    const std::int64_t strips = common::ceilDiv(whole.end - whole.begin, rows);
    common::FirstError error;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
    for (std::int64_t strip = 0; strip < strips; ++strip)
        error.guard([&] {
            const DefaultRounding rounding;
            const std::int64_t begin = whole.begin + strip * rows;
            runStrip(kernel, whole, progress, begin, std::min(begin + rows, whole.end));
        });
    error.rethrow();
}

} // namespace local_entropy::bits
