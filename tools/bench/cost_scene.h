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

/// Images of one number of levels, for all windows.
class CostScene
{
public:
    explicit CostScene(int levels);

    /// Whether the table has a place for the method's cost in this window of kCostWindows: it is
    /// the one that stands for its side (costSide).
    bool has(local_entropy::Costed method, local_entropy::CostKind kind, int window) const;

    /// Nanoseconds a result that `engine`, of costEngine, takes once, of the thread's own time; 0
    /// if the method cannot. So many results are computed that it takes about `most` nanoseconds if
    /// `estimate` is right, unless these are too many.
    double time(Engine &engine, local_entropy::Costed method, local_entropy::CostKind kind,
                int window, double estimate, double most);

private:
    const int levels;
    Picture picture, masked, floats; ///< the last for the method bits
    std::vector<float> results;
    std::vector<double> doubles;
};

} // namespace bench
