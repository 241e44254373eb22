// The library's table of costs while it is measured, and as the text of costs.inc.
#pragma once

#include "local_entropy/methods/costs.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace bench
{

struct CostTable
{
    /// In squares of this kind the methods are compared with what they cost in oblong windows.
    static constexpr local_entropy::CostKind kOblongKind = local_entropy::CostKind::Entropy;

    std::map<std::tuple<local_entropy::Costed, local_entropy::Path, local_entropy::CostKind>,
             local_entropy::CostRows>
        rows;
    std::map<std::pair<local_entropy::Costed, local_entropy::Path>, local_entropy::CostShapes>
        shapes;
    std::map<local_entropy::Path, double> floats;

    /// Made where they are not there: what asks has something to write into them.
    local_entropy::CostRows &rowsOf(local_entropy::Costed method, local_entropy::Path path,
                                    local_entropy::CostKind kind);
    local_entropy::CostShapes &shapesOf(local_entropy::Costed method, local_entropy::Path path);

    /// A method in a square of so many cells, by row `row` of kOblongKind; infinity where nothing
    /// was measured.
    double amongSquares(local_entropy::Costed method, local_entropy::Path path, int row,
                        int cells) const;
};

/// `revision`: of the sources.
std::string textOf(const CostTable &table, const std::string &revision);

} // namespace bench
