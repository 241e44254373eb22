// The C interface over Engine: structs in, statuses out, no exception beyond.
#include "local_entropy/local_entropy.h"

#include "local_entropy/engine.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

struct le_engine
{
    local_entropy::Engine engine;
};

namespace
{

using local_entropy::Base;
using local_entropy::Border;
using local_entropy::Engine;
using local_entropy::EngineOptions;
using local_entropy::Error;
using local_entropy::Filter;
using local_entropy::Measure;
using local_entropy::RunOptions;
using local_entropy::Status;
using local_entropy::View;
using local_entropy::Window;

static_assert(LE_INTERNAL == static_cast<int>(Status::Internal));
static_assert(LE_WRAP == static_cast<int>(Border::Wrap));
static_assert(LE_HILL == static_cast<int>(Measure::Hill));
static_assert(LE_BASE_10 == static_cast<int>(Base::Ten));

// ---- errors ------------------------------------------------------------------------------------

// Plain memory: neither keeping a sentence nor the end of a thread can fail.
thread_local char lastError[512];

le_status fail(Status status, const char *sentence) noexcept
{
    std::snprintf(lastError, sizeof lastError, "%s", sentence);
    return static_cast<le_status>(status);
}

/// The one border that exceptions do not cross.
template <typename Call>
le_status guarded(const Call &call) noexcept
{
    try {
        call();
        return LE_OK;
    } catch (const Error &error) {
        return fail(error.status(), error.what());
    } catch (const std::bad_alloc &) {
        return fail(Status::Unavailable, "no memory");
    } catch (const std::exception &error) {
        return fail(Status::Internal, error.what());
    } catch (...) {
        return fail(Status::Internal, "an exception that is none of the library's");
    }
}

[[noreturn]] void bad(const std::string &sentence) { throw Error(Status::BadArgument, sentence); }

template <typename T>
T *given(T *pointer, const char *name)
{
    if (!pointer) bad(std::string(name) + " is NULL");
    return pointer;
}

/// An enumerator `0 .. last`, or a number that is yes or no.
int choice(int value, int last, const char *name)
{
    if (value < 0 || value > last)
        bad(std::string(name) + " is " + std::to_string(value) + ", expected 0 to " +
            std::to_string(last));
    return value;
}

void expectZero(int reserved, const char *name)
{
    if (reserved != 0)
        bad(std::string(name) + ".reserved is " + std::to_string(reserved) + ", expected 0");
}

// ---- structs of other versions -----------------------------------------------------------------

constexpr std::size_t kLargestStruct = 4096; // of any version to come

/// Whether a struct may have that size. `least` is what even the oldest caller knows: less is a
/// mistake, such as the size of a pointer.
void checkSize(std::size_t size, std::size_t least, std::size_t known, const char *name)
{
    if (size < least || size > kLargestStruct || size % sizeof(std::size_t) != 0)
        bad(std::string(name) + ".struct_size is " + std::to_string(size) + ", expected " +
            std::to_string(known) + ": sizeof of the struct, as the functions that end in _init " +
            "fill it in");
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
            bad(std::string(name) + " has a member that this library, " LE_VERSION
                                    ", does not know: it is of a later header");
    std::memcpy(&defaults, bytes, std::min(size, sizeof(Struct)));
    return defaults;
}

constexpr std::size_t kLeastFilter = offsetof(le_filter, clamp);
constexpr std::size_t kLeastEngineOptions = offsetof(le_engine_options, path);
constexpr std::size_t kLeastRunOptions = sizeof(le_run_options);

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
        bad("the footprint is " + std::to_string(filter.width) + " x " +
            std::to_string(filter.height) + " cells (filter.width, filter.height), expected 1 to " +
            std::to_string(kLongest) + " each way");
    window.footprint.assign(filter.footprint, filter.footprint + filter.width * filter.height);
    return window;
}

Filter filterOf(const le_filter *theirs)
{
    const le_filter from = knownPart(theirs, defaultFilter(), kLeastFilter, "filter");
    expectZero(from.reserved, "filter");
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
    return filter;
}

EngineOptions engineOptionsOf(const le_engine_options *theirs)
{
    if (!theirs) return {};
    const le_engine_options from = knownPart(theirs, {}, kLeastEngineOptions, "options");
    expectZero(from.reserved, "options");
    EngineOptions options;
    options.threads = from.threads;
    if (from.path) options.path = from.path;
    if (from.method) options.method = from.method;
    return options;
}

