#include "bench/filter_options.h"

#include "bench/options.h"
#include "bench/picture.h"
#include "common/integer.h"
#include "common/processors.h"
#include "common/size.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>

namespace bench
{
namespace
{

constexpr const char *kWhat =
    R"(Times local entropy of images, by windows, types and levels. Each row is validated against the plain
method before it is timed; a wrong answer ends the program. LIST is names with commas between. Times
are wall clock: the median and the least of the runs, from memory to memory, after a run that warms
up; Mpixel/s and GB/s are of the median.
)";

using Names = std::vector<std::string>;

std::string listed(const Names &names)
{
    std::string text;
    for (const std::string &name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

template <typename Value>
void addOnce(std::vector<Value> &list, const Value &value)
{
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

/// A list of some of `known`; "all" stands for all of them.
Names namesOf(const std::string &option, const std::string &text, const Names &known)
{
    Names chosen;
    for (const std::string &word : wordsOf(option, text)) {
        if (word == "all") {
            for (const std::string &name : known) addOnce(chosen, name);
            continue;
        }
        if (std::find(known.begin(), known.end(), word) == known.end())
            throw common::Error(option + ": '" + word + "' is none of " + listed(known) + ", all");
        addOnce(chosen, word);
    }
    return chosen;
}

std::vector<int> threadsOf(const std::string &text)
{
    constexpr int kMost = 4096;
    const int all = common::usableProcessors();
    std::vector<int> threads;
    for (const std::string &word : wordsOf("--threads", text))
        addOnce(threads, word == "all" ? all
                                       : static_cast<int>(common::parseInteger(
                                             "a number of --threads", word, 1, kMost)));
    return threads;
}

/// One number is the side of a square.
void parseSize(const std::string &text, FilterOptions &options)
{
    const bool isSquare = text.find('x') == std::string::npos;
    std::tie(options.width, options.height) =
        common::parseSize("--size", isSquare ? text + "x" + text : text);
}

void parseMethods(const std::string &text, FilterOptions &options)
{
    const Names known = Engine::methods();
    options.chosenToo = false;
    options.methods.clear();
    options.named.clear();
    for (const std::string &word : wordsOf("--methods", text)) {
        options.chosenToo |= word == "best" || word == "all";
        if (word == "best") continue;
        if (word == "all") {
            for (const std::string &name : known)
                if (name != "plain") addOnce(options.methods, name);
            continue;
        }
        if (std::find(known.begin(), known.end(), word) == known.end())
            throw common::Error("--methods: '" + word + "' is none of " + listed(known) +
                                ", best, all");
        addOnce(options.methods, word);
        addOnce(options.named, word);
    }
}

double positiveOf(const std::string &option, const std::string &text)
{
    char *end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(number > 0) || std::isinf(number))
        throw common::Error(option + " is '" + text + "', expected a positive number");
    return number;
}

/// What takes its own options into `options`, and whether the cases are a grid.
std::vector<Option> optionsInto(FilterOptions &options, bool &grid)
{
    const auto namesInto = [](Names &list, const std::string &option, const Names &known) {
        return [&list, option, known](const std::string &text) {
            list = namesOf("--" + option, text, known);
        };
    };
    const Names contents(std::begin(kContents), std::end(kContents));
    return {
        {"size", "N, WxH", "cells of the images (default: 2048x2048)",
         [&](const std::string &text) { parseSize(text, options); }},
        {"grid", "", "other cases: a grid of them, to judge the choice of methods by",
         [&](const std::string &) { grid = true; }},
        {"contents", "LIST", "natural, random, flat, stripes, sparse or all (default: all)",
         namesInto(options.contents, "contents", contents)},
        {"paths", "LIST",
         "kinds of processor, or all that this one can be (default: all, the best first)",
         namesInto(options.paths, "paths", Engine::paths())},
        {"threads", "LIST", "numbers, or all for as many as there are (default: 1,all)",
         [&](const std::string &text) { options.threads = threadsOf(text); }},
        {"cross", "",
         "all combinations of contents, paths and threads; without it, a row departs from\n"
         "the first of each list in one of the three at most",
         [&](const std::string &) { options.cross = true; }},
        {"methods", "LIST",
         "best: the method that the engine chooses (default); all: every method that can\n"
         "compute a case here, and how far the chosen one is from the best; or names. All is\n"
         "without plain, the slow judge, except where it is chosen. The engine may choose\n"
         "another method at the edges: the table then has both, with + between",
         [&](const std::string &text) { parseMethods(text, options); }},
        {"within", "R",
         "a chosen method that takes more than R times as long as the best is wrong, with\n"
         "--methods all; before it is, it is timed twice more (least times). Times of one\n"
         "thread are then its own on the processor. Not with --csv",
         [&](const std::string &text) { options.within = positiveOf("--within", text); }},
        {"write-images", "DIR",
         "time nothing; write image, footprint and result (base 2) of each case there,\n"
         "as .npy, and cases.csv, for other programs. Not with --grid",
         [&](const std::string &text) { options.images = text; }},
        {"costs", "FILE",
         "time nothing else; measure what every method costs on every path, in minutes, and\n"
         "write the table by which the library chooses (make costs)",
         [&](const std::string &text) { options.costs = text; }},
        {"revision", "TEXT", "of the sources, said in the file of --costs",
         [&](const std::string &text) { options.revision = text; }},
    };
}

/// Throws common::Error where one option would make another's file a wrong one.
void refuseWrongFiles(const FilterOptions &options, bool grid)
{
    if (options.within > 0 && !options.csv.empty())
        throw common::Error("--within times some rows more than once, and a table has each once: "
                            "leave --csv or --within out");
    if (grid && !options.images.empty())
        throw common::Error("--write-images writes entropies of whole images as floats, and "
                            "--grid has other cases, too: leave one of them out");
}

} // namespace

std::string filterHelp()
{
    FilterOptions options;
    bool grid = false;
    return helpOf("bench_filter", kWhat, optionsInto(options, grid));
}

FilterOptions parseFilterOptions(int argc, char **argv)
{
    FilterOptions options;
    options.contents.assign(std::begin(kContents), std::end(kContents));
    options.paths = Engine::paths();
    options.threads = threadsOf("1,all");
    bool grid = false;
    const Options common = parseOptions(argc, argv, optionsInto(options, grid));
    options.cases = casesOf(common.cases, grid ? gridCases() : filterCases(),
                            [](const FilterCase &one) { return one.name(); });
    options.csv = common.csv;
    options.list = common.list;
    options.help = common.help;
    if (!options.help) refuseWrongFiles(options, grid);
    return options;
}

} // namespace bench
