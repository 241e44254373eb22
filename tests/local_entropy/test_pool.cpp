// The threads of an engine (schedule/pool.h).

#include "local_entropy/schedule/pool.h"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
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
