// The command line of main.cu.
#pragma once

#include <cstdint>
#include <string>

namespace maximum
{

struct Options
{
    std::int64_t rows = 256, columns = 1024;
    bool benchmark = false;
    bool help = false;
    std::string csv; ///< empty: none wanted
};

/// Text of --help.
extern const char *const kHelp;

/// Throws common::Error on bad usage.
Options parseOptions(int argc, char **argv);

} // namespace maximum
