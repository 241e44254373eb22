// Forked processes: a call in one works, or is refused at once; nothing waits for ever.

#include "../same_bits.h"
#include "local_entropy/engine.h"
#include "one_image.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace
{

using namespace local_entropy;

constexpr int kRight = 0, kWrong = 1, kRefused = 2; // how a child ends

std::vector<float> run(Engine &engine, const Filter &filter = {}, const RunOptions &options = {})
{
    static const std::vector<std::uint8_t> image = one_image::randomImage();
    return one_image::run(engine, image, filter, options);
}

std::unique_ptr<Engine> withThreads(int threads, const std::string &method = "")
{
    EngineOptions options;
    options.threads = threads;
    options.method = method;
    return std::make_unique<Engine>(options);
}

/// Ends this process as a child.
[[noreturn]] void endAs(const std::function<bool()> &isRight)
{
    alarm(20); // instead of waiting for ever
    int how = kWrong;
    try {
        how = isRight() ? kRight : kWrong;
    } catch (const Error &error) {
        const bool why = std::strstr(error.what(), "was forked while a call of the library");
        how = error.status() == Status::Unavailable && why ? kRefused : kWrong;
    }
    _exit(how);
}

/// How a child ended; -1: by a signal.
int endOf(pid_t child)
{
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// How a child ends that does that.
int inChild(const std::function<bool()> &isRight)
{
    const pid_t child = fork();
    if (child == 0) endAs(isRight);
    return endOf(child);
}

/// A slow call, and enough for several threads.
Filter slowly()
{
    Filter filter;
    filter.window.width = filter.window.height = 11;
    return filter;
}

TEST(LocalEntropyForks, AChildComputes)
{
    const auto engine = withThreads(3);
    const auto expected = run(*engine); // its threads are there now; a child has none of them
    EXPECT_EQ(inChild([&] {
                  return sameBits(run(*engine), expected) &&
                         sameBits(run(*withThreads(3)), expected);
              }),
              kRight);
    EXPECT_TRUE(sameBits(run(*engine), expected));
}

// Its threads sleep, and are waited for by nobody; those of the process go on.
TEST(LocalEntropyForks, AChildDestroysAnEngineOfItsParent)
{
    for (const bool asleep : {false, true}) {
        auto engine = withThreads(3);
        const auto expected = run(*engine);
        if (asleep) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_EQ(inChild([&] {
                      engine.reset();
                      return sameBits(run(*withThreads(2)), expected);
                  }),
                  kRight);
        EXPECT_TRUE(sameBits(run(*engine), expected));
    }
}

TEST(LocalEntropyForks, AChildOfAThreadsCallIsRefused)
{
    const auto engine = withThreads(2), another = withThreads(1);
    const auto expected = run(*another);
    std::atomic<bool> computes{false}, enough{false};
    std::thread thread([&] {
        RunOptions options;
        options.progress = [&](double) { // in which the call stays
            computes = true;
            while (!enough) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return false;
        };
        EXPECT_THROW(run(*withThreads(1, "plain"), slowly(), options), Error); // cancelled
    });
    while (!computes) std::this_thread::yield();
    const auto callsAnother = [&] { return sameBits(run(*another), expected); };
    EXPECT_EQ(inChild(callsAnother), kRefused);
    EXPECT_EQ(inChild([] { return withThreads(1) != nullptr; }), kRefused) << "a new engine";
    EXPECT_EQ(inChild([&] { return inChild(callsAnother) == kRefused; }), kRight) << "a grandchild";
    EXPECT_TRUE(callsAnother());
    enough = true;
    thread.join();
    EXPECT_EQ(inChild(callsAnother), kRight) << "nobody computes any more";
}

// The callback returns in the child too, where the other threads of the call are missing.
TEST(LocalEntropyForks, ACallThatIsForkedEndsInTheChild)
{
    for (const int threads : {1, 3}) {
        const auto engine = withThreads(threads, "plain");
        const auto expected = run(*withThreads(1), slowly());
        pid_t child = -1;
        RunOptions options;
        options.progress = [&](double) {
            if (child == -1 && (child = fork()) == 0) alarm(20);
            return true;
        };
        std::vector<float> values;
        try {
            values = run(*engine, slowly(), options);
        } catch (const Error &) {
            if (child == 0) endAs([&]() -> bool { throw; });
            throw;
        }
        if (child == 0) _exit(kWrong);
        EXPECT_TRUE(sameBits(values, expected));
        ASSERT_NE(child, -1) << "the callback was not called";
        EXPECT_EQ(endOf(child), kRefused) << threads;
    }
}

} // namespace
