#include "transpose/options.h"

#include "common/arguments.h"
#include "common/error.h"
#include "common/integer.h"
#include "transpose/core.h"

#include <getopt.h>

namespace transpose
{

const char *const kHelp =
    R"(usage: transpose [N] [--print] [--block SIDE] [--csv FILE]
       transpose --rows R --columns C [...]
       transpose --benchmark [N] [--csv FILE]

Transposes an N x N matrix of random floats by every version that can run here, checks each
bit for bit against the right answer, and times it beside a copy of the same floats.

  N                 rows and columns (default: 1024)
  --rows R          rows, for a matrix that is no square
  --columns C       columns
  --block SIDE      thread blocks of SIDE x SIDE: 8, 16 or 32 (default: 32), for the versions that
                    leave the choice
  --print           print the matrix and its transpose, as is done without asking up to 8 x 8
  --benchmark       every version and block at 512, 513, 1024, 2047, 2048, 4095, 8096, 8191, 8192,
                    16192 and 16384, or at the size given
  --csv FILE        write the times to FILE; - is standard output, and the table goes to standard
                    error
  --help            this text

exit status: 0 all right, also where a version, the active one too, finds too little memory or a
             limit in its way; 1 a version was wrong or failed; 2 bad usage, no memory for the
             matrix, or, without --benchmark, an active version that cannot run here at all, as
             without a GPU (the others were checked and timed)
)";

Options parseOptions(int argc, char **argv)
{
    static const option kOptions[] = {
        {"rows", required_argument, nullptr, 'r'},  {"columns", required_argument, nullptr, 'c'},
        {"block", required_argument, nullptr, 'b'}, {"print", no_argument, nullptr, 'p'},
        {"benchmark", no_argument, nullptr, 'm'},   {"csv", required_argument, nullptr, 'f'},
        {"help", no_argument, nullptr, 'h'},        {nullptr, 0, nullptr, 0},
    };
    const auto parseSide = [](const char *what, const char *text) {
        return static_cast<int>(common::parseInteger(what, text, 1, kLongestSide));
    };
    Options options;
    bool rows = false, columns = false, block = false;
    opterr = 0; // one sentence, ours
    for (int letter; (letter = getopt_long(argc, argv, "h", kOptions, nullptr)) != -1;)
        switch (letter) {
        case 'r': options.rows = parseSide("--rows", optarg), rows = true; break;
        case 'c': options.columns = parseSide("--columns", optarg), columns = true; break;
        case 'b':
            options.block = parseSide("--block", optarg), block = true;
            checkBlock(options.block);
            break;
        case 'p': options.print = true; break;
        case 'm': options.benchmark = true; break;
        case 'f': options.csv = optarg; break;
        case 'h': options.help = true; break;
        default: throw common::badOption(argv);
        }
    if (rows != columns) throw common::Error("--rows and --columns go together");
    if (argc - optind > 1)
        throw common::Error("one N expected, found also '" + std::string(argv[optind + 1]) + "'");
    if (optind < argc) {
        if (rows) throw common::Error("either N or --rows and --columns, not both");
        options.rows = options.columns = parseSide("N", argv[optind]);
    }
    if (options.benchmark && block)
        throw common::Error("--benchmark tries every block, without --block");
    if (options.benchmark && options.print)
        throw common::Error("--benchmark prints no matrix, without --print");
    options.shapeGiven = rows || optind < argc;
    return options;
}

} // namespace transpose
