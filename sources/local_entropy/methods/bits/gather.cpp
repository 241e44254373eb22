#include "local_entropy/methods/bits/gather.h"

#include "common/clock.h"
#include "local_entropy/memory/scratch.h"
#include "local_entropy/methods/bits/cut.h"

#include <algorithm>
#include <vector>

namespace local_entropy::bits
{

const Tables &tablesOf(const Kernel &kernel)
{
    return kernel.ternary ? ternaryTables() : binaryTables();
}

/// On a small array of random levels whose results stay in the cache.
static bool measure(const Kernel &kernel)
{
    constexpr int kWidth = 2 * kPanelColumns, kHeight = 32, kTries = 5;
    std::vector<float> sample(kWidth * kHeight), result(kWidth * kHeight);
    std::uint32_t random = 1;
    for (float &cell : sample) {
        random = random * 1664525 + 1013904223;
        cell = static_cast<float>(random >> 28);
    }
    Task task;
    task.sample = sample.data();
    task.result = result.data();
    task.width = kWidth;
    task.height = kHeight;
    task.tables = tablesOf(kernel).ofCells.data();
    task.packedBytes = packedBytes({panelsOf(kWidth), kHeight});
    Scratch scratch;
    void *const memory = scratch.get(Scratch::MethodA, scratchBytes(kernel, task));
    double seconds[2] = {1, 1};
    for (int i = 0; i < 2 * kTries; ++i) {
        task.gather = i % 2;
        OneBlock block({0, panelsOf(kWidth), 0, kHeight});
        const common::WallClock clock;
        kernel.run(task, block, memory);
        seconds[task.gather] = std::min(seconds[task.gather], clock.seconds());
    }
    return seconds[true] < seconds[false];
}

bool gatherIsFaster(const Kernel &kernel)
{
    if (&kernel == &kPortable) return false; // it has none
    if (&kernel == &kAvx512) {
        static const bool faster = measure(kAvx512);
        return faster;
    }
    static const bool faster = measure(kAvx2);
    return faster;
}

} // namespace local_entropy::bits
