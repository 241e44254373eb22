// What getopt_long refused, in words.
#pragma once

#include "common/error.h"

#include <cstring>
#include <getopt.h>
#include <string>

namespace common
{

/// The argument with the option for which getopt_long has just returned '?'. The next one to read
/// (optind) is already behind it, unless it holds several letters (-xyz) and the bad one (optopt)
/// is not the last.
inline std::string refusedArgument(char **argv)
{
    const char *next = argv[optind];
    if (optopt != 0 && next && next[0] == '-' && next[1] != '-') {
        const char *letter = std::strchr(next + 1, optopt);
        if (letter && letter[1] != '\0') return next;
    }
    return argv[optind - 1];
}

/// The error to throw when getopt_long has returned '?', with opterr = 0: one sentence, ours.
inline Error badOption(char **argv)
{
    const std::string argument = refusedArgument(argv);
    const bool known = optopt != 0 && argument.compare(0, 2, "--") == 0;
    const char *const fault = !known                                    ? "no such option"
                              : argument.find('=') == std::string::npos ? "its value is missing"
                                                                        : "it takes no value";
    return Error(argument + ": " + fault + "; see --help");
}

} // namespace common
