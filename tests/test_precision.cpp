// tools/precision.cpp.
#include "messages.h"
#include "temporary.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>

TEST(Precision, BadUsageIsAnsweredWithTheHelp)
{
    const std::string precision = BUILD_DIRECTORY "/precision ";
    const Outcome help = runCommand(precision + "--help");
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.errors, "");
    EXPECT_EQ(help.output.rfind("usage: precision", 0), 0u) << help.output;
    for (const std::string arguments : {"--nonsense", "-h", "a b", "--help x"}) {
        const Outcome outcome = runCommand(precision + arguments);
        EXPECT_EQ(outcome.status, 2) << arguments;
        EXPECT_EQ(outcome.output, "") << arguments;
        EXPECT_EQ(outcome.errors, help.output) << arguments;
    }
    const Outcome lost = runCommand(precision + "no/such/file.csv");
    EXPECT_EQ(lost.status, 2);
    EXPECT_TRUE(holds(lost.errors, "precision: no/such/file.csv cannot be created: No such file"))
        << lost.errors;
}

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
