"""The tables of the library on GPUs: launches.csv of bench_launches, in the memory of a GPU, and
together.csv of bench_together, from host memory to host memory."""

import re

from .evidence import INSTRUCTIONS, percentage, scaled, stalls
from .formats import percent, shown, times as factor
from .record import counted
from .results import NOT_YET, NotMeasured, cells_of, facts, size_of, sizes_of
from .tables import ratio, table, value_of

MS = "median_ms"
TIME = "gpu__time_duration.sum"
# Of every multiprocessor since compute capability 5.0.
SCHEDULERS, LANES, BANKS = 4, 32, 32
PROFILED = "natural_4096x4096"  # the image of a launch whose version names no other
# What is counted of the kernel of a method, in an image of so many pixels.
COUNTED = {
    "instructions a pixel": lambda pixels: scaled(INSTRUCTIONS, LANES / pixels, 0),
    "issued, of a clock's 4":
        lambda pixels: scaled("smsp__inst_executed.avg.per_cycle_active", SCHEDULERS, 2),
    "wavefronts of shared memory, for 32 pixels":
        lambda pixels: scaled("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", LANES / pixels, 0),
    "its pipe busy": lambda pixels:
        percentage("l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"),
    "bank conflicts, for 32 pixels": lambda pixels:
        scaled("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", LANES / pixels, 1),
    "warps at work":
        lambda pixels: percentage("sm__warps_active.avg.pct_of_peak_sustained_active"),
    "device memory, bytes a pixel": lambda pixels: scaled("dram__bytes.sum", 1 / pixels, 1),
}
# What all kernels of a launch move, and how many bytes one of it is.
SECTOR = 32
MOVED = {
    "read from device memory": ("dram__bytes_read.sum", 1),
    "written to it": ("dram__bytes_write.sum", 1),
    "written to the second-level cache": ("lts__t_sectors_op_write.sum", SECTOR),
    "of sectors that stores touch": ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", SECTOR),
}


def share(part, whole):
    return f"{percent(part / whole)} %" if part and whole else "-"


def kind_of(case):
    """Cells, levels, window and what else there is: "uint8-256-9x9-mask"."""
    cells, levels, window, *more = case.split("-")
    return [cells, levels, ", ".join([window, *more])]


class Launches:
    """The first measurement has the content, the size and the place that the others depart from."""

    def __init__(self, record):
        self.all = record.measurements("launches.csv")
        if not self.all:
            raise NotMeasured(f"{record.directory}/launches.csv has no rows")
        first = self.all[0]
        self.content, self.size = first.text("content"), size_of(first)
        self.place = first.text("placement")
        self.cases = list(dict.fromkeys(rounds.text("case") for rounds in self.all))
        self.contents = list(dict.fromkeys(rounds.text("content") for rounds in self.all))

    def of(self, case):
        return [rounds for rounds in self.all if rounds.text("case") == case]

    def at(self, case, content=None, size=None, place=None):
        """The measurement of a case; None if there is none."""
        wanted = content or self.content, size or self.size, place or self.place
        return next((rounds for rounds in self.of(case) if where(rounds) == wanted), None)

    def rate(self, case, **other):
        """Gpixel/s; None if it was not measured."""
        return rate_of(self.at(case, **other))

    def slowest(self, case):
        """The least Gpixel/s of all contents; None if none was measured."""
        rates = [self.rate(case, content=content) for content in self.contents]
        return min((rate for rate in rates if rate), default=None)

    def named(self, record):
        """The cases that have an aim, and then the others that were measured."""
        return list(dict.fromkeys([row["case"] for row in aims(record)] + self.cases))

    def sizes(self):
        """Those of smaller squares, the smallest first."""
        found = sizes_of([rounds for rounds in self.all if rounds.text("content") == self.content])
        return sorted((size for size in found if len(set(size.split("x"))) == 1
                       and size != self.size), key=cells_of)

    def places(self):
        """Other widths and other places, as (name, what `at` takes)."""
        height = self.size.split("x")[1]
        found = []
        for rounds in self.all:
            size, place = size_of(rounds), rounds.text("placement")
            width, other = size.split("x")
            if place != self.place and size == self.size:
                found.append((place, (("place", place),)))
            elif other == height and width != height:
                found.append((f"{width} columns", (("size", size),)))
        return [(name, dict(words)) for name, words in dict.fromkeys(found)]


