// What calls and programs say when they refuse.
#pragma once

#include "temporary.h"

#include <algorithm>
#include <getopt.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

inline bool holds(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

/// The sentence that `call` throws; empty if nothing.
template <typename Call>
std::string messageOf(Call call)
{
    try {
        call();
    } catch (const std::runtime_error &error) {
        return error.what();
    }
    return "";
}

/// What `parse(argc, argv)` makes of a command line of these words, the first of which names the
/// program.
template <typename Parse>
auto parsed(std::vector<std::string> words, Parse parse)
{
    std::vector<char *> argv;
    for (std::string &word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    optind = 0; // from the start
    return parse(static_cast<int>(words.size()), argv.data());
}

/// Bad input: status 2 and one line on standard error that holds `part`.
inline Outcome expectRefusal(const std::string &command, const std::string &part)
{
    const Outcome outcome = runCommand(command);
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_TRUE(holds(outcome.errors, part)) << command << "\n" << outcome.errors;
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
    return outcome;
}

/// Bad usage: the same, before anything else is said.
inline void expectBadUsage(const std::string &command, const std::string &part)
{
    EXPECT_EQ(expectRefusal(command, part).output, "") << command;
}
