// Windows in which one level has nearly all cells: most windows of a sparse image.
//
// There are few ways to share the cells of such a window, so each of them is common: where a sum
// leaves two floats for one of them, it does so for a large part of the image. But so few ways can
// all be tried. Their sums are not only within a bound of what is right, it is known which of them
// round to a wrong float, and how near to the middle between two floats those are. That distance is
// a bound, too, and a smaller one: it takes the place of the other.
//
// Which windows are these? D = F(N) - sum F(n) itself says so. If the largest level has N - d of N
// cells, d <= N / 2, then D is least where another level has all the others, D(N - d, d), and that
// grows with d. If none has half of the cells, it is larger still. So all windows whose D is less
// than D(N - d, d), with what rounding takes away, have a level with more than N - d cells.
#pragma once

#include "common/host_device.h"
#include "local_entropy/answers/measure.h"

#include <cstdint>
#include <vector>

namespace local_entropy
{

/// How far D is off at most, or D times a scale: of `limit` or less another bound holds. It is for
/// rounding only: float(D * scale) is the right one if it is that of D - bound and D + bound, too.
/// Where `below` is 0, float(D * scale) was tried for all D up to the limit, and is right: for
/// kernels that have the same D and scale, and round their product once to double, then to float.
struct Margin
{
    double usual = 0;
    double limit = 0, below = 0; ///< below: of D <= limit

    HOST_DEVICE double of(double difference) const { return difference <= limit ? below : usual; }
    /// Of D times `scale`; the limit remains one of D.
    Margin times(double scale) const { return {usual * scale, limit, below * scale}; }
};

/// For windows of `cells` cells that all count, of at most `levels` levels.
struct Sharing
{
    int cells, levels;
    Base base;
};

/// The margin of D = F(N) - sum F(n) for N = sharing.cells, `sums` F(n), n = 0 ... N; D times
/// `scale` is the entropy. `error`: how far D is off for any way to share the cells; `rounding`:
/// what the steps from D to a float may be off, in units of D. Takes a few milliseconds.
Margin marginOf(const Sharing &sharing, const std::vector<std::int64_t> &sums, double scale,
                double error, double rounding);

} // namespace local_entropy
