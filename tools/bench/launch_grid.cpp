#include "bench/launch_grid.h"

#include "bench/picture.h"
#include "common/error.h"
#include "common/size.h"

#include <algorithm>
#include <iterator>

namespace bench
{

const char *const kUsualContent = "natural";
const int kUsualSide = 10240;

namespace
{

using Names = std::vector<std::string>;

const std::vector<Placement> kPlacements = {
    {"aligned", 0, 0}, {"offset 1", 1, 0}, {"stride +1", 0, 1}};

/// Contents for windows that have at most kMostCells; for larger ones some of them, since there the
/// CPU, whose bits all results are compared with, takes its time.
const Names kForSmall = {"random", "flat", "gradient", "sparse", "adversarial"},
            kForLarge = {"random", "flat", "sparse", "adversarial"};
constexpr int kMostCells = 81;

/// Filters of every method but `plain`, also timed at other places and widths.
const Names kElsewhere = {"uint8-256-3x3",    "uint8-256-5x5",    "uint8-256-9x9",
                          "uint8-256-15x15",  "uint8-256-31x31",  "uint8-256-disk5",
                          "uint8-16-5x5",     "uint8-16-15x15",   "uint16-65536-3x3",
                          "uint16-65536-5x5", "uint16-4096-15x15"};
constexpr int kOtherWidths[] = {10239, 10237}, kSmallerSides[] = {4096, 1024};

bool isAmong(const Names &names, const std::string &name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

int cellsOf(const FilterCase &one)
{
    const local_entropy::Window &window = one.filter.window;
    if (window.footprint.empty()) return window.width * window.height;
    return static_cast<int>(
        std::count_if(window.footprint.begin(), window.footprint.end(), [](int c) { return c; }));
}

std::vector<LaunchImage> gridOf(const FilterCase &one)
{
    std::vector<LaunchImage> images;
    const auto add = [&](const std::string &content, int width, int height, const Placement &at) {
        images.push_back({content, width, height, at});
    };
    const Placement &usual = kPlacements[0];
    add(kUsualContent, kUsualSide, kUsualSide, usual);
    if (isAmong(kElsewhere, one.name())) {
        for (std::size_t i = 1; i < kPlacements.size(); ++i)
            add(kUsualContent, kUsualSide, kUsualSide, kPlacements[i]);
        for (const int width : kOtherWidths) add(kUsualContent, width, kUsualSide, usual);
    }
    for (const int side : kSmallerSides) add(kUsualContent, side, side, usual);
    for (const std::string &content : cellsOf(one) <= kMostCells ? kForSmall : kForLarge)
        add(content, kUsualSide, kUsualSide, usual);
    return images;
}

void checkContent(const std::string &name)
{
    Names known(std::begin(kContents), std::end(kContents));
    known.insert(known.end(), std::begin(kMoreContents), std::end(kMoreContents));
    if (!isAmong(known, name)) throw common::Error("--contents: there is no '" + name + "'");
}

} // namespace

Placement placementOf(const std::string &name)
{
    for (const Placement &one : kPlacements)
        if (one.name == name) return one;
    throw common::Error("--placements: there is no '" + name + "'");
}

std::vector<LaunchImage> imagesOf(const FilterCase &one, const LaunchWishes &wishes)
{
    if (wishes.areOfTheGrid()) return gridOf(one);
    const auto orUsual = [](const Names &names, const std::string &usual) {
        return names.empty() ? Names{usual} : names;
    };
    const std::string side = std::to_string(kUsualSide);
    std::vector<LaunchImage> images;
    for (const std::string &content : orUsual(wishes.contents, kUsualContent)) {
        checkContent(content);
        for (const std::string &size : orUsual(wishes.sizes, side + "x" + side)) {
            const auto [width, height] = common::parseSize("--sizes", size);
            for (const std::string &name : orUsual(wishes.placements, kPlacements[0].name))
                images.push_back({content, width, height, placementOf(name)});
        }
    }
    return images;
}

} // namespace bench
