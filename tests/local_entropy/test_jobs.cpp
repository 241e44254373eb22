// What a call's parts are to the scheduler (schedule/jobs.h): by which method, at what cost.
#include "local_entropy/schedule/jobs.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

using namespace local_entropy;

namespace
{

const Method &methodOf(const std::string &name)
{
    for (const Method *method : methods())
        if (name == method->name()) return *method;
    throw std::invalid_argument("there is no method " + name);
}

/// 256 levels in windows of side x side. Its arrays lie nowhere: nobody reads or writes them.
Problem problemOf(std::int64_t width, std::int64_t height, int side)
{
    const void *const cells = reinterpret_cast<const void *>(std::uintptr_t{1} << 40);
    void *const values = reinterpret_cast<void *>(std::uintptr_t{1} << 41);
    Filter filter;
    filter.levels.count = 256;
    filter.window.width = filter.window.height = side;
    return checkedProblem(filter, {cells, CellType::Uint8, width, height, 0}, {},
                          {values, false, width, height, 0}, {});
}

Choice choiceOf(Path path, int threads)
{
    Choice choice;
    choice.path = path;
    choice.threads = threads;
    return choice;
}

/// How many times as long a result takes there as in a large region.
double timesOf(const char *name, const Problem &problem, int threads = 1)
{
    const Method &method = methodOf(name);
    return method.costInTiles(problem, Path::Avx512Vbmi, threads) /
           method.cost(problem, Path::Avx512Vbmi);
}

// By it threads and devices are chosen. Nanoseconds, at a point of the table of costs.
TEST(Jobs, CostAsMuchAsAllTheirCells)
{
    const std::vector<Job> jobs = jobsOf(problemOf(3000, 2000, 31), choiceOf(Path::Avx512Vbmi, 1));
    ASSERT_EQ(jobs.size(), 5u);
    const std::int64_t cells[] = {2970 * 1970, 3000 * 15, 3000 * 15, 15 * 1970, 15 * 1970};
    for (int i = 0; i < 5; ++i) {
        const Region &region = jobs[i].problem.region;
        EXPECT_EQ(region.width * region.height, cells[i]);
        const double one =
            jobs[i].method->costInTiles(jobs[i].problem, Path::Avx512Vbmi, 1); // nanoseconds
        EXPECT_GT(one, 1);
        EXPECT_DOUBLE_EQ(jobs[i].cost, static_cast<double>(cells[i]) * one);
    }
    // A strip costs more for each cell than the rest, and little in all.
    EXPECT_GT(jobs[1].cost / cells[1], 1.2 * jobs[0].cost / cells[0]);
    EXPECT_LT(jobs[1].cost, 0.1 * jobs[0].cost);
}

TEST(Jobs, CostAsInTheTableWhereTheRegionIsLarge)
{
    const Problem five = problemOf(20000, 10000, 5), fifteen = problemOf(20000, 10000, 15);
    for (const int threads : {1, 16}) {
        EXPECT_NEAR(timesOf("ranks", five, threads), 1, 0.01);
        EXPECT_NEAR(timesOf("levels", five, threads), 1, 0.01);
        EXPECT_NEAR(timesOf("histogram", fifteen, threads), 1, 0.01);
        EXPECT_NEAR(timesOf("sliding-ranks", fifteen, threads), 1, 0.2);
        EXPECT_GE(timesOf("sliding-ranks", fifteen, threads), 1);
    }
}

// Measured on one thread: 4 columns took 5 to 20 times as long a cell as 500, 4 rows 4 to 6 times.
TEST(Jobs, CostMoreInFewColumnsOrRows)
{
    for (const char *name : {"ranks", "levels"}) {
        EXPECT_GT(timesOf(name, problemOf(4, 500, 5)), 5) << name;
        EXPECT_LT(timesOf(name, problemOf(4, 500, 5)), 25) << name;
    }
    EXPECT_GT(timesOf("ranks", problemOf(500, 4, 5)), 3);
    EXPECT_GT(timesOf("levels", problemOf(500, 4, 15)), 1.3);
    EXPECT_NEAR(timesOf("sliding-ranks", problemOf(4, 500, 15)), 9, 3);
    EXPECT_NEAR(timesOf("sliding-ranks", problemOf(500, 4, 15)), 6, 2);
    EXPECT_NEAR(timesOf("histogram", problemOf(500, 4, 15)), 4, 0.5);
    EXPECT_NEAR(timesOf("histogram", problemOf(4, 500, 15)), 4, 0.5);
    EXPECT_NEAR(timesOf("histogram", problemOf(100, 100, 15)), 1.25, 0.1); // 112 columns
}

// The lanes of the sliding ranks want tall tiles: threads that share few rows leave them none.
TEST(Jobs, CostMoreWhereManyThreadsShareFewRows)
{
    const Problem problem = problemOf(500, 500, 15);
    EXPECT_LT(timesOf("sliding-ranks", problem), 1.2);
    EXPECT_GT(timesOf("sliding-ranks", problem, 16), 1.5);
    EXPECT_LT(timesOf("histogram", problem, 16), 1.2);
}

TEST(Jobs, AreByTheMethodThatIsTheCheapestThere)
{
    const auto namesOf = [](const Problem &problem, int threads) {
        std::vector<std::string> names;
        for (const Job &job : jobsOf(problem, choiceOf(Path::Avx512Vbmi, threads)))
            names.push_back(job.method->name());
        return names;
    };
    const std::vector<std::string> alone = namesOf(problemOf(512, 512, 15), 1);
    ASSERT_EQ(alone.size(), 5u);
    EXPECT_EQ(alone[0], "sliding-ranks");
    for (int i = 1; i < 5; ++i) EXPECT_EQ(alone[i], "histogram") << i;
    EXPECT_EQ(namesOf(problemOf(512, 512, 15), 16)[0], "histogram");
    EXPECT_EQ(namesOf(problemOf(8192, 8192, 15), 16)[0], "sliding-ranks");
}

} // namespace
