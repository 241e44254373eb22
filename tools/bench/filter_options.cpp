#include "bench/filter_options.h"

#include "bench/picture.h"
#include "common/arguments.h"
#include "common/integer.h"
#include "common/measure.h"

#include <algorithm>
#include <cmath>
#include <getopt.h>
#include <regex>
#include <sstream>
#include <thread>

namespace bench
{

const char *const kFilterHelp =
    R"(usage: bench_filter [OPTION ...]

Times local entropy of images, by windows, types and levels. Each row is validated against the plain
method before it is timed; a wrong answer ends the program.

  --csv FILE        also write the table there
  --size N, WxH     cells of the images (default: 2048x2048)
  --cases REGEX     only the cases in whose names this is found (default: all)
  --grid            other cases: a grid of them, to judge the choice of methods by
  --contents LIST   natural, random, flat, stripes, sparse or all (default: all)
  --paths LIST      kinds of processor, or all that this one can be (default: all, the best first)
  --threads LIST    numbers, or all for as many as there are (default: 1,all)
  --cross           all combinations of contents, paths and threads; without it, a row departs from
                    the first of each list in one of the three at most
  --methods LIST    best: the method that the engine chooses (default); all: every method that can
                    compute a case, and how far the chosen one is from the best; or names. All is
                    without plain, the slow judge, except where it is chosen. The engine may choose
                    another method at the edges: the table then has both, with + between
  --within R        a chosen method that takes more than R times as long as the best is wrong, with
                    --methods all; before it is, it is timed twice more (least times). Times of one
                    thread are then its own on the processor
  --seconds S       a row is repeated five times at least, unless that takes so long (default:
                    BENCHMARK_SECONDS in the environment, or 2)
  --write-images DIR  time nothing; write image, footprint and result (base 2) of each case there,
                    as .npy, and cases.csv, for other programs
  --costs FILE      time nothing else; measure what every method costs on every path, in minutes, and
                    write the table by which the library chooses (make costs); --revision TEXT: of
                    the sources, said in the file
  --list            the names of the cases, and what they compute
  --help            this text

LIST is names with commas between. Times are wall clock: the median and the least of the runs, from
memory to memory, after a run that warms up; Mpixel/s and GB/s are of the median.

exit status: 0 all was right; 1 an answer, or a choice, was wrong; 2 bad usage or cannot run here
)";

namespace
{

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

/// The words between commas; none of them is empty.
Names wordsOf(const std::string &option, const std::string &text)
{
    Names words;
    std::istringstream stream(text + ",");
    for (std::string word; std::getline(stream, word, ',');) {
        if (word.empty()) throw common::Error(option + " '" + text + "' has an empty name");
        words.push_back(word);
    }
    return words;
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
    const int all = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));
    std::vector<int> threads;
    for (const std::string &word : wordsOf("--threads", text))
        addOnce(threads, word == "all" ? all
                                       : static_cast<int>(common::parseInteger(
                                             "a number of --threads", word, 1, kMost)));
    return threads;
}

void parseSize(const std::string &text, FilterOptions &options)
{
    constexpr int kLongest = 1000000;
    const std::size_t cross = text.find('x');
    const auto side = [&](const std::string &digits) {
        return static_cast<int>(common::parseInteger("--size", digits, 1, kLongest));
    };
    options.width = side(text.substr(0, cross));
    options.height = cross == std::string::npos ? options.width : side(text.substr(cross + 1));
}

std::vector<FilterCase> casesOf(const std::vector<FilterCase> &all, const std::string &pattern)
try {
    const std::regex wanted(pattern);
    std::vector<FilterCase> cases;
    for (const FilterCase &one : all)
        if (std::regex_search(one.name(), wanted)) cases.push_back(one);
    if (cases.empty())
        throw common::Error("--cases: no case has '" + pattern + "' in its name; see --list");
    return cases;
} catch (const std::regex_error &) {
    throw common::Error("--cases: '" + pattern + "' is no regular expression");
}

void parseMethods(const std::string &text, FilterOptions &options)
{
    Names known = Engine::methods();
    options.chosenToo = false;
    options.methods.clear();
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

} // namespace

FilterOptions parseFilterOptions(int argc, char **argv)
{
    enum {
        Csv = 1,
        Size,
        Cases,
        Grid,
        Within,
        Contents,
        Paths,
        Threads,
        Cross,
        Methods,
        Seconds,
        Images,
        Costs,
        Revision,
        List,
        Help
    };
    static const option kOptions[] = {{"csv", required_argument, nullptr, Csv},
                                      {"size", required_argument, nullptr, Size},
                                      {"cases", required_argument, nullptr, Cases},
                                      {"grid", no_argument, nullptr, Grid},
                                      {"within", required_argument, nullptr, Within},
                                      {"contents", required_argument, nullptr, Contents},
                                      {"paths", required_argument, nullptr, Paths},
                                      {"threads", required_argument, nullptr, Threads},
                                      {"cross", no_argument, nullptr, Cross},
                                      {"methods", required_argument, nullptr, Methods},
                                      {"seconds", required_argument, nullptr, Seconds},
                                      {"write-images", required_argument, nullptr, Images},
                                      {"costs", required_argument, nullptr, Costs},
                                      {"revision", required_argument, nullptr, Revision},
                                      {"list", no_argument, nullptr, List},
                                      {"help", no_argument, nullptr, Help},
                                      {nullptr, 0, nullptr, 0}};
    const Names contents(std::begin(kContents), std::end(kContents));
    FilterOptions options;
    const std::vector<FilterCase> *all = &filterCases();
    std::string pattern;
    options.contents = contents;
    options.paths = Engine::paths();
    options.threads = threadsOf("1,all");
    options.seconds = common::mostSeconds();
    opterr = 0; // one sentence, ours
    for (int letter; (letter = getopt_long(argc, argv, "", kOptions, nullptr)) != -1;)
        switch (letter) {
        case Csv: options.csv = optarg; break;
        case Size: parseSize(optarg, options); break;
        case Cases: pattern = optarg; break;
        case Grid: all = &gridCases(); break;
        case Within: options.within = positiveOf("--within", optarg); break;
        case Contents: options.contents = namesOf("--contents", optarg, contents); break;
        case Paths: options.paths = namesOf("--paths", optarg, Engine::paths()); break;
        case Threads: options.threads = threadsOf(optarg); break;
        case Cross: options.cross = true; break;
        case Methods: parseMethods(optarg, options); break;
        case Seconds: options.seconds = positiveOf("--seconds", optarg); break;
        case Images: options.images = optarg; break;
        case Costs: options.costs = optarg; break;
        case Revision: options.revision = optarg; break;
        case List: options.list = true; break;
        case Help: options.help = true; return options;
        default: throw common::badOption(argv);
        }
    if (optind < argc)
        throw common::Error(std::string(argv[optind]) + ": there are options only; see --help");
    options.cases = casesOf(*all, pattern);
    return options;
}

} // namespace bench
