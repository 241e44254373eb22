// The GPU engine on a GPU: every window there can be.
#include "words_device.h"

#ifdef __CUDACC__

using namespace engine_gpu;
// All windows there can be, cut by edges on both sides where they are smaller than 5 x 5: a proof.
TEST_F(EngineGpu, IsExactForEveryWindow)
{
    words::Gpu gpu;
    for (int across = 1; across <= local_entropy::kWindow; ++across)
        for (int down = 1; down <= local_entropy::kWindow; ++down) {
            const auto partitions = local_entropy::partitionsOf(across * down);
            const Gallery gallery = hang(windowsOf(across * down, across), across, down);
            const auto input = common::upload(gallery.sample.data(), gallery.sample.size());
            auto output = common::poisoned<float>(gallery.sample.size());
            if (across == local_entropy::kWindow) {
                gpu.launch(gallery.width, gallery.height, input.data(), output.data(), 0,
                           gallery.height);
            } else { // each is an array of its own
                const std::size_t cells = across * down;
                for (std::size_t i = 0; i < partitions.size(); ++i)
                    gpu.launch(across, down, input.data() + i * cells, output.data() + i * cells, 0,
                               down);
            }
            const auto result = common::download(output);
            for (std::size_t i = 0; i < partitions.size(); ++i)
                ASSERT_EQ(result[gallery.centres[i]], local_entropy::exactEntropy(partitions[i]))
                    << across << " x " << down << ", partition " << i;
        }
    EXPECT_FALSE(gpu.sawBadCell());
}

// The same as tiles of a wall, where rows and columns of other windows enter and leave; rows of it
// are read in fours and ahead.
TEST_F(EngineGpu, IsExactForEveryWindowAmongOthers)
{
    words::Gpu gpu;
    const auto partitions = local_entropy::partitionsOf(local_entropy::kWindowCells);
    for (const int columns : {47, 48}) // 235 cells, and 240
        for (int turn = 0; turn < local_entropy::kLevels; ++turn) {
            const Gallery wall = tile(windowsOf(local_entropy::kWindowCells, turn), columns);
            const Shape shape{wall.width, wall.height};
            ASSERT_EQ(computeAll(gpu, shape, wall.sample), "");
            Arrays<float> arrays(shape, wall.sample);
            arrays.launch(gpu);
            std::vector<float> result(wall.sample.size());
            CUDA_CHECK(cudaMemcpy(result.data(), arrays.outputData(), result.size() * sizeof(float),
                                  cudaMemcpyDeviceToHost));
            for (std::size_t i = 0; i < partitions.size(); ++i)
                ASSERT_EQ(result[wall.centres[i]], local_entropy::exactEntropy(partitions[i])) << i;
        }
}

#endif
