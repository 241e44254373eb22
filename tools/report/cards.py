"""What a report shows of one rung: its times, its source, what changed."""

import re

from .formats import percent, shown, with_range
from .record import bytes_of, ceiling_of
from .results import NotMeasured, Wrong, at_size, cells_of, size_named, sizes_of
from .source_code import difference
from .tables import fenced, ratio, table


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


KINDS = {kind.__name__: kind for kind in (card, study_card, code, diff)}
