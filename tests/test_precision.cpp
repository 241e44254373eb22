// tools/precision.cpp.
#include "messages.h"
#include "temporary.h"

#include <cmath>
#include <cstdio>
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
    // Of every order, and with all the liberty that a function and a quotient have.
    const double errors[11] = {1.19e-7, 1.81e-7, 4.2e-7,  8.37e-7, 9.72e-7, 8.32e-7,
                               2.2e-6,  9.87e-7, 1.48e-6, 8.12e-6, 2.35e-5};
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
        ASSERT_LT(rows, 11);
        EXPECT_NEAR(std::stod(error), errors[rows], 0.01 * errors[rows]) << line;
    }
    EXPECT_EQ(rows, 11);
}

// How many decimals are right follows from the error, and the window is one that there is; the
// screen says the same.
TEST(Precision, ItsColumnsFitTogether)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("precision.csv");
    const Outcome outcome = runCommand(BUILD_DIRECTORY "/precision " + file);
    std::istringstream lines(contentsOf(file));
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
        const std::size_t end = line.rfind('"'); // the name is quoted, the window is not
        ASSERT_EQ(line[0], '"') << line;
        double error = 0;
        int decimals = 0, read = 0;
        ASSERT_EQ(std::sscanf(line.c_str() + end, "\",%lf,%d,%n", &error, &decimals, &read), 2)
            << line;
        const std::string where = line.substr(end + read), name = line.substr(1, end - 1);
        EXPECT_LE(error, 0.5 * std::pow(10, -decimals)) << line;
        EXPECT_GT(error, 0.5 * std::pow(10, -decimals - 1)) << line;
        std::istringstream words(where);
        int cells = 0, sum = 0;
        std::string word;
        words >> cells >> word;
        EXPECT_EQ(word, "cells:") << line;
        for (int count; words >> count;) sum += count;
        EXPECT_EQ(sum, cells) << line;
        char shown[64];
        std::snprintf(shown, sizeof shown, "%9.3g %8d  ", error, decimals);
        const std::size_t place = outcome.output.find("\n" + name + " ");
        ASSERT_NE(place, std::string::npos) << name;
        const std::string row =
            outcome.output.substr(place + 1, outcome.output.find('\n', place + 1) - place - 1);
        EXPECT_TRUE(holds(row, shown + where)) << row << "\n" << line;
    }
}
