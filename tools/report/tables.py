"""The tables of the ladder and the studies: one function a kind, from a record and the words of its
marker to Markdown."""

import re

from .formats import percent, shown, times as factor, with_range
from .record import bytes_of, ceiling_of
from .results import (NotMeasured, Rounds, Wrong, at_size, cells_of, size_named, sizes_of,
                      versions_of)
from .source_code import difference


def table(head, rows):
    """A Markdown table; a cell may not hold a bar."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def fenced(text, language=""):
    return f"```{language}\n" + text.rstrip("\n") + "\n```\n"


def ratio(before, after):
    """How many times faster; "-" where one of the two is missing."""
    return factor(before / after) if before and after else "-"


def value_of(rounds, column):
    return rounds.value(column) if rounds else None


def chosen(measured, versions):
    """The measurements of these versions; all where none are named."""
    known = versions_of(measured)
    for version in versions:
        if version not in known:
            raise NotMeasured(f"there is no {version} among {', '.join(known)}")
    return [rounds for rounds in measured if not versions or rounds.text("version") in versions]


def environment(record):
    """The machine and the build of a run."""
    return fenced(record.text("environment.txt"))


def text(record, name):
    """A log as it is."""
    return fenced(record.text(name))


def ladder(record, size, *versions):
    """All versions at one size."""
    rows = []
    measured = at_size(chosen(record.times(), versions), size_named(size))
    if not measured:
        raise NotMeasured(f"the times of {record.directory} have no size {size}")
    for name, rounds in measured.items():
        total = rounds.value("total_median_ms")
        rate = cells_of(size_named(size)) / total / 1e3 if total else None
        rows.append([name, rounds.text("platform"), rounds.text("idea"),
                     with_range(rounds, "total_median_ms"), with_range(rounds, "kernel_median_ms"),
                     shown(rate)])
    return table(["", "platform", "idea", "end to end, ms", "kernel alone, ms", "Mcell/s"], rows)


def times(record, column, *versions):
    """One measured column of all versions at all sizes; `total_median_ms`, `kernel_median_ms`."""
    measured = chosen(record.times(), versions)
    sizes = sizes_of(measured)
    rows = []
    for name in versions_of(measured):
        cells = [with_range(at_size(measured, size).get(name), column) for size in sizes]
        if any(cell != "-" for cell in cells):
            rows.append([name, *cells])
    return table(["", *sizes], rows)


def spread(record, column="total_median_ms", *versions):
    """Lowest to highest of the rounds' medians, and how far apart they are."""
    measured = chosen(record.times(), versions)
    sizes = sizes_of(measured)
    rows = []
    for name in versions_of(measured):
        cells = []
        for size in sizes:
            rounds = at_size(measured, size).get(name)
            ends = rounds.range(column) if rounds else None
            cells.append(f"{shown(ends[0])} to {shown(ends[1])} "
                         f"({percent((ends[1] - ends[0]) / rounds.value(column))} %)"
                         if ends else "-")
        if any(cell != "-" for cell in cells):
            rows.append([name, *cells])
    return table(["ms", *sizes], rows)


def steps(record, column, *pairs):
    """How many times faster the second version of each pair, "v0:v1", is than the first."""
    measured = record.times()
    sizes = sizes_of(measured)
    ideas = {rounds.text("version"): rounds.text("idea") for rounds in measured}
    rows = []
    for pair in pairs:
        before, after = pair.split(":")
        for version in (before, after):
            if version not in ideas:
                raise NotMeasured(f"the times of {record.directory} have no {version}")
        rows.append([f"{before} to {after}", ideas[after]] +
                    [ratio(value_of(at_size(measured, size).get(before), column),
                           value_of(at_size(measured, size).get(after), column))
                     for size in sizes])
    return table(["step", "what changes", *sizes], rows)


