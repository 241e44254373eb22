// From what size on does the GPU win? v12 against v7 end to end, beside the number of cells from
// which on v14 uses the GPU.

#include "bench/cells.h"
#include "bench/program.h"
#include "common/devices.h"
#include "common/machine.h"
#include "entropy/run.h"
#include "entropy/shared_sample.h"

namespace
{

constexpr const char *kWhat =
    R"(Times v12, on the CPU, and v7, on the GPU, end to end, on square arrays of random cells. Every answer
is checked first.
)";

double time(const entropy::Version &version, const entropy::SharedSample &shared)
{
    std::vector<float> cells = shared.copy();
    return common::measure(
               [&] {
                   return entropy::run(version.callback, shared.width, shared.height, cells.data());
               },
               [&](const common::HostArray<float> &result) { shared.check(result.get()); })
        .median;
}

bench::Work work(int side)
{
    const auto both = std::make_shared<std::vector<double>>();
    bench::Work work;
    work.time = [=] {
        const entropy::SharedSample shared(side, side);
        for (const char *name : {"v12", "v7"})
            both->push_back(time(entropy::versionNamed(name), shared));
        return common::summarize(*both);
    };
    work.beside = [=] { return *both; };
    return work;
}

bench::Case sizeCase(int side)
{
    bench::Row row;
    row.keys = {std::to_string(side), std::to_string(side), std::to_string(side * side)};
    row.open = [side] { return work(side); };
    return {bench::sizeOf(side, side), "", 0, [row] { return std::vector<bench::Row>{row}; }};
}

std::vector<bench::Case> cases()
{
    std::vector<bench::Case> cases;
    for (const int side : {64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 2560})
        cases.push_back(sizeCase(side));
    return cases;
}

std::string facts()
{
    const entropy::Version &gpu = entropy::versionNamed("v7");
    if (!gpu.unavailable.empty()) throw common::Unavailable("v7 " + gpu.unavailable);
    return common::machineFacts() + "\nv14 leaves arrays of less than " +
           std::to_string(common::residentThreads(0)) + " cells to v12";
}

} // namespace

/// Nothing is timed at load time: this program calls the core for purposes of its own.
bool entropy::runIsRefused() { return true; }

int main(int argc, char **argv)
{
    const bench::Layout layout{
        {{"width"}, {"height"}, {"cells"}},
        {bench::beside(0, "cpu_ms", "ms v12, CPU"), bench::beside(1, "gpu_ms", "ms v7, GPU")}};
    return bench::runProgram({"threshold", kWhat, layout, {}, cases, facts}, argc, argv);
}
