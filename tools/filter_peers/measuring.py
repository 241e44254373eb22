"""Compares the peers, then times them."""

import statistics
import time

import numpy

from .peers import OTHERS, OURS, Library, Skipped

TOLERANCE = 1e-4  # bits
WRONG, FAILED = "WRONG", "failed"
SMALL = 72        # side of the part of an image on which the peers are compared
SMALLEST = 64     # side of the smallest part that is timed, about
PADDING = {"crop": {"constant_values": -1}, "reflect": {"mode": "symmetric"}}  # of numpy.pad
OF_PEER = ("version", "runs_on", "memory", "arrays", "threads", "border")
HEAD = ("image", "window", "peer", *OF_PEER, "width", "height", "runs", "median_ms", "min_ms",
        "mpixel_per_s", "to_one_thread", "to_all_threads", "to_gpu", "note")


class Case:
    """A window on an image."""

    def __init__(self, image_name, image, window_name, footprint):
        self.image_name, self.image = image_name, image
        self.window_name, self.footprint = window_name, footprint

    def part(self, side):
        return numpy.ascontiguousarray(self.image[:side, :side])


def row_of(name, peer=None, case=None, **cells):
    row = {**dict.fromkeys(HEAD, ""), "peer": name}
    if peer:
        row.update({key: getattr(peer, key) for key in OF_PEER})
    if case:
        row.update(image=case.image_name, window=case.window_name)
    return {**row, **cells}


def said(error):
    return (str(error).strip().split("\n")[0] or type(error).__name__)[:150]


# ---- right or wrong -----------------------------------------------------------------------------


def counted(image, footprint, border):
    """The entropy in bits, by the definition: the levels of every window are counted."""
    reach = [(side // 2, side // 2) for side in footprint.shape]
    padded = numpy.pad(image.astype(int), reach, **PADDING[border])
    windows = numpy.lib.stride_tricks.sliding_window_view(padded, footprint.shape)
    levels = windows[..., footprint != 0].reshape(image.size, -1) + 1  # 0: beyond the edge
    bins = levels + 257 * numpy.arange(image.size)[:, None]
    counts = numpy.bincount(bins.ravel(), minlength=257 * image.size)
    share = counts.reshape(-1, 257)[:, 1:].astype(float)
    share /= share.sum(axis=1, keepdims=True)
    terms = share * numpy.log2(share, where=share > 0, out=numpy.zeros_like(share))
    return -terms.sum(axis=1).reshape(image.shape)


def difference(found, wanted):
    """What is wrong, a sentence; empty if nothing is."""
    if found.shape != wanted.shape:
        return f"{WRONG}: {found.shape} cells in place of {wanted.shape}"
    for first in range(0, len(found), 1000):  # less memory than all rows at once
        rows = slice(first, first + 1000)
        right = abs(found[rows] - wanted[rows]) <= TOLERANCE  # NaN is wrong
        if not right.all():
            y, x = numpy.unravel_index(numpy.argmin(right), right.shape)
            return (f"{WRONG}: x {x}, y {first + y} is {found[first + y, x]:.6f}, not "
                    f"{wanted[first + y, x]:.6f}")
    return ""


def problem(peer, case):
    """Why the case cannot be timed, a sentence; empty if it can."""
    try:
        part = case.part(SMALL)
        found = peer.host(peer.prepare(part, case.footprint)())
        return difference(found, counted(part, case.footprint, peer.border))
    except Skipped as why:
        return str(why)
    except Exception as error:  # of the peer: the others still run
        return f"{FAILED}: {said(error)}"


# ---- how long -----------------------------------------------------------------------------------


def seconds_of(peer, once):
    """Of a run, and its result."""
    peer.wait()
    start = time.perf_counter()
    result = once()
    peer.wait()
    return time.perf_counter() - start, result


def times_of(peer, once, limit):
    """Seconds of at least five runs, or of as many as the limit is enough for."""
    times = []
    while len(times) < 5 or sum(times) < 0.1:
        times.append(seconds_of(peer, once)[0])
        if sum(times) > limit:
            break
    return times


def sides(side):
    """Of the image, its half, ... from the smallest on."""
    found = [side]
    while found[-1] // 2 >= SMALLEST:
        found.append(found[-1] // 2)
    return found[::-1]


def largest_side(peer, case, longest):
    """Of the largest part of which a run takes no longer and for which the memory is enough."""
    before = None
    for side in sides(min(case.image.shape)):
        if before and before[1] * (side / before[0])**2 > longest:
            break
        try:
            once = peer.prepare(case.part(side), case.footprint)
            if not before:
                once()  # what is done only once
            elapsed = min(seconds_of(peer, once)[0] for _ in range(2))  # one may be disturbed
        except Exception as error:
            if not before or not (isinstance(error, MemoryError) or "memory" in str(error).lower()):
                raise
            break
        before = side, elapsed
    return before[0]


def ratios(peer, part, case, median, ours, seconds):
    """The peer's median over that of each local_entropy that takes the same arrays."""
    found = {}
    for library in ours:
        if (library.memory, library.arrays) == (peer.memory, peer.arrays):
            once = library.prepare(part, case.footprint, peer.border)
            once()
            found[library.column] = median / statistics.median(times_of(library, once, seconds))
    return found


def timed(peer, case, ours, seconds):
    """Its row; without times where a value is wrong."""
    part = case.part(largest_side(peer, case, seconds / 6))
    once = peer.prepare(part, case.footprint)
    wanted = Library().prepare(part, case.footprint, peer.border)()
    wrong = difference(peer.host(once()), wanted)
    if wrong:
        return row_of(peer.name, peer, case, note=wrong)
    times = times_of(peer, once, seconds)
    del once
    median, (height, width) = statistics.median(times), part.shape
    compared = {} if peer in ours else ratios(peer, part, case, median, ours, seconds)
    return row_of(peer.name, peer, case, width=width, height=height, runs=len(times),
                  median_ms=1e3 * median, min_ms=1e3 * min(times),
                  mpixel_per_s=part.size / median / 1e6, **compared,
                  note="" if part.size == case.image.size else "the upper left part")


# ---- all ----------------------------------------------------------------------------------------


def made(makers):
    """The peers that are here, and a row for each that is not."""
    peers, missing = [], []
    for name, make in makers:
        try:
            peers.append(make())
        except Skipped as why:
            missing.append(row_of(name, note=str(why)))
        except Exception as error:
            missing.append(row_of(name, note=f"{FAILED}: {said(error)}"))
    return peers, missing


def rows(cases, seconds, ours=OURS, others=OTHERS):
    (ours, missing), (others, more) = made(ours), made(others)
    try:
        yield from missing + more
        peers = ours + others
        problems = {(peer, case): problem(peer, case) for case in cases for peer in peers}
        for case in cases:
            right = [library for library in ours if not problems[library, case]]
            for peer in peers:
                try:
                    why = problems[peer, case]
                    yield (row_of(peer.name, peer, case, note=why) if why else
                           timed(peer, case, right, seconds))
                except Exception as error:  # of the peer: the others still run
                    yield row_of(peer.name, peer, case, note=f"{FAILED}: {said(error)}")
    finally:
        for peer in ours + others:
            peer.close()
