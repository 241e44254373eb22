// The load-time benchmark of the ladder, at a size of one's own and at no other.

#include "bench/statuses.h"
#include "common/measure.h"
#include "common/size.h"
#include "common/standard_streams.h"
#include "entropy/benchmark.h"

#include <cstdio>
#include <string>

namespace
{

constexpr const char *kHelp = R"(usage: bench_size WIDTHxHEIGHT

Times the versions of the ladder on random cells of one size, like the benchmark of build/entropy.
ENTROPY_VERSIONS=v7,v12 in the environment: only these.
With ENTROPY_BENCHMARK=0 in the environment the ladder's own benchmark does not run before.
ENTROPY_RESULTS=DIR in the environment: also writes DIR/times.csv and DIR/environment.txt.

exit status: 0 all that could run was right; 1 a version failed; 2 bad usage
)";

int run(int argc, char **argv)
{
    if (argc != 2 || argv[1][0] == '-') {
        const bool wanted = argc == 2 && std::string(argv[1]) == "--help";
        std::fputs(kHelp, wanted ? stdout : stderr);
        return wanted ? 0 : 2;
    }
    const auto [width, height] = common::parseSize("the size", argv[1]);
    entropy::chosenVersions(); // refused now, in a sentence
    common::mostSeconds();     // too: no version has failed by it
    entropy::Benchmark::timeAll(width, height);
    return entropy::benchmarkFailures() ? 1 : 0;
}

/// Before the core, at load time, opens anything.
__attribute__((constructor(101))) void lookAfterStandardStreams()
{
    common::occupyClosedStandardStreams();
}

} // namespace

int main(int argc, char **argv)
{
    return bench::guarded("bench_size", [&] { return run(argc, argv); });
}