def where(rounds):
    return rounds.text("content"), size_of(rounds), rounds.text("placement")


def rate_of(rounds):
    """Gpixel/s; None if there is no such measurement."""
    return cells_of(size_of(rounds)) / rounds.value(MS) / 1e6 if value_of(rounds, MS) else None


def looks(rounds):
    """The part of a launch's time that its second look takes; None if that was not measured."""
    whole, first = value_of(rounds, "graph_ms"), value_of(rounds, "first_look_ms")
    return max(0.0, 1 - first / whole) if whole and first else None


def aims(record):
    """The rows of results/aims/launches.csv; none where it is not there."""
    try:
        return record.at("results/aims").rows("launches.csv")
    except NotMeasured:
        return []


def aim_of(row, found):
    """The Gpixel/s that were set beforehand, maybe as a part of the limit's: the faster of the
    kernel that moves as many bytes and of the copy."""
    if row.get("gpixel_per_s"):
        return float(row["gpixel_per_s"])
    quickest = min(filter(None, (found.value("limit_ms"), value_of(found, "copy_ms"))))
    return float(row["limit"]) * cells_of(size_of(found)) / quickest / 1e6


def launches(record):
    """By case: how fast, beside a kernel that moves as many bytes and a copy; what part of the
    time the second look takes; what was aimed at, for any content. A case with an aim that was not
    measured says so."""
    measured = Launches(record)
    wanted = {row["case"]: row for row in aims(record)}
    rows = []
    for case in measured.named(record):
        found, speed = measured.at(case), measured.rate(case)
        if not speed:
            rows.append([*kind_of(case), NOT_YET] + ["-"] * 8)
            continue
        bound = found.value("limit_ms"), value_of(found, "copy_ms")
        aim = aim_of(wanted[case], found) if case in wanted else None
        rows.append([*kind_of(case), found.text("method"), shown(found.value(MS)), shown(speed),
                     shown(measured.slowest(case)),
                     *(share(ms, found.value(MS)) for ms in bound),
                     percents(looks(found)),
                     shown(aim), verdict(measured.slowest(case), least=aim) if aim else "-"])
    return table(["cells", "levels", "window", "method", "ms", "Gpixel/s",
                  "slowest content", "of the limit", "of a copy", "second look", "aim", "met"],
                 rows)


def percents(part):
    return "-" if part is None else f"{percent(part)} %"


def verdict(value, least=None, most=None):
    """Of an aim: "met", or by how much it was missed."""
    if least:
        return "met" if value >= least else f"{percent(value / least)} % of it"
    return "met" if value <= most else "missed"


def contents(record):
    """Gpixel/s by content, and how much slower the slowest is than the fastest."""
    measured = Launches(record)
    rows = []
    for case in measured.named(record):
        rates = [measured.rate(case, content=content) for content in measured.contents]
        if sum(rate is not None for rate in rates) > 1:
            rows.append([*kind_of(case), *(shown(rate) for rate in rates), percents(spread(rates))])
    return table(["cells", "levels", "window", *measured.contents, "spread"], rows)


def spread(rates):
    found = [rate for rate in rates if rate]
    return 1 - min(found) / max(found)


def second_looks(record):
    """What part of a launch's time the second look takes, by content, where there is one."""
    measured = Launches(record)
    rows = []
    for case in measured.named(record):
        parts = [looks(measured.at(case, content=content)) for content in measured.contents]
        if any(parts):
            rows.append([*kind_of(case), *(percents(part) for part in parts)])
    return table(["cells", "levels", "window", *measured.contents], rows)


def compared(measured, record, others):
    """Gpixel/s of the usual image, and the parts of it that others, (name, what `at` takes),
    reach."""
    rows = []
    for case in measured.named(record):
        usual = measured.rate(case)
        rates = [measured.rate(case, **words) for _, words in others]
        if usual and any(rates):
            rows.append([*kind_of(case), shown(usual),
                         *(f"{rate / usual:.2f}" if rate else "-" for rate in rates)])
    return table(["cells", "levels", "window", f"{measured.size}, Gpixel/s",
                  *(name for name, _ in others)], rows)


