// How fast are the engine's ways from host memory to host memory? By the CPU alone and by all that
// there is, into fresh memory and into memory that was used before, beside what bounds them: a copy
// of the same floats by all cores around the caches and, with a GPU, both ways over the bus.

#include "common/copy_speed.h"
#include "common/csv.h"
#include "common/file_program.h"
#include "common/machine.h"
#include "entropy/contents.h"
#include "entropy/pages.h"
#include "entropy/result_memory.h"
#include "local_entropy/engine.h"
#include "local_entropy/schedule/staging.h"

#ifdef __CUDACC__
#include "common/device_stream.h"
#endif

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>


namespace
{

constexpr const char *kHelp =
    R"(usage: bench_everywhere [FILE.csv]

Times the engine from host memory to host memory, on the CPU alone and everywhere, every bit checked
first; prints the table and writes it to FILE.csv.
)";

struct Shape
{
    int width, height;
};

/// Where the result goes: into memory from the system, into what the caller before has freed, into
/// one and the same array.
enum class Memory { Fresh, Again, Touched };
const char *memoryName(Memory memory)
{
    return memory == Memory::Fresh ? "fresh" : memory == Memory::Again ? "again" : "touched";
}

constexpr Shape kShapes[] = {{1, 1},        {64, 64},      {400, 400},     {1024, 1024},
                             {2560, 2560},  {4096, 4096},  {10240, 10240}, {10237, 10239},
                             {10, 4000000}, {4000000, 10}, {20480, 20480}};

/// A copy of the same floats by all cores.
common::Timing streamingCopy(const std::vector<float> &from, float *to)
{
    const int threads = common::threadsFor(static_cast<std::int64_t>(from.size()), 1 << 16);
    return common::measure(
        [&] {
#pragma omp parallel for schedule(static) num_threads(threads)
            for (int part = 0; part < threads; ++part) {
                const std::size_t begin = from.size() * part / threads;
                local_entropy::copyResults(&from[begin], from.size() * (part + 1) / threads - begin,
                                           to + begin);
            }
            return 0;
        },
        [](int) {});
}

/// The same floats from page-locked memory to device 0 and, at the same time, back.
common::Timing duplexCopy([[maybe_unused]] std::size_t cells)
{
#ifdef __CUDACC__
    const common::DeviceScope device(0);
    const common::DeviceArray<float> from = common::poisoned<float>(cells);
    common::DeviceArray<float> to = common::poisoned<float>(cells);
    common::PinnedArray<float> up(cells), down(cells);
    const common::Stream upwards, downwards;
    std::memset(up.data(), 0, to.bytes());
    return common::measure(
        [&] {
            CUDA_CHECK(cudaMemcpyAsync(to.data(), up.data(), to.bytes(), cudaMemcpyHostToDevice,
                                       upwards.get()));
            CUDA_CHECK(cudaMemcpyAsync(down.data(), from.data(), to.bytes(), cudaMemcpyDeviceToHost,
                                       downwards.get()));
            upwards.wait();
            downwards.wait();
            return 0;
        },
        [](int) {});
#else
    return {};
#endif
}

/// Memory that the system has just handed out, and gets back.
class FreshArray
{
public:
    explicit FreshArray(std::size_t cells) : bytes(cells * sizeof(float))
    {
        memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw common::Unavailable("no memory for a result");
        entropy::populatePages(memory, bytes); // as allocateResult() does
    }
    ~FreshArray()
    {
        if (bytes) munmap(memory, bytes);
    }
    FreshArray(FreshArray &&other) noexcept
        : memory(other.memory), bytes(std::exchange(other.bytes, 0))
    {
    }
    float *get() const { return static_cast<float *>(memory); }

private:
    void *memory;
    std::size_t bytes;
};

void compute(local_entropy::Engine &engine, Shape shape, const std::vector<float> &sample,
             float *result)
{
    local_entropy::Filter filter;
    filter.levels.count = 16;
    engine.run(filter,
               local_entropy::View<const float>{sample.data(), shape.width, shape.height},
               local_entropy::View<float>{result, shape.width, shape.height});
}

