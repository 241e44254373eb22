// What bench_filter makes of its times: is the method that was chosen near the best?
#include "bench/choice.h"
#include "bench/filter_rows.h"
#include "messages.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <vector>

namespace
{

bench::Outcome outcome(const std::string &content, const std::string &method,
                       const std::string &chosen, double minimum)
{
    return {{"c", "uint8", "256", "3x3", content, "avx2", method, chosen, "1", "9", "9"},
            {5, 2 * minimum, minimum}};
}

} // namespace

TEST(BenchChoice, TheWorstIsTheLastLine)
{
    testing::internal::CaptureStdout();
    bench::Choice choice;
    choice.add("two", {outcome("flat", "a", "yes", 2), outcome("flat", "b", "no", 4)});
    choice.add("one", {outcome("flat", "a", "yes", 3), outcome("flat", "b", "no", 2)});
    choice.add("three", {outcome("flat", "b", "no", 4), outcome("flat", "a", "yes", 5)});
    choice.add("four", {outcome("random", "b", "no", 4), outcome("random", "a", "yes", 5)});
    choice.add("alone", {outcome("natural", "a", "yes", 9)});
    std::vector<bench::Outcome> disturbed = {outcome("random", "a", "yes", 2),
                                             outcome("random", "b", "no", 3)};
    disturbed[0].timing.median = 99;
    choice.add("least", disturbed);
    choice.printWorst();
    EXPECT_EQ(testing::internal::GetCapturedStdout(),
              "  two, avx2, threads 1: chosen a, best a, ratio 1.00\n"
              "  one, avx2, threads 1: chosen a, best b, ratio 1.50\n"
              "  three, avx2, threads 1: chosen a, best b, ratio 1.25\n"
              "  four, avx2, threads 1: chosen a, best b, ratio 1.25\n"
              "  least, avx2, threads 1: chosen a, best a, ratio 1.00\n"
              "worst choice on random: ratio 1.25: four, avx2, threads 1: chosen a, best b\n"
              "worst choice on flat: ratio 1.50: one, avx2, threads 1: chosen a, best b\n");
}

TEST(BenchChoice, WhatIsBeyondTheLimitIsWrong)
{
    const std::vector<bench::Outcome> good = {outcome("flat", "a", "yes", 1.1),
                                              outcome("flat", "b", "no", 1)};
    const std::vector<bench::Outcome> bad = {outcome("flat", "a", "yes", 1.2),
                                             outcome("flat", "b", "no", 1)};
    const std::vector<bench::Outcome> worse = {outcome("flat", "b", "no", 1),
                                               outcome("flat", "a", "yes", 3)};
    testing::internal::CaptureStdout();
    bench::Choice choice(1.15);
    EXPECT_FALSE(choice.isWrong(good));
    EXPECT_FALSE(choice.isWrong({outcome("flat", "a", "yes", 9)})) << "there is no other";
    EXPECT_TRUE(choice.isWrong(bad));
    EXPECT_FALSE(bench::Choice().isWrong(worse)) << "there is no limit";
    choice.add("good", good);
    EXPECT_TRUE(choice.printWrong());
    choice.add("bad", bad);
    choice.add("worse", worse);
    EXPECT_FALSE(choice.printWrong());
    const std::string text = testing::internal::GetCapturedStdout();
    EXPECT_TRUE(holds(text, "0 of 1 choices take more than 1.15 times"));
    EXPECT_TRUE(holds(text, "wrong choice: ratio 3.00: worse, avx2, threads 1: chosen a, best b\n"
                            "wrong choice: ratio 1.20: bad, avx2, threads 1: chosen a, best b\n"
                            "2 of 3 choices take more than 1.15 times"));
}

TEST(BenchChoice, WhatSeemsWrongIsTimedAgainAndTheLeastTimeCounts)
{
    // What each run of the chosen method takes; the other one always takes 1.
    for (const auto &[runs, least, asked] :
         std::vector<std::tuple<std::vector<double>, double, std::size_t>>{
             {{1.1}, 1.1, 1}, {{3, 1.1}, 1.1, 2}, {{3, 4, 5}, 3, 3}, {{3, 2, 4}, 2, 3}}) {
        std::size_t run = 0;
        const auto row = [](const std::string &method, const std::string &chosen,
                            const std::function<double()> &time) {
            bench::Work work;
            work.time = [time] {
                const double took = time();
                return common::Timing{5, 2 * took, took};
            };
            return bench::Row{outcome("flat", method, chosen, 1).keys, 1, [work] { return work; }};
        };
        const bench::Case theCase{"c", "", 1, [&] {
                                      return std::vector<bench::Row>{
                                          row("a", "yes", [&] { return runs.at(run++); }),
                                          row("b", "no", [] { return 1; })};
                                  }};
        testing::internal::CaptureStdout();
        bench::Harness harness("test", {bench::kFilterColumns, {bench::minimum()}});
        const auto outcomes = bench::Choice(1.15).timeFairly(harness, theCase);
        testing::internal::GetCapturedStdout();
        EXPECT_EQ(run, asked);
        EXPECT_EQ(outcomes.at(0).timing.minimum, least);
        EXPECT_EQ(outcomes.at(1).timing.minimum, 1);
    }
}
