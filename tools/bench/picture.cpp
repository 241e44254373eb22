#include "bench/picture.h"

#include "common/error.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace bench
{

const char *const kContents[5] = {"natural", "random", "flat", "stripes", "sparse"};
const char *const kMoreContents[2] = {"gradient", "adversarial"};
const char *const kTypes[3] = {"uint8", "uint16", "float32"};

namespace
{

using Generator = std::mt19937_64;

int draw(Generator &generator, int levels)
{
    return static_cast<int>((generator() >> 32) * static_cast<std::uint64_t>(levels) >> 32);
}

/// Nearly normal: the sum of four uniform numbers, of deviation 1.
double noise(Generator &generator)
{
    const std::uint64_t bits = generator();
    const double sum = static_cast<double>((bits & 0xffff) + (bits >> 16 & 0xffff) +
                                           (bits >> 32 & 0xffff) + (bits >> 48));
    return (sum / 65536 - 2) * std::sqrt(3.0);
}

enum class Content { Natural, Random, Flat, Stripes, Sparse, Gradient, Adversarial };

Content contentOf(const std::string &name)
{
    if (name == "natural") return Content::Natural;
    if (name == "random") return Content::Random;
    if (name == "stripes") return Content::Stripes;
    if (name == "sparse") return Content::Sparse;
    if (name == "gradient") return Content::Gradient;
    if (name == "adversarial") return Content::Adversarial;
    return Content::Flat;
}

/// One row of an image after the other: each has a generator of its own, so that rows can be made
/// at the same time.
class Painter
{
public:
    Painter(const std::string &name, int levels, int width, int height)
        : content(contentOf(name)), levels(levels), width(width)
    {
        if (content != Content::Natural) return;
        for (int x = 0; x < width; ++x) across.push_back(0.3 * std::sin(x * 0.011 + 1));
        for (int i = 0; i < width + 2 * height; ++i) along.push_back(0.1 * std::sin(i * 0.004));
    }

    template <typename Cell>
    void paint(int y, Cell *row) const
    {
        constexpr std::uint64_t kSeed = 20201122;
        Generator generator(kSeed + static_cast<std::uint64_t>(y));
        if (content == Content::Natural) return paintNatural(y, generator, row);
        for (int x = 0; x < width; ++x) row[x] = static_cast<Cell>(level(x, y, generator));
    }

private:
    template <typename Cell>
    void paintNatural(int y, Generator &generator, Cell *row) const
    {
        const double down = std::cos(y * 0.013);
        for (int x = 0; x < width; ++x) {
            const double wave = 0.5 + across[x] * down + along[x + 2 * y];
            const double level = std::floor(wave * levels + 3 * noise(generator) + 0.5);
            row[x] = static_cast<Cell>(std::clamp(level, 0.0, levels - 1.0));
        }
    }

    int level(int x, int y, Generator &generator) const
    {
        const int middle = levels / 2;
        const auto drawnAmong = [&](int part, int of) {
            return draw(generator, of) < part ? draw(generator, levels) : middle;
        };
        switch (content) {
        case Content::Random: return draw(generator, levels);
        case Content::Stripes: return (x / 3 + y / 2) % levels;
        case Content::Gradient:
            return static_cast<int>((x + 2 * static_cast<std::int64_t>(y)) / 8 % levels);
        case Content::Sparse: return drawnAmong(1, 50);
        case Content::Adversarial: return drawnAmong(x % kRamp, kRamp);
        default: return middle;
        }
    }

    static constexpr int kRamp = 64; ///< columns
    const Content content;
    const int levels, width;
    std::vector<double> across, along; ///< waves of the natural image, by column
};

template <typename Cell>
std::vector<Cell> cellsOf(const std::string &content, int levels, int width, int height)
{
    std::vector<Cell> cells(static_cast<std::size_t>(width) * height);
    const Painter painter(content, levels, width, height);
#pragma omp parallel for schedule(static)
    for (int y = 0; y < height; ++y)
        painter.paint(y, cells.data() + static_cast<std::size_t>(y) * width);
    return cells;
}

local_entropy::RunOptions optionsFor(const Picture &picture)
{
    local_entropy::RunOptions options;
    if (!picture.mask.empty())
        options.mask = {picture.mask.data(), picture.width, picture.height, 0};
    return options;
}

/// Calls `use` with a view of the cells, in their type.
template <typename Use>
auto withView(const Picture &picture, Use use)
{
    return std::visit(
        [&](const auto &cells) {
            return use(local_entropy::View<std::remove_pointer_t<decltype(cells.data())>>{
                cells.data(), picture.width, picture.height, 0});
        },
        picture.cells);
}

} // namespace

Picture makePicture(const std::string &type, const std::string &content, int levels, int width,
                    int height)
{
    if (type == "uint8")
        return {cellsOf<std::uint8_t>(content, levels, width, height), width, height};
    if (type == "uint16")
        return {cellsOf<std::uint16_t>(content, levels, width, height), width, height};
    return {cellsOf<float>(content, levels, width, height), width, height};
}

int cellBytes(const std::string &type) { return type == "uint8" ? 1 : type == "uint16" ? 2 : 4; }

std::vector<std::uint8_t> makeMask(int width, int height)
{
    constexpr int kSide = 100, kEvery = 4;
    std::vector<std::uint8_t> mask;
    mask.reserve(static_cast<std::size_t>(width) * height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) mask.push_back((x / kSide + y / kSide) % kEvery != 0);
    return mask;
}

template <typename Value>
void compute(Engine &engine, const Filter &filter, const Picture &picture, Value *result,
             const Region &region)
try {
    local_entropy::RunOptions options = optionsFor(picture);
    options.region = region;
    const bool whole = region.width == 0;
    const local_entropy::View<Value> to{result, whole ? picture.width : region.width,
                                        whole ? picture.height : region.height, 0};
    withView(picture, [&](auto view) { engine.run(filter, view, to, options); });
} catch (const local_entropy::Error &error) {
    if (error.status() != local_entropy::Status::Unavailable) throw;
    std::string why = error.what();
    const std::string prefix = common::ErrorScope::prefix(); // it may be there, and is added below
    if (why.compare(0, prefix.size(), prefix) == 0) why.erase(0, prefix.size());
    throw common::Unavailable(why);
}

template <typename Value>
std::string methodsFor(const Engine &engine, const Filter &filter, const Picture &picture,
                       Value *result)
try {
    const local_entropy::View<Value> to{result, picture.width, picture.height, 0};
    std::string names;
    for (const std::string &name : withView(picture, [&](auto view) {
             return engine.methodsFor(filter, view, to, optionsFor(picture));
         }))
        names += (names.empty() ? "" : "+") + name;
    return names;
} catch (const local_entropy::Error &error) {
    if (error.status() != local_entropy::Status::Unavailable) throw;
    return "";
}

template void compute(Engine &, const Filter &, const Picture &, float *, const Region &);
template void compute(Engine &, const Filter &, const Picture &, double *, const Region &);
template std::string methodsFor(const Engine &, const Filter &, const Picture &, float *);
template std::string methodsFor(const Engine &, const Filter &, const Picture &, double *);

} // namespace bench
