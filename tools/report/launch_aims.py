"""What was aimed at for GPUs as a ratio, results/aims/launch-ratios.csv, against what was measured:
the worst of all that an aim is about. A copy is the least of all filters that move as many bytes."""

import re

from .formats import times as factor
from .launch_tables import (Launches, aims, copied, kind_of, least_copies, looks, percents, spread,
                            verdict)
from .results import NOT_YET, NotMeasured, Wrong, size_of
from .tables import table, value_of

SMALL = 81  # cells of a window, of whose spread over contents there is an aim


class Missing(Exception):
    """A measurement that an aim is about is not there: which."""


class Asked:
    """The measurements that aims are about. A rule gives pairs of a value and what it is of."""

    def __init__(self, record):
        self.record, self.launches = record, Launches(record)
        self.cases = [row["case"] for row in aims(record)]
        self.elsewhere = [row["case"] for row in aims(record) if row.get("places")]
        try:
            self.together = record.measurements("together.csv")
        except NotMeasured:
            self.together = []
        self.copies = least_copies(self.together)

    def rate(self, case, **other):
        found = self.launches.rate(case, **other)
        if not found:
            raise Missing(f"{case} {' '.join(other.values())}".strip())
        return found

    def second_looks(self):
        """Of all filters and contents."""
        for case in self.launches.named(self.record):
            found = {content: looks(self.launches.at(case, content=content))
                     for content in self.launches.contents}
            if case in self.cases and found[self.launches.content] is None:
                raise Missing(case)
            for content, part in found.items():
                if part is not None:
                    yield part, f"{case}, {content}"

    def contents(self):
        for case in self.launches.named(self.record):
            if cells_of_window(case) > SMALL:
                continue
            rate = self.rate if case in self.cases else self.launches.rate
            rates = [rate(case, content=content) for content in self.launches.contents]
            if any(rates):
                yield spread(rates), case

    def places(self):
        others = self.launches.places()
        for case in self.elsewhere:
            for name, words in others:
                yield self.rate(case, **words) / self.rate(case), f"{case}, {name}"
        if not others:
            raise Missing("other widths")

    def size(self, size):
        for case in self.cases:
            yield self.rate(case, size=size) / self.rate(case), case

    def ways(self, case=None):
        """(case, size, {way: ms}) of together.csv, of one case or of all."""
        found = dict.fromkeys((rounds.text("case"), size_of(rounds)) for rounds in self.together)
        for name, size in found:
            if case in (None, name):
                of = [rounds for rounds in self.together
                      if (rounds.text("case"), size_of(rounds)) == (name, size)]
                yield (name, size, {rounds.text("way"): value_of(rounds, "median_ms")
                                    for rounds in of})

    def largest(self, case):
        found = list(self.ways(case))
        if not found:
            raise Missing(f"{case} together")
        return found[-1]

    def both(self, *cases):
        for case in cases:
            _, size, time = self.largest(case)
            if not all(time.get(way) for way in ("cpu", "gpus", "both")):
                raise Missing(f"{case} together")
            yield min(time["cpu"], time["gpus"]) / time["both"], f"{case}, {size}"

    def of_copy(self, case):
        _, size, time = self.largest(case)
        copy = self.copies.get(copied(case, size))
        if not time.get("auto") or not copy:
            raise Missing(f"{case} together")
        yield copy / time["auto"], f"{case}, {size}"

    def of_best(self):
        for name, size, time in self.ways():
            fixed = [ms for way, ms in time.items() if way != "auto" and ms]
            if not fixed or not time.get("auto"):
                raise Missing(f"{name} together")
            yield time["auto"] / min(fixed), f"{name}, {size}"
        if not self.together:
            raise Missing("together")

    def of_cpu(self, wanted):
        found = [way for way in self.ways() if way[1] == wanted]
        for name, size, time in found:
            if not all(time.get(way) for way in ("cpu", "auto")):
                raise Missing(f"{name} together")
            yield time["auto"] / time["cpu"], f"{name}, {size}"
        if not found:
            raise Missing(f"{wanted} together")


def cells_of_window(case):
    """Of a rectangle "9x9"; of a disk more than SMALL."""
    sides = case.split("-")[2].split("x")
    return int(sides[0]) * int(sides[1]) if len(sides) == 2 else SMALL + 1


# By the names in the file: what is found, and how it is written.
RULES = {
    "time of second looks": (Asked.second_looks, percents),
    "spread over contents": (Asked.contents, percents),
    "other widths and places": (Asked.places, factor),
    "both, to the better alone": (lambda asked: asked.both("uint8-256-9x9", "uint8-256-15x15"),
                                  factor),
    "auto, of a copy": (lambda asked: asked.of_copy("uint8-256-5x5"), factor),
    "auto, to the best": (Asked.of_best, factor),
}


def rule_of(what):
    """(what finds it, how it is written); a size like "1024x1024" is a rule, too."""
    if re.fullmatch(r"\d+x\d+", what):
        return lambda asked: asked.size(what), factor
    to_cpu = re.fullmatch(r"auto, to the CPU, at (\d+x\d+)", what)
    if to_cpu:
        return lambda asked: asked.of_cpu(to_cpu[1]), factor
    if what not in RULES:
        raise Wrong(f"there is no rule for the aim '{what}', only {', '.join(RULES)}, sizes and "
                    "'auto, to the CPU, at' a size")
    return RULES[what]


def ratios(record):
    """An aim a line, the worst that was found and where. What lacks a measurement says so."""
    asked = Asked(record)
    rows = []
    for row in record.at("results/aims").rows("launch-ratios.csv"):
        find, write = rule_of(row["what"])
        limits = {end: float(row[end]) for end in ("least", "most") if row[end]}
        aim = " ".join(f"at {end} {write(limit)}" for end, limit in limits.items())
        try:
            found = list(find(asked))
        except Missing as missing:
            rows.append([row["what"], aim, NOT_YET, str(missing), "-"])
            continue
        value, place = (min if "least" in limits else max)(found)
        rows.append([row["what"], aim, write(value), named(place), verdict(value, **limits)])
    return table(["what", "aim", "the worst", "of", "met"], rows)


def named(place):
    """ "uint8-256-9x9, 4096x4096" in the words of the other tables."""
    case, comma, rest = place.partition(", ")
    cells, levels, window = kind_of(case)
    return f"{cells}, {levels} levels, {window}{comma}{rest}"


KINDS = {"launch-ratios": ratios}
