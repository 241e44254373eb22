#include "local_entropy/methods/bits/narrow.h"

#include "common/integer.h"
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
bool runStrip(const Kernel &kernel, const Task &whole, std::int64_t begin, std::int64_t end,
              Scratch &scratch)
{
    const std::int64_t top = std::max<std::int64_t>(begin - kRadius, 0);
    const std::int64_t bottom = std::min(end + kRadius, whole.height);
    Task task;
    task.tables = whole.tables;
    task.gather = whole.gather;
    task.width = bottom - top;
    task.height = whole.width;
    const std::int64_t panels = panelsOf(task.width);
    task.packedBytes = packedBytes({panels, task.height});

    const std::int64_t pitch = panels * kPanelColumns;
    const std::size_t working = scratchBytes(kernel, task);
    char *memory = static_cast<char *>(
        scratch.get(Scratch::MethodA, working + 2 * pitch * task.height * sizeof(float)));
    float *sample = reinterpret_cast<float *>(memory + working);
    float *result = sample + task.width * task.height;
    task.sample = sample;
    task.result = result;
    turn(whole.sample + top * whole.width, whole.width, sample, task.width, whole.width,
         task.width);
    OneBlock block({0, panels, 0, task.height});
    kernel.run(task, block, memory);
    turn(result + (begin - top), task.width, whole.result + (begin - whole.firstRow) * whole.width,
         whole.width, end - begin, whole.width);
    return block.suspicious;
}

} // namespace

bool isNarrow(std::int64_t width, std::int64_t rows)
{
    constexpr std::int64_t kWidest = kPanelColumns / 3, kFewestRows = 2 * kPanelColumns;
    return width <= kWidest && rows >= kFewestRows;
}

std::int64_t stripRows(std::int64_t width)
{
    constexpr std::int64_t kCells = 1 << 17; // of a strip: fits into a second-level cache
    const std::int64_t panels = std::clamp<std::int64_t>(kCells / (width * kPanelColumns), 1, 16);
    return panels * kPanelColumns - 2 * kRadius; // with those: full panels
}

bool runNarrow(const Kernel &kernel, const Task &whole, std::int64_t begin, std::int64_t end,
               Scratch &scratch)
{
    bool suspicious = false;
    const std::int64_t rows = stripRows(whole.width);
    for (std::int64_t first = begin; first < end; first += rows)
        suspicious |= runStrip(kernel, whole, first, std::min(first + rows, end), scratch);
    return suspicious;
}

} // namespace local_entropy::bits