local_entropy::EngineOptions withDevices()
{
    local_entropy::EngineOptions options;
    options.devices = true;
    return options;
}

class Bench
{
public:
    void run(Shape shape)
    {
        const std::size_t cells = static_cast<std::size_t>(shape.width) * shape.height;
        const auto levels = entropy::makeContent({}, shape.width, shape.height, 20201122);
        const std::vector<float> sample(levels.begin(), levels.end());
        std::vector<float> gold(cells);
        local_entropy::EngineOptions portable;
        portable.path = "portable";
        local_entropy::Engine judge(portable);
        compute(judge, shape, sample, gold.data());

        common::HostArray<float> kept = entropy::allocateResult(cells);
        std::fill_n(kept.get(), cells, NAN);
        const common::Timing copy = streamingCopy(sample, kept.get());
        const common::Timing duplex =
            common::deviceCount() > 0 && cells >= 1000 ? duplexCopy(cells) : common::Timing{};
        const std::pair<const char *, std::function<void(float *)>> ways[] = {
            {"cpu",
             [&](float *result) {
                 compute(cpu, shape, sample, result);
             }},
            {"everywhere", [&](float *result) {
                 compute(everywhere, shape, sample, result);
             }}};
        for (const auto &way : ways)
            for (const Memory memory : {Memory::Fresh, Memory::Again, Memory::Touched}) {
                const char *const name = way.first;
                const auto &compute = way.second;
                const auto check = [&](const float *result) {
                    if (std::memcmp(result, gold.data(), cells * sizeof(float)))
                        throw common::Error(std::string(name) + " is wrong at " +
                                            std::to_string(shape.width) + " x " +
                                            std::to_string(shape.height));
                };
                const auto into = [&](auto allocate) {
                    return common::measure(
                        [&] {
                            auto result = allocate();
                            compute(result.get());
                            return result;
                        },
                        [&](const auto &result) { check(result.get()); });
                };
                common::Timing timing;
                switch (memory) {
                case Memory::Fresh: timing = into([&] { return FreshArray(cells); }); break;
                case Memory::Again:
                    timing = into([&] { return entropy::allocateResult(cells); });
                    break;
                case Memory::Touched:
                    std::fill_n(kept.get(), cells, NAN);
                    timing = common::measure([&] { return compute(kept.get()), 0; },
                                             [&](int) { check(kept.get()); });
                }
                report(name, shape, memory, timing, copy, duplex);
            }
    }

    void save(const char *file) const { csv.save(file); }

private:
    local_entropy::Engine cpu, everywhere{withDevices()};
    void report(const char *name, Shape shape, Memory memory, const common::Timing &timing,
                const common::Timing &copy, const common::Timing &duplex)
    {
        const double mega = double(shape.width) * shape.height / timing.median / 1e3;
        std::printf("%-10s %7d x %-7d %-7s | %10.4f ms, minimum %10.4f, %4zu runs | %8.0f Mcell/s "
                    "| copy by all cores %8.4f ms, both ways over the bus %8.4f ms\n",
                    name, shape.width, shape.height, memoryName(memory), timing.median,
                    timing.minimum, timing.repeats, mega, copy.median, duplex.median);
        std::fflush(stdout);
        csv.add({name, std::to_string(shape.width), std::to_string(shape.height),
                 memoryName(memory), std::to_string(timing.repeats), std::to_string(timing.median),
                 std::to_string(timing.minimum), std::to_string(copy.median),
                 std::to_string(duplex.median)});
    }

    common::Csv csv{{"way", "width", "height", "memory", "runs", "median_ms", "min_ms",
                     "host_copy_ms", "bus_copy_ms"}};
};

int run(const char *file)
{
    std::printf("%s\n", common::machineFacts().c_str());
    Bench bench;
    for (const Shape shape : kShapes) bench.run(shape);
    if (file) bench.save(file);
    return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char **argv)
{
    return common::fileProgram("bench_everywhere", kHelp, argc, argv, run);
}
