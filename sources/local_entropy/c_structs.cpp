#include "local_entropy/c_structs.h"

#include "local_entropy/c_errors.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

namespace local_entropy
{
namespace
{

static_assert(LE_WRAP == static_cast<int>(Border::Wrap));
static_assert(LE_HILL == static_cast<int>(Measure::Hill));
static_assert(LE_BASE_10 == static_cast<int>(Base::Ten));

/// An enumerator `0 .. last`, or a number that is yes or no.
int choice(int value, int last, const char *name)
{
    if (value < 0 || value > last)
        badArgument(std::string(name) + " is " + std::to_string(value) + ", expected 0 to " +
                    std::to_string(last));
    return value;
}

// ---- structs of other versions -----------------------------------------------------------------

constexpr std::size_t kLargestStruct = 4096; // of any version to come

/// Whether a struct may have that size. `least` is what even the oldest caller knows: less is a
/// mistake, such as the size of a pointer.
void checkSize(std::size_t size, std::size_t least, std::size_t known, const char *name)
{
    if (size < least || size > kLargestStruct || size % sizeof(std::size_t) != 0)
        badArgument(std::string(name) + ".struct_size is " + std::to_string(size) + ", expected " +
                    std::to_string(known) +
                    ": sizeof of the struct, as the functions that end in _init fill it in");
}

/// The caller's struct over the defaults: as much of it as both sides know.
template <typename Struct>
Struct knownPart(const Struct *theirs, Struct defaults, std::size_t least, const char *name)
{
    std::size_t size;
    std::memcpy(&size, given(theirs, name), sizeof size); // the rest may not be there
    checkSize(size, least, sizeof(Struct), name);
    const auto *bytes = reinterpret_cast<const unsigned char *>(theirs);
    for (std::size_t i = sizeof(Struct); i < size; ++i)
        if (bytes[i])
            badArgument(std::string(name) + " has a member that this library, " LE_VERSION
                                            ", does not know: it is of a later header");
    std::memcpy(&defaults, bytes, std::min(size, sizeof(Struct)));
    return defaults;
}

constexpr std::size_t kLeastFilter = offsetof(le_filter, clamp);
constexpr std::size_t kLeastEngineOptions = offsetof(le_engine_options, path);
constexpr std::size_t kLeastRunOptions = offsetof(le_run_options, workspace);

le_filter defaultFilter()
{
    const Filter filter;
    le_filter defaults = {};
    defaults.struct_size = sizeof defaults;
    defaults.width = filter.window.width;
    defaults.height = filter.window.height;
    defaults.levels = filter.levels.count;
    defaults.order = filter.order;
    return defaults;
}

// ---- from C to C++ -----------------------------------------------------------------------------

Window windowOf(const le_filter &filter)
{
    Window window{filter.width, filter.height, filter.origin_x, filter.origin_y, {}};
    if (!filter.footprint) return window;
    // The caller's array is as large as the window: no byte of it is read for one that cannot be.
    constexpr int kLongest = 63;
    if (filter.width < 1 || filter.width > kLongest || filter.height < 1 ||
        filter.height > kLongest)
        badArgument("the footprint is " + std::to_string(filter.width) + " x " +
                    std::to_string(filter.height) +
                    " cells (filter.width, filter.height), expected 1 to " +
                    std::to_string(kLongest) + " each way");
    window.footprint.assign(filter.footprint, filter.footprint + filter.width * filter.height);
    return window;
}

} // namespace

Filter filterOf(const le_filter *theirs)
{
    const le_filter from = knownPart(theirs, defaultFilter(), kLeastFilter, "filter");
    Filter filter;
    filter.window = windowOf(from);
    filter.levels.count = from.levels;
    filter.levels.binned = choice(from.binned, 1, "filter.binned");
    filter.levels.low = from.low;
    filter.levels.high = from.high;
    filter.levels.clamp = choice(from.clamp, 1, "filter.clamp");
    filter.border = static_cast<Border>(choice(from.border, LE_WRAP, "filter.border"));
    filter.constant = from.constant;
    filter.measure = static_cast<Measure>(choice(from.measure, LE_HILL, "filter.measure"));
    filter.order = from.order;
    filter.base = static_cast<Base>(choice(from.base, LE_BASE_10, "filter.base"));
    filter.empty = from.empty;
    if (choice(from.has_nodata, 1, "filter.has_nodata")) filter.nodata = from.nodata;
    filter.nanIsError = choice(from.nan_is_error, 1, "filter.nan_is_error");
    return filter;
}

EngineOptions engineOptionsOf(const le_engine_options *theirs)
{
    if (!theirs) return {};
    const le_engine_options from = knownPart(theirs, {}, kLeastEngineOptions, "options");
    EngineOptions options;
    options.threads = from.threads;
    options.devices = choice(from.devices, 1, "options.devices");
    if (from.path) options.path = from.path;
    if (from.method) options.method = from.method;
    return options;
}

RunOptions runOptionsOf(const le_image *mask, const le_region *region, const le_run_options *theirs)
{
    RunOptions options;
    if (mask) {
        if (mask->type != LE_UINT8 && mask->type != LE_BOOL)
            badArgument("mask.type is " + std::to_string(mask->type) +
                        ", expected LE_UINT8 (0) or LE_BOOL (4)");
        given(mask->data, "mask.data"); // which an Engine takes for no mask
        options.mask = {static_cast<const std::uint8_t *>(mask->data), mask->width, mask->height,
                        mask->stride};
    }
    if (region) {
        if (region->width < 1 || region->height < 1) // which an Engine takes for the whole image
            badArgument("the region is " + std::to_string(region->width) + " x " +
                        std::to_string(region->height) + " cells, expected at least 1 x 1");
        options.region = {region->x, region->y, region->width, region->height};
    }
    if (!theirs) return options;
    const le_run_options from = knownPart(theirs, {}, kLeastRunOptions, "options");
    if (from.progress)
        options.progress = [from](double part) { return from.progress(from.user, part) == 0; };
    options.workspace = {from.workspace, from.workspace_bytes};
    return options;
}

void initFilter(le_filter *filter, std::size_t size)
{
    checkSize(size, kLeastFilter, sizeof *filter, "filter");
    le_filter defaults = defaultFilter();
    defaults.struct_size = size;
    std::memset(static_cast<void *>(filter), 0, size);
    std::memcpy(static_cast<void *>(filter), &defaults, std::min(size, sizeof defaults));
}

} // namespace local_entropy
