// Do more threads help? Times every OpenMP version of the core with 1, 2, 4, ... threads on arrays
// of several sizes. A version that is slower with more threads than with one fails.

#include "bench/cells.h"
#include "bench/program.h"
#include "bench/slower.h"
#include "entropy/contents.h"
#include "entropy/reference.h"
#include "entropy/run.h"

#include <algorithm>
#include <memory>
#include <omp.h>

namespace
{

constexpr const char *kWhat =
    R"(Times every OpenMP version with 1, 2, 4, ... threads, up to what OMP_NUM_THREADS or the machine
gives: end to end, and three times at least, whatever the seconds. One that is slower with more
threads than with one is wrong.
)";

/// Elsewhere what takes long is timed once. Here a verdict hangs on it.
struct ThreeAtLeast
{
    common::UsualRepeats usual;
    bool operator()(std::size_t repeats, double seconds) const
    {
        return repeats >= 3 && usual(repeats, seconds);
    }
};

/// A version on one array, by number of threads.
class Ladder
{
public:
    Ladder(const entropy::Version &version, int side) : version(version), side(side)
    {
        const auto levels = entropy::makeContent({}, side, side, 1);
        sample.assign(levels.begin(), levels.end());
        gold = entropy::reference(side, side, sample.data());
    }

    common::Timing time(int threads)
    {
        common::Timing timing = measure(threads);
        if (threads == 1) one = timing.minimum;
        const auto isSlower = [&] { return bench::isSlower(timing.minimum, one); };
        // Once more, if others may have disturbed it, or did not while one thread was timed: the
        // check is for slowness that lasts.
        if (isSlower()) {
            timing = measure(threads);
            one = std::max(one, measure(1).minimum);
        }
        slower |= isSlower();
        return timing;
    }

    std::string verdict() const { return slower ? "SLOWER than one thread" : ""; }

private:
    common::Timing measure(int threads)
    {
        omp_set_num_threads(threads);
        return common::measure(
            [&] { return entropy::run(version.callback, side, side, sample.data()); },
            [&](const common::HostArray<float> &result) {
                if (!entropy::compare(side, side, result.get(), gold.data()).passed)
                    throw bench::WrongAnswer("wrong");
            },
            ThreeAtLeast());
    }

    const entropy::Version &version;
    const int side;
    std::vector<float> sample, gold;
    double one = 0; ///< milliseconds with one thread
    bool slower = false;
};

bench::Case ladderCase(const entropy::Version &version, int side, const std::vector<int> &counts)
{
    // Made when its rows are asked for, looked at when they have been timed.
    const auto ladder = std::make_shared<std::unique_ptr<Ladder>>();
    const auto rows = [=, &version] {
        omp_set_num_threads(counts.back());
        *ladder = std::make_unique<Ladder>(version, side);
        std::vector<bench::Row> rows;
        for (const int threads : counts) {
            bench::Row row;
            row.keys = {version.name, std::to_string(side), std::to_string(threads)};
            row.open = [=] {
                bench::Work work;
                work.time = [=] { return (*ladder)->time(threads); };
                return work;
            };
            rows.push_back(row);
        }
        return rows;
    };
    const auto verdict = [ladder] {
        const std::string text = (*ladder)->verdict();
        ladder->reset(); // its arrays
        return text;
    };
    return {std::string(version.name) + " " + bench::sizeOf(side, side), version.idea,
            2 * sizeof(float), rows, verdict};
}

std::vector<bench::Case> cases()
{
    std::vector<int> counts;
    const int most = omp_get_max_threads();
    for (int threads = 1; threads < most; threads *= 2) counts.push_back(threads);
    counts.push_back(most);
    std::vector<bench::Case> cases;
    for (const entropy::Version &version : entropy::versions())
        if (version.platform == entropy::Platform::OpenMp)
            for (const int side : {5, 64, 400, 2560})
                cases.push_back(ladderCase(version, side, counts));
    return cases;
}

} // namespace

/// Nothing is timed at load time: this program calls the core for purposes of its own.
bool entropy::runIsRefused() { return true; }

int main(int argc, char **argv)
{
    const bench::Layout layout{{{"version"}, {"side"}, {"threads"}},
                               {bench::median(), bench::minimum()}};
    return bench::runProgram({"scaling", kWhat, layout, {}, cases}, argc, argv);
}
