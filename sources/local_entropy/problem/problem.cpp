#include "local_entropy/problem/problem.h"

#include "local_entropy/error.h"
#include "local_entropy/problem/levels.h"

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

namespace local_entropy
{
namespace
{

constexpr int kLongestSide = 255, kLongestFootprint = 63;

[[noreturn]] void bad(const std::string &sentence) { throw Error(Status::BadArgument, sentence); }

template <typename Integer>
std::enable_if_t<std::is_integral_v<Integer>, std::string> text(Integer number)
{
    return std::to_string(number);
}

std::string text(double number)
{
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.9g", number);
    return digits;
}

std::string sides(std::int64_t width, std::int64_t height)
{
    return text(width) + " x " + text(height);
}

// ---- the filter --------------------------------------------------------------------------------

void checkWindow(const Window &window)
{
    const int most = window.footprint.empty() ? kLongestSide : kLongestFootprint;
    if (window.width < 1 || window.width > most || window.height < 1 || window.height > most)
        bad((window.footprint.empty() ? "the window is " : "the footprint is ") +
            sides(window.width, window.height) + " cells, expected 1 to " + text(most) +
            " each way");
    const auto checkOrigin = [](const char *name, int origin, int side) {
        if (origin < -(side / 2) || origin > (side - 1) / 2)
            bad(std::string(name) + " is " + text(origin) + ", expected " + text(-(side / 2)) +
                " to " + text((side - 1) / 2) + " for a side of " + text(side));
    };
    checkOrigin("originX", window.originX, window.width);
    checkOrigin("originY", window.originY, window.height);
    if (window.footprint.empty()) return;
    const std::size_t cells = static_cast<std::size_t>(window.width) * window.height;
    if (window.footprint.size() != cells)
        bad("the footprint has " + text(window.footprint.size()) + " cells, expected " +
            sides(window.width, window.height) + " = " + text(cells));
    for (const std::uint8_t cell : window.footprint)
        if (cell) return;
    bad("no cell of the footprint counts");
}

void checkLevels(const Levels &levels, CellType type)
{
    if (levels.count < 2 || levels.count > 65536)
        bad(text(levels.count) + " levels, expected 2 to 65536");
    if (!std::isfinite(levels.low) || (levels.binned && !std::isfinite(levels.high)))
        bad("the range of the levels is not finite");
    if (levels.binned) {
        if (!(levels.low < levels.high) || !std::isfinite(levels.high - levels.low))
            bad("the bins are from " + text(levels.low) + " to " + text(levels.high) +
                ", expected low below high");
        if (!std::isfinite(levels.count / (levels.high - levels.low)))
            bad("the bins from " + text(levels.low) + " to " + text(levels.high) +
                " are narrower than a double can tell");
    } else if (levels.low != std::floor(levels.low) || std::abs(levels.low) > (1 << 24)) {
        bad("the first level is " + text(levels.low) +
            ", expected an integer of at most 16777216 either way, since cells are integers");
    }
    if (type == CellType::Bool && (levels.binned || levels.low != 0))
        bad("cells that are true or false are levels 0 and 1: there is nothing to bin");
}

void checkFilter(const Filter &filter, CellType type)
{
    checkWindow(filter.window);
    checkLevels(filter.levels, type);
    if (filter.border < Border::Cut || filter.border > Border::Wrap) bad("there is no such border");
    if (filter.measure < Measure::Entropy || filter.measure > Measure::Hill)
        bad("there is no such measure");
    if (filter.base < Base::E || filter.base > Base::Ten) bad("there is no such base");
    if (filter.measure == Measure::Hill && !(filter.order >= 0))
        bad("the order of a Hill number is " + text(filter.order) + ", expected 0 or more");
    const bool isCell = type == CellType::Float32 || !std::isnan(filter.constant);
    if (filter.border == Border::Constant && (!isCell || constantLevel(filter, type) == kBadLevel))
        bad("the constant of the border, " + text(filter.constant) +
            ", is not a cell that has a level");
}

// ---- arrays ------------------------------------------------------------------------------------

/// Checks how an array lies, wherever that is, and fills in its stride.
void checkArray(const char *name, std::int64_t width, std::int64_t height, std::int64_t &stride,
                int bytes)
{
    const std::string array = std::string("the ") + name;
    if (width < 1 || height < 1)
        bad(array + " is " + sides(width, height) + " cells, expected at least 1 x 1");
    if (stride == 0) stride = width;
    if (stride < width)
        bad(array + " has rows of " + text(width) + " cells " + text(stride) +
            " apart: the stride is too small");
    if (height > std::numeric_limits<std::int64_t>::max() / 16 / bytes / stride)
        bad(array + " is too large: " + text(height) + " rows " + text(stride) + " cells apart");
}

/// `alignment` is a power of two.
void checkPlace(const char *name, const void *data, int alignment)
{
    if (!data) bad(std::string("the ") + name + " has no data");
    if (reinterpret_cast<std::uintptr_t>(data) & static_cast<unsigned>(alignment - 1))
        bad(std::string("the ") + name + " is not at a multiple of " + text(alignment) + " bytes");
}

void checkRegion(const Problem &problem)
{
    const Region &region = problem.region;
    const Image &image = problem.image;
    if (region.x < 0 || region.y < 0 || region.width < 1 || region.height < 1 ||
        region.x > image.width - region.width || region.y > image.height - region.height)
        bad("the region of " + sides(region.width, region.height) + " cells at x " +
            text(region.x) + ", y " + text(region.y) + " is not inside the image of " +
            sides(image.width, image.height));
}

int valueBytes(const Result &result) { return result.isDouble ? 8 : 4; }

/// One past the last byte of an array.
template <typename Array>
const char *endOf(const Array &array, int bytes)
{
    return static_cast<const char *>(static_cast<const void *>(array.data)) +
           ((array.height - 1) * array.stride + array.width) * bytes;
}

void expectApart(const Result &result, const char *name, const void *data, const char *end)
{
    if (static_cast<const char *>(result.data) < end &&
        static_cast<const char *>(data) < endOf(result, valueBytes(result)))
        bad(std::string("the result and the ") + name + " overlap");
}

} // namespace

Shape shapeOf(const Window &window)
{
    Shape shape;
    shape.width = window.width;
    shape.height = window.height;
    shape.left = window.width / 2 + window.originX;
    shape.top = window.height / 2 + window.originY;
    shape.runs.reserve(window.height);
    for (int row = 0; row < window.height; ++row)
        for (int x = 0, begin = 0; x <= window.width; ++x) {
            const bool counts = x < window.width && (window.footprint.empty() ||
                                                     window.footprint[row * window.width + x]);
            if (counts) continue;
            if (begin < x) {
                shape.runs.push_back({row, begin, x});
                shape.cells += x - begin;
            }
            begin = x + 1;
        }
    shape.rectangle = shape.cells == window.width * window.height;
    return shape;
}

void checkPlaces(const Problem &problem)
{
    const int bytes = cellBytes(problem.image.type);
    checkPlace("image", problem.image.data, bytes);
    checkPlace("result", problem.result.data, valueBytes(problem.result));
    expectApart(problem.result, "image", problem.image.data, endOf(problem.image, bytes));
    if (problem.mask.data)
        expectApart(problem.result, "mask", problem.mask.data, endOf(problem.mask, 1));
}

Problem checkedProblem(const Filter &filter, const Image &image, const Mask &mask,
                       const Result &result, const Region &region)
{
    Problem problem{filter, {}, image, mask, result, region};
    checkFilter(filter, image.type);
    checkArray("image", image.width, image.height, problem.image.stride, cellBytes(image.type));
    if (mask.data) {
        checkArray("mask", mask.width, mask.height, problem.mask.stride, 1);
        if (mask.width != image.width || mask.height != image.height)
            bad("the mask is " + sides(mask.width, mask.height) + " cells, the image " +
                sides(image.width, image.height));
    }
    if (problem.region.width == 0) problem.region = {0, 0, image.width, image.height};
    checkRegion(problem);
    checkArray("result", result.width, result.height, problem.result.stride, valueBytes(result));
    if (result.width != problem.region.width || result.height != problem.region.height)
        bad("the result is " + sides(result.width, result.height) + " cells, expected " +
            sides(problem.region.width, problem.region.height));
    checkPlaces(problem);

    problem.shape = shapeOf(filter.window);
    problem.mayMiss = mask.data || filter.nodata || filter.border == Border::Cut ||
                      (image.type == CellType::Float32 && !filter.nanIsError);
    return problem;
}

} // namespace local_entropy
