// How fast is the GPU engine? Its kernel on several contents, sizes and alignments, beside a copy
// of the same arrays within the device's memory.

#include "bench/cells.h"
#include "bench/program.h"
#include "common/copy_speed.h"
#include "common/devices.h"
#include "common/launch.h"
#include "common/machine.h"
#include "local_entropy/methods/words/words.h"

#include <memory>
#include <optional>
#include <type_traits>

namespace words = local_entropy::words;

namespace
{

constexpr const char *kWhat =
    R"(Times the kernel of the GPU engine on device 0, floats or bytes in and float out, every bit checked
against the CPU engine first, beside a copy of as many floats within the device's memory.
)";

struct Array
{
    const char *content;
    int width, height;
    int offset; ///< of both arrays in cells, from an address that is a multiple of 256
    const char *cells = "float";
};

constexpr Array kArrays[] = {
    {"random", 10240, 10240, 0},
    {"smooth", 10240, 10240, 0},
    {"flat", 10240, 10240, 0},
    {"levels=2", 10240, 10240, 0},
    {"levels=3", 10240, 10240, 0},
    {"checkerboard", 10240, 10240, 0},
    {"dominant", 10240, 10240, 0},
    {"random", 10240, 10240, 1},
    {"random", 10239, 10239, 0},
    {"random", 10238, 10238, 0},
    {"random", 10237, 10237, 0},
    {"dominant", 10237, 10237, 3},
    {"random", 2560, 2560, 0},
    {"flat", 2560, 2560, 0},
    {"random", 2000, 3000, 0},
    {"random", 1024, 1024, 0},
    {"random", 400, 400, 0},
    {"random", 401, 399, 0},
    {"random", 128, 128, 0},
    {"random", 10, 1000000, 0},
    {"random", 1000000, 10, 0},
    {"random", 100, 100000, 0},
    {"random", 60, 200000, 0},
    {"random", 3, 3000000, 0},
    {"random", 10240, 10240, 0, "uint8"},
    {"flat", 10240, 10240, 0, "uint8"},
    {"dominant", 10240, 10240, 0, "uint8"},
    {"random", 10240, 10240, 1, "uint8"},
    {"random", 10239, 10239, 0, "uint8"},
    {"random", 4096, 4096, 0, "uint8"},
    {"random", 1024, 1024, 0, "uint8"},
    {"random", 10, 1000000, 0, "uint8"},
    {"random", 1000000, 10, 0, "uint8"},
};

const std::vector<float> &cellsAs(float, const std::vector<float> &sample) { return sample; }
std::vector<words::Level> cellsAs(words::Level, const std::vector<float> &sample)
{
    std::vector<words::Level> levels;
    for (const float cell : sample)
        levels.push_back(static_cast<words::Level>(static_cast<int>(cell)));
    return levels;
}

/// The arrays on the device.
template <typename Cell>
class Scene
{
public:
    Scene(const Array &array, words::Gpu &gpu)
        : gpu(gpu), offset(array.offset),
          cells(bench::makeCells(array.content, array.width, array.height)),
          input(cells.count() + offset), output(common::poisoned<float>(cells.count() + offset))
    {
        const auto &sample = cellsAs(Cell(), cells.sample);
        CUDA_CHECK(cudaMemcpy(input.data() + offset, sample.data(), cells.count() * sizeof(Cell),
                              cudaMemcpyHostToDevice));
    }

    void launch()
    {
        const std::int64_t width = cells.width, height = cells.height;
        if constexpr (std::is_same_v<Cell, float>)
            gpu.launch(width, height, input.data() + offset, output.data() + offset, 0, height);
        else
            gpu.launch({width, height, width, 0, width, 0, height}, 16, input.data() + offset,
                       output.data() + offset, width);
    }

    void validate()
    {
        std::vector<float> gold(cells.count()), answer(cells.count());
        local_entropy::Engine engine;
        bench::compute(engine, cells, gold.data());
        launch();
        CUDA_CHECK(
            cudaMemcpy(answer.data(), output.data() + offset, bytes(), cudaMemcpyDeviceToHost));
        bench::requireSameBits(cells, answer.data(), gold.data());
        if (gpu.sawBadCell()) throw bench::WrongAnswer("good cells are called bad");
    }

    common::Timing time()
    {
        copy = common::deviceCopy(cells.count()).median;
        return common::measureOnDevice([this] { launch(); });
    }

    double copyMilliseconds() const { return copy; } ///< of the same arrays; known once it is timed

private:
    std::size_t bytes() const { return cells.count() * sizeof(float); }

    words::Gpu &gpu;
    const int offset;
    const bench::Cells cells;
    common::DeviceArray<Cell> input;
    common::DeviceArray<float> output;
    double copy = 0;
};

/// The tables of the kernel, made where they are needed first.
using Gpu = std::shared_ptr<std::optional<words::Gpu>>;

template <typename Cell>
bench::Work open(const Array &array, const Gpu &gpu)
{
    if (!*gpu) gpu->emplace();
    const auto scene = std::make_shared<Scene<Cell>>(array, **gpu);
    bench::Work work;
    work.validate = [scene] { scene->validate(); };
    work.time = [scene] { return scene->time(); };
    work.beside = [scene] { return std::vector<double>{scene->copyMilliseconds()}; };
    return work;
}

bench::Case arrayCase(const Array &array, const Gpu &gpu)
{
    const std::string offset = std::to_string(array.offset);
    bench::Row row;
    const bool isFloat = array.cells == std::string("float");
    row.keys = {array.cells, array.content, std::to_string(array.width),
                std::to_string(array.height), offset};
    row.results = static_cast<double>(array.width) * array.height;
    row.open = [=] { return isFloat ? open<float>(array, gpu) : open<words::Level>(array, gpu); };
    return {array.cells + std::string(" ") + array.content +
                (" " + bench::sizeOf(array.width, array.height)) + " offset " + offset,
            "", isFloat ? 8.0 : 5.0, [row] { return std::vector<bench::Row>{row}; }};
}

std::vector<bench::Case> cases()
{
    const auto gpu = std::make_shared<std::optional<words::Gpu>>();
    std::vector<bench::Case> cases;
    for (const Array &array : kArrays) cases.push_back(arrayCase(array, gpu));
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
    const bench::Layout layout{
        {{"cells"}, {"content"}, {"width"}, {"height"}, {"offset"}},
        {bench::runs(), bench::median(), bench::minimum(), bench::rate("", "Mcell/s"),
         bench::beside(0, "copy_ms", "ms a copy"), bench::shareOf(0, "of copy")}};
    return bench::runProgram({"bench_gpu", kWhat, layout, {}, cases, facts}, argc, argv);
}
