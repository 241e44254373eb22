#!/usr/bin/env python3
"""Writes boundary_windows.h: windows whose answer lies as near as can be found to the boundary
between two floats or two doubles, with the right answer from mpmath at 600 bits.

A start of distinct counts, two sets of 20 independent changes (one cell moves from a level to
another): each subset shifts N H by a known amount. One subset of either set, such that both shifts
together end on a boundary, is found by sorting: 2^40 pairs, a distance of about 2^-40 units.

usage: make_boundary_windows.py > boundary_windows.h      (needs mpmath and numpy, some seconds)
"""
import mpmath
import numpy

mpmath.mp.prec = 600
CHANGES = 20
BASES = {"E": mpmath.mpf(1), "Two": mpmath.log(2), "Ten": mpmath.log(10)}


def n_log_n(n):
    return n * mpmath.log(n) if n > 1 else mpmath.mpf(0)


def entropy(counts, base):
    cells = sum(counts)
    return (n_log_n(cells) - sum(n_log_n(n) for n in counts)) / cells / BASES[base]


def nearest(value, digits):
    """The nearest binary fraction of so many digits, exactly representable as a double."""
    shift = digits - int(mpmath.floor(mpmath.log(value, 2))) - 1
    return float(mpmath.ldexp(mpmath.floor(mpmath.ldexp(value, shift) + 0.5), -shift))


def subset_sums(shifts):
    sums = numpy.zeros(1, dtype=numpy.uint64)
    for shift in shifts:
        sums = numpy.concatenate([sums, sums + numpy.uint64(shift)])
    return sums


def search(first, base, digits):
    """Counts first, first + 1, ...: the pair of subsets that ends nearest to a boundary."""
    counts = [first + i for i in range(4 * CHANGES)]
    cells = sum(counts)
    start = entropy(counts, base)
    unit = mpmath.ldexp(1, int(mpmath.floor(mpmath.log(start, 2))) + 1 - digits)
    modulo = lambda x: int(mpmath.floor(mpmath.ldexp(x / unit, 64))) % 2**64
    # Change i: a cell goes from level i to level 4 CHANGES - 1 - i.
    last = 4 * CHANGES - 1
    shifts = []
    for i in range(2 * CHANGES):
        a, b = counts[i], counts[last - i]
        change = n_log_n(a) + n_log_n(b) - n_log_n(a - 1) - n_log_n(b + 1)
        shifts.append(modulo(change / cells / BASES[base]))
    one, two = subset_sums(shifts[:CHANGES]), subset_sums(shifts[CHANGES:])
    order = numpy.argsort(one)
    wanted = numpy.uint64((2**63 - modulo(start)) % 2**64) - two
    at = numpy.searchsorted(one[order], wanted) % len(one)
    distance = (one[order][at] - wanted).astype(numpy.int64)
    best = int(numpy.argmin(numpy.abs(distance.astype(float))))
    chosen = int(order[at[best]]) | best << CHANGES
    for i in range(2 * CHANGES):
        if chosen >> i & 1:
            counts[i] -= 1
            counts[last - i] += 1
    value = entropy(counts, base)
    away = abs(mpmath.frac(value / unit) - 0.5)
    return counts, float(mpmath.log(away, 2)), value


def main():
    print("// Made by make_boundary_windows.py; do not edit.")
    print("#pragma once\n\n#include <vector>\n\n#include \"local_entropy/answers/measure.h\"\n")
    print("namespace boundary_windows\n{\n")
    print("struct Window\n{\n    local_entropy::Base base;\n    float nearestFloat;\n"
          "    double nearestDouble, exponential;\n    std::vector<int> counts;\n};\n")
    print("inline const std::vector<Window> kWindows = {")
    for base in BASES:
        for digits in (24, 53):
            for first in (2, 17, 700):
                counts, away, value = search(first, base, digits)
                exponential = mpmath.exp(entropy(counts, "E"))
                print(f"    // {sum(counts)} cells, 2^{away:.1f} units from a boundary of "
                      f"{digits} digits")
                print(f"    {{local_entropy::Base::{base},")
                print(f"     {nearest(value, 24).hex()}f,\n     {nearest(value, 53).hex()},")
                print(f"     {nearest(exponential, 53).hex()},")
                lines = [counts[i:i + 20] for i in range(0, len(counts), 20)]
                print("     {" + ",\n      ".join(", ".join(map(str, x)) for x in lines) + "}},")
    print("};\n\n} // namespace boundary_windows")


if __name__ == "__main__":
    main()
