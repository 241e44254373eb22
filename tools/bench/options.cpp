#include "bench/options.h"

#include "common/arguments.h"
#include "common/measure.h"

#include <algorithm>
#include <cstdlib>
#include <getopt.h>
#include <regex>
#include <sstream>

namespace bench
{
namespace
{

void setSeconds(const std::string &text)
{
    setenv("BENCHMARK_SECONDS", text.c_str(), 1);
    try {
        if (text.empty()) throw common::Error("");
        common::mostSeconds();
    } catch (const common::Error &) {
        throw common::Error("--seconds is '" + text + "', expected a positive number");
    }
}

/// What all take comes after what only this one does.
std::vector<Option> allOptions(const std::vector<Option> &own, Options &options)
{
    std::vector<Option> all = own;
    all.push_back({"cases", "REGEX", "only the cases in whose names this is found (default: all)",
                   [&options](const std::string &text) { options.cases = text; }});
    all.push_back({"seconds", "S",
                   "a row is repeated five times at least, unless that takes so long (default:\n"
                   "BENCHMARK_SECONDS in the environment, or 2)",
                   setSeconds});
    all.push_back({"csv", "FILE", "also write the table there",
                   [&options](const std::string &text) { options.csv = text; }});
    all.push_back({"list", "", "the names of the cases, and what they are",
                   [&options](const std::string &) { options.list = true; }});
    all.push_back(
        {"help", "", "this text", [&options](const std::string &) { options.help = true; }});
    return all;
}

} // namespace

Options parseOptions(int argc, char **argv, const std::vector<Option> &own)
{
    constexpr int kFirst = 1000; // no letter, nor '?'
    Options options;
    const std::vector<Option> all = allOptions(own, options);
    std::vector<option> table;
    for (const Option &one : all)
        table.push_back({one.name.c_str(), one.value.empty() ? no_argument : required_argument,
                         nullptr, kFirst + static_cast<int>(table.size())});
    table.push_back({});
    opterr = 0; // one sentence, ours
    for (int which; (which = getopt_long(argc, argv, "", table.data(), nullptr)) != -1;) {
        if (which < kFirst) throw common::badOption(argv);
        all[which - kFirst].take(optarg ? optarg : "");
        if (options.help) return options;
    }
    if (optind < argc)
        throw common::Error(std::string(argv[optind]) + ": there are options only; see --help");
    return options;
}

std::string helpOf(const std::string &name, const std::string &what, const std::vector<Option> &own)
{
    constexpr std::size_t kColumn = 20; // where what an option does begins
    Options options;
    std::string help = "usage: " + name + " [OPTION ...]\n\n" + what + "\n";
    for (const Option &one : allOptions(own, options)) {
        std::string line = "  --" + one.name + (one.value.empty() ? "" : " ") + one.value;
        std::istringstream lines(one.help);
        for (std::string text; std::getline(lines, text); line.clear())
            help += line + std::string(kColumn - std::min(line.size() + 2, kColumn) + 2, ' ') +
                    text + "\n";
    }
    return help + "\nexit status: 0 all was right; 1 an answer or a time was wrong; 2 bad usage or "
                  "cannot run here\n";
}

std::function<bool(const std::string &name)> caseFinder(const std::string &pattern)
try {
    return [wanted = std::regex(pattern)](const std::string &name) {
        return std::regex_search(name, wanted);
    };
} catch (const std::regex_error &) {
    throw common::Error("--cases: '" + pattern + "' is no regular expression");
}

std::vector<std::string> wordsOf(const std::string &option, const std::string &text)
{
    std::vector<std::string> words;
    std::istringstream stream(text + ",");
    for (std::string word; std::getline(stream, word, ',');) {
        if (word.empty()) throw common::Error(option + " '" + text + "' has an empty name");
        words.push_back(word);
    }
    return words;
}

} // namespace bench
