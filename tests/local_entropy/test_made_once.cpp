// What is made when it is first asked for.
#include "local_entropy/schedule/made_once.h"

#include "allocations.h"
#include "common/own_thread.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

using local_entropy::MadeOnce;

namespace
{

/// Makes numbers, and counts how often each was asked for; of `failing` it throws, the first so
/// many times.
class Maker
{
public:
    explicit Maker(int failing = -1, int times = 1000) : failing(failing), times(times) {}

    std::unique_ptr<int> operator()(int number) const
    {
        const int before = asked[number]++;
        if (number == failing && before < times) throw std::runtime_error("cannot be made");
        return std::make_unique<int>(10 * number);
    }

    mutable std::atomic<int> asked[4] = {};

private:
    const int failing, times;
};

std::vector<int> valuesOf(const std::vector<int *> &found)
{
    std::vector<int> values;
    for (const int *one : found) values.push_back(*one);
    return values;
}

} // namespace

TEST(MadeOnce, MakesOnlyWhatIsAskedForAndOnce)
{
    MadeOnce<int> numbers(4);
    const Maker make;
    const auto one = numbers.get(2, 3, make);
    EXPECT_EQ(valuesOf(one), std::vector<int>{20});
    EXPECT_FALSE(numbers.areAllTried());
    for (const int number : {0, 1, 3}) EXPECT_EQ(make.asked[number], 0) << number;
    for (int round = 0; round < 2; ++round) {
        const auto all = numbers.get(0, numbers.count(), make);
        EXPECT_EQ(valuesOf(all), (std::vector<int>{0, 10, 20, 30}));
        EXPECT_EQ(all[2], one[0]);
        EXPECT_TRUE(numbers.areAllTried());
    }
    for (const int number : {0, 1, 2, 3}) EXPECT_EQ(make.asked[number], 1) << number;
}

TEST(MadeOnce, LeavesOutWhatCannotBeMade)
{
    MadeOnce<int> numbers(4);
    const Maker make(1);
    EXPECT_TRUE(numbers.get(1, 2, make).empty());
    EXPECT_EQ(valuesOf(numbers.get(0, 4, make)), (std::vector<int>{0, 20, 30}));
    EXPECT_TRUE(numbers.get(1, 2, make).empty());
    EXPECT_EQ(make.asked[1], 1);
}

// A GPU may have had no memory left for once.
TEST(MadeOnce, TriesAgainLater)
{
    MadeOnce<int> numbers(4);
    const Maker make(1, 2);
    for (int time = 1; time <= 2; ++time) {
        for (int call = 0; call <= MadeOnce<int>::kTryAgain; ++call)
            EXPECT_EQ(valuesOf(numbers.get(0, 4, make)), (std::vector<int>{0, 20, 30})) << call;
        EXPECT_EQ(make.asked[1], time);
    }
    for (int call = 0; call < 2 * MadeOnce<int>::kTryAgain; ++call)
        EXPECT_EQ(valuesOf(numbers.get(0, 4, make)), (std::vector<int>{0, 10, 20, 30})) << call;
    EXPECT_EQ(make.asked[1], 3);
    EXPECT_EQ(make.asked[0], 1);
}

TEST(MadeOnce, OfNoneIsEmpty)
{
    MadeOnce<int> none(0);
    EXPECT_TRUE(none.get(0, 0, Maker()).empty());
    EXPECT_TRUE(none.areAllTried());
}

// Each waits for the other: one after the other would not end in time.
TEST(MadeOnce, MakesSeveralAtOnce)
{
    MadeOnce<int> two(2);
    std::atomic<int> begun{0};
    const auto found = two.get(0, 2, [&](int number) {
        ++begun;
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (begun < 2 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
        if (begun < 2) throw std::runtime_error("alone");
        return std::make_unique<int>(number);
    });
    EXPECT_EQ(found.size(), 2u);
}

// They end with the call: nobody's GPU is to be set back there. The caller's thread is not ours.
TEST(MadeOnce, TheThreadsBesideTheCallersAreOurOwn)
{
    using WhereAndWhose = std::pair<std::thread::id, bool>;
    MadeOnce<WhereAndWhose> three(3);
    for (const WhereAndWhose *one : three.get(0, 3, [](int) {
             return std::make_unique<WhereAndWhose>(std::this_thread::get_id(),
                                                    common::isOwnThread);
         }))
        EXPECT_EQ(one->second, one->first != std::this_thread::get_id());
    EXPECT_FALSE(common::isOwnThread);
}

/// In a process that may have no more threads than it has: 0 if all were made.
[[noreturn]] void makeWithoutThreads()
{
    const rlimit none{0, 0};
    setrlimit(RLIMIT_NPROC, &none);
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(2);
    MadeOnce<int> numbers(4);
    const Maker make;
    _exit(valuesOf(numbers.get(0, 4, make)) == std::vector<int>{0, 10, 20, 30} ? 0 : 1);
}

TEST(MadeOnceDeathTest, DoesWithTheCallersThreadWhereThereAreNoOthers)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(makeWithoutThreads(), testing::ExitedWithCode(0), "");
}

// Neither for a list nor for a thread: threads that have begun are waited for all the same.
TEST(MadeOnce, LackOfMemoryEndsNoProcess)
{
    if (!allocations::kAreCounted) GTEST_SKIP() << allocations::kWhyNot;
    const Maker make;
    for (long number = 1;; ++number) {
        MadeOnce<int> numbers(4);
        const long last = allocations::soFar + number;
        allocations::refused = last;
        try {
            numbers.get(0, 4, make);
        } catch (const std::bad_alloc &) {
        }
        allocations::refused = 0;
        if (allocations::soFar < last) break;
    }
}
