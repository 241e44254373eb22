// Functions of a test's own in the place of those that a program would find in its libraries.
#pragma once

#include "temporary.h"

#include <fstream>
#include <gtest/gtest.h>
#include <string>

/// A library in C, made by gcc, for programs that are started with environment() before them.
class Preloaded
{
public:
    explicit Preloaded(const std::string &text, const std::string &flags = "")
    {
        std::ofstream(directory.path("own.c")) << text;
        const Outcome made =
            runCommand("gcc -shared -fPIC -O1 " + flags + " " + directory.path("own.c") + " -o " +
                       directory.path("own.so") + " -ldl");
        if (hasCompiler) EXPECT_EQ(made.status, 0) << made.errors;
    }

    /// False where there is no gcc.
    bool isThere() const { return hasCompiler; }

    std::string environment() const { return "LD_PRELOAD=" + directory.path("own.so") + " "; }

private:
    TemporaryDirectory directory;
    const bool hasCompiler = runCommand("command -v gcc").status == 0;
};
