// Many calls: of many threads at once for some time, or one after the other, and all bits right,
// while the memory stays flat.
//   soak [--seconds 60] [--threads 16] [--seed 1] [--questions 100]
//   soak --calls 100000
// The last line sums up; exit status 0 if all was right.
#include "questions.h"
#include "resident.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <omp.h>
#include <random>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace
{

using namespace local_entropy;
using soak::Asked;
using Clock = std::chrono::steady_clock;

struct Options
{
    double seconds = 60;
    int threads = 16;
    unsigned seed = 1;
    int questions = 100;
    long calls = 0;
};

Options optionsOf(int argc, char **argv)
{
    Options options;
    for (int i = 1; i < argc; i += 2) {
        const std::string name = argv[i];
        const double number = i + 1 < argc ? std::atof(argv[i + 1]) : 0;
        if (name == "--seconds")
            options.seconds = number;
        else if (name == "--threads")
            options.threads = static_cast<int>(number);
        else if (name == "--seed")
            options.seed = static_cast<unsigned>(number);
        else if (name == "--questions")
            options.questions = static_cast<int>(number);
        else if (name == "--calls")
            options.calls = static_cast<long>(number);
        else
            throw std::invalid_argument("what is " + name + "? See the head of soak.cpp");
        if (!(number > 0)) throw std::invalid_argument(name + " wants a number above 0");
    }
    return options;
}

/// All that the threads share.
struct Soak
{
    std::vector<std::unique_ptr<Asked>> asked;
    Engine shared, withDevices;
    std::atomic<int> prepared{0}; ///< threads that have asked everything once
    std::atomic<bool> enough{false};
    std::mutex mutex; ///< guards what follows
    std::map<std::string, long> counts;
    int failures = 0;

    explicit Soak(const Options &options)
        : asked(soak::allAsked(options.seed, options.questions)), shared(withThreads(4)),
          withDevices(withThreads(4, true))
    {
    }
    static EngineOptions withThreads(int threads, bool devices = false)
    {
        EngineOptions options;
        options.threads = threads;
        options.devices = devices;
        return options;
    }
    void count(const std::string &what)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        ++counts[what];
    }
    void fail(const std::string &sentence)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        if (++failures <= 10) std::fprintf(stderr, "soak: %s\n", sentence.c_str());
    }
};

/// A thread that calls, in one of seven ways each time.
class Caller
{
public:
    Caller(Soak &all, unsigned seed) : all(all), random(seed), own(anyOptions()) {}

    /// All that is asked once, so that what is kept for a next call is there; then at random.
    void callUntilEnough()
    {
        for (const auto &asked : all.asked)
            guard(*asked,
                  [&](const Asked &asked) { expect(asked, asked.isRight(own), "own engine"); });
        ++all.prepared;
        while (!all.enough) guard(anyAsked(), [&](const Asked &asked) { call(asked); });
    }

private:
    int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }
    const Asked &anyAsked() { return *all.asked[below(static_cast<int>(all.asked.size()))]; }
    EngineOptions anyOptions()
    {
        const std::vector<std::string> paths = Engine::paths();
        EngineOptions options = Soak::withThreads(1 + below(4));
        options.path = paths[below(static_cast<int>(paths.size()))];
        return options;
    }
    void expect(const Asked &asked, bool right, const std::string &how)
    {
        all.count(how);
        if (!right) all.fail(how + ": wrong bits, " + asked.text());
    }
    template <typename Work>
    void guard(const Asked &asked, Work work)
    {
        try {
            work(asked);
        } catch (const std::exception &error) {
            all.fail(std::string(error.what()) + ", " + asked.text());
        }
    }

    void call(const Asked &asked)
    {
        const int way = below(100);
        if (way < 40) return expect(asked, asked.isRight(all.shared), "shared engine");
        if (way < 60) return expect(asked, asked.isRight(all.withDevices), "devices");
        if (way < 80) return expect(asked, asked.isRight(own), "own engine");
        if (way < 88) return callNewEngine(asked);
        if (way < 94) return callInNestedRegions(asked);
        if (way < 97) return callAndCancel(*all.asked.back());
        expect(asked, asked.refusal(all.shared) == Status::BadArgument, "refused");
    }
    void callNewEngine(const Asked &asked)
    {
        EngineOptions options = anyOptions();
        const std::vector<std::string> methods = Engine::methods();
        options.method = methods[below(static_cast<int>(methods.size()))];
        try {
            Engine engine(options);
            expect(asked, asked.isRight(engine), "new engine");
        } catch (const Error &error) {
            if (error.status() != Status::Unavailable) throw;
            all.count("a method that cannot");
        }
    }
    void callInNestedRegions(const Asked &asked)
    {
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
        guard(asked, [&](const Asked &asked) {
            expect(asked, asked.isRight(all.shared), "in nested parallel regions");
        });
    }
    void callAndCancel(const Asked &asked)
    {
        RunOptions options;
        options.progress = [](double) { return false; };
        try {
            expect(asked, asked.isRight(all.shared, options), "too quick to be cancelled");
        } catch (const Error &error) {
            if (error.status() != Status::Cancelled) throw;
            all.count("cancelled");
        }
    }

    Soak &all;
    std::mt19937 random;
    Engine own;
};

