// What do GPUs add to the CPU, from host memory to host memory? Filters on the CPU alone, through
// the GPUs alone and by both, beside a copy of the same bytes by all cores.

#include "bench/filter_cases.h"
#include "bench/launch_pictures.h"
#include "bench/picture.h"
#include "bench/program.h"
#include "common/clock.h"
#include "common/machine.h"
#include "common/threads.h"
#include "local_entropy/problem/type_of.h"
#include "local_entropy/schedule/everywhere.h"
#include "local_entropy/schedule/plans.h"
#include "local_entropy/schedule/pool.h"
#include "local_entropy/schedule/staging.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

namespace
{

using namespace local_entropy;

constexpr const char *kWhat =
    R"(Times filters from host memory to host memory that was used before: on the CPU alone (cpu), through
all GPUs, fed by the cores (gpus), by both (both), and by an engine with devices that decides by
itself, as programs have it, after some calls to learn from (auto); every bit checked first, beside
a copy of as many bytes by all cores.
)";

constexpr int kSides[] = {512, 2048, 10240}, kLargest = 10240;

/// Who computes. Of the two that an engine would not do unasked, its parts are called.
struct Way
{
    const char *name;
    bool devices;
    std::optional<ThroughDevices> choice;
};

constexpr Way kWays[] = {{"cpu", false, {}},
                         {"gpus", true, ThroughDevices::All},
                         {"both", true, ThroughDevices::IfThereIsRoom},
                         {"auto", true, {}}};

/// With as many threads as the parts that are called have.
EngineOptions engineOptions(bool devices)
{
    EngineOptions options;
    options.threads = common::offeredThreads();
    options.devices = devices;
    return options;
}

/// What the scenes have one after the other.
struct Stage
{
    bench::LaunchPictures pictures{kLargest, kLargest};
    std::vector<float> values;
    std::vector<char> bytes;
    Engine cpu{engineOptions(false)};
    Pool pool{common::offeredThreads()};
};

/// A filter on an image, and the right answer. Of all scenes of a Stage only one is there at a
/// time.
class Scene
{
public:
    Scene(Stage &stage, const bench::FilterCase &one, int side)
        : stage(stage), one(one), picture(stage.pictures.picture(one, imageOf(side))),
          gold(stage.pictures.answer(one, imageOf(side)))
    {
        stage.values.resize(gold.size());
        std::visit(
            [&](const auto &cells) {
                using Cell = typename std::decay_t<decltype(cells)>::value_type;
                const Image image{cells.data(), typeOf<Cell>(), side, side, 0};
                problem = checkedProblem(one.filter, image, {},
                                         {stage.values.data(), false, side, side, 0}, {});
            },
            picture.cells);
        const Path path = bestPath();
        const int threads = stage.pool.threads();
        const Method &method = chooseMethod(problem, path, nullptr, threads);
        nanoseconds = method.costInTiles(problem, path, threads) * static_cast<double>(gold.size());
        plan = method.plan(problem, path);
        copy = copyMilliseconds();
    }

    common::Timing time(const Way &way)
    {
        std::fill(stage.values.begin(), stage.values.end(), NAN);
        const auto check = [&](int) {
            if (std::memcmp(stage.values.data(), gold.data(), gold.size() * sizeof(float)) != 0)
                throw bench::WrongAnswer("the bits are not those of the CPU");
        };
        if (way.choice) return common::measure([&] { return share(*way.choice), 0; }, check);
        if (!way.devices) return common::measure([&] { return run(stage.cpu), 0; }, check);
        Engine engine(engineOptions(true));
        const common::WallClock learning;
        for (int call = 0; call < kFirstCalls || learning.seconds() < kLearning; ++call)
            run(engine);
        return common::measure([&] { return run(engine), 0; }, check);
    }

    double copied() const { return copy; } ///< milliseconds

private:
    /// Of auto, untimed: an engine leaves what is soon done to the CPU at first, and then tries.
    static constexpr int kFirstCalls = 6;
    static constexpr double kLearning = 0.25; // seconds

    static bench::LaunchImage imageOf(int side)
    {
        return {bench::kUsualContent, side, side, bench::placementOf("aligned")};
    }

    void run(Engine &engine) { bench::compute(engine, one.filter, picture, stage.values.data()); }

