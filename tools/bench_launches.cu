// How fast is the library in the memory of a GPU? By window, levels and content, beside what no
// such program can beat: a kernel that reads as many bytes and writes as many floats.

#include "bench/filter_cases.h"
#include "bench/picture.h"
#include "bench/program.h"
#include "common/device_array.h"
#include "common/devices.h"
#include "common/launch.h"
#include "common/machine.h"
#include "common/profiler_range.h"
#include "local_entropy/engine.h"
#include "local_entropy/methods/method.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>

namespace
{

constexpr const char *kWhat =
    R"(Times the library's filters in the memory of GPU 0, second looks included, every bit checked against
the CPU first, beside a kernel that reads as many bytes and writes as many floats. Natural images of
10240x10240; some filters also with other contents and sizes, unless these are asked for.
)";

const std::string kContent = "natural", kSize = "10240x10240";

/// What is timed besides where nothing else is asked for. Each row takes seconds, most of them for
/// the picture and the CPU's answer.
const std::vector<std::string> kOtherContents = {"random", "flat"},
                               kByContent = {"uint8-256-3x3", "uint8-256-5x5", "uint8-256-7x7",
                                             "uint8-256-9x9", "uint8-16-5x5",  "uint8-16-9x9",
                                             "uint8-16-15x15"};
const std::vector<std::string> kOtherSizes = {"1024x1024", "4096x4096", "10237x10239"},
                               kBySize = {"uint8-256-3x3", "uint8-256-5x5", "uint8-256-9x9"};

/// What is asked for; of contents and sizes, empty: the grid above.
struct Wanted
{
    std::vector<std::string> methods = {""}; ///< empty: the engine's choice
    std::vector<std::string> contents, sizes;
};

template <typename Cell>
__global__ void convert(const Cell *cells, float *values, std::size_t size)
{
    struct alignas(4 * sizeof(Cell)) Cells
    {
        Cell of[4];
    };
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    const std::size_t first = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (std::size_t i = first; i < size / 4; i += step) {
        const Cells four = reinterpret_cast<const Cells *>(cells)[i];
        __stcs(reinterpret_cast<float4 *>(values) + i,
               make_float4(four.of[0], four.of[1], four.of[2], four.of[3]));
    }
    for (std::size_t i = size / 4 * 4 + first; i < size; i += step) values[i] = cells[i];
}

/// One image in the memory of the GPU, and its results.
template <typename Cell>
class Scene
{
public:
    Scene(const bench::FilterCase &one, const std::string &method, const std::string &content,
          int width, int height)
        : name(one.name()), filter(one.filter),
          picture(bench::makePicture(one.type, content, one.filter.levels.count, width, height)),
          cells(std::get<std::vector<Cell>>(picture.cells)),
          image(common::upload(cells.data(), cells.size())), mask(maskOf(one, width, height)),
          result(common::poisoned<float>(cells.size()))
    {
        if (one.isMasked) picture.mask = bench::makeMask(width, height);
        local_entropy::EngineOptions options;
        options.method = method;
        engine = std::make_unique<local_entropy::Engine>(options);
    }

    void launch()
    {
        local_entropy::RunOptions options;
        if (!picture.mask.empty()) options.mask = {mask.data(), picture.width, picture.height};
        engine->enqueue(
            filter, local_entropy::View<const Cell>{image.data(), picture.width, picture.height},
            local_entropy::View<float>{result.data(), picture.width, picture.height}, nullptr,
            options);
    }

    void validate()
    {
        try {
            const common::ProfilerRange range("version=launches/" + name + ";");
            launch();
        } catch (const local_entropy::Error &error) {
            if (error.status() != local_entropy::Status::Unavailable) throw;
            throw common::Unavailable(error.what());
        }
        std::vector<float> expected(cells.size()), found(cells.size());
        local_entropy::Engine cpu;
        bench::compute(cpu, filter, picture, expected.data());
        engine->synchronize();
        common::download(result, found.data());
        if (std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)) != 0)
            throw bench::WrongAnswer("the GPU's bits are not the CPU's");
    }

    common::Timing time()
    {
        limit = common::measureOnDevice([this] {
                    convert<<<1056, 512>>>(image.data(), result.data(), cells.size());
                    CUDA_CHECK(cudaGetLastError());
                }).median;
        return common::measureOnDevice([this] { launch(); });
    }

    double limitMilliseconds() const { return limit; } ///< known once it is timed

private:
    static common::DeviceArray<std::uint8_t> maskOf(const bench::FilterCase &one, int width,
                                                    int height)
    {
        const std::vector<std::uint8_t> cells =
            one.isMasked ? bench::makeMask(width, height) : std::vector<std::uint8_t>(1);
        return common::upload(cells.data(), cells.size());
    }

    const std::string name;
    const local_entropy::Filter filter;
    bench::Picture picture;
    const std::vector<Cell> &cells;
    const common::DeviceArray<Cell> image;
    const common::DeviceArray<std::uint8_t> mask;
    common::DeviceArray<float> result;
    std::unique_ptr<local_entropy::Engine> engine;
    double limit = 0;
};

/// A row of the table: what is computed, by what, of what.
struct Launch
{
    bench::FilterCase one;
    std::string method, content;
    int width, height;
};

