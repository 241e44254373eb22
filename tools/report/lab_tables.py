"""The tables of the maximum and transpose labs, and what the course's documents claimed."""

from .expressions import Expressions
from .formats import shown, times as factor
from .record import COURSE
from .results import NotMeasured, Wrong, at_size, sizes_of, versions_of
from .tables import table, value_of


def maximum(record, column):
    """Times of the maximum lab in one column, against CUB's, the last of its versions, and against
    reading the same bytes."""
    measured = record.measurements("maximum.csv")
    sizes, names = sizes_of(measured), versions_of(measured)
    rows = []
    for name in names:
        cells = []
        for size in sizes:
            rounds, cub = at_size(measured, size).get(name), at_size(measured, size).get(names[-1])
            time, yardstick = value_of(rounds, column), value_of(cub, column)
            read = value_of(rounds, "device_read_ms")
            cells.append(f"{shown(time)} ({yardstick / time:.3f}, {read / time:.3f})"
                         if time and yardstick and read else shown(time))
        if any(cell != "-" for cell in cells):
            rows.append([name, *cells])
    return table(["", *sizes], rows)


def transpose(record, block):
    """Share of the device's copy speed by size, for the versions with blocks of that side; with
    "host" as block, of the host's copy speed for the CPU versions."""
    copy, column = (("host_copy_ms", "total_median_ms") if block == "host"
                    else ("device_copy_ms", "kernel_median_ms"))
    measured = [rounds for rounds in record.measurements("transpose.csv")
                if rounds.text("block") in (block, "-") and rounds.value(column)
                and rounds.value(copy)
                and (block == "host") == (rounds.text("platform") in ("CPU", "OpenMP"))]
    sides = list(dict.fromkeys(rounds.text("rows") for rounds in measured))
    rows = []
    for name in versions_of(measured):
        share = {rounds.text("rows"): rounds.value(copy) / rounds.value(column)
                 for rounds in measured if rounds.text("version") == name}
        rows.append([name] + [f"{share[side]:.2f}" if side in share else "-" for side in sides])
    return table(["", *sides], rows)


def transpose_growth(record, block="16", start="512"):
    """How many times longer a larger matrix takes than the smallest: the kernel; on the CPU the
    call."""
    measured = [rounds for rounds in record.measurements("transpose.csv")
                if rounds.text("block") in (block, "-")]
    sides = list(dict.fromkeys(rounds.text("rows") for rounds in measured))
    if start not in sides:
        raise NotMeasured(f"{record.directory}/transpose.csv has no side {start}")
    rows = []
    for name in versions_of(measured):
        of = {}
        for rounds in measured:
            if rounds.text("version") == name:
                on_gpu = rounds.text("platform") == "CUDA"
                of[rounds.text("rows")] = rounds.value("kernel_median_ms" if on_gpu
                                                       else "total_median_ms")
        if of.get(start):
            rows.append([name, shown(of[start])] +
                        [factor(of[side] / of[start]) if of.get(side) else "-"
                         for side in sides if side != start])
    cells = [f"{side}: times" for side in sides if side != start]
    cells_more = [f"{(int(side) / int(start)) ** 2:.0f}" for side in sides if side != start]
    return table(["side", f"{start}, ms", *cells], [["cells", "1", *cells_more], *rows])


def blocks(record, side):
    """Kernel times of the transpose versions by block, at one size."""
    measured = [rounds for rounds in record.measurements("transpose.csv", rows=side)
                if rounds.text("block") != "-"]
    shapes = list(dict.fromkeys(rounds.text("block") for rounds in measured))
    rows = []
    for name in versions_of(measured):
        by_block = {rounds.text("block"): rounds for rounds in measured
                    if rounds.text("version") == name}
        rows.append([name] + [shown(value_of(by_block.get(block), "kernel_median_ms"))
                              for block in shapes])
    return table([f"{side}x{side}, ms"] + [f"{block}x{block}" for block in shapes], rows)


def claims(record, *words):
    """What the course's documents claimed, beside what was measured here. Words are keys of
    claims.csv, each with " = EXPR | FORMAT" and " | verdict" after it where there is one; lines
    part them."""
    expressions = Expressions(record)
    lines = [line.strip() for line in " ".join(words).split("\n") if line.strip()]
    if not lines:
        raise Wrong("claims: name the keys, one a line")
    rows = []
    for line in lines:
        key, _, ours = (part.strip() for part in line.partition(" = "))
        row = record.at(COURSE).one("claims.csv", key=key)
        said = " ".join(filter(None, (row.text("value"), row.text("unit")))) or "-"
        here, verdict = "-", ""
        if ours:
            expression, _, rest = (part.strip() for part in ours.partition("|"))
            wanted, _, verdict = (part.strip() for part in rest.partition("|"))
            here = expressions.written(f"{expression} | {wanted}")
        rows.append([row.text("claim") or key.replace("_", " "), said, here, verdict])
    if not any(row[-1] for row in rows):
        rows = [row[:-1] for row in rows]
    head = ["the document says", "its figure, on a V100", "here", "verdict"]
    return table(head[:len(rows[0])], rows)


KINDS = {kind.__name__: kind for kind in (maximum, transpose, transpose_growth, blocks, claims)}
