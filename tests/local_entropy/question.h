// Random questions for the library's methods, each from a seed or from other numbers.
#pragma once

#include "guarded_array.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

/// What is asked, with the image and the mask.
template <typename Cell>
class Question
{
public:
    local_entropy::Filter filter;
    local_entropy::Region region;
    std::int64_t gap = 0; ///< between the rows of the result
    bool asDouble = false;

    explicit Question(unsigned seed)
        : Question(std::mt19937(seed), false, "question " + std::to_string(seed))
    {
    }
    /// From numbers of somebody else. `wild`: any side, count, border and cell, also what is
    /// refused; otherwise those that programs use.
    Question(std::function<std::uint32_t()> numbers, bool wild, std::string name)
        : random(std::move(numbers)), wild(wild), name(std::move(name))
    {
        chooseWindow();
        chooseLevels();
        chooseMeasure();
        filter.border = static_cast<local_entropy::Border>(below(6));
        filter.constant = filter.levels.binned ? (filter.levels.low + filter.levels.high) / 2
                                               : filter.levels.low + below(filter.levels.count);
        if (std::is_same_v<Cell, bool>) filter.constant = below(2);
        if (wildly(8)) filter.constant = anyNumber();
        // Cells beyond the edge do not count, then.
        if (std::is_same_v<Cell, float> && !wild && below(4) == 0) filter.constant = std::nan("");
        filter.empty = below(2) ? 0 : std::nan("");
        if (wildly(8)) filter.empty = anyNumber();
        chooseImage();
        asDouble = below(6) == 0;
        gap = below(4) ? 0 : below(20);
    }

    local_entropy::View<const Cell> view() const
    {
        const auto all = image->view();
        return {all.data, all.width, all.height, all.stride};
    }
    local_entropy::View<const std::uint8_t> maskView() const
    {
        if (!mask) return {};
        const auto all = mask->view();
        return {all.data, all.width, all.height, all.stride};
    }

    /// Hill numbers of most orders are right to one unit in the last place only.
    bool exact() const
    {
        return filter.measure != local_entropy::Measure::Hill || filter.order == 0 ||
               filter.order == 1 || filter.order == 2 || std::isinf(filter.order);
    }