def sizes(record):
    """Smaller images, compared with the usual size."""
    measured = Launches(record)
    return compared(measured, record, [(size, {"size": size}) for size in measured.sizes()])


def places(record):
    """Other widths, addresses and strides, compared with an aligned image."""
    measured = Launches(record)
    return compared(measured, record, measured.places())


def a_second(record):
    """(multiprocessors, clocks a second) of the first GPU, from environment.txt."""
    said = facts(record.machine().text("environment.txt"))
    number = re.search(r"(\d+) multiprocessors", said.get("GPU 0", ""))
    clock = re.search(r"SM (?:\d+ MHz now, )?(\d+) MHz", said.get("clocks 0", ""))
    if not number or not clock:
        raise NotMeasured(f"{record.directory}/environment.txt has no multiprocessors and clocks")
    return int(number[1]), 1e6 * float(clock[1])


def budgets(record):
    """What a GPU could do for a pixel in the time that one takes: instructions of a lane, and words
    of shared memory."""
    measured = Launches(record)
    number, clock = a_second(record)
    rows = []
    for case in measured.cases:
        found = measured.at(case)
        if rate_of(found):
            clocks = number * clock / rate_of(found) / 1e9
            rows.append([*kind_of(case), found.text("method"), shown(rate_of(found)),
                         shown(clocks * SCHEDULERS * LANES), shown(clocks * BANKS)])
    return table(["cells", "levels", "window", "method", "Gpixel/s", "instructions a pixel",
                  "words of shared memory a pixel"], rows)


UNNAMED = re.compile(r"(<?unnamed>|\(anonymous namespace\))::")
OTHER_KERNELS = re.compile(r"second_look|\bload\b|\bcheck\b|\bconvert\b")


def kernels_of(record, name):
    """What the profiler counted of each kernel of a launch, by its name: {metric: number}."""
    kernels = {}
    for row in record.rows("counters.csv"):
        if row["version"] == name and counted(row) is not None:
            kernels.setdefault(row["kernel"], {})[row["metric"]] = counted(row)
    return kernels


def launches_profiled(record):
    """(version, case, content, size) of all launches of the library in counters.csv."""
    for name in dict.fromkeys(row["version"] for row in record.rows("counters.csv")):
        found = re.fullmatch(r"(?:([a-z]+_\d+x\d+)/)?launches/(.+)", name)
        if found:
            yield (name, found[2], *(found[1] or PROFILED).split("_"))


def profiled(record, others=""):
    """What the profiler counted of some filters, a line each: of the kernel of their method, and
    how much of all kernels' time it takes. Of the usual image, or of the `others`."""
    rows = []
    for name, case, content, size in launches_profiled(record):
        kernels = kernels_of(record, name)
        if (f"{content}_{size}" != PROFILED) != bool(others) or \
                not any(INSTRUCTIONS in found for found in kernels.values()):
            continue
        time = {kernel: found.get(TIME, 0) for kernel, found in kernels.items()}
        own = {kernel: found for kernel, found in kernels.items()
               if not OTHER_KERNELS.search(UNNAMED.sub("", kernel).partition("<")[0])}
        kernel = max(own or kernels, key=time.get)
        found = kernels[kernel]
        waits = [f"{what} {clocks:.1f}" for clocks, what in stalls(found)[:2]]
        rows.append([*([content, size] if others else []), *kind_of(case),
                     share(time[kernel], sum(time.values())),
                     *(cell(cells_of(size))(found) for cell in COUNTED.values()),
                     ", ".join(waits) or "-"])
    if not rows:
        raise NotMeasured(f"{record.directory}/counters.csv has no {others} launches")
    return table([*(["image", "size"] if others else []), "cells", "levels", "window",
                  "of the time", *COUNTED, "most waited for, clocks"], rows)


def moved(record, content, size):
    """Bytes a pixel that all kernels of a launch move together, of one image."""
    rows = []
    for name, case, *image in launches_profiled(record):
        if image != [content, size]:
            continue
        kernels = kernels_of(record, name).values()
        rows.append(kind_of(case) + [
            f"{sum(found.get(metric, 0) for found in kernels) * of / cells_of(size):.2f}"
            if any(metric in found for found in kernels) else "-"
            for metric, of in MOVED.values()])
    if not rows:
        raise NotMeasured(f"{record.directory}/counters.csv has no launches of {content} images "
                          f"of {size}")
    return table(["cells", "levels", "window", *MOVED], rows)


