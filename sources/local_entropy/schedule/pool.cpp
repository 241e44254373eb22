#include "local_entropy/schedule/pool.h"

#include "common/own_thread.h"
#include "local_entropy/schedule/forks.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace local_entropy
{

/// What the threads and the calls share. A call raises `round`; each thread that it wants works and
/// counts itself out.
struct Pool::Shared
{
    std::mutex inUse; ///< by one call at a time

    std::mutex mutex; ///< guards what follows
    std::condition_variable begun, ended;
    const std::function<void(int)> *work = nullptr;
    int wanted = 0;           ///< threads of this round besides the caller
    int busy = 0;             ///< of these, still at work
    std::exception_ptr error; ///< the first one of this round: none when it begins
    std::atomic<unsigned> round{0};
    std::atomic<bool> over{false};

    std::vector<std::thread> threads;
    std::atomic<pid_t> process{0}; ///< that they belong to: a forked child has none of them

    void serve(int number, unsigned seen);
    void begin(const std::function<void(int)> &work, int others);
    void waitForOthers();
    void keepError();
    int startUpTo(int wanted);
};

namespace
{

thread_local bool isWorker = false; ///< or a caller at work, whose callback may call again

/// A thread that has just worked looks for more for so long before it sleeps: waking one takes
/// longer than a small array.
constexpr std::chrono::microseconds kLookFor{100};

template <typename Condition>
bool spin(const Condition &condition)
{
    const auto until = std::chrono::steady_clock::now() + kLookFor;
    do {
        for (int i = 0; i < 64; ++i) {
            if (condition()) return true;
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
    } while (std::chrono::steady_clock::now() < until);
    return condition();
}

} // namespace

/// The exception that is being handled, if it is the first one.
void Pool::Shared::keepError()
{
    const std::lock_guard<std::mutex> lock(mutex);
    if (!error) error = std::current_exception();
}

void Pool::Shared::serve(int number, unsigned seen)
{
    isWorker = common::isOwnThread = true;
    for (;;) {
        spin([&] { return round != seen || over; });
        {
            std::unique_lock<std::mutex> lock(mutex);
            begun.wait(lock, [&] { return round != seen || over; });
            if (over) return;
            seen = round;
            if (number > wanted) continue;
        }
        try {
            (*work)(number);
        } catch (...) {
            keepError();
        }
        const std::lock_guard<std::mutex> lock(mutex);
        if (--busy == 0) ended.notify_one();
    }
}

/// Starts threads until there are so many, or the system has no more; returns how many there are.
int Pool::Shared::startUpTo(int wanted)
{
    while (static_cast<int>(threads.size()) < wanted) {
        const int number = static_cast<int>(threads.size()) + 1;
        try {
            threads.emplace_back([this, number, seen = round.load()] { serve(number, seen); });
        } catch (const std::system_error &) {
            break;
        }
    }
    return std::min(static_cast<int>(threads.size()), wanted);
}

void Pool::Shared::begin(const std::function<void(int)> &wantedWork, int others)
{
    {
        const std::lock_guard<std::mutex> lock(mutex);
        work = &wantedWork;
        wanted = busy = others;
        ++round;
    }
    begun.notify_all();
}

void Pool::Shared::waitForOthers()
{
    const auto done = [&] {
        const std::lock_guard<std::mutex> lock(mutex);
        return busy == 0;
    };
    if (spin(done)) return;
    std::unique_lock<std::mutex> lock(mutex);
    ended.wait(lock, [&] { return busy == 0; });
}

Pool::Pool(int threads) : shared(std::make_unique<Shared>()), most(std::max(threads, 1)) {}

Pool::~Pool()
{
    if (shared->process != getpid()) {
        // Only the handles were copied: there is nobody to wait for, as even the destructors of
        // condition variables would. A forked child keeps this memory.
        if (!shared->threads.empty()) shared.release();
        return;
    }
    {
        const std::lock_guard<std::mutex> lock(shared->mutex);
        shared->over = true;
    }
    shared->begun.notify_all();
    for (std::thread &thread : shared->threads) thread.join();
}

void Pool::run(int threads, const std::function<void(int)> &work)
{
    threads = std::min(threads, most);
    std::unique_lock<std::mutex> mine;
    if (threads > 1 && !isWorker && (shared->process == 0 || shared->process == getpid()))
        mine = std::unique_lock<std::mutex>(shared->inUse, std::try_to_lock);
    if (!mine.owns_lock()) return work(0);

    const Birthplace process;
    Shared &all = *shared;
    all.process = getpid();
    all.begin(work, all.startUpTo(threads - 1));
    isWorker = true;
    try {
        work(0);
        isWorker = false;
    } catch (...) {
        isWorker = false;
        if (process.isLeft()) throw; // the others are not here to be waited for
        all.keepError();
    }
    process.expectNotLeft();
    all.waitForOthers();
    if (all.error) std::rethrow_exception(std::exchange(all.error, nullptr));
}

} // namespace local_entropy
