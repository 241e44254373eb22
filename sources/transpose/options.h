// The command line of main.cu.
#pragma once

#include <string>

namespace transpose
{

struct Options
{
    int rows = 1024, columns = 1024;
    bool shapeGiven = false; ///< rows and columns come from the command line
    int block = 32;
    bool benchmark = false; ///< every size and block, not one of each
    bool print = false;
    bool help = false;
    std::string csv; ///< empty: none wanted
};

/// Text of --help.
extern const char *const kHelp;

/// Throws common::Error on bad usage.
Options parseOptions(int argc, char **argv);

} // namespace transpose
