// Sums of n log n for few levels: in 32 bits, and in more for windows that need them.
#pragma once

#include "local_entropy/answers/measure.h"

#include <cstdint>
#include <vector>

namespace local_entropy
{

/// F(n) = round(factor (n log2 n) / 2) - slope n for windows of at most `cells` cells of at most
/// `levels` levels; n = 0 ... cells. The counts of a window add up to N, so that the slope leaves
/// D = F(N) - sum F(n) as it is; but it leaves F(n) so small for all n that the factor can be many
/// times larger in as many bits: all windows but few follow from the first 32. Any integer as a
/// factor makes F exact for 1, 2, 4, 8 ... cells.
struct LevelSums
{
    LevelSums(int cells, int levels, int fineBits);

    std::uint32_t factor = 0;
    double error = 0;               ///< of D, from rounding F, at most
    std::vector<std::int32_t> sums; ///< F(n)
    /// F(n) with fineBits of fraction and no slope, and the error of D from that.
    std::vector<std::int64_t> fine;
    double fineError = 0;

    /// What D is multiplied by to become the entropy in nats of N cells.
    double nats(int cells) const { return 2 * 0x1.62e42fefa39efp-1 / factor / cells; }
    /// The same for the entropy in that base, of N = 0 ... cells; scales[0] is 0.
    std::vector<double> scales(Base base) const;
};

} // namespace local_entropy