def resources(record):
    """What each kernel takes of a multiprocessor, and its share of the speed of a copy."""
    measured = record.times()
    size = sizes_of(measured)[-1]
    rows = []
    for name, rounds in at_size(measured, size).items():
        kernel, copy = rounds.value("kernel_median_ms"), ceiling_of(rounds)
        if kernel and copy and rounds.text("platform") == "CUDA":
            asked = ["-"] * 3
            if rounds.value("registers"):
                asked = [shown_integer(rounds, "registers"), shown_integer(rounds, "local_bytes"),
                         f"{100 * rounds.value('occupancy'):.0f} %"]
            rows.append([name, *asked, with_range(rounds, "kernel_median_ms"),
                         f"{percent(copy / kernel)} %"])
    return table(["", "registers a thread", "local bytes a thread", "occupancy",
                  f"kernel at {size}, ms", "of the speed of a copy"], rows)


def shown_integer(rounds, column):
    value = rounds.value(column)
    return "-" if value is None else f"{value:.0f}"


def share(record):
    """How much of the end-to-end time is the kernel."""
    measured = record.times()
    sizes = sizes_of(measured)
    rows = []
    for name in versions_of(measured):
        cells = []
        for size in sizes:
            kernel = value_of(at_size(measured, size).get(name), "kernel_median_ms")
            total = value_of(at_size(measured, size).get(name), "total_median_ms")
            cells.append(f"{100 * kernel / total:.0f} %" if kernel and total else "-")
        if any(cell != "-" for cell in cells):
            rows.append([name, *cells])
    return table(["kernel / end to end", *sizes], rows)


def scaling(record, side):
    """OpenMP versions by number of threads, times faster than with one."""
    measured = record.measurements("scaling.csv", side=side)
    threads = list(dict.fromkeys(rounds.text("threads") for rounds in measured))
    rows = []
    for name in versions_of(measured):
        best = {rounds.text("threads"): rounds.least("min_ms") for rounds in measured
                if rounds.text("version") == name}
        first = best.get("1")
        rows.append([name, shown(first)] +
                    [f"{first / best[count]:.1f}" if first and best.get(count) else "-"
                     for count in threads[1:]])
    return table([f"{side}x{side}", "1 thread, ms"] + [f"{count} threads" for count in threads[1:]],
                 rows)


def gpus(record):
    """The same call on 1, 2, 4 GPUs: ms and, in brackets, times faster than on one."""
    measured = record.measurements("gpus.csv")
    counts = sorted({int(rounds.text("gpus")) for rounds in measured})
    columns = [(column, what) for column, what in (("median_ms", "end to end"),
                                                   ("kernel_median_ms", "kernel"))
               if column in measured[0].rows[0]]
    rows = []
    for size in sizes_of(measured):
        for name in versions_of(measured):
            for column, what in columns:
                found = {int(rounds.text("gpus")): rounds.value(column) for rounds in measured
                         if rounds.text("version") == name and size in sizes_of([rounds])}
                if any(found.values()):
                    first = found.get(counts[0])
                    rows.append([name, size, what] +
                                [shown(found.get(count)) +
                                 (f" ({ratio(first, found.get(count))})"
                                  if count != counts[0] and found.get(count) else "")
                                 for count in counts])
    return table(["", "size", "ms"] + [f"{count} GPU{'s' * (count > 1)}" for count in counts], rows)


