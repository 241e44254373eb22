// The same in C++: errors come as exceptions across the border of the library, and the C interface
// is there too.
#include <local_entropy/engine.h>
#include <local_entropy/local_entropy.h>

#include "worked.h"

#include <cstdio>
#include <cstring>
#include <utility>

using namespace local_entropy;

namespace
{

int failed(const char *what)
{
    std::printf("main.cpp: %s\n", what);
    return 1;
}

/// Whether a call succeeds, or fails as it may on a machine with no GPU or with one.
template <typename Call>
bool isDone(const Call &call)
{
    try {
        call();
        return true;
    } catch (const Error &error) {
        return error.status() == Status::Unavailable || error.status() == Status::BadArgument;
    }
}

/// All that an engine offers is in the library, for these types.
template <typename Cell, typename Value>
bool isOffered(Engine &engine)
{
    const Cell cells[16] = {};
    Value values[16] = {1};
    const Filter filter;
    const View<const Cell> image{cells, 4, 4};
    const View<Value> result{values, 4, 4};
    engine.run(filter, image, result);
    return values[0] == 0 && !engine.methodsFor(filter, image, result).empty() &&
           isDone([&] { engine.enqueue(filter, image, result); }) &&
           isDone([&] { engine.workspaceBytes(filter, image, result); });
}
template <typename Cell>
bool isOffered(Engine &engine)
{
    return isOffered<Cell, float>(engine) && isOffered<Cell, double>(engine);
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
    Engine other(std::move(engine));
    engine = std::move(other);
    if (!isOffered<std::uint8_t>(engine) || !isOffered<std::uint16_t>(engine) ||
        !isOffered<std::int16_t>(engine) || !isOffered<float>(engine) || !isOffered<bool>(engine) ||
        !isDone([&] { engine.synchronize(); }))
        return failed("not all that an engine offers");
    return le_status_name(LE_OK) ? 0 : failed("no name");
}
