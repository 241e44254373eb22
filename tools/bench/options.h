// The command line of every benchmark: what they all take, and what each takes besides.
#pragma once

#include "common/error.h"

#include <functional>
#include <string>
#include <vector>

namespace bench
{

struct Option
{
    std::string name;  ///< without the dashes
    std::string value; ///< what stands for its value in the help; empty: it takes none
    std::string help;  ///< may have several lines
    /// Is given the value; throws common::Error for one that is bad.
    std::function<void(const std::string &)> take;
};

/// What all of them take.
struct Options
{
    std::string csv;   ///< a file to write; empty: none
    std::string cases; ///< a regular expression; empty: all
    bool list = false, help = false;
};

/// The arguments: --csv, --cases, --seconds, --list, --help and those of `own`. --seconds goes into
/// the environment (BENCHMARK_SECONDS), where all that measures finds it, in other processes too.
/// Throws common::Error with a sentence.
Options parseOptions(int argc, char **argv, const std::vector<Option> &own);

/// "usage: NAME [OPTION ...]", `what`, a line or more an option, and the exit statuses.
std::string helpOf(const std::string &name, const std::string &what,
                   const std::vector<Option> &own);

/// Says of a name whether `pattern` is found in it. Throws common::Error where it is no regular
/// expression.
std::function<bool(const std::string &name)> caseFinder(const std::string &pattern);

/// The cases in whose names (nameOf) `pattern` is found. Throws common::Error where there are none.
template <typename Case, typename NameOf>
std::vector<Case> casesOf(const std::string &pattern, const std::vector<Case> &cases, NameOf nameOf)
{
    const auto wanted = caseFinder(pattern);
    std::vector<Case> found;
    for (const Case &one : cases)
        if (wanted(nameOf(one))) found.push_back(one);
    if (found.empty())
        throw common::Error("--cases: no case has '" + pattern + "' in its name; see --list");
    return found;
}

/// The words between the commas. Throws common::Error where one is empty.
std::vector<std::string> wordsOf(const std::string &option, const std::string &text);

} // namespace bench
