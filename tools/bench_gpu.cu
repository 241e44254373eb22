// How fast is the GPU engine? Its kernel on several contents, sizes and alignments, beside a copy
// of the same arrays within the device's memory.

#include "common/copy_speed.h"
#include "common/csv.h"
#include "common/file_program.h"
#include "common/launch.h"
#include "common/machine.h"
#include "entropy/contents.h"
#include "local_entropy/engine.h"
#include "local_entropy/methods/words/words.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace words = local_entropy::words;

namespace
{

constexpr const char *kHelp =
    R"(usage: bench_gpu [FILE.csv]

Times the kernel of the GPU engine on device 0, float in and float out, every bit checked against the
CPU engine first; prints the table and writes it to FILE.csv.
)";

struct Case
{
    const char *content;
    int width, height;
    int offset; ///< of both arrays in cells, from an address that is a multiple of 256
};

constexpr Case kCases[] = {
    {"random", 10240, 10240, 0},   {"smooth", 10240, 10240, 0},   {"flat", 10240, 10240, 0},
    {"levels=2", 10240, 10240, 0}, {"levels=3", 10240, 10240, 0}, {"checkerboard", 10240, 10240, 0},
    {"dominant", 10240, 10240, 0}, {"random", 10240, 10240, 1},   {"random", 10239, 10239, 0},
    {"random", 10238, 10238, 0},   {"random", 10237, 10237, 0},   {"dominant", 10237, 10237, 3},
    {"random", 2560, 2560, 0},     {"flat", 2560, 2560, 0},       {"random", 2000, 3000, 0},
    {"random", 1024, 1024, 0},     {"random", 400, 400, 0},       {"random", 401, 399, 0},
    {"random", 128, 128, 0},       {"random", 10, 1000000, 0},    {"random", 1000000, 10, 0},
};

class Bench
{
public:
    void run(const Case &which)
    {
        const std::size_t cells = static_cast<std::size_t>(which.width) * which.height;
        const auto levels = entropy::makeContent(entropy::parseContent(which.content), which.width,
                                                 which.height, 20201122);
        const std::vector<float> sample(levels.begin(), levels.end());
        std::vector<float> gold(cells), answer(cells);
        local_entropy::Filter filter;
        filter.levels.count = 16;
        local_entropy::Engine().run(
            filter, local_entropy::View<const float>{sample.data(), which.width, which.height},
            local_entropy::View<float>{gold.data(), which.width, which.height});

        common::DeviceArray<float> input(cells + which.offset);
        common::DeviceArray<float> output = common::poisoned<float>(cells + which.offset);
        CUDA_CHECK(cudaMemcpy(input.data() + which.offset, sample.data(), cells * sizeof(float),
                              cudaMemcpyHostToDevice));
        const auto compute = [&] {
            gpu.launch(which.width, which.height, input.data() + which.offset,
                       output.data() + which.offset, 0, which.height);
        };
        compute();
        CUDA_CHECK(cudaMemcpy(answer.data(), output.data() + which.offset, cells * sizeof(float),
                              cudaMemcpyDeviceToHost));
        const auto differs =
            std::mismatch(answer.begin(), answer.end(), gold.begin(),
                          [](float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; });
        if (differs.first != answer.end()) {
            const auto at = static_cast<std::size_t>(differs.first - answer.begin());
            throw common::Error(
                std::string(which.content) + " " + std::to_string(which.width) + " x " +
                std::to_string(which.height) + ": x " + std::to_string(at % which.width) + ", y " +
                std::to_string(at / which.width) + " is " + std::to_string(*differs.first) +
                ", expected " + std::to_string(*differs.second));
        }
        if (gpu.sawBadCell()) throw common::Error("good cells are called bad");
        const common::Timing copy = common::deviceCopy(cells);
        const common::Timing kernel = common::measureOnDevice(compute);
        const double mega = cells / kernel.median / 1e3;
        std::printf("%-13s %7d x %-7d %d | %9.4f ms, minimum %9.4f, %4zu runs | %8.0f Mcell/s | "
                    "copy %9.4f ms | %6.3f of copy\n",
                    which.content, which.width, which.height, which.offset, kernel.median,
                    kernel.minimum, kernel.repeats, mega, copy.median, copy.median / kernel.median);
        std::fflush(stdout);
        csv.add({which.content, std::to_string(which.width), std::to_string(which.height),
                 std::to_string(which.offset), std::to_string(kernel.repeats),
                 std::to_string(kernel.median), std::to_string(kernel.minimum),
                 std::to_string(copy.median)});
    }

    void save(const char *file) const { csv.save(file); }

private:
    words::Gpu gpu;
    common::Csv csv{
        {"content", "width", "height", "offset", "runs", "median_ms", "min_ms", "copy_ms"}};
};

int run(const char *file)
{
    std::printf("%s\n", common::machineFacts().c_str());
    Bench bench;
    for (const Case &which : kCases) bench.run(which);
    if (file) bench.save(file);
    return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char **argv) { return common::fileProgram("bench_gpu", kHelp, argc, argv, run); }