def least_copies(measured):
    """{(cells, size): ms of a copy by all cores} of together.csv. It is timed once for each filter,
    and of all filters whose cells have as many bytes it is the least: other work makes a copy
    longer, never shorter."""
    copies = {}
    for rounds in measured:
        ms, key = value_of(rounds, "copy_ms"), copied(rounds.text("case"), size_of(rounds))
        if ms:
            copies[key] = min(ms, copies.get(key, ms))
    return copies


def copied(case, size):
    """What tells copies apart: the cells, since all results are floats, and how many they are."""
    return kind_of(case)[0], size


def together(record):
    """By filter and size: on the CPU, through the GPUs, by both, and as the engine decides."""
    measured = record.measurements("together.csv")
    copies = least_copies(measured)
    ways = list(dict.fromkeys(rounds.text("way") for rounds in measured))
    rows = []
    for case, size in dict.fromkeys((rounds.text("case"), size_of(rounds)) for rounds in measured):
        of = {rounds.text("way"): rounds for rounds in measured
              if rounds.text("case") == case and size_of(rounds) == size}
        time = {way: value_of(of.get(way), MS) for way in ways}
        copy = copies.get(copied(case, size))
        fixed = [time[way] for way in ways if way != "auto" and time[way]]
        alone = [time.get(way) for way in ("cpu", "gpus") if time.get(way)]
        auto = time.get("auto")
        rows.append([*kind_of(case), size, *(shown(time[way]) for way in ways), shown(copy),
                     share(copy, auto), ratio(min(alone, default=None), time.get("both")),
                     factor(auto / min(fixed)) if auto and fixed else "-"])
    return table(["cells", "levels", "window", "size", *(f"{way}, ms" for way in ways), "copy, ms",
                  "auto, of the copy", "both, to the better alone", "auto, to the best"], rows)


def peers(record):
    """Other software in the memory of a GPU, and how many times as fast the library is."""
    measured, rows = Launches(record), []
    for row in record.rows("launch_peers.csv"):
        if row["note"]:
            what = kind_of(row["case"]) if row["case"] else ["all", "", ""]
            rows.append([row["peer"], *what, "-", "-", "-", "-", row["note"]])
            continue
        size = f"{row['width']}x{row['height']}"
        speed, ours = float(row["mpixel_per_s"]) / 1e3, measured.rate(row["case"], size=size)
        rows.append([f"{row['peer']} {row['version']}", *kind_of(row["case"]),
                     size, shown(speed), shown(ours), ratio(ours, speed), ""])
    return table(["", "cells", "levels", "window", "image", "Gpixel/s", "the library",
                  "times as fast", "note"], rows)


def filter_peers(record):
    """Software for entropy on known images, and its time over the library's on the same cells."""
    rows = []
    for row in record.rows("filter_peers.csv"):
        by = row["arrays"] or {"": "", "1": "1 thread"}.get(row["threads"],
                                                            f"{row['threads']} threads")
        where = [row["image"] or "all", row["window"], f"{row['peer']} {row['version']}".strip(),
                 row["runs_on"], by, row["border"]]
        if not row["runs"]:
            rows.append([*where, "-", "-", "-", "-", "-", row["note"]])
            continue
        ratios = [shown(float(row[to])) if row[to] else "-"
                  for to in ("to_one_thread", "to_all_threads", "to_gpu")]
        rows.append([*where, f"{row['width']}x{row['height']}", shown(float(row["median_ms"])),
                     *ratios, row["note"]])
    return table(["image", "window", "", "on", "by", "border", "cells", "median, ms", "to 1 thread",
                  "to all threads", "to GPU", "note"], rows)


KINDS = {"launches": launches, "launch-contents": contents, "launch-sizes": sizes,
         "launch-looks": second_looks, "launch-places": places, "launch-budgets": budgets,
         "launch-counters": profiled, "launch-memory": moved, "launch-peers": peers,
         "filter-peers": filter_peers,
         "together": together}
