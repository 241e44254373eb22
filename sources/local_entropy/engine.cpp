#include "local_entropy/engine.h"

#include "common/clock.h"
#include "common/processors.h"
#include "local_entropy/answers/default_rounding.h"
#include "local_entropy/in_library.h"
#include "local_entropy/methods/method.h"
#include "local_entropy/problem/load.h"
#include "local_entropy/problem/type_of.h"
#include "local_entropy/schedule/jobs.h"
#include "local_entropy/schedule/launchers.h"
#include "local_entropy/schedule/plans.h"
#include "local_entropy/schedule/pool.h"
#include "local_entropy/schedule/progress.h"
#include "local_entropy/schedule/questions.h"
#include "local_entropy/schedule/scratches.h"

#include <algorithm>
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
    return asked > 0 ? asked : common::usableProcessors();
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

template <typename Cell, typename Value>
Asked askedOf(const Filter &filter, const View<const Cell> &image, const View<Value> &result,
              const RunOptions &options, int threadsOfEngine)
{
    checkThreads(options.threads);
    return {
        filter,
        {image.data, typeOf<Cell>(), image.width, image.height, image.stride},
        {options.mask.data, options.mask.width, options.mask.height, options.mask.stride},
        {result.data, std::is_same_v<Value, double>, result.width, result.height, result.stride},
        options.region,
        options.threads > 0 ? std::min(options.threads, threadsOfEngine) : threadsOfEngine};
}

Problem checkedProblem(const Asked &asked)
{
    return local_entropy::checkedProblem(asked.filter, asked.image, asked.mask, asked.result,
                                         asked.region);
}

} // namespace

struct Engine::Parts
{
    explicit Parts(const EngineOptions &options)
        : pool(threadsFrom(options.threads)), choice{pathFrom(options.path),
                                                     methodFrom(options.method)},
          devices(options.devices), questions(choice)
    {
    }

    Pool pool;
    const Choice choice;
    const bool devices;
    Plans plans;
    Questions questions;
    Scratches scratches;
    Launchers launchers;

    template <typename... What>
    Asked ask(const What &...what) const
    {
        return askedOf(what..., pool.threads());
    }

    /// What the threads of a call share.
    struct Call
    {
        Call(Parts &parts, const Asked &asked, const RunOptions &options)
            : parts(parts), lease(parts.questions, asked, parts.plans), question(lease.question()),
              progress(options.progress, question.problem().region)
        {
        }

        /// What each of them does; the first one has called.
        void work(int number)
        {
            if (number == 0) return work(lease.scratch(), number);
            const DefaultRounding rounding;
            work(*Scratches::Lease(parts.scratches), number);
        }
        void work(Scratch &scratch, int number)
        {
            try {
                question.work(scratch, number);
            } catch (...) {
                progress.stop();
                throw;
            }
        }

        Parts &parts;
        const Questions::Lease lease;
        Question &question;
        Progress progress;
    };

    void run(const Asked &asked, const RunOptions &options)
    {
        Call call(*this, asked, options);
        const common::WallClock clock;
        call.question.begin(devices, call.progress);
        try {
            pool.run(call.question.threads(), [&call](int number) { call.work(number); });
        } catch (const Error &error) {
            if (error.status() == Status::BadLevel) throwFirstBadCell(call.question.problem());
            throw;
        }
        if (call.progress.wasStopped()) throw Error(Status::Cancelled, "cancelled by the caller");
        if (devices) call.question.took(clock.seconds());
    }
};

Engine::Engine(const EngineOptions &options)
    : parts(inLibrary([&] { return std::make_unique<Parts>(options); }))
{
}
Engine::~Engine() = default;
Engine::Engine(Engine &&) noexcept = default;
Engine &Engine::operator=(Engine &&) noexcept = default;

template <typename Cell, typename Value>
void Engine::run(const Filter &filter, View<const Cell> image, View<Value> result,
                 const RunOptions &options)
{
    inLibrary([&] { parts->run(parts->ask(filter, image, result, options), options); });
}

template <typename Cell, typename Value>
void Engine::enqueue(const Filter &filter, View<const Cell> image, View<Value> result, void *stream,
                     const RunOptions &options)
{
    inLibrary([&] {
        parts->launchers.enqueue(checkedProblem(parts->ask(filter, image, result, options)),
                                 parts->choice.only, options.workspace, stream);
    });
}

template <typename Cell, typename Value>
std::size_t Engine::workspaceBytes(const Filter &filter, View<const Cell> image, View<Value> result,
                                   const RunOptions &options) const
{
    return inLibrary([&] {
        return parts->launchers.workspaceBytes(
            checkedProblem(parts->ask(filter, image, result, options)), parts->choice.only);
    });
}

void Engine::synchronize()
{
    inLibrary([&] { parts->launchers.synchronize(); });
}

template <typename Cell, typename Value>
std::vector<std::string> Engine::methodsFor(const Filter &filter, View<const Cell> image,
                                            View<Value> result, const RunOptions &options) const
{
    return inLibrary([&] {
        std::vector<std::string> names;
        const Asked asked = parts->ask(filter, image, result, options);
        const Problem problem = checkedProblem(asked);
        for (const Job &job :
             jobsOf(problem, choiceOfCall(problem, parts->choice, asked.threads))) {
            const std::string name = job.method->name();
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
        }
        return names;
    });
}

std::vector<std::string> Engine::paths()
{
    return withLibraryErrors([] {
        std::vector<std::string> names;
        for (const Path path : kPaths)
            if (pathWorksHere(path)) names.push_back(pathName(path));
        return names;
    });
}

std::vector<std::string> Engine::methods()
{
    return withLibraryErrors([] {
        std::vector<std::string> names;
        for (const Method *method : local_entropy::methods()) names.push_back(method->name());
        return names;
    });
}

#define INSTANTIATE(Cell, Value)                                                                   \
    template void Engine::run(const Filter &, View<const Cell>, View<Value>, const RunOptions &);  \
    template void Engine::enqueue(const Filter &, View<const Cell>, View<Value>, void *,           \
                                  const RunOptions &);                                             \
    template std::size_t Engine::workspaceBytes(const Filter &, View<const Cell>, View<Value>,     \
                                                const RunOptions &) const;                         \
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
