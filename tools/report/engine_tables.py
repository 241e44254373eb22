"""The tables of the engine and of other software beside it."""

from .formats import shown
from .results import cells_of, size_of, sizes_of
from .tables import table


def megacells(rounds, time):
    """Million cells a second, of a time in ms."""
    return cells_of(size_of(rounds)) / time / 1e3 if time else None


def gpu(record):
    """The GPU engine's kernel by content, size and alignment, beside a copy on the same device."""
    rows = []
    for rounds in record.measurements("gpu.csv"):
        time = rounds.value("median_ms")
        share = f"{rounds.value('copy_ms') / time:.2f}" if time and rounds.value("copy_ms") else "-"
        rows.append([rounds.text("cells"), rounds.text("content"), size_of(rounds),
                     rounds.text("offset"), shown(time), shown(megacells(rounds, time)), share])
    return table(["cells", "content", "size", "offset", "ms", "Mcell/s", "share of copy"], rows)


def everywhere(record):
    """The engine from host memory to host memory: a line a size and way, a column a memory."""
    measured = record.measurements("everywhere.csv")
    memories = list(dict.fromkeys(rounds.text("memory") for rounds in measured))
    rows = []
    for size in sizes_of(measured):
        for way in dict.fromkeys(rounds.text("way") for rounds in measured):
            of = {rounds.text("memory"): rounds for rounds in measured
                  if size_of(rounds) == size and rounds.text("way") == way}
            if not of:
                continue
            last = of[list(of)[-1]]
            rows.append([size, way] +
                        [shown(of[memory].value("median_ms")) if memory in of else "-"
                         for memory in memories] +
                        [shown(megacells(last, last.value("median_ms"))),
                         shown(last.value("host_copy_ms")), shown(last.value("bus_copy_ms"))])
    return table(["size", "way"] + [f"{memory}, ms" for memory in memories] +
                 [f"{memories[-1]}, Mcell/s", "copy by all cores, ms",
                  "over the bus both ways, ms"], rows)


def cpu(record):
    """One thread of each path of the CPU engine, in Mcell/s and as share of a copy."""
    measured = record.measurements("cpu.csv", threads=1)
    paths = list(dict.fromkeys(rounds.text("path") for rounds in measured))
    rows = []
    for content, size in dict.fromkeys((rounds.text("content"), size_of(rounds))
                                       for rounds in measured):
        by_path = {rounds.text("path"): rounds for rounds in measured
                   if rounds.text("content") == content and size_of(rounds) == size}
        rows.append([content, size] + [rate_and_share(by_path.get(path)) for path in paths])
    return table(["content", "size", *paths], rows)


def cpu_scaling(record, path, *sizes):
    """One path of the CPU engine on random cells, by number of threads."""
    measured = record.measurements("cpu.csv", path=path, content="random")
    threads = list(dict.fromkeys(rounds.text("threads") for rounds in measured))
    rows = []
    for size in sizes:
        by_threads = {rounds.text("threads"): rounds for rounds in measured
                      if size_of(rounds) == size}
        rows.append([size] + [rate_and_share(by_threads.get(count)) for count in threads])
    return table([path, "1 thread"] + [f"{count} threads" for count in threads[1:]], rows)


def rate_and_share(rounds):
    """Mcell/s and, in brackets, the share of the speed of a copy by as many threads."""
    if rounds is None or not rounds.value("median_ms"):
        return "-"
    share_of_copy = (rounds.value("copy_ms") or 0) / rounds.value("median_ms")
    return f"{shown(rounds.value('mcells_per_s'))} ({share_of_copy:.2f})"


def peers(record):
    """Other software that computes the same, beside the ladder's best."""
    rows = []
    for rounds in record.measurements("peers.csv"):
        rows.append([rounds.text("peer"), rounds.text("runs_on"), rounds.text("memory"),
                     size_of(rounds) if rounds.text("width") else "-",
                     shown(rounds.value("median_ms")), shown(rounds.value("mcells_per_s")),
                     rounds.text("note")])
    return table(["", "runs on", "from and to memory of the", "size", "ms", "Mcell/s", "note"],
                 rows)


KINDS = {kind.__name__: kind for kind in (gpu, everywhere, cpu, cpu_scaling, peers)}
