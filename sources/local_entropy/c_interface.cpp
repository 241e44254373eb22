// The C interface over Engine: structs in, statuses out, no exception beyond.
#include "local_entropy/local_entropy.h"

#include "local_entropy/c_errors.h"
#include "local_entropy/c_structs.h"
#include "local_entropy/engine.h"

#include <string>
#include <vector>

struct le_engine
{
    local_entropy::Engine engine;
};

namespace
{

using local_entropy::badArgument;
using local_entropy::Engine;
using local_entropy::engineOptionsOf;
using local_entropy::Filter;
using local_entropy::filterOf;
using local_entropy::given;
using local_entropy::guarded;
using local_entropy::initFilter;
using local_entropy::lastFailure;
using local_entropy::RunOptions;
using local_entropy::runOptionsOf;
using local_entropy::View;

// ---- types of elements -------------------------------------------------------------------------

/// Calls compute(image, result) with the views of C++.
template <typename Cell, typename Value, typename Compute>
void callAs(const le_image &image, const le_result &result, const Compute &compute)
{
    compute(
        View<const Cell>{static_cast<const Cell *>(image.data), image.width, image.height,
                         image.stride},
        View<Value>{static_cast<Value *>(result.data), result.width, result.height, result.stride});
}

template <typename Value, typename Compute>
void callInto(const le_image &image, const le_result &result, const Compute &compute)
{
    switch (image.type) {
    case LE_UINT8: return callAs<std::uint8_t, Value>(image, result, compute);
    case LE_UINT16: return callAs<std::uint16_t, Value>(image, result, compute);
    case LE_INT16: return callAs<std::int16_t, Value>(image, result, compute);
    case LE_FLOAT32: return callAs<float, Value>(image, result, compute);
    case LE_BOOL: return callAs<bool, Value>(image, result, compute);
    default:
        badArgument("image.type is " + std::to_string(image.type) +
                    ", expected LE_UINT8 (0), LE_UINT16 (1), LE_INT16 (2), LE_FLOAT32 (3) or "
                    "LE_BOOL (4)");
    }
}

template <typename Compute>
void callWith(const le_image *image, const le_result *result, const Compute &compute)
{
    given(given(image, "image")->data, "image.data");
    given(given(result, "result")->data, "result.data");
    if (result->type == LE_FLOAT32) return callInto<float>(*image, *result, compute);
    if (result->type == LE_FLOAT64) return callInto<double>(*image, *result, compute);
    badArgument("result.type is " + std::to_string(result->type) +
                ", expected LE_FLOAT32 (3) or LE_FLOAT64 (5)");
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

const char *le_last_error(void) { return lastFailure(); }

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
    return guarded([&] { initFilter(given(filter, "filter"), size); });
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
        callWith(image, result, [&](const auto &cells, const auto &values) {
            computes.run(wanted, cells, values, besides);
        });
    });
}

le_status le_enqueue(le_engine *engine, const le_filter *filter, const le_image *image,
                     const le_image *mask, const le_region *region, const le_result *result,
                     const le_run_options *options, void *stream)
{
    return guarded([&] {
        Engine &computes = given(engine, "engine")->engine;
        const Filter wanted = filterOf(filter);
        const RunOptions besides = runOptionsOf(mask, region, options);
        callWith(image, result, [&](const auto &cells, const auto &values) {
            computes.enqueue(wanted, cells, values, stream, besides);
        });
    });
}

le_status le_workspace_bytes(le_engine *engine, const le_filter *filter, const le_image *image,
                             const le_image *mask, const le_region *region, const le_result *result,
                             size_t *bytes)
{
    return guarded([&] {
        const Engine &computes = given(engine, "engine")->engine;
        const Filter wanted = filterOf(filter);
        const RunOptions besides = runOptionsOf(mask, region, nullptr);
        given(bytes, "bytes");
        callWith(image, result, [&](const auto &cells, const auto &values) {
            *bytes = computes.workspaceBytes(wanted, cells, values, besides);
        });
    });
}

le_status le_synchronize(le_engine *engine)
{
    return guarded([&] { given(engine, "engine")->engine.synchronize(); });
}
