// Small images for every kernel under every border, against the CPU, bit for bit. For .cu files.
#pragma once

#include "../launches.h"

#ifdef __CUDACC__
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace kernels
{

struct Size
{
    int width, height;
};

/// Rows of random cells that are levels, with gaps between rows that are none; and a mask.
template <typename Cell>
class Picture
{
public:
    Picture(Size size, const local_entropy::Levels &levels, bool masked, int gap)
        : size(size), stride(size.width + gap), cells(stride * size.height), mask(cells.size())
    {
        unsigned random = 5;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            random = random * 1664525 + 1013904223;
            mask[i] = random >> 28 != 0;
            // Three of four are among the first levels.
            const unsigned most = random >> 26 & 3 ? std::min(levels.count, 5) : levels.count;
            cells[i] = cellOf(levels, (random >> 8) % most);
        }
        if (!masked) mask.clear();
    }

    local_entropy::View<const Cell> view() const
    {
        return {reinterpret_cast<const Cell *>(cells.data()), size.width, size.height, stride};
    }
    local_entropy::View<const std::uint8_t> maskView() const
    {
        if (mask.empty()) return {};
        return {mask.data(), size.width, size.height, stride};
    }

private:
    using Stored = std::conditional_t<std::is_same_v<Cell, bool>, std::uint8_t, Cell>;

    static Stored cellOf(const local_entropy::Levels &levels, unsigned level)
    {
        if (levels.binned)
            return static_cast<Stored>(
                std::ceil(levels.low + level * (levels.high - levels.low) / levels.count));
        const double most = std::is_same_v<Cell, bool>    ? 1
                            : std::is_same_v<Cell, float> ? 65535
                                                          : std::numeric_limits<Cell>::max();
        return static_cast<Stored>(std::min(levels.low + level, most));
    }

    const Size size;
    const std::int64_t stride;
    std::vector<Stored> cells;
    std::vector<std::uint8_t> mask;
};

/// Asks one method.
class Asker
{
public:
    explicit Asker(const std::string &method) : gpu(optionsOf(method)) {}

    /// The same question under each border. Results begin at addresses and lie in strides that are
    /// aligned or not, in turn.
    template <typename Cell, typename Value = float>
    void ask(local_entropy::Filter filter, Size size, bool masked)
    {
        filter.constant = filter.levels.binned ? filter.levels.high : filter.levels.low + 1;
        for (int border = 0; border < 6; ++border) {
            filter.border = static_cast<local_entropy::Border>(border);
            askOnce<Cell, Value>(filter, size, {}, masked, border % 2 == 0);
        }
    }

    template <typename Cell, typename Value = float>
    void askOnce(const local_entropy::Filter &filter, Size size, local_entropy::Region region,
                 bool masked, bool aligned)
    {
        if (region.width == 0) region = {0, 0, size.width, size.height};
        const Picture<Cell> picture(size, filter.levels, masked, aligned ? 0 : 3);
        const std::int64_t stride = region.width + (aligned ? 0 : 5);
        std::vector<Value> values(stride * region.height);
        const local_entropy::View<Value> view{values.data(), region.width, region.height, stride};
        const Place place = aligned ? Place::Aligned : Place::Anywhere;
        OnDevice<const Cell> image(picture.view(), place);
        OnDevice<const std::uint8_t> mask(picture.maskView(), place);
        OnDevice<Value> found(view, place);
        local_entropy::RunOptions options;
        options.region = region;
        options.mask = picture.maskView();
        cpu.run(filter, picture.view(), view, options);
        OnDevice<Value> expected(view, place);
        options.mask = mask.view();
        gpu.enqueue(filter, image.view(), found.view(), stream.get(), options);
        gpu.synchronize();
        EXPECT_TRUE(found.bytes() == expected.bytes())
            << sizeof(Cell) << " byte cells, window " << filter.window.width << " x "
            << filter.window.height << ", levels " << filter.levels.count << ", border "
            << static_cast<int>(filter.border) << (masked ? ", mask" : "");
    }

private:
    static local_entropy::EngineOptions optionsOf(const std::string &method)
    {
        local_entropy::EngineOptions options;
        options.method = method;
        return options;
    }

    local_entropy::Engine cpu, gpu;
    const common::Stream stream;
};

inline local_entropy::Filter filterOf(int width, int height, int levels)
{
    local_entropy::Filter filter;
    filter.window.width = width;
    filter.window.height = height;
    filter.levels.count = levels;
    return filter;
}

} // namespace kernels
#endif
