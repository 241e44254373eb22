// What do GPUs add to the CPU, from host memory to host memory? Filters on the CPU alone, through
// the GPUs alone and by both, beside a copy of the same bytes by all cores.

#include "bench/filter_cases.h"
#include "bench/picture.h"
#include "bench/program.h"
#include "common/clock.h"
#include "common/machine.h"
#include "common/threads.h"
#include "local_entropy/schedule/everywhere.h"
#include "local_entropy/schedule/plans.h"
#include "local_entropy/schedule/pool.h"
#include "local_entropy/schedule/staging.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

namespace
{

using namespace local_entropy;

constexpr const char *kWhat =
    R"(Times filters of uint8 images from host memory to host memory that was used before: on the CPU alone
(cpu), through all GPUs, fed by the cores (gpus), by both (both), and as an engine with devices
decides (auto); every bit checked first, beside a copy of as many bytes by all cores.
)";

struct Way
{
    const char *name;
    bool devices;
    ThroughDevices choice;
};

constexpr Way kWays[] = {{"cpu", false, ThroughDevices::IfCheaper},
                         {"gpus", true, ThroughDevices::All},
                         {"both", true, ThroughDevices::IfThereIsRoom},
                         {"auto", true, ThroughDevices::IfCheaper}};

/// A filter on an image, and the right answer.
class Scene
{
public:
    Scene(const bench::FilterCase &one, int width, int height)
        : picture(bench::makePicture(one.type, "natural", one.filter.levels.count, width, height)),
          gold(cells()), values(cells())
    {
        Engine judge;
        bench::compute(judge, one.filter, picture, gold.data());
        const auto &image = std::get<std::vector<std::uint8_t>>(picture.cells);
        problem = checkedProblem(one.filter, {image.data(), CellType::Uint8, width, height, 0}, {},
                                 {values.data(), false, width, height, 0}, {});
        const Path path = bestPath();
        const Method &method = chooseMethod(problem, path);
        nanoseconds = method.cost(problem, path) * static_cast<double>(cells());
        plan = method.plan(problem, path);
        copy = copyMilliseconds();
    }

    void check() const
    {
        if (std::memcmp(values.data(), gold.data(), cells() * sizeof(float)) != 0)
            throw bench::WrongAnswer("the bits are not those of the CPU");
    }

    common::Timing time(const Way &way)
    {
        std::fill(values.begin(), values.end(), NAN);
        return common::measure([&] { return compute(way), 0; }, [&](int) { check(); });
    }

    double copied() const { return copy; } ///< milliseconds

private:
    std::size_t cells() const { return static_cast<std::size_t>(picture.width) * picture.height; }

    void compute(const Way &way)
    {
        const common::WallClock clock;
        const std::function<bool(double)> nobody;
        Progress progress(nobody, problem.region);
        const int threads = pool.threads();
        const auto shared = way.devices ? Everywhere::of(problem, *plan, nanoseconds, threads,
                                                         costs, progress, {way.choice})
                                        : nullptr;
        if (way.choice != ThroughDevices::IfCheaper && !shared) throw common::Unavailable("no GPU");
        TileQueue queue(problem.region, plan->tileSize(problem, threads), progress);
        pool.run(threads, [&](int) {
            thread_local Scratch scratch;
            shared ? shared->work(scratch) : plan->work(problem, queue, scratch);
        });
        if (way.choice == ThroughDevices::IfCheaper)
            costs.add(clock.seconds(), shared != nullptr, shared ? shared->tiles() : 0);
    }

    double copyMilliseconds()
    {
        const std::vector<float> from(cells());
        const auto &image = std::get<std::vector<std::uint8_t>>(picture.cells);
        std::vector<std::uint8_t> bytes(cells());
        const int threads = pool.threads();
        return common::measure(
                   [&] {
                       pool.run(threads, [&](int number) {
                           const std::size_t begin = cells() * number / threads;
                           const std::size_t size = cells() * (number + 1) / threads - begin;
                           std::memcpy(&bytes[begin], &image[begin], size);
                           copyResults(&from[begin], size, &values[begin]);
                       });
                       return 0;
                   },
                   [](int) {})
            .median;
    }

    const bench::Picture picture;
    std::vector<float> gold, values;
    Problem problem;
    double nanoseconds = 0;
    std::unique_ptr<const Plan> plan;
    WayCosts costs;
    Pool pool{common::offeredThreads()};
    double copy = 0;
};

bench::Case caseOf(const bench::FilterCase &one, int width, int height)
{
    const std::string name =
        one.name() + "-" + std::to_string(width) + "x" + std::to_string(height);
    return {
        name, one.what(), 1 + sizeof(float), [one, width, height] {
            const auto scene = std::make_shared<Scene>(one, width, height);
            std::vector<bench::Row> rows;
            for (const Way &way : kWays) {
                bench::Row row;
                row.keys = {one.name(), way.name, std::to_string(width), std::to_string(height)};
                row.results = static_cast<double>(width) * height;
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

/// Whether a filter is timed unless all are asked for: some that the CPU computes about as fast as
/// memory is copied, and some that take it ten times as long.
bool isOfTheGrid(const std::string &name)
{
    const std::vector<std::string> grid = {"uint8-256-5x5", "uint8-256-9x9", "uint8-256-15x15",
                                           "uint8-256-31x31", "uint8-16-9x9"};
    return std::find(grid.begin(), grid.end(), name) != grid.end();
}

std::vector<bench::Case> cases(bool all)
{
    std::vector<bench::Case> cases;
    for (const bench::FilterCase &one : bench::filterCases())
        if (one.type == "uint8" && (all || isOfTheGrid(one.name())))
            for (const int side : {512, 2048, 10240}) cases.push_back(caseOf(one, side, side));
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
    const std::vector<bench::Option> options = {{"all", "", "all filters of bytes, not only some",
                                                 [&all](const std::string &) { all = true; }}};
    return bench::runProgram({"bench_together", kWhat, layout, options,
                              [&all] { return cases(all); }, common::machineFacts},
                             argc, argv);
}
