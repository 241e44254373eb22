"""The tables of the library on GPUs: launches.csv of bench_launches, in the memory of a GPU, and
together.csv of bench_together, from host memory to host memory."""

import re

from .evidence import INSTRUCTIONS, percentage, scaled, stalls
from .formats import percent, shown, times as factor
from .results import NotMeasured, cells_of, facts, size_of, sizes_of
from .tables import ratio, table, value_of

MS = "median_ms"
# Of every multiprocessor since compute capability 5.0.
SCHEDULERS, LANES, BANKS = 4, 32, 32
PROFILED = 4096 * 4096  # pixels of a launch that is profiled
COUNTED = {
    "instructions a pixel": scaled(INSTRUCTIONS, LANES / PROFILED, 0),
    "issued, of a clock's 4": scaled("smsp__inst_executed.avg.per_cycle_active", SCHEDULERS, 2),
    "wavefronts of shared memory, for 32 pixels":
        scaled("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", LANES / PROFILED, 0),
    "its pipe busy":
        percentage("l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"),
    "bank conflicts, for 32 pixels":
        scaled("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", LANES / PROFILED, 1),
    "warps at work": percentage("sm__warps_active.avg.pct_of_peak_sustained_active"),
    "device memory, bytes a pixel": scaled("dram__bytes.sum", 1 / PROFILED, 1),
}


def rate(rounds):
    """Gpixel/s."""
    return cells_of(size_of(rounds)) / rounds.value(MS) / 1e6 if value_of(rounds, MS) else None


def share(part, whole):
    return f"{percent(part / whole)} %" if part and whole else "-"


def kind_of(case):
    """Cells, levels, window and what else there is: "uint8-256-9x9-mask"."""
    cells, levels, window, *more = case.split("-")
    return [cells, levels, ", ".join([window, *more])]


class Launches:
    """The first measurement has the content and the size that the others depart from."""

    def __init__(self, record):
        self.all = record.measurements("launches.csv")
        if not self.all:
            raise NotMeasured(f"{record.directory}/launches.csv has no rows")
        self.content, self.size = self.all[0].text("content"), size_of(self.all[0])
        self.cases = list(dict.fromkeys(rounds.text("case") for rounds in self.all))

    def of(self, case):
        return [rounds for rounds in self.all if rounds.text("case") == case]

    def at(self, case, content=None, size=None):
        """The measurement of a case; None if there is none."""
        wanted = content or self.content, size or self.size
        return next((rounds for rounds in self.of(case)
                     if (rounds.text("content"), size_of(rounds)) == wanted), None)

    def by_content(self, case):
        """The slowest and the fastest content, as parts of the first one's speed."""
        usual = rate(self.at(case))
        rates = [rate(rounds) for rounds in self.of(case) if size_of(rounds) == self.size]
        shares = [one / usual for one in rates if one]
        return f"{min(shares):.2f} to {max(shares):.2f}" if len(shares) > 1 else "-"


def aim_of(record, case):
    """The Gpixel/s that were set beforehand, or the part of the limit: (Gpixel/s, share)."""
    try:
        rows = record.at("results/aims").rows("launches.csv")
    except NotMeasured:
        rows = []
    row = next((row for row in rows if row["case"] == case), {})
    return [float(row[column]) if row.get(column) else None for column in ("gpixel_per_s", "limit")]


def launches(record):
    """By case: how fast, beside a kernel that moves as many bytes; how far the content moves it;
    what was aimed at."""
    measured = Launches(record)
    rows = []
    for case in measured.cases:
        found = measured.at(case)
        speed = rate(found)
        if not speed:
            continue
        limit = cells_of(size_of(found)) / found.value("limit_ms") / 1e6
        aim, part = aim_of(record, case)
        aim = aim or (part * limit if part else None)
        rows.append([*kind_of(case), found.text("method"), shown(found.value(MS)), shown(speed),
                     share(speed, limit), measured.by_content(case),
                     f"{aim:.0f}" if aim else "-",
                     "-" if not aim else "met" if speed >= aim else share(speed, aim)])
    return table(["cells", "levels", "window", "method", "ms", "Gpixel/s", "of the limit",
                  "by content", "aim", "of the aim"], rows)


def sizes(record):
    """Gpixel/s at other sizes, and in brackets the part of the usual size's speed."""
    measured = Launches(record)
    usual = [rounds for rounds in measured.all if rounds.text("content") == measured.content]
    head = sorted(sizes_of(usual), key=cells_of)
    rows = []
    for case in measured.cases:
        speeds = {size: rate(measured.at(case, size=size)) for size in head}
        if sum(speed is not None for speed in speeds.values()) > 1:
            rows.append([*kind_of(case)] + [
                shown(speed) if size == measured.size or not speed else
                f"{shown(speed)} ({speed / speeds[measured.size]:.2f})"
                for size, speed in speeds.items()])
    return table(["cells", "levels", "window", *head], rows)


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
        if rate(found):
            clocks = number * clock / rate(found) / 1e9
            rows.append([*kind_of(case), found.text("method"), shown(rate(found)),
                         shown(clocks * SCHEDULERS * LANES), shown(clocks * BANKS)])
    return table(["cells", "levels", "window", "method", "Gpixel/s", "instructions a pixel",
                  "words of shared memory a pixel"], rows)


def profiled(record):
    """What the profiler counted of some filters, a line each."""
    rows = []
    for name in dict.fromkeys(row["version"] for row in record.rows("counters.csv")):
        if not name.startswith("launches/"):
            continue
        found = record.counters(name)
        waits = [f"{what} {clocks:.1f}" for clocks, what in stalls(found)[:2]]
        rows.append([*kind_of(name.partition("/")[2]),
                     *(cell(found) for cell in COUNTED.values()), ", ".join(waits) or "-"])
    if not rows:
        raise NotMeasured(f"{record.directory}/counters.csv has no launches")
    return table(["cells", "levels", "window", *COUNTED, "most waited for, clocks"], rows)


def together(record):
    """By filter and size: on the CPU, through the GPUs, by both, and as the engine decides."""
    measured = record.measurements("together.csv")
    ways = list(dict.fromkeys(rounds.text("way") for rounds in measured))
    rows = []
    for case, size in dict.fromkeys((rounds.text("case"), size_of(rounds)) for rounds in measured):
        of = {rounds.text("way"): rounds for rounds in measured
              if rounds.text("case") == case and size_of(rounds) == size}
        time = {way: value_of(of.get(way), MS) for way in ways}
        copy = next((rounds.value("copy_ms") for rounds in of.values()), None)
        fixed = [time[way] for way in ways if way != "auto" and time[way]]
        alone = [time.get(way) for way in ("cpu", "gpus") if time.get(way)]
        auto = time.get("auto")
        rows.append([*kind_of(case), size, *(shown(time[way]) for way in ways), shown(copy),
                     share(copy, auto), ratio(min(alone, default=None), time.get("both")),
                     factor(auto / min(fixed)) if auto and fixed else "-"])
    return table(["cells", "levels", "window", "size", *(f"{way}, ms" for way in ways), "copy, ms",
                  "auto, of the copy", "both, to the better alone", "auto, to the best"], rows)


KINDS = {"launches": launches, "launch-sizes": sizes, "launch-budgets": budgets,
         "launch-counters": profiled, "together": together}
