#include "local_entropy/engine.h"

#include "local_entropy/answers/default_rounding.h"
#include "local_entropy/methods/bits/bits.h"
#include "local_entropy/methods/method.h"
#include "local_entropy/problem/load.h"
#include "local_entropy/schedule/everywhere.h"
#include "local_entropy/schedule/parts.h"
#include "local_entropy/schedule/plans.h"
#include "local_entropy/schedule/pool.h"
#include "local_entropy/schedule/progress.h"
#include "local_entropy/schedule/scratches.h"

#include <algorithm>
#include <deque>
#include <thread>
#include <type_traits>

namespace local_entropy
{
namespace
{

std::string list(const std::vector<std::string> &names)
{
    std::string text;
    for (const std::string &name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

void checkThreads(int asked)
{
    if (asked < 0)
        throw Error(Status::BadArgument, std::to_string(asked) + " threads, expected 0 or more");
}

int threadsFrom(int asked)
{
    checkThreads(asked);
    return asked > 0 ? asked : static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));
}

Path pathFrom(const std::string &name)
{
    if (name.empty()) return bestPath();
    for (const Path path : kPaths)
        if (name == pathName(path) && pathWorksHere(path)) return path;
    throw Error(Status::Unavailable,
                "the path '" + name + "' does not work here, only " + list(Engine::paths()));
}

const Method *methodFrom(const std::string &name)
{
    if (name.empty()) return nullptr;
    for (const Method *method : methods())
        if (name == method->name()) return method;
    throw Error(Status::BadArgument,
                "there is no method '" + name + "', only " + list(Engine::methods()));
}

template <typename Cell>
constexpr CellType typeOf()
{
    if constexpr (std::is_same_v<Cell, std::uint8_t>) return CellType::Uint8;
    if constexpr (std::is_same_v<Cell, std::uint16_t>) return CellType::Uint16;
    if constexpr (std::is_same_v<Cell, std::int16_t>) return CellType::Int16;
    if constexpr (std::is_same_v<Cell, bool>) return CellType::Bool;
    return CellType::Float32;
}

template <typename Cell, typename Value>
Problem problemOf(const Filter &filter, const View<const Cell> &image, const View<Value> &result,
                  const RunOptions &options)
{
    return checkedProblem(
        filter, {image.data, typeOf<Cell>(), image.width, image.height, image.stride},
        {options.mask.data, options.mask.width, options.mask.height, options.mask.stride},
        {result.data, std::is_same_v<Value, double>, result.width, result.height, result.stride},
        options.region);
}

} // namespace

struct Engine::Parts
{
    explicit Parts(const EngineOptions &options)
        : pool(threadsFrom(options.threads)), path(pathFrom(options.path)),
          only(methodFrom(options.method)), devices(options.devices)
    {
    }

    Pool pool;
    const Path path;
    const Method *const only; ///< null: the cheapest
    const bool devices;
    Plans plans;
    Scratches scratches;

    const Method &methodFor(const Problem &problem) const
    {
        if (!only) return chooseMethod(problem, path);
        if (only->can(problem, path)) return *only;
        throw Error(Status::Unavailable, std::string("the method '") + only->name() +
                                             "' cannot compute this filter on path " +
                                             pathName(path));
    }

    /// A problem and who computes it.
    struct Job
    {
        Problem problem;
        const Method *method;
        double cost; ///< nanoseconds
    };

    void add(std::vector<Job> &jobs, const Problem &problem, const Method &method) const
    {
        const double cells =
            static_cast<double>(problem.region.width) * static_cast<double>(problem.region.height);
        jobs.push_back({problem, &method, cells * method.cost(problem, path)});
    }

    std::vector<Job> jobsOf(const Problem &whole) const
    {
        std::vector<Job> jobs;
        if (!only || only->can(whole, path)) {
            const Method &method = methodFor(whole);
            if (method.wantsWhole()) {
                add(jobs, whole, method);
                return jobs;
            }
        }
        for (const Problem &part : partsOf(whole)) add(jobs, part, methodFor(part));
        return jobs;
    }

    /// A job under way.
    struct Share
    {
        Share(const Job &job, Parts &parts, int threads, Progress &progress)
            : problem(job.problem), plan(parts.plans.get(*job.method, problem, parts.path)),
              everywhere(parts.devices && job.method == &bitsMethod() ? Everywhere::of(problem)
                                                                      : nullptr),
              queue(problem.region, tileSize(threads), progress)
        {
        }

        void work(Scratch &scratch)
        {
            if (everywhere)
                everywhere->work(bitsPlan(), problem, queue, scratch);
            else
                plan->work(problem, queue, scratch);
        }

