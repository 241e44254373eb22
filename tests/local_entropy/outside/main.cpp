// The same in C++: errors come as exceptions across the border of the library, and the C interface
// is there too.
#include <local_entropy/engine.h>
#include <local_entropy/local_entropy.h>

#include "worked.h"

#include <cstdio>
#include <cstring>

using namespace local_entropy;

namespace
{

int failed(const char *what)
{
    std::printf("main.cpp: %s\n", what);
    return 1;
}

} // namespace

int main()
{
    Engine engine;
    Filter filter;
    float values[16];
    const View<const std::uint8_t> image{kCells, 4, 4};
    const View<float> result{values, 4, 4};
    engine.run(filter, image, result);
    if (std::memcmp(values, kEntropies, sizeof values) != 0) return failed("other values");
    if (Engine::paths().empty() || Engine::methods().empty()) return failed("no paths or methods");

    RunOptions options;
    bool asked = false;
    options.progress = [&](double) { return asked = true; };
    engine.run(filter, image, result, options);

    try {
        filter.levels.count = 1;
        engine.run(filter, image, result);
        return failed("one level was not refused");
    } catch (const Error &error) {
        if (error.status() != Status::BadArgument) return failed(error.what());
    }
    return le_status_name(LE_OK) ? 0 : failed("no name");
}
