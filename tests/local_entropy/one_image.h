// An image of random bytes, and what an engine makes of it.
#pragma once

#include "local_entropy/engine.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace one_image
{

constexpr std::int64_t kWidth = 700, kHeight = 300;

inline std::vector<std::uint8_t> randomImage()
{
    std::mt19937 random(5);
    std::vector<std::uint8_t> image(kWidth * kHeight);
    for (std::uint8_t &cell : image) cell = static_cast<std::uint8_t>(random());
    return image;
}

inline std::vector<float> run(local_entropy::Engine &engine, const std::vector<std::uint8_t> &image,
                              const local_entropy::Filter &filter = {},
                              const local_entropy::RunOptions &options = {})
{
    using local_entropy::View;
    std::vector<float> values(kWidth * kHeight, std::nanf(""));
    engine.run(filter, View<const std::uint8_t>{image.data(), kWidth, kHeight, 0},
               View<float>{values.data(), kWidth, kHeight, 0}, options);
    return values;
}

inline local_entropy::Engine withThreads(int threads)
{
    local_entropy::EngineOptions options;
    options.threads = threads;
    return local_entropy::Engine(options);
}

} // namespace one_image
