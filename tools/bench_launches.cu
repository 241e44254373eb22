// How fast is the library in the memory of a GPU? By window, levels and content, beside what no
// such program can beat: a kernel that reads as many bytes and writes as many floats.

#include "bench/filter_cases.h"
#include "bench/picture.h"
#include "bench/program.h"
#include "common/device_array.h"
#include "common/devices.h"
#include "common/launch.h"
#include "common/machine.h"
#include "local_entropy/engine.h"

#include <cstring>
#include <memory>

namespace
{

constexpr const char *kWhat =
    R"(Times the library's filters in the memory of GPU 0, second looks included, every bit checked against
the CPU first, beside a kernel that reads as many bytes and writes as many floats.
)";

constexpr int kSide = 10240;

template <typename Cell>
__global__ void convert(const Cell *cells, float *values, std::size_t size)
{
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < size; i += step)
        values[i] = static_cast<float>(cells[i]);
}

/// One image in the memory of the GPU, and its results.
template <typename Cell>
class Scene
{
public:
    Scene(const bench::FilterCase &one, const std::string &content)
        : filter(one.filter),
          picture(bench::makePicture(one.type, content, one.filter.levels.count, kSide, kSide)),
          cells(std::get<std::vector<Cell>>(picture.cells)),
          image(common::upload(cells.data(), cells.size())),
          result(common::poisoned<float>(cells.size()))
    {
    }

    void launch()
    {
        engine.enqueue(filter, local_entropy::View<const Cell>{image.data(), kSide, kSide},
                       local_entropy::View<float>{result.data(), kSide, kSide});
    }

    void validate()
    {
        std::vector<float> expected(cells.size()), found(cells.size());
        local_entropy::Engine cpu;
        bench::compute(cpu, filter, picture, expected.data());
        launch();
        engine.synchronize();
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
    const local_entropy::Filter filter;
    const bench::Picture picture;
    const std::vector<Cell> &cells;
    const common::DeviceArray<Cell> image;
    common::DeviceArray<float> result;
    local_entropy::Engine engine;
    double limit = 0;
};

template <typename Cell>
bench::Work open(const bench::FilterCase &one, const std::string &content)
{
    const auto scene = std::make_shared<Scene<Cell>>(one, content);
    bench::Work work;
    work.validate = [scene] { scene->validate(); };
    work.time = [scene] { return scene->time(); };
    work.beside = [scene] { return std::vector<double>{scene->limitMilliseconds()}; };
    return work;
}

bench::Work openAny(const bench::FilterCase &one, const std::string &content)
{
    if (one.type == "uint8") return open<std::uint8_t>(one, content);
    if (one.type == "uint16") return open<std::uint16_t>(one, content);
    return open<float>(one, content);
}

std::vector<bench::Row> rowsOf(const bench::FilterCase &one)
{
    std::vector<bench::Row> rows;
    for (const char *content : {"natural", "random", "flat"}) {
        bench::Row row;
        row.keys = {one.name(), content, std::to_string(kSide), std::to_string(kSide)};
        row.results = static_cast<double>(kSide) * kSide;
        row.open = [one, content] { return openAny(one, content); };
        rows.push_back(row);
    }
    return rows;
}

std::vector<bench::Case> cases()
{
    std::vector<bench::Case> cases;
    for (const bench::FilterCase &one : bench::filterCases())
        cases.push_back({one.name(), one.what(),
                         static_cast<double>(bench::cellBytes(one.type)) + sizeof(float),
                         [&one] { return rowsOf(one); }});
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
    const bench::Layout layout{{{"case"}, {"content"}, {"width"}, {"height"}},
                               {bench::runs(), bench::median(), bench::minimum(),
                                bench::rate("", "Mpixel/s"),
                                bench::beside(0, "limit_ms", "ms reading and writing"),
                                bench::shareOf(0, "of the limit")}};
    return bench::runProgram({"bench_launches", kWhat, layout, {}, cases, facts}, argc, argv);
}
