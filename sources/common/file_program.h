// The main of a tool whose only argument is a file to write to, or none.
#pragma once

#include "common/standard_output.h"
#include "common/standard_streams.h"

#include <cstdio>
#include <exception>
#include <string>

namespace common
{

/// Calls run(file), file null if there is no argument; returns its status. --help prints `help`;
/// any other option, or more arguments, is bad usage: status 2. So is an exception, after its
/// words.
inline int fileProgram(const char *name, const char *help, int argc, char **argv,
                       int (*run)(const char *file))
try {
    occupyClosedStandardStreams();
    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
        const bool wanted = argc == 2 && std::string(argv[1]) == "--help";
        std::fputs(help, wanted ? stdout : stderr);
        return afterOutput(wanted ? 0 : 2);
    }
    return afterOutput(run(argc == 2 ? argv[1] : nullptr));
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 2;
}

} // namespace common
