// How fast are the engine's ways from host memory to host memory? By the CPU alone, through one GPU
// and by all that there is, into fresh memory and into memory that was used before, beside what
// bounds them: a copy of the same floats by all cores around the caches and, with a GPU, both ways
// over the bus.

#include "bench/cells.h"
#include "bench/program.h"
#include "common/copy_speed.h"
#include "common/devices.h"
#include "common/error.h"
#include "common/machine.h"
#include "entropy/pages.h"
#include "entropy/result_memory.h"
#include "local_entropy/schedule/everywhere.h"
#include "local_entropy/schedule/staging.h"

#ifdef __CUDACC__
#include "common/device_stream.h"
#endif

#include <algorithm>
#include <cmath>
#include <memory>
#include <sys/mman.h>
#include <utility>

namespace
{

constexpr const char *kWhat =
    R"(Times the engine from host memory to host memory, on the CPU alone, through GPU 0 and everywhere, every
bit checked first, beside a copy by all cores and copies both ways over the bus. The result goes into memory

  fresh    from the system
  again    that the caller before has freed
  touched  that is one and the same array
)";

struct Shape
{
    int width, height;
};

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

/// The engines that are timed, made once for all cases.
struct Engines
{
    local_entropy::Engine cpu, gpu{ofGpu()}, everywhere{withDevices()};

    static local_entropy::EngineOptions ofGpu()
    {
        local_entropy::EngineOptions options;
        options.method = "words";
        return options;
    }

    static local_entropy::EngineOptions withDevices()
    {
        local_entropy::EngineOptions options;
        options.devices = true;
        return options;
    }
};

/// One array, its right answer, and the copies beside it.
class Array
{
public:
    explicit Array(Shape shape)
        : cells(bench::makeCells("random", shape.width, shape.height)), gold(cells.count()),
          kept(entropy::allocateResult(cells.count()))
    {
        local_entropy::EngineOptions portable;
        portable.path = "portable";
        local_entropy::Engine judge(portable);
        bench::compute(judge, cells, gold.data());
        poison();
        copies = {streamingCopy(cells.sample, kept.get()).median,
                  common::deviceCount() > 0 && cells.count() >= 1000
                      ? duplexCopy(cells.count()).median
                      : 0};
    }

    common::Timing time(local_entropy::Engine &engine, const std::string &memory)
    {
        if (memory == "fresh") return into(engine, [this] { return FreshArray(cells.count()); });
        if (memory == "again")
            return into(engine, [this] { return entropy::allocateResult(cells.count()); });
        poison();
        return common::measure([&] { return bench::compute(engine, cells, kept.get()), 0; },
                               [&](int) { check(kept.get()); });
    }

    const std::vector<double> &copyMilliseconds() const { return copies; } ///< host, bus

private:
    template <typename Allocate>
    common::Timing into(local_entropy::Engine &engine, Allocate allocate) const
    {
        return common::measure(
            [&] {
                auto result = allocate();
                bench::compute(engine, cells, result.get());
                return result;
            },
            [&](const auto &result) { check(result.get()); });
    }

    void poison() { std::fill_n(kept.get(), cells.count(), NAN); }

    void check(const float *result) const { bench::requireSameBits(cells, result, gold.data()); }

    const bench::Cells cells;
    std::vector<float> gold;
    const common::HostArray<float> kept;
    std::vector<double> copies;
};

bench::Row rowOf(Shape shape, const std::shared_ptr<Array> &array, const std::string &way,
                 const std::string &memory, local_entropy::Engine &engine)
{
    bench::Row row;
    row.keys = {way, std::to_string(shape.width), std::to_string(shape.height), memory};
    row.results = static_cast<double>(shape.width) * shape.height;
    row.open = [array, memory, &engine] {
        bench::Work work;
        work.time = [array, memory, &engine] { return array->time(engine, memory); };
        work.beside = [array] { return array->copyMilliseconds(); };
        return work;
    };
    return row;
}

std::vector<bench::Row> rowsOf(Shape shape, Engines &engines)
{
    const auto array = std::make_shared<Array>(shape);
    std::vector<bench::Row> rows;
    const auto add = [&](const char *way, local_entropy::Engine &engine) {
        for (const char *memory : {"fresh", "again", "touched"})
            rows.push_back(rowOf(shape, array, way, memory, engine));
    };
    add("cpu", engines.cpu);
    if (common::deviceCount() > 0) add("gpu", engines.gpu);
    add("everywhere", engines.everywhere);
    return rows;
}

std::vector<bench::Case> cases()
{
    const auto engines = std::make_shared<std::unique_ptr<Engines>>();
    std::vector<bench::Case> cases;
    for (const Shape shape : kShapes)
        cases.push_back(
            {bench::sizeOf(shape.width, shape.height), "", 2 * sizeof(float), [shape, engines] {
                 if (!*engines) {
                     *engines = std::make_unique<Engines>();
                     if (!local_entropy::Everywhere::start() && common::deviceCount() > 0)
                         throw common::Error(
                             "the GPUs do not start: calls would be timed with that");
                 }
                 return rowsOf(shape, **engines);
             }});
    return cases;
}

} // namespace

int main(int argc, char **argv)
{
    const bench::Layout layout{{{"way"}, {"width"}, {"height"}, {"memory"}},
                               {bench::runs(), bench::median(), bench::minimum(),
                                bench::rate("", "Mcell/s"),
                                bench::beside(0, "host_copy_ms", "ms a copy by all cores"),
                                bench::beside(1, "bus_copy_ms", "ms both ways over the bus")}};
    return bench::runProgram({"bench_everywhere", kWhat, layout, {}, cases, common::machineFacts},
                             argc, argv);
}