/// A program in which a call hangs ends then, with status 1.
void endWithin(double seconds)
{
    std::signal(SIGALRM, [](int) {
        constexpr char kSentence[] = "soak: a call does not end\n";
        [[maybe_unused]] const auto written = write(STDERR_FILENO, kSentence, sizeof kSentence - 1);
        _exit(EXIT_FAILURE);
    });
    alarm(static_cast<unsigned>(seconds));
}

/// Of so many calls, none of a way means that this way was not tried at all.
void expectEveryWay(Soak &all)
{
    constexpr long kEnough = 2000;
    for (const char *way : {"shared engine", "devices", "own engine", "new engine",
                            "in nested parallel regions", "cancelled", "refused"})
        if (all.counts["shared engine"] > kEnough && all.counts[way] == 0)
            all.fail(std::string("no call was of this kind: ") + way);
}

int report(const Soak &all, const soak::Resident &resident, const std::string &what)
{
    long calls = 0;
    for (const auto &[how, count] : all.counts) {
        std::printf("%8ld %s\n", count, how.c_str());
        calls += count;
    }
    std::printf("%s: %ld calls of %zu questions, %d wrong; %s\n", what.c_str(), calls,
                all.asked.size(), all.failures, resident.text().c_str());
    return all.failures == 0 && resident.isFlat() ? EXIT_SUCCESS : EXIT_FAILURE;
}

int manyThreads(const Options &options)
{
    Soak all(options);
    soak::Resident resident;
    std::vector<std::thread> threads;
    omp_set_max_active_levels(2);
    Clock::time_point begin;
    const auto part = [&] {
        return std::chrono::duration<double>(Clock::now() - begin).count() / options.seconds;
    };
    for (int i = 0; i < options.threads; ++i)
        threads.emplace_back([&all, seed = options.seed * 1000 + static_cast<unsigned>(i)] {
            Caller(all, seed).callUntilEnough();
        });
    const auto doze = [] { std::this_thread::sleep_for(std::chrono::milliseconds(100)); };
    constexpr double kHour = 3600, kLongest = 300; // seconds
    endWithin(kHour);
    while (all.prepared < options.threads) doze();
    endWithin(options.seconds + kLongest);
    for (begin = Clock::now(); part() < 1; doze()) resident.look(part());
    all.enough = true;
    for (std::thread &thread : threads) thread.join();
    expectEveryWay(all);
    return report(all, resident, std::to_string(options.threads) + " threads");
}

int oneAfterTheOther(const Options &options)
{
    Soak all(options);
    soak::Resident resident;
    std::vector<const Asked *> small;
    for (const auto &asked : all.asked)
        if (asked->cells() < 1000) small.push_back(asked.get());
    const long apart = std::max(1L, options.calls / 100); // of looks at the memory
    for (long i = 0; i < options.calls; ++i) {
        const Asked &asked = *small[static_cast<std::size_t>(i) % small.size()];
        ++all.counts["shared engine"];
        if (!asked.isRight(all.shared)) all.fail("call " + std::to_string(i) + ", " + asked.text());
        if (i % apart == apart - 1) resident.look((i + 1) / static_cast<double>(options.calls));
    }
    return report(all, resident, "one after the other");
}

} // namespace

int main(int argc, char **argv)
try {
    const Options options = optionsOf(argc, argv);
    return options.calls ? oneAfterTheOther(options) : manyThreads(options);
} catch (const std::exception &error) {
    std::fprintf(stderr, "soak: %s\n", error.what());
    return 2;
}
