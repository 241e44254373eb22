// One image in the memory of a GPU, and its results: launched, compared with the CPU's, timed.
// For nvcc.
#pragma once

#include "bench/captured_launch.h"
#include "bench/launch_grid.h"
#include "bench/launch_pictures.h"
#include "bench/program.h"
#include "common/copy_speed.h"
#include "common/device_array.h"
#include "common/launch.h"
#include "common/profiler_range.h"
#include "local_entropy/engine.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bench
{

/// Reads cells and writes a float for each, as every filter must: its time is called the limit. A
/// copy of as many bytes in all, which may take a little less, stands beside it.
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

/// What a launch is compared with: milliseconds for as many bytes.
struct Ceiling
{
    double limit = 0; ///< by `convert`
    double copy = 0;  ///< a copy within the GPU's memory; half of the bytes are read
};

/// Rows of `width` elements in the memory of the GPU, as a Placement says.
template <typename T>
class PlacedArray
{
public:
    explicit PlacedArray(const LaunchImage &image)
        : width(image.width), height(image.height), offset(image.placement.offset),
          stride(image.width + image.placement.padding),
          elements(common::poisoned<T>(offset + std::size_t(stride) * height))
    {
    }

    local_entropy::View<T> view() { return {elements.data() + offset, width, height, stride}; }
    T *aligned() { return elements.data(); } ///< room for all, side by side

    void fill(const T *host) { copy(view().data, stride, host, width, cudaMemcpyHostToDevice); }
    void read(T *host) { copy(host, width, view().data, stride, cudaMemcpyDeviceToHost); }

private:
    void copy(T *to, int toStride, const T *from, int fromStride, cudaMemcpyKind way)
    {
        CUDA_CHECK(cudaMemcpy2D(to, toStride * sizeof(T), from, fromStride * sizeof(T),
                                width * sizeof(T), height, way));
    }

    const int width, height, offset, stride;
    common::DeviceArray<T> elements; ///< every byte 0xFF before it is filled
};

/// What scenes have in common, one after the other: engines keep tables and memory.
class Stage
{
public:
    Stage(int width, int height) : pictures(width, height) {} ///< of the largest image

    LaunchPictures pictures;

    /// With a method, or its own choice. That of the case before goes.
    local_entropy::Engine &engine(const std::string &caseName, const std::string &method)
    {
        if (const std::string wanted = caseName + " " + method; engineIsFor != wanted) {
            local_entropy::EngineOptions options;
            options.method = method;
            current = std::make_unique<local_entropy::Engine>(options);
            engineIsFor = wanted;
        }
        return *current;
    }

    /// The same for all images of this size, whose cells have so many bytes; `measure` finds it.
    template <typename Measure>
    const Ceiling &ceiling(std::size_t cellBytes, std::size_t cells, Measure measure)
    {
        const auto key = std::make_pair(cellBytes, cells);
        auto found = ceilings.find(key);
        if (found == ceilings.end()) found = ceilings.emplace(key, measure()).first;
        return found->second;
    }

private:
    std::unique_ptr<local_entropy::Engine> current;
    std::string engineIsFor;
    std::map<std::pair<std::size_t, std::size_t>, Ceiling> ceilings;
};

/// One filter on one image. Of all scenes of a Stage only one is there at a time.
template <typename Cell>
class LaunchScene
{
public:
    LaunchScene(Stage &stage, const FilterCase &one, const std::string &method,
                const LaunchImage &image)
        : stage(stage), one(one), image(image), picture(stage.pictures.picture(one, image)),
          engine(stage.engine(one.name(), method)), cells(image), results(image),
          mask(uploaded(picture.mask))
    {
        cells.fill(std::get<std::vector<Cell>>(picture.cells).data());
    }

    /// Launches it, as the profiler sees it, and compares every bit.
    void validate()
    {
        try {
            const common::ProfilerRange range("version=launches/" + one.name() + ";");
            launch(nullptr, {});
        } catch (const local_entropy::Error &error) {
            if (error.status() != local_entropy::Status::Unavailable) throw;
            throw common::Unavailable(error.what());
        }
        const std::vector<float> &expected = stage.pictures.answer(one, image);
        engine.synchronize();
        static std::vector<float> found; // fresh pages would take longer than all else
        found.resize(expected.size());
        results.read(found.data());
        bool isRight = true;
#pragma omp parallel for schedule(static) reduction(&& : isRight)
        for (int y = 0; y < image.height; ++y) {
            const std::size_t row = static_cast<std::size_t>(y) * image.width;
            isRight = isRight &&
                      std::memcmp(&found[row], &expected[row], image.width * sizeof(float)) == 0;
        }
        if (!isRight) throw WrongAnswer("the GPU's bits are not the CPU's");
    }

    common::Timing time()
    {
        const std::size_t size = static_cast<std::size_t>(image.width) * image.height;
        const Ceiling &ceiling =
            stage.ceiling(sizeof(Cell), size, [&] { return measureCeiling(size); });
        beside = {ceiling.limit, ceiling.copy, NAN, NAN};
        const common::Timing timing = common::measureOnDevice([this] { launch(nullptr, {}); });
        if (CapturedLaunch::kHasNames) timeSecondLook();
        return timing;
    }

    /// Milliseconds, once it is timed: of the ceiling's `limit` and `copy`; as a graph, and as one
    /// without its second look; NaN where that cannot be told.
    std::vector<double> compared() const { return beside; }

private:
    static common::DeviceArray<std::uint8_t> uploaded(const std::vector<std::uint8_t> &mask)
    {
        return mask.empty() ? common::DeviceArray<std::uint8_t>(1)
                            : common::upload(mask.data(), mask.size());
    }

    void launch(cudaStream_t stream, const local_entropy::Workspace &workspace)
    {
        local_entropy::RunOptions options = masked();
        options.workspace = workspace;
        engine.enqueue(one.filter, cellView(), results.view(), stream, options);
    }

    local_entropy::RunOptions masked() const
    {
        local_entropy::RunOptions options;
        if (!picture.mask.empty()) options.mask = {mask.data(), image.width, image.height};
        return options;
    }

    local_entropy::View<const Cell> cellView()
    {
        const local_entropy::View<Cell> view = cells.view();
        return {view.data, view.width, view.height, view.stride};
    }

    Ceiling measureCeiling(std::size_t size)
    {
        const common::Timing limit = common::measureOnDevice([&] {
            convert<<<1056, 512>>>(cells.aligned(), results.aligned(), size);
            CUDA_CHECK(cudaGetLastError());
        });
        const std::size_t bytes = (sizeof(Cell) + sizeof(float)) * size;
        return {limit.median, common::deviceCopy(bytes / (2 * sizeof(float))).median};
    }

    void timeSecondLook()
    {
        common::DeviceArray<char> workspace(std::max<std::size_t>(
            1, engine.workspaceBytes(one.filter, cellView(), results.view(), masked())));
        CapturedLaunch captured([&](cudaStream_t stream) {
            launch(stream, {workspace.data(), workspace.bytes()});
        });
        beside[2] = captured.milliseconds(true);
        beside[3] = captured.hasSecondLook() ? captured.milliseconds(false) : beside[2];
    }

    Stage &stage;
    const FilterCase one;
    const LaunchImage image;
    const Picture &picture;
    local_entropy::Engine &engine;
    PlacedArray<Cell> cells;
    PlacedArray<float> results;
    const common::DeviceArray<std::uint8_t> mask;
    std::vector<double> beside = std::vector<double>(4, NAN);
};

} // namespace bench
