#include "maximum/options.h"

#include "common/arguments.h"
#include "common/error.h"
#include "common/integer.h"

#include <getopt.h>

namespace maximum
{

const char *const kHelp =
    R"(usage: maximum [--rows R] [--columns C] [--benchmark] [--csv FILE]

Largest element of a matrix of random integers 1..2018 (and, in --benchmark, one 2019 at the very
end), by every version of the core that can run here: each is checked against the right answer and
timed, with the transfers to and from the GPU and without them.

  --rows R      rows of the matrix (default: 256)
  --columns C   columns of the matrix (default: 1024)
  --benchmark   four sizes up to 2^30 elements (4 GiB) instead of one: seconds to minutes
  --csv FILE    write the times; - is standard output, and the table goes to standard error
  --help        this text

environment
  OMP_NUM_THREADS=N  threads that make large matrices and the right answer

exit status: 0 all right, also where a version, the active one too, finds too little memory or a
             limit in its way; 1 a version was wrong or failed; 2 bad usage, no memory for the
             matrix, or, without --benchmark, an active version that cannot run here at all, as
             without a GPU (the others were checked and timed)
)";

Options parseOptions(int argc, char **argv)
{
    static const option kOptions[] = {
        {"rows", required_argument, nullptr, 'r'}, {"columns", required_argument, nullptr, 'c'},
        {"benchmark", no_argument, nullptr, 'b'},  {"csv", required_argument, nullptr, 'f'},
        {"help", no_argument, nullptr, 'h'},       {nullptr, 0, nullptr, 0}};
    constexpr long long kMost = 1LL << 40;
    Options options;
    bool sized = false;
    opterr = 0; // one sentence, ours
    for (int letter; (letter = getopt_long(argc, argv, "h", kOptions, nullptr)) != -1;)
        switch (letter) {
        case 'r':
            options.rows = common::parseInteger("--rows", optarg, 1, kMost), sized = true;
            break;
        case 'c':
            options.columns = common::parseInteger("--columns", optarg, 1, kMost), sized = true;
            break;
        case 'b': options.benchmark = true; break;
        case 'f': options.csv = optarg; break;
        case 'h': options.help = true; break;
        default: throw common::badOption(argv);
        }
    if (optind < argc)
        throw common::Error("'" + std::string(argv[optind]) + "' is no option, --help lists them");
    constexpr long long kMostElements = 1LL << 60; // room for sizes in bytes
    if (options.rows > kMostElements / options.columns)
        throw common::Error("--rows and --columns: the matrix has more than 2^60 elements");
    if (options.benchmark && sized)
        throw common::Error("--benchmark has sizes of its own, without --rows and --columns");
    return options;
}

} // namespace maximum
