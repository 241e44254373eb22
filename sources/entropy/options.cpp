#include "entropy/options.h"

#include "common/arguments.h"
#include "common/error.h"

#include <getopt.h>

namespace entropy
{

static const char *const kHelp =
    R"( [FILE] [--print] [--csv FILE] [--reference FILE]

Entropy of the 5x5 window around every cell of each group in FILE, by the core's active version,
checked against the reference.

  FILE              data.bin or a text file; - is standard input (default: data/data.bin)
  --print           print every sample and result
  --csv FILE        write the results: a line a group, width,height,cells; 8 bytes a cell, 218 MB
                    for data.bin; - is standard output, and the report goes to standard error
  --reference FILE  the right answers (default: reference.bin beside FILE if FILE is a data.bin;
                    otherwise they are computed)
  --help            this text

environment
  ENTROPY_BENCHMARK=0  skip the benchmark of all versions that the core runs before main;
                       warm-up instead of 0 still starts the GPUs before main
  ENTROPY_VERSIONS=v7,v12  time these versions only
  ENTROPY_RESULTS=DIR  write the benchmark's times.csv and environment.txt to DIR
  BENCHMARK_SECONDS=S  stop repeating a version after S seconds (default: 2)
  OMP_NUM_THREADS=N    threads of the OpenMP versions
  ENTROPY_CPU_PATH=P   path of v16 and v17: avx512, avx2 or portable; another one, or one that
                       cannot run here, is bad usage with every version
  ENTROPY_KEEP_MEMORY=0  results of v15 to v17 of 32 MB and more go back to the system when freed

exit status: 0 all passed; 1 a group or a version failed, also by a crash or an exception;
             2 bad usage, bad input, unwritable output, or an active version that cannot run here
)";

std::string programName(const char *path)
{
    const std::string name = path ? path : "entropy";
    return name.substr(name.rfind('/') + 1); // npos + 1 is 0
}

std::string help(const std::string &program) { return "usage: " + program + kHelp; }

Options parseOptions(int argc, char **argv)
{
    static const option kOptions[] = {{"print", no_argument, nullptr, 'p'},
                                      {"csv", required_argument, nullptr, 'c'},
                                      {"reference", required_argument, nullptr, 'r'},
                                      {"help", no_argument, nullptr, 'h'},
                                      {nullptr, 0, nullptr, 0}};
    Options options;
    options.program = programName(argv[0]);
    opterr = 0; // one sentence, ours
    for (int letter; (letter = getopt_long(argc, argv, "h", kOptions, nullptr)) != -1;)
        switch (letter) {
        case 'p': options.print = true; break;
        case 'c': options.csv = optarg; break;
        case 'r': options.reference = optarg; break;
        case 'h': options.help = true; break;
        default: throw common::badOption(argv);
        }
    if (argc - optind > 1)
        throw common::Error("one FILE expected, found also '" + std::string(argv[optind + 1]) +
                            "'");
    if (optind < argc) options.file = argv[optind];
    return options;
}

} // namespace entropy