    private:
        const bits::BitsPlan &bitsPlan() const
        {
            return static_cast<const bits::BitsPlan &>(*plan);
        }
        TileSize tileSize(int threads) const
        {
            return everywhere ? everywhere->tileSize(bitsPlan(), problem, threads)
                              : plan->tileSize(problem, threads);
        }

        const Problem &problem;
        const std::shared_ptr<const Plan> plan;
        const std::unique_ptr<Everywhere> everywhere; ///< null: all of it on the CPU
        TileQueue queue;
    };

    /// Threads, of `most`, that have something to do: waking one takes as long as some results.
    static int threadsFor(const std::vector<Job> &jobs, int most)
    {
        constexpr double kEnough = 50000; ///< nanoseconds, for each
        double worth = 0;
        for (const Job &job : jobs) worth += job.cost / kEnough;
        return worth < most ? std::max(static_cast<int>(worth), 1) : most;
    }

    void run(const Problem &whole, const RunOptions &options)
    {
        checkThreads(options.threads);
        const std::vector<Job> jobs = jobsOf(whole);
        const int most =
            options.threads > 0 ? std::min(options.threads, pool.threads()) : pool.threads();
        const int threads = threadsFor(jobs, most);
        Progress progress(options.progress, whole.region);
        try {
            std::deque<Share> shares;
            for (const Job &job : jobs) shares.emplace_back(job, *this, threads, progress);
            pool.run(threads, [&](int) { work(shares, progress); });
        } catch (const Error &error) {
            if (error.status() == Status::BadLevel) throwFirstBadCell(whole);
            throw;
        } catch (const std::bad_alloc &) {
            throw Error(Status::Unavailable, "no memory for the tables or a tile");
        }
        if (progress.wasStopped()) throw Error(Status::Cancelled, "cancelled by the caller");
    }

    /// What each thread does.
    void work(std::deque<Share> &shares, Progress &progress)
    {
        const DefaultRounding rounding;
        const Scratches::Lease scratch(scratches);
        try {
            for (Share &share : shares) share.work(*scratch);
        } catch (...) {
            progress.stop();
            throw;
        }
    }
};

Engine::Engine(const EngineOptions &options) : parts(std::make_unique<Parts>(options)) {}
Engine::~Engine() = default;
Engine::Engine(Engine &&) noexcept = default;
Engine &Engine::operator=(Engine &&) noexcept = default;

template <typename Cell, typename Value>
void Engine::run(const Filter &filter, View<const Cell> image, View<Value> result,
                 const RunOptions &options)
{
    const DefaultRounding rounding;
    parts->run(problemOf(filter, image, result, options), options);
}

template <typename Cell, typename Value>
void Engine::enqueue(const Filter &filter, View<const Cell> image, View<Value> result, void *,
                     const RunOptions &options)
{
    problemOf(filter, image, result, options);
    throw Error(Status::Unavailable, "no method computes from device memory yet: copy the image "
                                     "into host memory and call run()");
}

template <typename Cell, typename Value>
std::vector<std::string> Engine::methodsFor(const Filter &filter, View<const Cell> image,
                                            View<Value> result, const RunOptions &options) const
{
    std::vector<std::string> names;
    for (const Parts::Job &job : parts->jobsOf(problemOf(filter, image, result, options))) {
        const std::string name = job.method->name();
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
}

std::vector<std::string> Engine::paths()
{
    std::vector<std::string> names;
    for (const Path path : kPaths)
        if (pathWorksHere(path)) names.push_back(pathName(path));
    return names;
}

std::vector<std::string> Engine::methods()
{
    std::vector<std::string> names;
    for (const Method *method : local_entropy::methods()) names.push_back(method->name());
    return names;
}

#define INSTANTIATE(Cell, Value)                                                                   \
    template void Engine::run(const Filter &, View<const Cell>, View<Value>, const RunOptions &);  \
    template void Engine::enqueue(const Filter &, View<const Cell>, View<Value>, void *,           \
                                  const RunOptions &);                                             \
    template std::vector<std::string> Engine::methodsFor(const Filter &, View<const Cell>,         \
                                                         View<Value>, const RunOptions &) const;
INSTANTIATE(std::uint8_t, float)
INSTANTIATE(std::uint8_t, double)
INSTANTIATE(std::uint16_t, float)
INSTANTIATE(std::uint16_t, double)
INSTANTIATE(std::int16_t, float)
INSTANTIATE(std::int16_t, double)
INSTANTIATE(float, float)
INSTANTIATE(float, double)
INSTANTIATE(bool, float)
INSTANTIATE(bool, double)
#undef INSTANTIATE

} // namespace local_entropy
