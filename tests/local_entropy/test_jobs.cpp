// What a call's parts are to the scheduler (schedule/jobs.h): by which method, at what cost.
#include "local_entropy/schedule/jobs.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

using namespace local_entropy;

// By it threads and devices are chosen.
TEST(Jobs, CostAsMuchAsAllTheirCells)
{
    const std::vector<std::uint8_t> cells(100 * 30);
    std::vector<float> values(cells.size());
    Filter filter;
    filter.levels.count = 16;
    const Problem problem = checkedProblem(filter, {cells.data(), CellType::Uint8, 100, 30, 0}, {},
                                           {values.data(), false, 100, 30, 0}, {});
    Choice choice;
    choice.path = Path::Portable;
    double all = 0;
    for (const Job &job : jobsOf(problem, choice)) {
        const Region &region = job.problem.region;
        EXPECT_DOUBLE_EQ(job.cost, job.method->cost(job.problem, choice.path) *
                                       static_cast<double>(region.width * region.height));
        all += static_cast<double>(region.width * region.height);
    }
    EXPECT_EQ(all, 3000);
}
