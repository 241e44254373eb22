// The command line of main.cu.
#pragma once

#include <string>

namespace transpose
{

/// What the program measures.
enum class Mode {
    One,       ///< one shape, every version
    Benchmark, ///< the list of sizes, every version and block
    Tune       ///< the list of sizes, every tiling that t8 could use
};

struct Options
{
    int rows = 1024, columns = 1024;
    bool shapeGiven = false; ///< rows and columns come from the command line
    int block = 32;
    Mode mode = Mode::One;
    bool print = false;
    bool help = false;
    std::string csv; ///< empty: none wanted
};

/// Text of --help.
extern const char *const kHelp;

/// Throws common::Error on bad usage, after getopt has said on standard error what is wrong.
Options parseOptions(int argc, char **argv);

} // namespace transpose
