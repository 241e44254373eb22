// What methods are timed with for the library's table of costs: a point of it, as an image and a
// filter.
#pragma once

#include "bench/picture.h"
#include "local_entropy/methods/costs.h"

#include <vector>

namespace bench
{

/// The engine of one thread that computes with that method alone.
Engine costEngine(local_entropy::Costed method, local_entropy::Path path);

/// A point of the table, but for the number of levels, which is the scene's.
struct CostPoint
{
    local_entropy::CostKind kind;
    local_entropy::Window window;
    bool isFloat = false; ///< cells
    bool isWhole = false; ///< not a part of an image, as far from its edges as windows reach

    static CostPoint rectangle(local_entropy::CostKind kind, int width, int height)
    {
        local_entropy::Window window;
        window.width = width;
        window.height = height;
        return {kind, window};
    }
};

/// A disk of about side * side cells, whose width and height are odd.
local_entropy::Window diskOf(int side);

/// Images of one number of levels, for all windows.
class CostScene
{
public:
    /// Only with `hasFloats` may points ask for floats.
    CostScene(int levels, bool hasFloats);

    /// Whether the engine's method can do it. Throws as the engine does.
    bool can(const Engine &engine, const CostPoint &point);

    /// Nanoseconds a result that `engine`, of costEngine, takes once, of the thread's own time. So
    /// many results are computed that it takes about `most` nanoseconds if `estimate` is right,
    /// unless these are too many. Throws as the engine does.
    double time(Engine &engine, const CostPoint &point, double estimate, double most);

private:
    local_entropy::Filter filterOf(const CostPoint &point) const;
    const Picture &pictureOf(const CostPoint &point) const;

    const int levels;
    Picture picture, masked, floats;
    std::vector<float> results;
    std::vector<double> doubles;
};

} // namespace bench