def card(record, version, start=None):
    """One version at all sizes, beside the one it starts from and the first of its kind."""
    measured = record.times()
    names = record.names(version)
    own = {size: next((at_size(measured, size)[name] for name in names
                       if name in at_size(measured, size)), None) for size in sizes_of(measured)}
    own = {size: rounds for size, rounds in own.items() if rounds}
    if not own:
        raise NotMeasured(f"the times of {record.directory} have no {version}")
    platform = next(iter(own.values())).text("platform")
    on_gpu = platform == "CUDA"
    column = "kernel_median_ms" if on_gpu else "total_median_ms"
    first = next(rounds.text("version") for rounds in measured
                 if rounds.text("platform") == ("CUDA" if on_gpu else "OpenMP" if any(
                     r.text("platform") == "OpenMP" for r in measured) else platform))
    beside = [name for name in dict.fromkeys(filter(None, (start, first))) if name not in names]
    rows = []
    for size, rounds in own.items():
        middle, ends = rounds.value(column), rounds.range(column)
        cells = [size, shown(middle), shown(rounds.least(column.replace("median", "min"))),
                 f"{shown(ends[0])} to {shown(ends[1])}" if ends else "-"]
        if on_gpu:
            cells += [shown(bytes_of(record.study(), size) / 1e6 / middle) if middle else "-",
                      f"{percent(ceiling_of(rounds) / middle)} %"
                      if middle and ceiling_of(rounds) else "-"]
        else:
            cells.append(shown(cells_of(size) / 1e3 / middle) if middle else "-")
        rows.append(cells + [ratio(beside_at(record, name, size, column), middle)
                             for name in beside])
    head = ["size", f"{'kernel' if on_gpu else 'end to end'}, ms", "minimum, ms", "rounds, ms"]
    head += ["GB/s", "of a copy"] if on_gpu else ["Mcell/s"]
    return table(head + [f"times {name}" for name in beside], rows)


def beside_at(record, name, size, column):
    """Another version's time; one that this study does not have is looked for in the ladder."""
    for place in (record, record.machine()):
        try:
            return place.of_version(name, size).value(column)
        except NotMeasured:
            pass
    return None


def study_card(record, *words):
    """All kernels of a study, a lab or the ladder at one size: speed, share of the ceiling, times
    faster than the version it starts from, and than the first."""
    measured = [rounds for rounds in record.times() if rounds.text("block") in ("", "-", "32")]
    size = size_named(words[0]) if words else max(sizes_of(measured), key=cells_of)
    ideas = record.ideas(record.study())
    kernels, rows = {}, []
    reads = record.study() == "maximum"
    for name, rounds in at_size(measured, size).items():
        kernel = rounds.value("kernel_median_ms")
        if not kernel or rounds.text("platform") not in ("CUDA", ""):
            continue
        idea = rounds.text("idea") or ideas.get(name, "")
        start = idea.replace(",", " ").split(" ")[0] if idea else ""
        before = kernels.get(start, list(kernels.values())[-1] if kernels else None)
        if re.search(r"\bcub(las)?\b", idea, re.IGNORECASE):
            before = None  # the toolkit's own starts from none of these
        ceiling = ceiling_of(rounds)
        rows.append([name, idea, with_range(rounds, "kernel_median_ms"),
                     shown(bytes_of(record.study(), size) / 1e6 / kernel),
                     f"{percent(ceiling / kernel)} %" if ceiling else "-",
                     ratio(before, kernel),
                     ratio(next(iter(kernels.values())), kernel) if kernels else "-"])
        kernels[name] = kernel
    if not rows:
        raise NotMeasured(f"the times of {record.directory} have no kernel at {size}")
    first = next(iter(kernels))
    return table([size, "idea", "kernel, ms", "GB/s", f"of a {'read' if reads else 'copy'}",
                  "times the one before", f"times {first}"], rows)


def measures(record):
    """The two measures over the groups of data.bin."""
    rows = [[rounds.text("version") + (" (probe)" if rounds.text("probe") == "yes" else ""),
             shown(rounds.value("total_median_ms")), shown(rounds.value("slowest_group_median_ms"))]
            for rounds in record.measurements("measures.csv")]
    return table(["", "all groups but the first, ms", "slowest group, ms"], rows)


def batch(record):
    """Runs of the whole program on text files: the median, lowest to highest."""
    measured = record.rows("batch.csv")
    inputs = list(dict.fromkeys(row["input"] for row in measured))
    rows = []
    for name in dict.fromkeys(row["version"] for row in measured):
        cells = []
        for given in inputs:
            runs = Rounds([row for row in measured
                           if row["version"] == name and row["input"] == given])
            cells.append(with_range(runs, "seconds") if runs.rows else "-")
        rows.append([name, *cells])
    return table(["s", *inputs], rows)


PARTS = ("context", "allocate", "up", "kernel", "down", "faults", "free", "other", "total")


