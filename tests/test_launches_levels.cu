// Which cells of floats are levels, and which, in the memory of a GPU: by the definition, and as
// the CPU has it.
#include "launches.h"
#include "same_bits.h"

#include "local_entropy/unusual_floats.h"

#ifdef __CUDACC__
#include <string>

using namespace local_entropy;

namespace
{

__global__ void applyRule(LevelRule rule, const float *cells, std::int32_t *levels, int count)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) levels[i] = rule(cells[i]);
}

/// What an engine says of these cells, in one row: empty, or its refusal. The result's bits.
std::string entropies(Engine &engine, const Filter &filter, const std::vector<float> &cells,
                      std::vector<float> &values)
{
    const auto width = static_cast<std::int64_t>(cells.size());
    values.assign(cells.size(), -1);
    OnDevice<const float> image(View<const float>{cells.data(), width, 1, width});
    OnDevice<float> result(View<float>{values.data(), width, 1, width});
    try {
        engine.enqueue(filter, image.view(), result.view());
        engine.synchronize();
    } catch (const Error &error) {
        return error.what();
    }
    CUDA_CHECK(cudaMemcpy(values.data(), result.view().data, values.size() * sizeof(float),
                          cudaMemcpyDeviceToHost));
    return "";
}

} // namespace

TEST_F(Launches, GiveFloatsTheLevelsOfTheDefinition)
{
    const std::vector<float> cells = unusualFloats();
    const int count = static_cast<int>(cells.size());
    const auto there = common::upload(cells.data(), cells.size());
    std::vector<std::int32_t> found(cells.size());
    for (const Filter &filter : filtersOfFloats()) {
        auto levels = common::poisoned<std::int32_t>(cells.size());
        applyRule<<<(count + 63) / 64, 64>>>(LevelRule(filter), there.data(), levels.data(), count);
        CUDA_CHECK(cudaGetLastError());
        common::download(levels, found.data());
        for (int i = 0; i < count; ++i)
            EXPECT_EQ(found[i], expectedLevel(filter, cells[i]))
                << cells[i] << " low " << filter.levels.low;
    }
}

// Where images are loaded: the good cells together have the CPU's entropies, and of the bad ones
// each is refused, by itself among good ones.
TEST_F(Launches, RefuseFloatsThatAreNoLevels)
{
    Engine engine, cpu;
    for (Filter filter : filtersOfFloats()) {
        filter.window.width = filter.window.height = 3;
        SCOPED_TRACE("levels " + std::to_string(filter.levels.count) + " low " +
                     std::to_string(filter.levels.low));
        std::vector<float> good(4, static_cast<float>(filter.levels.low)), values;
        for (const float cell : unusualFloats()) {
            if (expectedLevel(filter, cell) != kBadLevel) {
                good.push_back(cell);
                continue;
            }
            std::vector<float> cells(9, static_cast<float>(filter.levels.low));
            cells[6] = cell;
            const std::string refusal = entropies(engine, filter, cells, values);
            EXPECT_NE(refusal.find("x 6, y 0 "), std::string::npos) << cell << ": " << refusal;
        }
        const auto width = static_cast<std::int64_t>(good.size());
        std::vector<float> expected(good.size());
        cpu.run(filter, View<const float>{good.data(), width, 1},
                View<float>{expected.data(), width, 1});
        EXPECT_EQ(entropies(engine, filter, good, values), "");
        EXPECT_TRUE(sameBits(values, expected));
    }
}

#else

TEST_F(Launches, OfFloatsNeedCuda) {}

#endif
