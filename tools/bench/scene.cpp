#include "bench/scene.h"

#include "bench/harness.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>

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

std::vector<float> nans(std::int64_t width, std::int64_t height)
{
    return std::vector<float>(static_cast<std::size_t>(width) * height,
                              std::numeric_limits<float>::quiet_NaN());
}

/// Enough digits to tell it from any other float.
std::string written(float value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

} // namespace

Scene::Scene(const FilterCase &one, const std::string &content, int width, int height)
    : filter(one.filter), isDouble(one.isDouble), picture(pictureOf(one, content, width, height)),
      small(pictureOf(one, content, kSmallWidth, kSmallHeight)), patches(patchesOf(width, height)),
      expectedSmall(nans(kSmallWidth, kSmallHeight)), result(nans(width, height)),
      doubles(isDouble ? result.size() : 0)
{
    Engine plain = plainEngine();
    computeInto(plain, small, expectedSmall);
    for (const Region &patch : patches) {
        expectedPatches.push_back(nans(patch.width, patch.height));
        computeInto(plain, picture, expectedPatches.back(), patch);
    }
}

std::string Scene::methodsFor(const Engine &engine) const
{
    return isDouble ? bench::methodsFor(engine, filter, picture, doubles.data())
                    : bench::methodsFor(engine, filter, picture, result.data());
}

void Scene::validate(Engine &engine) const
{
    std::vector<float> found = nans(kSmallWidth, kSmallHeight);
    computeInto(engine, small, found);
    compare(found.data(), kSmallWidth, expectedSmall, {0, 0, kSmallWidth, kSmallHeight});
}

void Scene::poison()
{
    std::fill(result.begin(), result.end(), std::numeric_limits<float>::quiet_NaN());
    std::fill(doubles.begin(), doubles.end(), std::numeric_limits<double>::quiet_NaN());
}

void Scene::run(Engine &engine)
{
    if (isDouble)
        compute(engine, filter, picture, doubles.data());
    else
        compute(engine, filter, picture, result.data());
}

void Scene::check()
{
    if (isDouble) std::copy(doubles.begin(), doubles.end(), result.begin());
    for (std::size_t i = 0; i < patches.size(); ++i)
        compare(result.data() + patches[i].y * picture.width + patches[i].x, picture.width,
                expectedPatches[i], patches[i]);
    if (first.empty()) first = result;
    compare(result.data(), picture.width, first, {0, 0, picture.width, picture.height});
}

void Scene::computeInto(Engine &engine, const Picture &of, std::vector<float> &to,
                        const Region &region) const
{
    if (!isDouble) return compute(engine, filter, of, to.data(), region);
    std::vector<double> values(to.begin(), to.end());
    compute(engine, filter, of, values.data(), region);
    std::copy(values.begin(), values.end(), to.begin());
}

/// Bit by bit, since every method gives the nearest float; NaN fails, on either side.
void Scene::compare(const float *found, std::int64_t stride, const std::vector<float> &expected,
                    const Region &place) const
{
    for (std::int64_t y = 0; y < place.height; ++y)
        for (std::int64_t x = 0; x < place.width; ++x) {
            const float &want = expected[y * place.width + x], &got = found[y * stride + x];
            if (want == got && std::memcmp(&want, &got, sizeof want) == 0) continue;
            throw WrongAnswer("wrong at x " + std::to_string(place.x + x) + ", y " +
                              std::to_string(place.y + y) + " of an image " +
                              std::to_string(stride) + " wide: " + written(got) + ", expected " +
                              written(want));
        }
}

} // namespace bench