def parts(record, *words):
    """What a call spends its time on, in ms: the first of a process, and later ones."""
    versions = [word for word in words if not word[0].isdigit()]
    measured = chosen(record.measurements("parts.csv"), versions)
    wanted = next((size_named(word) for word in words if word[0].isdigit()),
                  max(sizes_of(measured), key=cells_of))
    found = {}
    for rounds in measured:
        if sizes_of([rounds]) == [wanted]:
            found.setdefault((rounds.text("version"), rounds.text("call")), {})[
                rounds.text("part")] = rounds.value("ms")
    if not found:
        raise NotMeasured(f"{record.directory}/parts.csv has no size {wanted}")
    names = [part for part in PARTS if any(cells.get(part) for cells in found.values())]
    rows = [[version, call] + [shown(cells.get(part)) for part in names]
            for (version, call), cells in found.items()]
    return table([wanted, "call", *names], rows)


def occupancy_study(record):
    """One kernel under other limits: occupancy as predicted and measured, and the time."""
    rows = []
    for rounds in record.measurements("occupancy.csv"):
        occupancy = [f"{100 * value:.0f} %" if value is not None else "-"
                     for value in (rounds.value("predicted"), rounds.value("measured"))]
        rows.append([shown_integer(rounds, column) for column in
                     ("block_threads", "registers_asked", "registers", "shared_bytes",
                      "local_bytes")] +
                    occupancy + [with_range(rounds, "median_ms"), shown(rounds.least("min_ms"))])
    return table(["threads a block", "registers asked for", "registers", "shared bytes a block",
                  "local bytes a thread", "occupancy, predicted", "measured", "kernel, ms",
                  "minimum, ms"], rows)


def precision(record):
    """What each kind of arithmetic gets right."""
    rows = []
    for rounds in record.measurements("precision.csv"):
        error = rounds.value("largest_error")
        rows.append([rounds.text("arithmetic"), "-" if error is None else f"{error:.1e}",
                     rounds.text("decimals"), rounds.text("where")])
    return table(["arithmetic", "largest error", "decimals that are right", "where"], rows)


def flags(record, *words):
    """Versions by compiler and flags; in brackets, times faster than their first row."""
    measured = record.measurements("flags.csv")
    size = size_named(words[0]) if words else max(sizes_of(measured), key=cells_of)
    first, rows = {}, []
    for rounds in measured:
        if sizes_of([rounds]) != [size]:
            continue
        cells = [rounds.text("version"), rounds.text("compiler"), f"`{rounds.text('flags')}`"]
        for column in ("total_median_ms", "kernel_median_ms"):
            value = rounds.value(column)
            start = first.setdefault((rounds.text("version"), column), value)
            faster = f" ({ratio(start, value)})" if value and start != value else ""
            cells.append(with_range(rounds, column) + faster)
        rows.append(cells)
    if not rows:
        raise NotMeasured(f"{record.directory}/flags.csv has no size {size}")
    return table([size, "compiler", "flags", "end to end, ms", "kernel, ms"], rows)


def code(record, version, function=None):
    """The kernel of a version, or another function of it, as it stands in the source."""
    return fenced(record.source().kernel(version, function), "cpp")


def diff(record, before, after, function=None):
    """The lines that change from one version to another; either may be "fast_study/f1"."""
    bodies, names = [], []
    for version in (before, after):
        study, _, name = version.rpartition("/")
        source = record.source(study or None)
        if not study and record.study() and source.body_or_none(name) is None:
            source = record.machine().source()  # a study that starts from a version of the ladder
        bodies.append(source.kernel(name, function) if function else source.body(name))
        names += source.names(name)
    changes = difference(*bodies, names)
    if not changes.strip():
        raise Wrong(f"nothing changes from {before} to {after}")
    return fenced(changes, "diff")


KINDS = {kind.__name__: kind for kind in (
    environment, text, ladder, times, spread, steps, resources, share, scaling, gpus, card,
    study_card, measures, batch, parts, occupancy_study, precision, flags, code, diff)}