RunOptions runOptionsOf(const le_image *mask, const le_region *region, const le_run_options *theirs)
{
    RunOptions options;
    if (mask) {
        if (mask->type != LE_UINT8 && mask->type != LE_BOOL)
            bad("mask.type is " + std::to_string(mask->type) +
                ", expected LE_UINT8 (0) or LE_BOOL (4)");
        given(mask->data, "mask.data"); // which an Engine takes for no mask
        options.mask = {static_cast<const std::uint8_t *>(mask->data), mask->width, mask->height,
                        mask->stride};
    }
    if (region) {
        if (region->width < 1 || region->height < 1) // which an Engine takes for the whole image
            bad("the region is " + std::to_string(region->width) + " x " +
                std::to_string(region->height) + " cells, expected at least 1 x 1");
        options.region = {region->x, region->y, region->width, region->height};
    }
    if (!theirs) return options;
    const le_run_options from = knownPart(theirs, {}, kLeastRunOptions, "options");
    if (from.progress)
        options.progress = [from](double part) { return from.progress(from.user, part) == 0; };
    return options;
}

// ---- types of elements -------------------------------------------------------------------------

template <typename Cell, typename Value>
void runAs(Engine &engine, const Filter &filter, const le_image &image, const le_result &result,
           const RunOptions &options)
{
    const View<const Cell> cells{static_cast<const Cell *>(image.data), image.width, image.height,
                                 image.stride};
    const View<Value> values{static_cast<Value *>(result.data), result.width, result.height,
                             result.stride};
    engine.run(filter, cells, values, options);
}

template <typename Value>
void runInto(Engine &engine, const Filter &filter, const le_image &image, const le_result &result,
             const RunOptions &options)
{
    const auto run = [&](auto as) { as(engine, filter, image, result, options); };
    switch (image.type) {
    case LE_UINT8: return run(runAs<std::uint8_t, Value>);
    case LE_UINT16: return run(runAs<std::uint16_t, Value>);
    case LE_INT16: return run(runAs<std::int16_t, Value>);
    case LE_FLOAT32: return run(runAs<float, Value>);
    case LE_BOOL: return run(runAs<bool, Value>);
    default:
        bad("image.type is " + std::to_string(image.type) +
            ", expected LE_UINT8 (0), LE_UINT16 (1), LE_INT16 (2), LE_FLOAT32 (3) or LE_BOOL (4)");
    }
}

// ---- names -------------------------------------------------------------------------------------

/// Name `index` of a list that is made once and stays until the process ends, also for what runs
/// after main.
template <std::vector<std::string> (*list)()>
const char *nameAt(int index) noexcept
{
    try {
        static const std::vector<std::string> &names = *new std::vector<std::string>(list());
        return index >= 0 && index < static_cast<int>(names.size()) ? names[index].c_str()
                                                                    : nullptr;
    } catch (...) {
        return nullptr; // no memory for a few names
    }
}

} // namespace

const char *le_last_error(void) { return lastError; }

const char *le_status_name(le_status status)
{
    switch (status) {
    case LE_OK: return "ok";
    case LE_BAD_ARGUMENT: return "bad argument";
    case LE_BAD_LEVEL: return "bad level";
    case LE_UNAVAILABLE: return "unavailable";
    case LE_CANCELLED: return "cancelled";
    case LE_INTERNAL: return "internal error";
    default: return "unknown status";
    }
}

const char *le_version(void) { return LE_VERSION; }

le_status le_filter_init_sized(le_filter *filter, size_t size)
{
    return guarded([&] {
        given(filter, "filter");
        checkSize(size, kLeastFilter, sizeof *filter, "filter");
        le_filter defaults = defaultFilter();
        defaults.struct_size = size;
        std::memset(static_cast<void *>(filter), 0, size);
        std::memcpy(static_cast<void *>(filter), &defaults, std::min(size, sizeof defaults));
    });
}

le_status le_engine_create(const le_engine_options *options, le_engine **engine)
{
    return guarded([&] {
        *given(engine, "engine") = nullptr;
        *engine = new le_engine{Engine(engineOptionsOf(options))};
    });
}

void le_engine_destroy(le_engine *engine) { delete engine; }

const char *le_paths(int index) { return nameAt<Engine::paths>(index); }

const char *le_methods(int index) { return nameAt<Engine::methods>(index); }

le_status le_run(le_engine *engine, const le_filter *filter, const le_image *image,
                 const le_image *mask, const le_region *region, const le_result *result,
                 const le_run_options *options)
{
    return guarded([&] {
        Engine &computes = given(engine, "engine")->engine;
        const Filter wanted = filterOf(filter);
        const RunOptions besides = runOptionsOf(mask, region, options);
        given(given(image, "image")->data, "image.data");
        given(given(result, "result")->data, "result.data");
        if (result->type == LE_FLOAT32)
            return runInto<float>(computes, wanted, *image, *result, besides);
        if (result->type == LE_FLOAT64)
            return runInto<double>(computes, wanted, *image, *result, besides);
        bad("result.type is " + std::to_string(result->type) +
            ", expected LE_FLOAT32 (3) or LE_FLOAT64 (5)");
    });
}
