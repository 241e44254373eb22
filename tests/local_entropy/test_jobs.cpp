// What a call's parts are to the scheduler (schedule/jobs.h): by which method, at what cost.
#include "local_entropy/schedule/jobs.h"

#include <algorithm>
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

/// Levels in windows of side x side: as many as bytes hold beside "no cell", which the strips along
/// the edges need. Its arrays lie nowhere: nobody reads or writes them.
Problem problemOf(std::int64_t width, std::int64_t height, int side, int levels = 255)
{
    const void *const cells = reinterpret_cast<const void *>(std::uintptr_t{1} << 40);
    void *const values = reinterpret_cast<void *>(std::uintptr_t{1} << 41);
    Filter filter;
    filter.levels.count = levels;
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

std::vector<std::string> namesOf(const std::vector<Job> &jobs)
{
    std::vector<std::string> names;
    for (const Job &job : jobs) names.push_back(job.method->name());
    return names;
}

/// What one thread would take for all of it.
double aloneCost(const Problem &problem, Path path)
{
    double nanoseconds = 0;
    for (const Job &job : jobsOf(problem, choiceOf(path, 1))) nanoseconds += job.cost;
    return nanoseconds;
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
    // A strip costs more for each cell than a large region would, and little in all.
    const double large = jobs[1].method->cost(jobs[1].problem, Path::Avx512Vbmi);
    EXPECT_GT(jobs[1].cost / cells[1], large);
    EXPECT_LT(jobs[1].cost, 0.1 * jobs[0].cost);
}

TEST(Jobs, CostAsMuchAsAllTheirCellsWhere32BitsDoNotCountThem)
{
    for (const int side : {5, 31}) {
        const std::vector<Job> jobs =
            jobsOf(problemOf(100000, 60000, side), choiceOf(Path::Avx512Vbmi, 1));
        const double cells = (100000.0 - side + 1) * (60000.0 - side + 1);
        EXPECT_DOUBLE_EQ(jobs[0].cost,
                         cells * jobs[0].method->costInTiles(jobs[0].problem, Path::Avx512Vbmi, 1));
    }
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

// As little as that, whatever they take: nothing was quicker in small images.
TEST(Jobs, CostBitsAtMostHalfAsMuchAgain)
{
    const Method &bits = methodOf("bits");
    const auto large = bits.cost(problemOf(20000, 10000, 5, 16), Path::Avx512);
    ASSERT_GT(large, 0);
    for (const std::int64_t side : {1, 4, 13, 64, 1000})
        EXPECT_DOUBLE_EQ(bits.cost(problemOf(side, side, 5, 16), Path::Avx512), large) << side;
    EXPECT_NEAR(timesOf("bits", problemOf(20000, 10000, 5, 16)), 1, 0.01);
    EXPECT_NEAR(timesOf("bits", problemOf(480, 100, 5, 16)), 1.04, 0.001); // a panel
    EXPECT_DOUBLE_EQ(timesOf("bits", problemOf(13, 11, 5, 16)), 1.5);
    EXPECT_DOUBLE_EQ(timesOf("bits", problemOf(1, 1000, 5, 16)), 1.5);
}

// The lanes of the sliding ranks want tall tiles: threads that share few rows leave them none.
TEST(Jobs, CostMoreWhereManyThreadsShareFewRows)
{
    const Problem problem = problemOf(500, 500, 15);
    EXPECT_LT(timesOf("sliding-ranks", problem), 1.2);
    EXPECT_GT(timesOf("sliding-ranks", problem, 16), 1.5);
    EXPECT_LT(timesOf("histogram", problem, 16), 1.2);
}

// Which one that is, the table of costs says, which is measured anew now and then. At some of these
// sizes it is another one in a strip than in the rest, or for sixteen threads than for one.
TEST(Jobs, AreByTheMethodThatIsTheCheapestThere)
{
    int inStrips = 0, forThreads = 0;
    for (const int side : {5, 9, 15, 21})
        for (const int size : {64, 256, 512, 1024, 8192}) {
            const Problem problem = problemOf(size, size, side);
            std::vector<std::string> names[2];
            for (const int threads : {1, 16}) {
                const auto jobs = jobsOf(problem, choiceOf(Path::Avx512Vbmi, threads));
                for (const Job &job : jobs) {
                    const auto costOf = [&](const Method &method) {
                        return method.costInTiles(job.problem, Path::Avx512Vbmi, threads);
                    };
                    for (const Method *other : methods())
                        if (other->can(job.problem, Path::Avx512Vbmi)) {
                            EXPECT_LE(costOf(*job.method), costOf(*other))
                                << job.method->name() << " is not " << other->name() << ", " << side
                                << ", " << size << ", " << threads;
                        }
                }
                names[threads > 1] = namesOf(jobs);
                inStrips += names[threads > 1].front() != names[threads > 1].back();
            }
            forThreads += names[0] != names[1];
        }
    EXPECT_GT(inStrips, 0);
    EXPECT_GT(forThreads, 0);
}

TEST(Jobs, OfACallAreForTheThreadsThatAreWorthIt)
{
    constexpr double kEnough = 12000; // nanoseconds
    const Choice engines = choiceOf(Path::Avx512Vbmi, 7);
    const auto threadsOf = [&](const Problem &problem, int most) {
        return choiceOfCall(problem, engines, most).threads;
    };
    EXPECT_EQ(threadsOf(problemOf(8192, 8192, 15), 16), 16);
    EXPECT_EQ(threadsOf(problemOf(8192, 8192, 15), 1), 1);
    EXPECT_EQ(threadsOf(problemOf(2, 2, 15), 16), 1);
    int some = 0;
    for (int size = 50; size < 1000; size += 50) {
        const Problem problem = problemOf(size, size, 15);
        const double worth = aloneCost(problem, Path::Avx512Vbmi) / kEnough;
        EXPECT_EQ(threadsOf(problem, 1000), std::max(static_cast<int>(worth), 1)) << size;
        some += worth > 2 && worth < 1000;
        const Choice alone = choiceOfCall(problem, engines, 1);
        EXPECT_EQ(namesOf(jobsOf(problem, alone)),
                  namesOf(jobsOf(problem, choiceOf(Path::Avx512Vbmi, 1))))
            << size;
    }
    EXPECT_GT(some, 0);
}

} // namespace
