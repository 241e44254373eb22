// The command line of hello.cu.
#pragma once

#include "hello/order.h"

namespace hello
{

struct Options
{
    Shape shape{};
    bool order = false;
    int runs = 100; ///< of --order
    bool help = false;
};

/// Text of --help.
extern const char *const kHelp;

/// Throws common::Error on bad usage.
Options parseOptions(int argc, char **argv);

} // namespace hello
