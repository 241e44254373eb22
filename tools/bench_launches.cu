// How fast is the library in the memory of a GPU? By window, levels, content, size and place,
// beside what no such program can beat: a kernel that reads as many bytes and writes as many
// floats.

#include "bench/launch_scene.h"
#include "common/devices.h"
#include "common/machine.h"
#include "local_entropy/memory/shared_bytes.h"
#include "local_entropy/problem/type_of.h"
#include "local_entropy/schedule/launchers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

namespace
{

using bench::LaunchImage;
using bench::LaunchWishes;

constexpr const char *kWhat =
    R"(Times the library's filters in the memory of GPU 0, second looks included, every bit checked against
the CPU first, beside a kernel that reads as many bytes and writes as many floats, and a copy that
moves as many. Of the launch as a CUDA graph, also without its second look. A grid of contents,
sizes and places, unless some of these are asked for: then natural images of 10240x10240 but for
that.
)";

/// A row of the table: what is computed, by what, of what.
struct Launch
{
    bench::FilterCase one;
    std::string method;
    LaunchImage image;
    bool isOnlyOnce; ///< not timed
};

template <typename Cell>
bench::Work open(bench::Stage &stage, const Launch &launch)
{
    const auto scene =
        std::make_shared<bench::LaunchScene<Cell>>(stage, launch.one, launch.method, launch.image);
    bench::Work work;
    work.validate = [scene] { scene->validate(); };
    if (launch.isOnlyOnce)
        work.time = [] { return common::Timing{1, NAN, NAN}; };
    else
        work.time = [scene] { return scene->time(); };
    work.beside = [scene] { return scene->compared(); };
    return work;
}

bench::Work openAny(bench::Stage &stage, const Launch &launch)
{
    if (launch.one.type == "uint8") return open<std::uint8_t>(stage, launch);
    if (launch.one.type == "uint16") return open<std::uint16_t>(stage, launch);
    return open<float>(stage, launch);
}

/// The name of the method that computes it in the memory of a GPU, whatever the image's size.
std::string chosenFor(const bench::FilterCase &one)
{
    using namespace local_entropy;
    constexpr int kSide = 64;
    const bench::Picture picture =
        bench::makePicture(one.type, bench::kUsualContent, one.filter.levels.count, kSide, kSide);
    const std::vector<std::uint8_t> mask = bench::makeMask(kSide, kSide);
    std::vector<float> values(kSide * kSide);
    const Problem problem = std::visit(
        [&](const auto &cells) {
            const CellType type = typeOf<typename std::decay_t<decltype(cells)>::value_type>();
            return checkedProblem(one.filter, {cells.data(), type, kSide, kSide, 0},
                                  one.isMasked ? Mask{mask.data(), kSide, kSide, 0} : Mask{},
                                  {values.data(), false, kSide, kSide, 0}, {});
        },
        picture.cells);
    const Method *const method = launchMethod(problem, nullptr, sharedBytesOfBlock());
    return method ? method->name() : "none";
}

bench::Row rowOf(const std::shared_ptr<bench::Stage> &stage, const Launch &launch)
{
    const LaunchImage &image = launch.image;
    bench::Row row;
    row.keys = {launch.one.name(),
                launch.method.empty() ? chosenFor(launch.one) : launch.method,
                image.content,
                std::to_string(image.width),
                std::to_string(image.height),
                image.placement.name};
    row.results = static_cast<double>(image.width) * image.height;
    row.open = [stage, launch] { return openAny(*stage, launch); };
    row.mayLack = !launch.method.empty();
    return row;
}

std::vector<bench::Case> cases(const LaunchWishes &wishes)
{
    int width = 1, height = 1;
    for (const bench::FilterCase &one : bench::launchCases())
        for (const LaunchImage &image : bench::imagesOf(one, wishes)) {
            width = std::max(width, image.width);
            height = std::max(height, image.height);
        }
    const auto stage = std::make_shared<bench::Stage>(width, height);
    std::vector<bench::Case> cases;
    for (const bench::FilterCase &one : bench::launchCases())
        cases.push_back(
            {one.name(), one.what(),
             static_cast<double>(bench::cellBytes(one.type)) + sizeof(float),
             [&one, wishes, stage] {
                 std::vector<bench::Row> rows;
                 for (const std::string &method : wishes.methods)
                     for (const LaunchImage &image : bench::imagesOf(one, wishes))
                         rows.push_back(rowOf(stage, {one, method, image, wishes.isOnlyOnce}));
                 return rows;
             }});
    return cases;
}

std::string facts()
{
    if (common::deviceCount() == 0) throw common::Unavailable(common::whyNoDevice());
    return common::machineFacts();
}

} // namespace

int main(int argc, char **argv)
{
    LaunchWishes wishes;
    const bench::Layout layout{
        {{"case"}, {"method"}, {"content"}, {"width"}, {"height"}, {"placement"}},
        {bench::runs(), bench::median(), bench::minimum(), bench::rate("", "Mpixel/s"),
         bench::beside(0, "limit_ms", "ms reading and writing"), bench::shareOf(0, "of the limit"),
         bench::beside(1, "copy_ms", "ms a copy"), bench::beside(2, "graph_ms", "ms as a graph"),
         bench::beside(3, "first_look_ms", "ms without second looks")}};
    const auto list = [](std::vector<std::string> &to, const char *option) {
        return [&to, option](const std::string &text) { to = bench::wordsOf(option, text); };
    };
    const std::vector<bench::Option> options = {
        {"methods", "LIST", "methods, each of which computes what it can; else the engine's choice",
         list(wishes.methods, "--methods")},
        {"contents", "LIST",
         "natural, random, flat, stripes, sparse, gradient, adversarial, of all filters",
         list(wishes.contents, "--contents")},
        {"sizes", "LIST", "WIDTHxHEIGHT, of all filters", list(wishes.sizes, "--sizes")},
        {"placements", "LIST", "\"aligned\", \"offset 1\", \"stride +1\", of all filters",
         list(wishes.placements, "--placements")},
        {"once", "", "each is launched once and compared, not timed: for a profiler to watch",
         [&wishes](const std::string &) { wishes.isOnlyOnce = true; }},
    };
    return bench::runProgram(
        {"bench_launches", kWhat, layout, options, [&wishes] { return cases(wishes); }, facts},
        argc, argv);
}
