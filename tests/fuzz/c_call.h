// A call of le_run() that is right, spoiled member by member as the bytes of a fuzzer say.
#pragma once

#include "bytes.h"
#include "local_entropy/local_entropy.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace fuzz
{

struct CCall
{
    le_filter filter;
    le_image image = {nullptr, LE_UINT8, 9, 7, 0}, mask = {nullptr, LE_UINT8, 9, 7, 0};
    le_result result = {nullptr, LE_FLOAT32, 9, 7, 0};
    le_region region = {1, 1, 3, 2};
    le_run_options options;
    le_engine_options engine;

    bool newEngine = false; ///< with options of its own
    bool hasMask = false, hasRegion = false, hasOptions = false, hasFootprint = false;
    bool nullEngine = false, nullFilter = false, nullImage = false, nullResult = false;
    bool overlaps = false;           ///< the result lies in the image
    std::uint8_t aside[3] = {};      ///< bytes by which image, mask and result are moved
    int cancelAfter = 255;           ///< calls of the progress callback; 255: never
    std::string path, method;        ///< of the engine
    std::vector<std::uint8_t> cells; ///< the bytes of image, mask and footprint, again and again

    explicit CCall(Bytes bytes)
    {
        le_filter_init(&filter);
        filter.width = filter.height = 3; // whose tables are made soon
        le_run_options_init(&options);
        le_engine_options_init(&engine);
        for (int changes = bytes.below(12); changes > 0; --changes) change(bytes);
        const std::string rest = bytes.rest();
        cells.assign(rest.begin(), rest.end());
        if (cells.empty()) cells.push_back(0);
    }

private:
    /// Small ones are likely, and those at which something begins or ends.
    static std::int64_t integer(Bytes &bytes)
    {
        const int limits[] = {63, 64, 65, 255, 256, 1, 2, 65536, 65537, -1, 0, 16};
        switch (bytes.below(9)) {
        case 0: return bytes.take<std::int64_t>();
        case 1: return bytes.take<std::int32_t>();
        case 2: return std::int64_t{1} << bytes.below(63);
        case 3: return (std::int64_t{1} << bytes.below(63)) - 1;
        case 4: return bytes.take<std::uint16_t>();
        case 5: return limits[bytes.below(12)];
        default: return bytes.take<std::int8_t>();
        }
    }
    static double real(Bytes &bytes)
    {
        const double some[] = {0,      -0.0,  0.5,      1,         255,  256,      65535,
                               5e-324, 1e300, HUGE_VAL, -HUGE_VAL, 1e-9, 16777217, NAN};
        switch (bytes.below(4)) {
        case 0: return bytes.take<double>();
        case 1: return static_cast<double>(integer(bytes));
        default: return some[bytes.below(14)];
        }
    }
    static std::size_t structSize(Bytes &bytes, std::size_t right)
    {
        return bytes.below(3) ? right + 8 * bytes.take<std::int8_t>()
                              : static_cast<std::size_t>(integer(bytes));
    }

    template <typename Number>
    static void set(Number &number, Bytes &bytes)
    {
        number = static_cast<Number>(integer(bytes));
    }

    void change(Bytes &bytes)
    {
        switch (bytes.below(8)) {
        case 0: return changeFilter(bytes);
        case 1: return changeNumbers(bytes);
        case 2: return changeArray(image, bytes);
        case 3: return changeArray(result, bytes);
        case 4: hasMask = true; return changeArray(mask, bytes);
        case 5: hasRegion = true; return changeRegion(bytes);
        case 6: return changeSizes(bytes);
        default: return changeCall(bytes);
        }
    }

    void changeFilter(Bytes &bytes)
    {
        std::int32_t *const members[] = {
            &filter.width,   &filter.height, &filter.origin_x,   &filter.origin_y,
            &filter.levels,  &filter.binned, &filter.clamp,      &filter.border,
            &filter.measure, &filter.base,   &filter.has_nodata, &filter.nan_is_error};
        set(*members[bytes.below(12)], bytes);
    }
    void changeNumbers(Bytes &bytes)
    {
        double *const members[] = {&filter.low,   &filter.high,  &filter.constant,
                                   &filter.order, &filter.empty, &filter.nodata};
        *members[bytes.below(6)] = real(bytes);
    }
    template <typename Array>
    static void changeArray(Array &array, Bytes &bytes)
    {
        switch (bytes.below(4)) {
        case 0: return set(array.type, bytes);
        case 1: return set(array.width, bytes);
        case 2: return set(array.height, bytes);
        default: return set(array.stride, bytes);
        }
    }
    void changeRegion(Bytes &bytes)
    {
        std::int64_t *const members[] = {&region.x, &region.y, &region.width, &region.height};
        set(*members[bytes.below(4)], bytes);
        if (bytes.below(2)) result.width = region.width, result.height = region.height;
    }
    /// Of the image, and of all that must be as large; of structs.
    void changeSizes(Bytes &bytes)
    {
        switch (bytes.below(5)) {
        case 0: filter.struct_size = structSize(bytes, sizeof filter); break;
        case 1: options.struct_size = structSize(bytes, sizeof options), hasOptions = true; break;
        case 2: engine.struct_size = structSize(bytes, sizeof engine), newEngine = true; break;
        case 3: set(image.width, bytes), mask.width = result.width = image.width; break;
        default: set(image.height, bytes), mask.height = result.height = image.height;
        }
    }
    void changeCall(Bytes &bytes)
    {
        static const char *const kNames[] = {"plain", "portable",  "",       "bits",  "avx2",
                                             "ranks", "histogram", "levels", "words", "none"};
        switch (bytes.below(14)) {
        case 0: hasMask = !hasMask; break;
        case 1: overlaps = true; break;
        case 2: aside[bytes.below(3)] = bytes.take<std::uint8_t>(); break;
        case 3: hasOptions = true, cancelAfter = bytes.below(4); break;
        case 4: path = kNames[bytes.below(10)], newEngine = true; break;
        case 5: method = kNames[bytes.below(10)], newEngine = true; break;
        case 6: engine.threads = bytes.take<std::int8_t>() % 5, newEngine = true; break;
        case 7: set(engine.devices, bytes), newEngine = true; break;
        case 8: nullImage = bytes.below(2), nullResult = !nullImage; break;
        case 9: hasOptions = true, set(options.workspace_bytes, bytes); break;
        case 10: nullEngine = bytes.below(2), nullFilter = !nullEngine; break;
        default: hasFootprint = true;
        }
    }
};

} // namespace fuzz
