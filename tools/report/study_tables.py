"""The tables of what was measured beside the ladder: threads, GPUs, parts of a call, occupancy,
arithmetic, compilers."""

import re

from .formats import shown, with_range
from .results import NotMeasured, Rounds, cells_of, size_named, sizes_of, versions_of
from .tables import chosen, ratio, shown_integer, table


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


OCCUPANCY = (("block_threads", "threads a block"), ("registers_asked", "registers asked for"),
             ("registers", "registers"), ("shared_bytes", "shared bytes a block"),
             ("local_bytes", "local bytes a thread"))


def occupancy_study(record, *words):
    """One kernel under other limits: occupancy as predicted and measured, and the time. Words like
    block_threads=256 choose rows; their columns are left out."""
    wanted = dict(word.partition("=")[::2] for word in words)
    columns = [(column, label) for column, label in OCCUPANCY if column not in wanted]
    rows = []
    for rounds in record.measurements("occupancy.csv", **wanted):
        occupancy = [f"{100 * value:.0f} %" if value is not None else "-"
                     for value in (rounds.value("predicted"), rounds.value("measured"))]
        rows.append([shown_integer(rounds, column) for column, _ in columns] +
                    occupancy + [with_range(rounds, "median_ms"), shown(rounds.least("min_ms"))])
    if not rows:
        raise NotMeasured(f"{record.directory}/occupancy.csv has no row with {' '.join(words)}")
    return table([label for _, label in columns] +
                 ["occupancy, predicted", "measured", "kernel, ms", "minimum, ms"], rows)


def precision(record):
    """What each kind of arithmetic gets right."""
    rows = []
    for rounds in record.measurements("precision.csv"):
        error = rounds.value("largest_error")
        rows.append([rounds.text("arithmetic"), "-" if error is None else f"{error:.1e}",
                     rounds.text("decimals"), rounds.text("where")])
    return table(["arithmetic", "largest error", "decimals that are right", "where"], rows)


def flags(record, *words):
    """A row for each compiler and its flags: the kernel of a version that has one, else the call;
    in brackets, times faster than the version's first row. Compilers that are missing come last."""
    measured = record.measurements("flags.csv")
    size = size_named(words[0]) if words else max(sizes_of(measured), key=cells_of)
    measured = [rounds for rounds in measured if sizes_of([rounds]) == [size]]
    if not measured:
        raise NotMeasured(f"{record.directory}/flags.csv has no size {size}")
    versions = versions_of(measured)
    columns = {version: "kernel_median_ms" if any(
        rounds.value("kernel_median_ms") for rounds in measured
        if rounds.text("version") == version) else "total_median_ms" for version in versions}
    first, rows, missing = {}, {}, {}
    for rounds in measured:
        version = rounds.text("version")
        compiler = re.sub(r"\S*/", "", rounds.text("compiler"))
        value = rounds.value(columns[version])
        if not value:
            missing[compiler] = rounds.text("note") or "-"
            continue
        start = first.setdefault(version, value)
        faster = f" ({ratio(start, value)})" if start != value else ""
        rows.setdefault((compiler, f"`{rounds.text('flags')}`"), {})[version] = \
            with_range(rounds, columns[version]) + faster
    return table([size, "flags"] + [f"{version}{', kernel' * columns[version].startswith('k')}, ms"
                                    for version in versions],
                 [[*names] + [cells.get(version, "-") for version in versions]
                  for names, cells in rows.items()] +
                 [[compiler, note] + ["-"] * len(versions) for compiler, note in missing.items()])


KINDS = {kind.__name__: kind for kind in (scaling, gpus, measures, batch, parts, occupancy_study,
    precision, flags)}
