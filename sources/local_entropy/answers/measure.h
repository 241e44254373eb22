// What is computed from the counts of a window.
#pragma once

namespace local_entropy
{

/// With N counted cells in a window, n of a level, p = n / N:
///   Entropy   - sum p log p, in the base that is asked for
///   Simpson   1 - sum p^2, the Gini-Simpson index, which ecology's tools (scikit-bio: `simpson`)
///             call Simpson's; sum p^2 itself is their `dominance`
///   Richness  how many levels are present
///   Hill      (sum p^q)^(1 / (1 - q)), the effective number of levels of order q >= 0: q = 0 is
///             the richness, 1 (a limit) is exp(entropy), 2 is 1 / sum p^2, infinity is 1 / max p
enum class Measure { Entropy, Simpson, Richness, Hill };

/// The base of the entropy's logarithm; the other measures have none.
enum class Base { E, Two, Ten };

} // namespace local_entropy
