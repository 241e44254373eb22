// Arrays of ten columns and ten million rows, and the other way round: on every GPU of the machine,
// and by CPU and GPUs together, against the CPU, bit for bit.
#include "launches.h"

#ifdef __CUDACC__

namespace
{

using namespace local_entropy;

constexpr int kShort = 10, kLong = 10000000;

/// Runs of equal cells, a few cells long, so that windows have many and few levels.
std::vector<std::uint8_t> someCells()
{
    std::vector<std::uint8_t> cells(static_cast<std::size_t>(kShort) * kLong);
    unsigned random = 11;
    std::uint8_t last = 0;
    for (std::uint8_t &cell : cells) {
        random = random * 1664525 + 1013904223;
        if (random >> 30 == 0) last = static_cast<std::uint8_t>(random >> 16);
        cell = last;
    }
    return cells;
}

struct Case
{
    int side, levels;
    Border border;
};

const Case kCases[] = {{5, 256, Border::Cut},
                       {5, 16, Border::Constant},
                       {9, 256, Border::Nearest},
                       {3, 256, Border::Mirror},
                       {15, 16, Border::Wrap}};

Filter filterOf(const Case &one)
{
    Filter filter;
    filter.window.width = filter.window.height = one.side;
    filter.levels.count = one.levels;
    filter.border = one.border;
    return filter;
}

/// For each case: check(filter, cells, expected).
template <typename Check>
void forEachCase(int width, int height, const Check &check)
{
    const std::vector<std::uint8_t> all = someCells();
    Engine cpu;
    for (const Case &one : kCases) {
        std::vector<std::uint8_t> cells = all;
        for (std::uint8_t &cell : cells) cell = static_cast<std::uint8_t>(cell % one.levels);
        const View<const std::uint8_t> image{cells.data(), width, height, width};
        std::vector<float> expected(cells.size(), -1.f);
        cpu.run(filterOf(one), image, View<float>{expected.data(), width, height, width});
        check(filterOf(one), image, expected);
        ASSERT_FALSE(testing::Test::HasFailure()) << one.side << " of " << one.levels << " levels";
    }
}

bool haveTheSameBits(const std::vector<float> &found, const std::vector<float> &expected)
{
    return std::memcmp(found.data(), expected.data(), expected.size() * sizeof(float)) == 0;
}

void askEveryDevice(int width, int height)
{
    forEachCase(width, height, [&](const Filter &filter, const auto &image, const auto &expected) {
        for (int device = 0; device < common::deviceCount(); ++device) {
            CUDA_CHECK(cudaSetDevice(device));
            std::vector<float> found(expected.size(), -2.f);
            OnDevice<const std::uint8_t> cells(image);
            auto values = common::poisoned<float>(found.size());
            Engine engine;
            engine.enqueue(filter, cells.view(), View<float>{values.data(), width, height, width});
            engine.synchronize();
            CUDA_CHECK(
                cudaMemcpy(found.data(), values.data(), values.bytes(), cudaMemcpyDeviceToHost));
            EXPECT_TRUE(haveTheSameBits(found, expected)) << "GPU " << device;
        }
        CUDA_CHECK(cudaSetDevice(0));
    });
}

void askAllTogether(int width, int height)
{
    EngineOptions options;
    options.devices = true;
    Engine engine(options);
    forEachCase(width, height, [&](const Filter &filter, const auto &image, const auto &expected) {
        std::vector<float> found(expected.size(), -2.f);
        engine.run(filter, image, View<float>{found.data(), width, height, width});
        EXPECT_TRUE(haveTheSameBits(found, expected));
    });
}

} // namespace

TEST_F(Launches, OfTenMillionRowsGiveTheBitsOfTheCpu) { askEveryDevice(kShort, kLong); }

TEST_F(Launches, OfTenMillionColumnsGiveTheBitsOfTheCpu) { askEveryDevice(kLong, kShort); }

TEST_F(Launches, OfTenMillionRowsByAllTogether) { askAllTogether(kShort, kLong); }

TEST_F(Launches, OfTenMillionColumnsByAllTogether) { askAllTogether(kLong, kShort); }

#else

TEST_F(Launches, OfLongArraysNeedCuda) {}

#endif
