#include "bench/scene.h"

#include "bench/harness.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <type_traits>

namespace bench
{
namespace
{

constexpr int kSmallWidth = 97, kSmallHeight = 61; // primes, a few vectors wide
constexpr std::int64_t kPatchWidth = 70, kPatchHeight = 16;

/// The corners and the middle; the whole image if it is smaller than a patch.
std::vector<Region> patchesOf(std::int64_t width, std::int64_t height)
{
    const std::int64_t w = std::min(width, kPatchWidth), h = std::min(height, kPatchHeight);
    return {{0, 0, w, h},
            {width - w, 0, w, h},
            {0, height - h, w, h},
            {width - w, height - h, w, h},
            {(width - w) / 2, (height - h) / 2, w, h}};
}

Picture pictureOf(const FilterCase &one, const std::string &content, int width, int height)
{
    Picture picture = makePicture(one.type, content, one.filter.levels.count, width, height);
    if (one.isMasked) picture.mask = makeMask(width, height);
    return picture;
}

Engine plainEngine()
{
    local_entropy::EngineOptions options;
    options.method = "plain";
    return Engine(options);
}

template <typename Value>
constexpr Value kNan = std::numeric_limits<Value>::quiet_NaN();

/// By the engine, in memory that held NaN. A region of no width stands for the whole image.
template <typename Value>
std::vector<Value> computed(Engine &engine, const Filter &filter, const Picture &picture,
                            const Region &region = {})
{
    const bool whole = region.width == 0;
    const std::int64_t width = whole ? picture.width : region.width;
    const std::int64_t height = whole ? picture.height : region.height;
    std::vector<Value> values(static_cast<std::size_t>(width) * height, kNan<Value>);
    compute(engine, filter, picture, values.data(), region);
    return values;
}

/// Enough digits to tell it from any other of its type.
template <typename Value>
std::string written(Value value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.*g", std::numeric_limits<Value>::max_digits10, value);
    return text;
}

/// Bit by bit, since every method gives the same ones; NaN fails, on either side.
template <typename Value>
void compare(const Value *found, std::int64_t stride, const std::vector<Value> &expected,
             const Region &place)
{
    for (std::int64_t y = 0; y < place.height; ++y)
        for (std::int64_t x = 0; x < place.width; ++x) {
            const Value &want = expected[y * place.width + x], &got = found[y * stride + x];
            if (want == got && std::memcmp(&want, &got, sizeof want) == 0) continue;
            throw WrongAnswer("wrong at x " + std::to_string(place.x + x) + ", y " +
                              std::to_string(place.y + y) + " of an image " +
                              std::to_string(stride) + " wide: " + written(got) + ", expected " +
                              written(want));
        }
}

} // namespace

Scene::Scene(const FilterCase &one, const std::string &content, int width, int height)
    : filter(one.filter), picture(pictureOf(one, content, width, height)),
      small(pictureOf(one, content, kSmallWidth, kSmallHeight)), patches(patchesOf(width, height))
{
    if (one.isDouble)
        results = expected<double>();
    else
        results = expected<float>();
}

/// What the plain method says; nothing has run yet.
template <typename Value>
Scene::Results<Value> Scene::expected() const
{
    Engine plain = plainEngine();
    Results<Value> all;
    all.of.assign(static_cast<std::size_t>(width()) * height(), kNan<Value>);
    all.expectedSmall = computed<Value>(plain, filter, small);
    for (const Region &patch : patches)
        all.expectedPatches.push_back(computed<Value>(plain, filter, picture, patch));
    return all;
}

std::string Scene::methodsFor(const Engine &engine) const
{
    const auto ask = [&](auto &all) {
        return bench::methodsFor(engine, filter, picture, all.of.data());
    };
    return std::visit(ask, results);
}

void Scene::validate(Engine &engine) const
{
    const auto validate = [&](const auto &all) {
        using Value = typename std::decay_t<decltype(all)>::Type;
        const std::vector<Value> found = computed<Value>(engine, filter, small);
        compare(found.data(), kSmallWidth, all.expectedSmall, {0, 0, kSmallWidth, kSmallHeight});
    };
    std::visit(validate, results);
}

void Scene::poison()
{
    const auto poison = [](auto &all) {
        using Value = typename std::decay_t<decltype(all)>::Type;
        std::fill(all.of.begin(), all.of.end(), kNan<Value>);
    };
    std::visit(poison, results);
}

void Scene::run(Engine &engine)
{
    std::visit([&](auto &all) { compute(engine, filter, picture, all.of.data()); }, results);
}

void Scene::change(std::int64_t x, std::int64_t y, const std::function<double(double)> &how)
{
    const auto change = [&](auto &all) {
        using Value = typename std::decay_t<decltype(all)>::Type;
        Value &value = all.of[y * picture.width + x];
        value = static_cast<Value>(how(value));
    };
    std::visit(change, results);
}

void Scene::check()
{
    const auto check = [&](auto &all) {
        for (std::size_t i = 0; i < patches.size(); ++i)
            compare(all.of.data() + patches[i].y * picture.width + patches[i].x, picture.width,
                    all.expectedPatches[i], patches[i]);
        if (all.first.empty()) all.first = all.of;
        compare(all.of.data(), picture.width, all.first, {0, 0, picture.width, picture.height});
    };
    std::visit(check, results);
}

} // namespace bench
