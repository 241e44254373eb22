// A core that goes wrong in group 2 in the way that MISBEHAVIOUR names; right otherwise.
#include "entropy/core.h"
#include "entropy/reference.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <new>
#include <stdexcept>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

static std::atomic<bool> writesSlowly{false};

/// In the place of the system's: so that all threads have crashed before the first is at its end.
extern "C" ssize_t write(int file, const void *bytes, std::size_t size)
{
    if (writesSlowly) usleep(100000);
    return syscall(SYS_write, file, bytes, size);
}

static volatile int *volatile nowhere = nullptr; // what the compiler does not know, it cannot drop
__attribute__((no_sanitize_undefined)) static void crash() { *nowhere = 1; }

/// Calls itself until the stack is full.
__attribute__((noinline)) static int overflow(int depth, volatile char *caller)
{
    volatile char room[4096];
    room[0] = caller[0];
    return depth == 0 ? 0 : overflow(depth - 1, room) + room[0];
}

/// Is destroyed when main has come to its end.
struct Last
{
    ~Last()
    {
        const char *setting = std::getenv("MISBEHAVIOUR");
        if (setting && setting == std::string("crash at the end")) crash();
    }
};
[[maybe_unused]] static const Last last;

// As a driver of a GPU does, asked at load time: what is opened has the lowest number that is free.
[[maybe_unused]] static const int opened =
    std::getenv("OPENS_BEFORE_MAIN") ? open("/dev/zero", O_RDWR) : -1;

void cudaCallback(int width, int height, float *sample, float **result)
{
    static int group = 0;
    const char *setting = std::getenv("MISBEHAVIOUR");
    const std::string fate = ++group == 2 && setting ? setting : "";
    if (fate == "throw") throw std::runtime_error("it broke");
    if (fate == "throw an int") throw 7;
    if (fate == "no memory") throw std::bad_alloc();
    if (fate == "null") return;
    if (group >= 2 && setting && setting == std::string("null from then on")) return;
    if (setting && setting == std::string("a wrong one, then null") && group >= 2) return;
    if (fate == "crash") crash();
    if (fate == "crash in threads") {
        writesSlowly = true;
#pragma omp parallel num_threads(4)
        crash();
    }
    if (fate == "overflow") {
        volatile char room = 1;
        group += overflow(1 << 20, &room);
    }
    if (fate == "abort") std::abort();
    for (const int signal : {SIGFPE, SIGILL, SIGBUS, SIGINT, SIGTERM, SIGHUP, SIGKILL})
        if (fate == "signal " + std::to_string(signal)) {
            const auto handler = std::signal(signal, SIG_DFL);
            if (handler != SIG_IGN &&
                handler != SIG_ERR) // as nohup and shells have it for children
                std::signal(signal, handler);
            std::raise(signal);
        }
    if (fate == "exit") std::exit(0);

    const std::vector<float> gold = entropy::reference(width, height, sample);
    *result = static_cast<float *>(std::malloc(gold.size() * sizeof(float)));
    std::copy(gold.begin(), gold.end(), *result);
    if (fate == "NaN") (*result)[width + 1] = NAN;
    if (setting && setting == std::string("a wrong one, then null")) **result += 1;
    if (fate == "two cells") {
        (*result)[width - 1] += 1e-4f;                // x width - 1, y 0
        (*result)[(height - 1) * width + 1] -= 0.25f; // x 1, in the last row
    }
}
