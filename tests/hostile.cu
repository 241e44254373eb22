// The library where programs seldom call it: under another rounding mode, before main, while the
// process or a thread ends, after a fork, with little memory; and what it leaves behind.
// `hostile rounding` and so on print "right".
#include "common/threads.h"
#include "entropy/result_memory.h"
#include "local_entropy/engine.h"

#include <cfenv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <malloc.h>
#include <map>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace
{

constexpr int kWidth = 2000, kHeight = 1000; // enough for several threads

std::vector<float> makeCells()
{
    std::vector<float> cells(kWidth * kHeight);
    std::uint32_t random = 7;
    for (float &cell : cells) {
        random = random * 1664525 + 1013904223;
        cell = static_cast<float>(random >> 28);
    }
    return cells;
}

const std::vector<float> &cells()
{
    static const auto &all = *new std::vector<float>(makeCells());
    return all;
}

/// Shares nothing with the library: long double, window by window.
float nearest(int x, int y)
{
    int count[16] = {}, total = 0;
    for (int wy = std::max(y - 2, 0); wy <= std::min(y + 2, kHeight - 1); ++wy)
        for (int wx = std::max(x - 2, 0); wx <= std::min(x + 2, kWidth - 1); ++wx, ++total)
            ++count[static_cast<int>(cells()[wy * kWidth + wx])];
    long double sum = 0;
    for (const int n : count)
        if (n > 0) sum += n * std::log(static_cast<long double>(n));
    return static_cast<float>(std::log(static_cast<long double>(total)) - sum / total);
}

/// Rows of the answer, a few from everywhere.
bool isRight(const std::vector<float> &result)
{
    for (int y = 0; y < kHeight; y += y % 97 == 3 ? 94 : 1)
        for (int x = 0; x < kWidth; ++x)
            if (!(result[y * kWidth + x] == nearest(x, y))) return false;
    return true;
}

/// Of a path, or with all devices; never destroyed.
local_entropy::Engine &engineOf(const std::string &path, bool devices)
{
    static auto &all = *new std::map<std::string, local_entropy::Engine *>;
    local_entropy::Engine *&engine = all[path + (devices ? "+" : "")];
    if (!engine) {
        local_entropy::EngineOptions options;
        options.threads = common::offeredThreads();
        options.path = path;
        options.devices = devices;
        engine = new local_entropy::Engine(options);
    }
    return *engine;
}

std::vector<float> compute(const std::string &path = "", bool devices = false)
{
    local_entropy::Filter filter;
    filter.levels.count = 16;
    std::vector<float> result(cells().size(), NAN);
    engineOf(path, devices)
        .run(filter, local_entropy::View<const float>{cells().data(), kWidth, kHeight},
             local_entropy::View<float>{result.data(), kWidth, kHeight});
    return result;
}

/// Of every path, so that every table is used.
bool areRight()
{
    bool right = true;
    for (const std::string &path : local_entropy::Engine::paths())
        right = right && isRight(compute(path));
    return right;
}

int report(bool right)
{
    std::puts(right ? "right" : "WRONG");
    std::fflush(stdout);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// The first call of the process, so that tables are built under it.
int underAnotherRounding()
{
    std::fesetround(FE_UPWARD);
#if defined(__SSE2__)
    constexpr unsigned kFlushToZero = 0x8040; // results and operands
    _mm_setcsr(_mm_getcsr() | kFlushToZero);
    const unsigned before = _mm_getcsr() & ~0x3fu;
#endif
    std::vector<std::vector<float>> results;
    for (const std::string &path : local_entropy::Engine::paths()) results.push_back(compute(path));
    results.push_back(compute("", true));
    bool right = std::fegetround() == FE_UPWARD;
#if defined(__SSE2__)
    right = right && (_mm_getcsr() & ~0x3fu) == before;
#endif
    std::fesetenv(FE_DFL_ENV);
    for (const std::vector<float> &result : results) right = right && isRight(result);
    return report(right);
}

/// Of invalid and inexact results: a signal, unless the library masks them.
int underTraps()
{
    common::offeredThreads(); // LLVM's OpenMP does not start under them
#if defined(__GLIBC__) && defined(__SSE2__)
    feenableexcept(FE_ALL_EXCEPT);
#endif
    const std::vector<float> result = compute();
    std::fesetenv(FE_DFL_ENV);
    return report(isRight(result));
}

/// Before any object of the program is made: the library may have none of its own. glibc gives
/// constructors what main gets.
__attribute__((constructor(101))) void beforeMain(int argc, char **argv, char **)
{
    if (argc > 1 && std::string(argv[1]) == "early") report(areRight());
}

/// Calls when it is destroyed.
struct Late
{
    ~Late()
    {
        if (!wanted) return;
        const std::vector<std::vector<float>> others(64, std::vector<float>(1 << 18, NAN));
        report(areRight()); // what has been freed is theirs by now
    }
    bool wanted = false;
};
Late ofTheProcess;
thread_local Late ofTheThread;

int whileTheProcessEnds()
{
    const bool right = areRight();
    ofTheProcess.wanted = true;
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

int whileAThreadEnds()
{
    std::thread([] {
        ofTheThread.wanted = true; // made before what the library keeps for the thread
        compute();
    }).join();
    return EXIT_SUCCESS;
}

int afterAFork()
{
    if (!isRight(compute())) return report(false);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60); // instead of waiting for ever
        _exit(isRight(compute("", true)) && isRight(compute()) ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return report(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS);
}

/// Pages that this process has: of its address space, or those that are resident.
std::size_t bytesOf(bool resident)
{
    std::size_t pages = 0, residentPages = 0;
    std::ifstream("/proc/self/statm") >> pages >> residentPages;
    return (resident ? residentPages : pages) * sysconf(_SC_PAGESIZE);
}
std::size_t residentBytes() { return bytesOf(true); }

/// What a call does in a child that may take so many more bytes: 0 if its result is right, 1 if it
/// is refused as it should be.
[[noreturn]] void callWithin(std::size_t more, const std::string &path, int side)
{
    using namespace local_entropy;
    constexpr int kRefused = 1, kWrong = 2;
    alarm(60);
    Filter filter;
    filter.levels.count = 16;
    filter.window.width = filter.window.height = side;
    std::vector<float> result(cells().size(), NAN), again(result);
    const View<const float> image{cells().data(), kWidth, kHeight};
    constexpr int kNoLimit = 3;
    rlimit before{};
    if (getrlimit(RLIMIT_AS, &before)) _exit(kNoLimit);
    const rlimit limit{bytesOf(false) + more, before.rlim_max};
    try {
        EngineOptions options;
        options.path = path;
        options.threads = 4;
        if (setrlimit(RLIMIT_AS, &limit)) _exit(kNoLimit);
        Engine(options).run(filter, image, View<float>{result.data(), kWidth, kHeight});
    } catch (const Error &error) {
        _exit(error.status() == Status::Unavailable ? kRefused : kWrong);
    }
    if (setrlimit(RLIMIT_AS, &before)) _exit(kNoLimit);
    Engine().run(filter, image, View<float>{again.data(), kWidth, kHeight});
    _exit(std::memcmp(result.data(), again.data(), result.size() * sizeof(float)) ? kWrong : 0);
}

/// With more and more memory: refused, then right, and nothing else; both must come.
int withLittleMemory()
{
    cells();
    bool ends[2] = {};
    for (const std::string &path : local_entropy::Engine::paths())
        for (const int side : {5, 9})
            for (std::size_t more = 1 << 12; more <= std::size_t(1) << 30; more *= 8) {
                const pid_t child = fork();
                if (child == 0) callWithin(more, path, side);
                int status = -1;
                waitpid(child, &status, 0);
                if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
                    std::fprintf(stderr, "%s, %d, %zu more bytes: status %d\n", path.c_str(), side,
                                 more, status);
                    return report(false);
                }
                ends[WEXITSTATUS(status)] = true;
            }
    return report(ends[0] && ends[1]);
}

/// Whether a freed result stays; and that other memory of that size is still a mapping of its own.
int memoryOfResults()
{
    constexpr std::size_t kBytes = std::size_t(64) << 20;
    const std::size_t before = residentBytes();
    {
        const auto result = entropy::allocateResult(kBytes / sizeof(float));
    }
    const bool kept = residentBytes() >= before + kBytes * 3 / 4;
#ifdef __GLIBC__
    const auto mappings = mallinfo2().hblks;
    void *volatile other = std::malloc(2 * kBytes); // more than is kept; it is not left out
    const bool isMapped = mallinfo2().hblks == mappings + 1;
    std::free(other);
    std::puts(isMapped ? "others are mapped" : "others come from the HEAP");
#endif
    std::puts(kept ? "kept" : "given back");
    return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char **argv)
{
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "rounding") return underAnotherRounding();
    if (what == "traps") return underTraps();
    if (what == "early") return EXIT_SUCCESS; // beforeMain() has said it
    if (what == "little memory") return withLittleMemory();
    if (what == "exit") return whileTheProcessEnds();
    if (what == "thread") return whileAThreadEnds();
    if (what == "fork") return afterAFork();
    if (what == "memory") return memoryOfResults();
    return 2;
}
