"""The tables of times: a function a kind, from a record and the words of its marker to Markdown."""

from .formats import percent, shown, times as factor, with_range
from .record import ceiling_of
from .results import (NotMeasured, at_size, cells_of, facts, is_same, size_named, sizes_of,
                      versions_of)


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


def shown_integer(rounds, column):
    value = rounds.value(column)
    return "-" if value is None else f"{value:.0f}"


def chosen(measured, versions):
    """The measurements of these versions; all where none are named."""
    known = versions_of(measured)
    for version in versions:
        if version not in known:
            raise NotMeasured(f"there is no {version} among {', '.join(known)}")
    return [rounds for rounds in measured if not versions or rounds.text("version") in versions]


def environment(record):
    """The machine and the build of a run, and which stages are of other builds."""
    said = record.text("environment.txt").rstrip("\n")
    for revision, stages in stages_of_others(record, facts(said).get("revision")).items():
        said += f"\n{revision}:".ljust(13) + ", ".join(stages) + " (stages that are of that revision)"
    return fenced(said)


def stages_of_others(record, own):
    """{revision: [stage]} of those that are not of the record's own."""
    try:
        rows = record.rows("record.csv")
    except NotMeasured:
        return {}
    others = {}
    for row in rows:
        if own and not is_same(row["revision"], own):
            others.setdefault(row["revision"], []).append(row["stage"])
    return others


def revisions(record, *machines):
    """The revisions that the records of some machines are of."""
    rows = []
    for machine in machines:
        one = record.at(f"results/{machine}")
        own = facts(one.text("environment.txt")).get("revision", "-")
        others = [f"{', '.join(stages)}: {revision}"
                  for revision, stages in stages_of_others(one, own).items()]
        rows.append([f"`{one.directory}`", own, "; ".join(others) or "-"])
    return table(["record", "revision", "stages of another one"], rows)


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


KINDS = {kind.__name__: kind for kind in (environment, revisions, text, ladder, times, spread, steps,
    resources, share)}
