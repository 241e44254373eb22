// The threads of an engine (schedule/pool.h).

#include "common/own_thread.h"
#include "local_entropy/error.h"
#include "local_entropy/schedule/forks.h"
#include "local_entropy/schedule/pool.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace local_entropy;

TEST(Pool, EveryNumberIsCalledOnce)
{
    Pool pool(3);
    EXPECT_EQ(pool.threads(), 3);
    for (const int wanted : {1, 2, 3, 7, 2}) {
        std::vector<std::atomic<int>> calls(8);
        pool.run(wanted, [&](int number) { ++calls[number]; });
        for (int number = 0; number < 8; ++number)
            EXPECT_EQ(calls[number], number < std::min(wanted, 3)) << number << " of " << wanted;
    }
}

TEST(Pool, AtLeastOneThreadIsThere)
{
    for (const int threads : {-1, 0}) {
        Pool pool(threads);
        EXPECT_EQ(pool.threads(), 1);
        int calls = 0;
        pool.run(5, [&](int) { ++calls; });
        EXPECT_EQ(calls, 1);
    }
}

// Work that wants more threads, of any engine, has the one that it is in: all are busy.
TEST(Pool, WorkOfAThreadIsDoneByItAlone)
{
    Pool pool(2), another(2);
    std::atomic<int> alone{0}, others{0};
    const auto count = [&](int number) { ++(number ? others : alone); };
    pool.run(2, [&](int) {
        another.run(2, count);
        pool.run(2, count);
    });
    EXPECT_EQ(alone, 4);
    EXPECT_EQ(others, 0);
    another.run(2, count); // later it has its threads
    EXPECT_EQ(others, 1);
    pool.run(2, count);
    EXPECT_EQ(others, 2);
}

TEST(Pool, AnExceptionOfAnyThreadComesOutAndTheNextCallWorks)
{
    Pool pool(3);
    for (int thrower = 0; thrower < 3; ++thrower) {
        std::atomic<int> calls{0};
        try {
            pool.run(3, [&](int number) {
                ++calls;
                if (number == thrower) throw std::runtime_error(std::to_string(number));
            });
            ADD_FAILURE() << "nothing was thrown";
        } catch (const std::runtime_error &error) {
            EXPECT_EQ(error.what(), std::to_string(thrower));
        }
        EXPECT_EQ(calls, 3) << "all are waited for";
        calls = 0;
        pool.run(3, [&](int) { ++calls; });
        EXPECT_EQ(calls, 3);
    }
}

// One comes out, and no thread keeps another. A race is seen by the sanitizer of threads.
TEST(Pool, OneOfTheExceptionsOfAllThreadsComesOut)
{
    Pool pool(4);
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> ready{0};
        try {
            pool.run(4, [&](int number) {
                ++ready;
                while (ready < 4) std::this_thread::yield(); // all throw at once
                throw std::runtime_error(std::to_string(number));
            });
            FAIL() << "nothing was thrown";
        } catch (const std::runtime_error &error) {
            EXPECT_NE(std::string("0123").find(error.what()), std::string::npos) << error.what();
        }
    }
}

TEST(Pool, ItsThreadsAreNobodyElses)
{
    Pool pool(2);
    std::atomic<bool> own{false}, ofCaller{true};
    pool.run(2, [&](int number) { (number ? own : ofCaller) = common::isOwnThread; });
    EXPECT_TRUE(own);
    EXPECT_FALSE(ofCaller);
}

/// Work that forks while another thread is busy, and what becomes of the child: it must not wait
/// for threads that it has not. `inChild` is what the work does there, before it returns.
std::string endOfAForkInWork(const std::function<void()> &inChild)
{
    Pool pool(2);
    const CallUnderWay watched; // forks count from the first call on
    std::atomic<bool> isBusy{false}, mayEnd{false};
    pid_t child = -1;
    int ends[2];
    if (pipe(ends) != 0) return "no pipe";
    std::string told = "nothing was thrown";
    try {
        pool.run(2, [&](int number) {
            if (number == 1) {
                isBusy = true;
                while (!mayEnd) usleep(100);
                return;
            }
            while (!isBusy) usleep(100);
            child = fork();
            if (child == 0) {
                alarm(5); // instead of waiting for ever
                inChild();
                return;
            }
            mayEnd = true;
        });
    } catch (const std::exception &error) {
        told = error.what();
    }
    if (child == 0) {
        if (write(ends[1], told.data(), told.size()) < 0) _exit(1);
        _exit(0);
    }
    if (told != "nothing was thrown") return "the parent's call threw " + told;
    close(ends[1]);
    char text[200];
    const ssize_t length = read(ends[0], text, sizeof text);
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return {text, static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

TEST(Pool, AChildOfItsWorkIsToldThatItHasNoThreads)
{
    EXPECT_EQ(endOfAForkInWork([] {}).substr(0, 23), "this process was forked");
}

TEST(Pool, WhatAChildOfItsWorkThrowsComesOut)
{
    EXPECT_EQ(endOfAForkInWork([] { throw std::runtime_error("mine"); }), "mine");
}
