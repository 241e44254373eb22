#include "hello/options.h"

#include "common/arguments.h"
#include "common/error.h"
#include "common/integer.h"

#include <cctype>
#include <getopt.h>
#include <string>

namespace hello
{

const char *const kHelp = R"(usage: hello BLOCKS X Y [--order [--runs N]]

Starts BLOCKS blocks of X x Y threads on the GPU, each of the three in 1..32. Every thread says its
block and its place in it, and the host says hello too.

  --order    instead of printing, every thread draws a number from a common counter: is there a
             rule to the order in which lanes, warps and blocks come?
  --runs N   how often it is tried (default: 100)
  --help     this text

exit status: 0 done; 2 bad usage or no GPU
)";

static int upTo32(const char *name, const std::string &text) // 32 x 32 threads: a block's most
{
    return static_cast<int>(common::parseInteger(name, text, 1, 32));
}

Options parseOptions(int argc, char **argv)
{
    static const option kOptions[] = {{"order", no_argument, nullptr, 'o'},
                                      {"runs", required_argument, nullptr, 'r'},
                                      {"help", no_argument, nullptr, 'h'},
                                      {nullptr, 0, nullptr, 0}};
    constexpr int kMostRuns = 10000;
    Options options;
    bool runs = false;
    opterr = 0; // one sentence, ours
    for (int letter; (letter = getopt_long(argc, argv, "h", kOptions, nullptr)) != -1;)
        switch (letter) {
        case 'o': options.order = true; break;
        case 'r':
            options.runs = static_cast<int>(common::parseInteger("--runs", optarg, 1, kMostRuns));
            runs = true;
            break;
        case 'h': options.help = true; return options;
        default:
            if (std::isdigit(optopt)) upTo32("an argument", common::refusedArgument(argv)); // -15
            throw common::badOption(argv);
        }
    if (argc - optind != 3)
        throw common::Error("three integers expected (blocks, block dimensions x and y), found " +
                            std::to_string(argc - optind));
    if (runs && !options.order) throw common::Error("--runs is for --order, which is missing");
    options.shape = {upTo32("the number of blocks", argv[optind]),
                     upTo32("block dimension x", argv[optind + 1]),
                     upTo32("block dimension y", argv[optind + 2])};
    return options;
}

} // namespace hello
