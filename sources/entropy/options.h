// The command line of main.cu.
#pragma once

#include <string>

namespace entropy
{

struct Options
{
    std::string file = "data/data.bin"; ///< "-" is standard input
    bool print = false;
    bool help = false;
    std::string csv;       ///< empty: none wanted
    std::string reference; ///< empty: reference.bin beside a data.bin, or computed
};

/// Text of --help.
extern const char *const kHelp;

/// Throws common::Error on bad usage.
Options parseOptions(int argc, char **argv);

} // namespace entropy
