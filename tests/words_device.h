// The GPU engine as tests call it: arrays in device memory, and how a launch's answers differ from
// those of the CPU engine. Without a GPU, or without nvcc, each test is skipped by name.
#pragma once

#include "bits_call.h"
#include "common/devices.h"
#include "local_entropy/methods/words/call.h"
#include "same_bits.h"
#include "shapes.h"

#include <gtest/gtest.h>

#ifdef __CUDACC__
#include "common/device_array.h"
#include "gallery.h"
#include "local_entropy/methods/words/plan.h"
#include "local_entropy/methods/words/words.h"

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>
#endif

namespace words = local_entropy::words;

class EngineGpu : public testing::Test
{
protected:
    void SetUp() override
    {
        if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    }
};

#ifdef __CUDACC__

namespace engine_gpu
{

/// Where in device memory the arrays of a test begin, and which rows are computed.
struct Layout
{
    int sampleOffset = 0, resultOffset = 0; ///< in cells, from an address that 256 divides
    int begin = 0, end = -1;                ///< -1: all rows
    int guard = 256; ///< poisoned cells on each side; poison is no level: it is seen if it is read
};

inline std::vector<float> poison(std::size_t size)
{
    std::vector<float> cells(size);
    std::memset(cells.data(), 0xFF, size * sizeof(float));
    return cells;
}

/// Cells as the kernel takes them: floats or levels.
template <typename Cell>
std::vector<Cell> cellsAs(const std::vector<float> &sample)
{
    std::vector<Cell> cells;
    for (const float cell : sample) cells.push_back(static_cast<Cell>(static_cast<int>(cell)));
    return cells;
}

/// A sample and a result in device memory.
template <typename Cell>
class Arrays
{
public:
    Arrays(Shape shape, const std::vector<float> &sample, Layout layout = {})
        : shape(shape), layout(layout), sample(sample),
          input(common::poisoned<Cell>(sample.size() + layout.sampleOffset + 2 * layout.guard)),
          output(common::poisoned<float>(sample.size() + layout.resultOffset + 2 * layout.guard))
    {
        if (layout.end < 0) this->layout.end = shape.height;
        const auto cells = cellsAs<Cell>(sample);
        CUDA_CHECK(cudaMemcpy(inputData(), cells.data(), cells.size() * sizeof(Cell),
                              cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaDeviceSynchronize()); // other streams do not wait for this one
    }

    Cell *inputData() { return input.data() + layout.guard + layout.sampleOffset; }
    float *outputData() { return output.data() + layout.guard + layout.resultOffset; }

    void launch(words::Gpu &gpu, cudaStream_t stream = nullptr)
    {
        if constexpr (std::is_same_v<Cell, words::Level>)
            gpu.launch(
                {shape.width, shape.height, shape.width, 0, shape.width, layout.begin, layout.end},
                16, inputData(), outputData() + std::int64_t(layout.begin) * shape.width,
                shape.width, stream);
        else
            gpu.launch(shape.width, shape.height, inputData(), outputData(), layout.begin,
                       layout.end, stream);
    }

    /// After the launches have ended: empty if the rows hold the CPU engine's bits and all else the
    /// poison; otherwise what is wrong.
    std::string difference() const
    {
        const std::size_t before = layout.guard + layout.resultOffset;
        std::vector<float> expected = poison(output.size()), found(output.size());
        entropyOnCpu(shape.width, shape.height, sample.data(), expected.data() + before,
                     layout.begin, layout.end);
        common::download(output, found.data());
        if (sameBits(found, expected)) return "";
        std::size_t i = 0;
        while (std::memcmp(&found[i], &expected[i], sizeof(float)) == 0) ++i;
        const std::int64_t cell = static_cast<std::int64_t>(i) - static_cast<std::int64_t>(before);
        const std::string place = cell < 0 || cell >= static_cast<std::int64_t>(sample.size())
                                      ? "cell " + std::to_string(cell) + ", outside the array,"
                                      : "x " + std::to_string(cell % shape.width) + ", y " +
                                            std::to_string(cell / shape.width);
        return std::to_string(sizeof(Cell)) + "-byte cells, " + std::to_string(shape.width) +
               " x " + std::to_string(shape.height) + ", offsets " +
               std::to_string(layout.sampleOffset) + " and " + std::to_string(layout.resultOffset) +
               ", rows " + std::to_string(layout.begin) + " to " + std::to_string(layout.end) +
               ": " + place + " is " + std::to_string(found[i]) + ", expected " +
               std::to_string(expected[i]);
    }

private:
    const Shape shape;
    Layout layout;
    const std::vector<float> sample;
    common::DeviceArray<Cell> input;
    common::DeviceArray<float> output;
};

/// One launch, to its end; empty if all is right.
template <typename Cell>
std::string compute(words::Gpu &gpu, Shape shape, const std::vector<float> &sample,
                    Layout layout = {})
{
    Arrays<Cell> arrays(shape, sample, layout);
    arrays.launch(gpu);
    CUDA_CHECK(cudaDeviceSynchronize());
    if (gpu.sawBadCell()) return "good cells are called bad; " + arrays.difference();
    return arrays.difference();
}

/// Floats and levels.
inline std::string computeAll(words::Gpu &gpu, Shape shape, const std::vector<float> &sample)
{
    return compute<float>(gpu, shape, sample) + compute<words::Level>(gpu, shape, sample);
}

/// On one multiprocessor, these rows of an array are walked by teams.
inline void expectTeams(Shape shape, int begin, int end)
{
    EXPECT_EQ(words::makePlan({shape.width, shape.height, shape.width, 0, shape.width, begin, end},
                              128, 16)
                  .team,
              unsigned(words::kTeam))
        << shape.width << " x " << shape.height << ", rows " << begin << " to " << end;
}

/// Windows of all partitions of that many cells, levels in an order that depends on `turn`.
inline std::vector<std::vector<float>> windowsOf(int cells, int turn)
{
    std::vector<std::vector<float>> windows;
    for (const local_entropy::Partition &partition : local_entropy::partitionsOf(cells))
        windows.push_back(cellsOf(partition, turn++));
    return windows;
}

} // namespace engine_gpu
#endif
