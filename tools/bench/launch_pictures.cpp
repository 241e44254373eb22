#include "bench/launch_pictures.h"

#include <algorithm>
#include <utility>

namespace bench
{
namespace
{

/// The upper left part of an image.
Picture cropped(const Picture &whole, int width, int height)
{
    Picture part;
    part.width = width;
    part.height = height;
    std::visit(
        [&](const auto &from) {
            std::decay_t<decltype(from)> to(static_cast<std::size_t>(width) * height);
#pragma omp parallel for schedule(static)
            for (int y = 0; y < height; ++y)
                std::copy_n(from.data() + static_cast<std::size_t>(y) * whole.width, width,
                            to.data() + static_cast<std::size_t>(y) * width);
            part.cells = std::move(to);
        },
        whole.cells);
    return part;
}

std::string nameOf(const FilterCase &one, const LaunchImage &image)
{
    return one.type + "-" + std::to_string(one.filter.levels.count) + "-" + image.content + "-" +
           std::to_string(image.width) + "x" + std::to_string(image.height) +
           (one.isMasked ? "-mask" : "");
}

} // namespace

const Picture &LaunchPictures::whole(const FilterCase &one, const std::string &content)
{
    const std::string wanted = one.type + "-" + std::to_string(one.filter.levels.count);
    if (kind != wanted) wholes.clear();
    kind = wanted;
    auto found = wholes.find(content);
    if (found == wholes.end())
        found = wholes
                    .emplace(content,
                             makePicture(one.type, content, one.filter.levels.count, width, height))
                    .first;
    return found->second;
}

const Picture &LaunchPictures::picture(const FilterCase &one, const LaunchImage &image)
{
    if (const std::string name = nameOf(one, image); partOf != name) {
        part = cropped(whole(one, image.content), image.width, image.height);
        if (one.isMasked) part.mask = makeMask(image.width, image.height);
        partOf = name;
    }
    return part;
}

const std::vector<float> &LaunchPictures::answer(const FilterCase &one, const LaunchImage &image)
{
    if (const std::string name = one.name() + nameOf(one, image); answerOf != name) {
        const Picture &of = picture(one, image);
        results.resize(static_cast<std::size_t>(image.width) * image.height);
        compute(cpu, one.filter, of, results.data());
        answerOf = name;
    }
    return results;
}

} // namespace bench
