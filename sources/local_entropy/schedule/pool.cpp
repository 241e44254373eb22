#include "local_entropy/schedule/pool.h"

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
    std::condition_variable begin, end;
    const std::function<void(int)> *work = nullptr;
    int wanted = 0; ///< threads of this round besides the caller
    int busy = 0;   ///< of these, still at work
    std::exception_ptr error;
    std::atomic<unsigned> round{0};
    std::atomic<bool> over{false};

    std::vector<std::thread> threads;
    std::atomic<pid_t> process{0}; ///< that they belong to: a forked child has none of them

    void serve(int number, unsigned seen);
    void call(int number);
    int startUpTo(int wanted);
};

namespace
{

thread_local bool isWorker = false;

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

void Pool::Shared::call(int number)
{
    try {
        (*work)(number);
    } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!error) error = std::current_exception();
    }
}

void Pool::Shared::serve(int number, unsigned seen)
{
    isWorker = true;
    for (;;) {
        spin([&] { return round != seen || over; });
        {
            std::unique_lock<std::mutex> lock(mutex);
            begin.wait(lock, [&] { return round != seen || over; });
            if (over) return;
            seen = round;
            if (number > wanted) continue;
        }
        call(number);
        const std::lock_guard<std::mutex> lock(mutex);
        if (--busy == 0) end.notify_one();
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

Pool::Pool(int threads) : shared(std::make_shared<Shared>()), most(std::max(threads, 1)) {}

Pool::~Pool()
{
    if (shared->process != getpid()) { // nobody to wait for: only the handles were copied
        for (std::thread &thread : shared->threads) thread.detach();
        return;
    }
    {
        const std::lock_guard<std::mutex> lock(shared->mutex);
        shared->over = true;
    }
    shared->begin.notify_all();
    for (std::thread &thread : shared->threads) thread.join();
}

void Pool::run(int threads, const std::function<void(int)> &work)
{
    threads = std::min(threads, most);
    std::unique_lock<std::mutex> mine;
    if (threads > 1 && !isWorker && (shared->process == 0 || shared->process == getpid()))
        mine = std::unique_lock<std::mutex>(shared->inUse, std::try_to_lock);
    if (!mine.owns_lock()) return work(0);

    Shared &all = *shared;
    all.process = getpid();
    const int others = all.startUpTo(threads - 1);
    {
        const std::lock_guard<std::mutex> lock(all.mutex);
        all.work = &work;
        all.wanted = all.busy = others;
        all.error = nullptr;
        ++all.round;
    }
    all.begin.notify_all();
    all.call(0);
    const auto done = [&] {
        const std::lock_guard<std::mutex> lock(all.mutex);
        return all.busy == 0;
    };
    if (!spin(done)) {
        std::unique_lock<std::mutex> lock(all.mutex);
        all.end.wait(lock, [&] { return all.busy == 0; });
    }
    if (all.error) std::rethrow_exception(std::exchange(all.error, nullptr));
}

} // namespace local_entropy