    void share(ThroughDevices choice)
    {
        const std::function<bool(double)> nobody;
        Progress progress(nobody, problem.region);
        const int threads = stage.pool.threads();
        const auto shared =
            Everywhere::of(problem, *plan, nanoseconds, threads, costs, progress, {choice});
        if (!shared) throw common::Unavailable("no GPU");
        stage.pool.run(threads, [&](int) {
            thread_local Scratch scratch;
            shared->work(scratch);
        });
    }

    /// As many bytes as the image and the results, by all cores.
    double copyMilliseconds()
    {
        const char *const image = std::visit(
            [](const auto &cells) { return reinterpret_cast<const char *>(cells.data()); },
            picture.cells);
        const std::size_t ofCell = bench::cellBytes(one.type);
        stage.bytes.resize(ofCell * gold.size());
        const int threads = stage.pool.threads();
        return common::measure(
                   [&] {
                       stage.pool.run(threads, [&](int number) {
                           const std::size_t begin = gold.size() * number / threads;
                           const std::size_t size = gold.size() * (number + 1) / threads - begin;
                           std::memcpy(&stage.bytes[ofCell * begin], image + ofCell * begin,
                                       ofCell * size);
                           copyResults(&gold[begin], size, &stage.values[begin]);
                       });
                       return 0;
                   },
                   [](int) {})
            .median;
    }

    Stage &stage;
    const bench::FilterCase one;
    const bench::Picture &picture;
    const std::vector<float> &gold;
    Problem problem;
    double nanoseconds = 0;
    std::unique_ptr<const Plan> plan;
    WayCosts costs;
    double copy = 0;
};

bench::Case caseOf(const std::shared_ptr<Stage> &stage, const bench::FilterCase &one, int side)
{
    const std::string size = std::to_string(side);
    return {one.name() + "-" + size + "x" + size, one.what(),
            static_cast<double>(bench::cellBytes(one.type)) + sizeof(float),
            [stage, one, side, size] {
                const auto scene = std::make_shared<Scene>(*stage, one, side);
                std::vector<bench::Row> rows;
                for (const Way &way : kWays) {
                    bench::Row row;
                    row.keys = {one.name(), way.name, size, size};
                    row.results = static_cast<double>(side) * side;
                    row.mayLack = way.devices;
                    row.open = [scene, &way] {
                        bench::Work work;
                        work.time = [scene, &way] { return scene->time(way); };
                        work.beside = [scene] { return std::vector<double>{scene->copied()}; };
                        return work;
                    };
                    rows.push_back(row);
                }
                return rows;
            }};
}

/// Whether a filter is timed unless all are asked for: of each method, some that the CPU computes
/// about as fast as memory is copied, and some that take it ten times as long.
bool isOfTheGrid(const std::string &name)
{
    const std::vector<std::string> grid = {
        "uint8-256-3x3",   "uint8-256-5x5", "uint8-256-9x9", "uint8-256-15x15", "uint8-256-31x31",
        "uint8-256-disk5", "uint8-16-5x5",  "uint8-16-9x9",  "uint8-16-15x15",  "uint16-4096-9x9"};
    return std::find(grid.begin(), grid.end(), name) != grid.end();
}

std::vector<bench::Case> cases(bool all)
{
    const auto stage = std::make_shared<Stage>();
    std::vector<bench::Case> cases;
    for (const bench::FilterCase &one : bench::launchCases())
        if (!one.isMasked && (all || isOfTheGrid(one.name())))
            for (const int side : kSides) cases.push_back(caseOf(stage, one, side));
    return cases;
}

} // namespace

int main(int argc, char **argv)
{
    const bench::Layout layout{
        {{"case"}, {"way"}, {"width"}, {"height"}},
        {bench::runs(), bench::median(), bench::minimum(), bench::rate("", "Mpixel/s"),
         bench::beside(0, "copy_ms", "ms a copy by all cores"), bench::shareOf(0, "of the copy")}};
    bool all = false;
    const std::vector<bench::Option> options = {{"all", "",
                                                 "all filters without a mask, not only some",
                                                 [&all](const std::string &) { all = true; }}};
    return bench::runProgram({"bench_together", kWhat, layout, options,
                              [&all] { return cases(all); }, common::machineFacts},
                             argc, argv);
}
