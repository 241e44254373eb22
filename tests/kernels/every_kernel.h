// Small images for every kernel under every border, against the CPU, bit for bit. For .cu files.
#pragma once

#include "../brief.h"
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

/// The borders to ask under: all of them; in brief one, another one for each question. Six
/// questions later it is the next one, so that those which come in turns, with a mask and without,
/// meet them all.
class Borders
{
public:
    explicit Borders(int turn = 0) : turn(turn) {}

    static std::vector<int> all() { return {0, 1, 2, 3, 4, 5}; }

    std::vector<int> next()
    {
        if (!isBrief()) return all();
        const int one = (turn + turn / 6) % 6;
        ++turn;
        return {one};
    }

private:
    int turn;
};

/// Asks one method.
class Asker
{
public:
    /// In brief, borders begin with that turn.
    explicit Asker(const std::string &method, int turn = 0)
        : gpu(optionsOf(method)), readsGaps(method == "words"), borders(turn)
    {
    }

    /// The same question under each border, in brief under one. Results begin at addresses and lie
    /// in strides that are aligned or not, in turn.
    template <typename Cell, typename Value = float>
    void ask(const local_entropy::Filter &filter, Size size, bool masked)
    {
        askUnder<Cell, Value>(borders.next(), filter, size, masked);
    }

    /// In brief under each, too.
    template <typename Cell, typename Value = float>
    void askUnderAll(const local_entropy::Filter &filter, Size size, bool masked)
    {
        askUnder<Cell, Value>(Borders::all(), filter, size, masked);
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
        local_entropy::RunOptions options;
        options.region = region;
        options.mask = picture.maskView();
        const auto launch = [&](const auto &from, const auto &to, local_entropy::RunOptions there) {
            const auto workspace = workspaceFor(filter, from, to, there);
            gpu.enqueue(filter, from, to, stream.get(), there);
            gpu.synchronize();
        };
        EXPECT_TRUE(
            writesTheBitsOfTheCpu(cpu, filter, picture.view(), view, options, place, launch))
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

    template <typename Cell, typename Value>
    void askUnder(const std::vector<int> &which, local_entropy::Filter filter, Size size,
                  bool masked)
    {
        filter.constant = filter.levels.binned ? filter.levels.high : filter.levels.low + 1;
        for (const int border : which) {
            filter.border = static_cast<local_entropy::Border>(border);
            askOnce<Cell, Value>(filter, size, {}, masked, border % 2 == 0);
        }
    }

    /// Memory that is new for each question: of what is given out again, initcheck knows only that
    /// somebody has written to it.
    ///
    /// A warp of `words` orders fours of cells all across its strip: of a narrow plane also those
    /// that lie in the gap behind a row, where nothing was loaded, but never beyond its last row.
    /// It drops them. Initcheck sees them read: so the gaps are poisoned here, and a result that
    /// depended on one would be wrong. The other methods read what was loaded, and no more.
    template <typename Image, typename Values>
    std::vector<common::DeviceArray<char>> workspaceFor(const local_entropy::Filter &filter,
                                                        Image image, Values values,
                                                        local_entropy::RunOptions &options)
    {
        std::vector<common::DeviceArray<char>> memory;
        const std::size_t bytes = gpu.workspaceBytes(filter, image, values, options);
        if (bytes == 0) return memory; // the image is read where it is
        memory.push_back(readsGaps ? common::poisoned<char>(bytes)
                                   : common::DeviceArray<char>(bytes));
        CUDA_CHECK(cudaDeviceSynchronize()); // other streams do not wait for this one
        options.workspace = {memory.back().data(), bytes};
        return memory;
    }

    local_entropy::Engine cpu, gpu;
    const common::Stream stream;
    const bool readsGaps;
    Borders borders;
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
