// Do more threads help? Times every OpenMP version of the core with 1, 2, 4, ... threads on arrays
// of several sizes. A version that is slower with more threads than with one fails.

#include "common/csv.h"
#include "common/error.h"
#include "common/file_program.h"
#include "common/measure.h"
#include "common/progress.h"
#include "entropy/contents.h"
#include "entropy/core.h"
#include "entropy/reference.h"
#include "entropy/run.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <omp.h>
#include <string>
#include <vector>

namespace
{

constexpr const char *kHelp =
    R"(usage: ENTROPY_BENCHMARK=0 scaling [FILE.csv]

Times every OpenMP version with 1, 2, 4, ... threads, up to what OMP_NUM_THREADS or the machine
gives, and writes the times to FILE.csv. Exit status 1 if one is slower with more threads.
)";

// A tenth slower with more threads, and two microseconds, is what two runs of one thing differ by.
constexpr double kNoise = 1.1, kNoiseMilliseconds = 0.002;

bool isEnough(std::size_t repeats, double seconds)
{
    if (repeats < 3) return false;
    return seconds >= 0.5 || (repeats >= 5 && (seconds >= 0.05 || repeats >= 1000));
}

/// The first run warms up and is checked. What takes long is repeated less often than elsewhere:
/// the slowest version takes seconds on one thread.
common::Timing time(const entropy::Version &version, int side, std::vector<float> &sample,
                    const std::vector<float> &gold)
{
    const auto run = [&] { return entropy::run(version.callback, side, side, sample.data()); };
    if (!entropy::compare(side, side, run().get(), gold.data()).passed)
        throw common::Error(std::string(version.name) + " is wrong at " + std::to_string(side) +
                            " x " + std::to_string(side));
    std::vector<double> milliseconds;
    const common::WallClock total;
    do {
        const common::WallClock clock;
        const auto result = run();
        milliseconds.push_back(clock.milliseconds());
    } while (!isEnough(milliseconds.size(), total.seconds()));
    return common::summarize(std::move(milliseconds));
}

int run(const char *file)
{
    std::vector<int> threadCounts;
    const int most = omp_get_max_threads();
    for (int threads = 1; threads < most; threads *= 2) threadCounts.push_back(threads);
    threadCounts.push_back(most);

    common::Csv csv({"version", "side", "threads", "median_ms", "min_ms"});
    common::Progress progress("scaling");
    int failures = 0;
    std::printf("end to end, minimum in ms\n%-4s %6s |", "", "side");
    for (const int threads : threadCounts) std::printf(" %4d threads", threads);
    std::printf("\n");
    for (const entropy::Version &version : entropy::versions()) {
        if (version.platform != entropy::Platform::OpenMp) continue;
        for (const int side : {5, 64, 400, 2560}) {
            omp_set_num_threads(most);
            const auto levels = entropy::makeContent({}, side, side, 1);
            std::vector<float> sample(levels.begin(), levels.end());
            const auto gold = entropy::reference(side, side, sample.data());
            std::string line;
            double one = 0; // milliseconds with one thread
            bool slower = false;
            for (const int threads : threadCounts) {
                progress.show(std::string(version.name) + ", side " + std::to_string(side) + ", " +
                              std::to_string(threads) + " threads");
                omp_set_num_threads(threads);
                common::Timing timing = time(version, side, sample, gold);
                if (threads == 1) one = timing.minimum;
                const auto isSlower = [&] {
                    return timing.minimum > kNoise * one + kNoiseMilliseconds;
                };
                // Once more, if others may have disturbed it, or did not while one thread was
                // timed: the check is for slowness that lasts.
                if (isSlower()) {
                    timing = time(version, side, sample, gold);
                    omp_set_num_threads(1);
                    one = std::max(one, time(version, side, sample, gold).minimum);
                }
                slower |= isSlower();
                char cell[32];
                std::snprintf(cell, sizeof cell, " %12.4f", timing.minimum);
                line += cell;
                csv.add({version.name, std::to_string(side), std::to_string(threads),
                         std::to_string(timing.median), std::to_string(timing.minimum)});
            }
            progress.wipe();
            std::printf("%-4s %6d |%s%s\n", version.name, side, line.c_str(),
                        slower ? "  SLOWER than one thread" : "");
            std::fflush(stdout);
            failures += slower;
        }
    }
    if (file) csv.save(file);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

} // namespace

int main(int argc, char **argv) { return common::fileProgram("scaling", kHelp, argc, argv, run); }
