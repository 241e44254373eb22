// tools/precision.cpp.
#include "messages.h"
#include "temporary.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>

// Every arithmetic keeps five decimals of the entropy; the undivided sum alone does not.
TEST(Precision, FiveDecimalsSurviveFloat)
{
    const TemporaryDirectory directory;
    const Outcome outcome =
        runCommand(BUILD_DIRECTORY "/precision " + directory.path("precision.csv"));
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    std::istringstream lines(contentsOf(directory.path("precision.csv")));
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "arithmetic,largest_error,decimals,where");
    int rows = 0;
    for (; std::getline(lines, line); ++rows) {
        std::istringstream cells(line.substr(line.rfind('"') + 1)); // behind the quoted name
        std::string error, decimals;
        std::getline(cells, error, ',');
        std::getline(cells, error, ',');
        std::getline(cells, decimals, ',');
        const bool divided = !holds(line, "before the division");
        EXPECT_EQ(std::stod(error) <= 5e-6, divided) << line;
        EXPECT_EQ(std::stoi(decimals) >= 5, divided) << line;
    }
    EXPECT_GE(rows, 11);
}