template <typename Cell>
bench::Work open(const Launch &launch)
{
    const auto scene = std::make_shared<Scene<Cell>>(launch.one, launch.method, launch.content,
                                                     launch.width, launch.height);
    bench::Work work;
    work.validate = [scene] { scene->validate(); };
    work.time = [scene] { return scene->time(); };
    work.beside = [scene] { return std::vector<double>{scene->limitMilliseconds()}; };
    return work;
}

bench::Work openAny(const Launch &launch)
{
    if (launch.one.type == "uint8") return open<std::uint8_t>(launch);
    if (launch.one.type == "uint16") return open<std::uint16_t>(launch);
    return open<float>(launch);
}

/// The name of the method that computes it in the memory of a GPU, whatever the image's size.
std::string chosenFor(const bench::FilterCase &one)
{
    using namespace local_entropy;
    constexpr int kSide = 64;
    const bench::Picture picture =
        bench::makePicture(one.type, kContent, one.filter.levels.count, kSide, kSide);
    const std::vector<std::uint8_t> mask = bench::makeMask(kSide, kSide);
    std::vector<float> values(kSide * kSide);
    const Problem problem = std::visit(
        [&](const auto &cells) {
            const CellType type = one.type == "uint8"    ? CellType::Uint8
                                  : one.type == "uint16" ? CellType::Uint16
                                                         : CellType::Float32;
            return checkedProblem(one.filter, {cells.data(), type, kSide, kSide, 0},
                                  one.isMasked ? Mask{mask.data(), kSide, kSide, 0} : Mask{},
                                  {values.data(), false, kSide, kSide, 0}, {});
        },
        picture.cells);
    const Method *best = nullptr;
    for (const Method *method : methods())
        if (method->canLaunch(problem) &&
            (!best || method->launchCost(problem) < best->launchCost(problem)))
            best = method;
    return best ? best->name() : "none";
}

bench::Row rowOf(const Launch &launch)
{
    bench::Row row;
    row.keys = {launch.one.name(), launch.method.empty() ? chosenFor(launch.one) : launch.method,
                launch.content, std::to_string(launch.width), std::to_string(launch.height)};
    row.results = static_cast<double>(launch.width) * launch.height;
    row.open = [launch] { return openAny(launch); };
    row.mayLack = !launch.method.empty();
    return row;
}

/// Content and size of the pictures of a case.
std::vector<std::pair<std::string, std::string>> picturesOf(const std::string &name,
                                                            const Wanted &wanted)
{
    using Words = std::vector<std::string>;
    const bool isGrid = wanted.contents.empty() && wanted.sizes.empty();
    const auto among = [&](const Words &names) {
        return isGrid && std::find(names.begin(), names.end(), name) != names.end();
    };
    std::vector<std::pair<std::string, std::string>> pictures;
    for (const std::string &size : wanted.sizes.empty() ? Words{kSize} : wanted.sizes)
        for (const std::string &content :
             wanted.contents.empty() ? Words{kContent} : wanted.contents)
            pictures.emplace_back(content, size);
    if (among(kByContent))
        for (const std::string &content : kOtherContents) pictures.emplace_back(content, kSize);
    if (among(kBySize))
        for (const std::string &size : kOtherSizes) pictures.emplace_back(kContent, size);
    return pictures;
}

std::vector<bench::Row> rowsOf(const bench::FilterCase &one, const Wanted &wanted)
{
    std::vector<bench::Row> rows;
    for (const std::string &method : wanted.methods)
        for (const auto &[content, size] : picturesOf(one.name(), wanted)) {
            int width = 0, height = 0;
            if (std::sscanf(size.c_str(), "%dx%d", &width, &height) != 2)
                throw common::Error("--sizes: '" + size + "' is not WIDTHxHEIGHT");
            rows.push_back(rowOf({one, method, content, width, height}));
        }
    return rows;
}

std::vector<bench::Case> cases(const Wanted &wanted)
{
    std::vector<bench::Case> cases;
    for (const bench::FilterCase &one : bench::launchCases())
        cases.push_back({one.name(), one.what(),
                         static_cast<double>(bench::cellBytes(one.type)) + sizeof(float),
                         [&one, wanted] { return rowsOf(one, wanted); }});
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
    Wanted wanted;
    const bench::Layout layout{{{"case"}, {"method"}, {"content"}, {"width"}, {"height"}},
                               {bench::runs(), bench::median(), bench::minimum(),
                                bench::rate("", "Mpixel/s"),
                                bench::beside(0, "limit_ms", "ms reading and writing"),
                                bench::shareOf(0, "of the limit")}};
    const auto list = [](std::vector<std::string> &to, const char *option) {
        return [&to, option](const std::string &text) { to = bench::wordsOf(option, text); };
    };
    const std::vector<bench::Option> options = {
        {"methods", "LIST", "methods, each of which computes what it can; else the engine's choice",
         list(wanted.methods, "--methods")},
        {"contents", "LIST", "natural, random, flat, stripes, sparse, of all filters",
         list(wanted.contents, "--contents")},
        {"sizes", "LIST", "WIDTHxHEIGHT, of all filters", list(wanted.sizes, "--sizes")},
    };
    return bench::runProgram(
        {"bench_launches", kWhat, layout, options, [&wanted] { return cases(wanted); }, facts},
        argc, argv);
}