    std::string text() const
    {
        std::ostringstream out;
        const auto all = image->view();
        out << name << ": image " << all.width << " x " << all.height << " stride " << all.stride
            << ", window " << filter.window.width << " x " << filter.window.height
            << (filter.window.footprint.empty() ? "" : " footprint") << " origin "
            << filter.window.originX << ", " << filter.window.originY << ", levels "
            << filter.levels.count << (filter.levels.binned ? " binned" : "") << ", border "
            << static_cast<int>(filter.border) << ", measure " << static_cast<int>(filter.measure)
            << " order " << filter.order << " base " << static_cast<int>(filter.base)
            << (mask ? ", mask" : "") << (filter.nodata ? ", nodata" : "") << ", region "
            << region.x << ", " << region.y << " " << region.width << " x " << region.height
            << (asDouble ? ", double" : "");
        return out.str();
    }

private:
    int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }
    std::int64_t upTo(std::int64_t n) { return static_cast<std::int64_t>(random() % n); }
    bool wildly(int oneIn) { return wild && below(oneIn) == 0; }
    double anyNumber()
    {
        const double numbers[] = {0,     1,   -1,   0.5,  255,   256,      -32768,
                                  65535, 1e9, 1e-9, 1e30, 1e300, INFINITY, std::nan("")};
        return below(3) ? below(70000) - 2000 : numbers[below(14)] * (below(2) ? 1 : -1);
    }

    void chooseWindow()
    {
        auto &window = filter.window;
        const int sides[] = {1, 2, 3, 3, 4, 5, 5, 7, 9, 11, 15, 16, 21, 31};
        window.width = sides[below(14)];
        window.height = below(2) ? window.width : sides[below(14)];
        if (below(40) == 0) window.width = 200 + below(56);
        if (wildly(3)) window.width = 1 + below(64), window.height = 1 + below(64);
        if (wildly(40)) window.height = 1 + below(255);
        if (below(4) == 0) {
            window.originX = below(window.width) - window.width / 2;
            window.originY = below(window.height) - window.height / 2;
        }
        if (below(4) || window.width > 63 || window.height > 63) return;
        const int kind = below(3);
        window.footprint.resize(window.width * window.height);
        for (int y = 0; y < window.height; ++y)
            for (int x = 0; x < window.width; ++x) {
                const double dx = (2 * x + 1.0) / window.width - 1;
                const double dy = (2 * y + 1.0) / window.height - 1;
                const double r = dx * dx + dy * dy;
                window.footprint[y * window.width + x] = kind == 0   ? r <= 1
                                                         : kind == 1 ? r <= 1 && r > 0.3
                                                                     : below(3) != 0;
            }
        window.footprint[below(window.width * window.height)] = 1;
    }

    void chooseLevels()
    {
        auto &levels = filter.levels;
        if (std::is_same_v<Cell, bool>) {
            levels.count = 2;
            return;
        }
        const int counts[] = {2, 3, 5, 16, 16, 25, 64, 255, 256, 256, 1000, 4096, 65536};
        do levels.count = counts[below(13)];
        while (sizeof(Cell) == 1 && levels.count > 256);
        if (wildly(3)) levels.count = 2 + below(sizeof(Cell) == 1 ? 255 : 65535);
        if (std::is_same_v<Cell, std::int16_t>) levels.low = -(levels.count / 2);
        if (wildly(5)) levels.low = below(5000) - 2500;
        filter.nanIsError = wildly(5);
        levels.clamp = below(4) == 0;
        levels.binned = below(4) == 0;
        if (!levels.binned) return;
        levels.low = below(3) ? 0 : 10.5;
        levels.high = levels.low + (sizeof(Cell) == 1 ? 200 : 7000) + 0.25 * below(4);
        if (wildly(5)) levels.low = anyNumber(), levels.high = anyNumber();
    }

    void chooseMeasure()
    {
        using local_entropy::Measure;
        filter.base = static_cast<local_entropy::Base>(below(4) ? 0 : below(3));
        filter.measure = below(5) ? Measure::Entropy : static_cast<Measure>(below(4));
        const double orders[] = {0, 1, 2, 0.5, 3, std::numeric_limits<double>::infinity()};
        filter.order = orders[below(6)];
        if (wildly(3)) filter.order = below(1000) / 64.0;
    }

    /// A cell that is a level; of few levels, of all, or now and then beyond, where that is
    /// allowed.
    Cell randomCell(int kind)
    {
        const auto &levels = filter.levels;
        if (std::is_same_v<Cell, bool>) return static_cast<Cell>(below(2));
        if (odd && below(200) == 0) return anyCell();
        if (kind == 0) return nearest(lowest());
        const int range = kind == 1 ? std::min(levels.count, 3) : levels.count;
        if (levels.binned) {
            const double span = levels.high - lowest();
            return nearest(lowest() + std::floor(below(range) * span / levels.count));
        }
        const double beyond = levels.clamp && sizeof(Cell) > 1 && below(9) == 0 ? 7 : 0;
        const double cell = levels.low + below(range) + beyond;
        return nearest(cell);
    }
    Cell anyCell()
    {
        if (std::is_same_v<Cell, float>) return static_cast<Cell>(anyNumber());
        return static_cast<Cell>(random());
    }
    /// A cell that can be held.
    static Cell nearest(double cell)
    {
        using Limits = std::numeric_limits<Cell>;
        const double most = std::is_same_v<Cell, float> ? 1e6 : static_cast<double>(Limits::max());
        const double least = std::max(static_cast<double>(Limits::lowest()), -1e6);
        return static_cast<Cell>(std::fmax(least, std::fmin(cell, most)));
    }
    double lowest() const { return std::ceil(filter.levels.low); }

    void chooseImage()
    {
        const bool wide = below(6) == 0;
        const std::int64_t cellsOfWindow =
            static_cast<std::int64_t>(filter.window.width) * filter.window.height;
        std::int64_t width = 1 + below(wide ? 1500 : 90), height = 1 + below(wide ? 8 : 40);
        if (cellsOfWindow > 2000) width = 1 + below(60), height = 1 + below(12);
        while (wild && width * height * cellsOfWindow > 1000000) // for fuzzers, that try many
            (height > 1 ? height : width) /= 2;
        odd = wildly(4);
        image = std::make_unique<GuardedArray<Cell>>(width, height, below(4) ? 0 : below(30));
        const int kind = below(6);
        for (std::int64_t y = 0; y < height; ++y)
            for (std::int64_t x = 0; x < width; ++x) {
                const bool same = kind == 3 && x > 0 && below(8); // runs of the same level
                image->at(x, y) = same ? image->at(x - 1, y) : randomCell(kind);
                if (std::is_same_v<Cell, float> && kind == 4 && below(20) == 0)
                    image->at(x, y) = static_cast<Cell>(std::nan(""));
            }
        if (below(5) == 0 && !std::is_same_v<Cell, bool>) {
            const double cell = static_cast<double>(image->at(upTo(width), upTo(height)));
            if (!std::isnan(cell)) filter.nodata = cell;
        }
        if (wildly(8)) filter.nodata = anyNumber();
        if (below(5) == 0) {
            mask = std::make_unique<GuardedArray<std::uint8_t>>(width, height, below(3));
            const int sparse = below(2) ? 2 : 30;
            for (std::int64_t y = 0; y < height; ++y)
                for (std::int64_t x = 0; x < width; ++x) mask->at(x, y) = below(sparse) != 0;
        }
        region = {0, 0, width, height};
        if (below(2)) return;
        region = {upTo(width), upTo(height), 0, 0};
        region.width = 1 + upTo(width - region.x), region.height = 1 + upTo(height - region.y);
    }

    std::function<std::uint32_t()> random;
    bool wild, odd = false; ///< odd: cells that may be no levels
    std::string name;
    std::unique_ptr<GuardedArray<Cell>> image;
    std::unique_ptr<GuardedArray<std::uint8_t>> mask;
};
