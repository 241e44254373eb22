// The command line of main.cu.
#pragma once

#include <string>

namespace entropy
{

struct Options
{
    std::string program = "entropy";    ///< as it was called, without directories
    std::string file = "data/data.bin"; ///< "-" is standard input
    bool print = false;
    bool help = false;
    std::string csv;       ///< empty: none wanted
    std::string reference; ///< empty: reference.bin beside a data.bin, or computed
};

/// "my_core" of "build/my_core".
std::string programName(const char *path);

/// Text of --help.
std::string help(const std::string &program);

/// Throws common::Error on bad usage.
Options parseOptions(int argc, char **argv);

} // namespace entropy
