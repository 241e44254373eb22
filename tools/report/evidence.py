"""What the profiler counted, in plain words. Its names of metrics stand in this file only."""

import re

from .formats import decimals_of, shown
from .results import NotMeasured
from .tables import shown_integer, table

CELLS = 2560 * 2560  # of the launch that is profiled
WARP = 32
INSTRUCTIONS = "smsp__inst_executed.sum"
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"

TEXTURE = "l1tex__t_{}_pipe_tex_mem_texture.sum"

# What a warp waits for, by the profiler's name of the stall.
WAITS = {
    "long_scoreboard": "data from global or local memory",
    "short_scoreboard": "data from shared memory or special functions",
    "lg_throttle": "a place in the queue to global and local memory",
    "mio_throttle": "a place in the queue to shared memory",
    "tex_throttle": "a place in the queue to textures",
    "math_pipe_throttle": "a busy arithmetic pipe",
    "wait": "the fixed time of an instruction",
    "barrier": "a barrier",
    "membar": "a memory barrier",
    "not_selected": "its turn",
    "branch_resolving": "a branch",
    "dispatch_stall": "the dispatcher",
    "imc_miss": "constants",
    "no_instruction": "instructions",
    "no_instructions": "instructions",
    "drain": "its writes at the end",
    "sleeping": "sleep",
    "gmma": "a matrix unit",
    "misc": "something else",
}


def memory(what, space, access):
    return f"l1tex__t_{what}_pipe_lsu_mem_{space}_op_{access}.sum"


def pipe(name):
    return f"smsp__inst_executed_pipe_{name}.avg.pct_of_peak_sustained_active"


def scaled(metric, by=1.0, decimals=None):
    def cell(found):
        number = found.get(metric)
        if number is None:
            return "-"
        number *= by
        return f"{number:.{decimals_of(number) if decimals is None else decimals}f}"
    return cell


def percentage(*metrics):
    """The first of these that was counted: not every GPU has each of them."""
    def cell(found):
        number = next((found[metric] for metric in metrics if metric in found), None)
        return "-" if number is None else f"{number:.0f} %"
    return cell


def quotient(above, below):
    def cell(found):
        return f"{found[above] / found[below]:.1f}" if above in found and found.get(below) else "-"
    return cell


def per_request(space, access):
    return quotient(memory("sectors", space, access), memory("requests", space, access))


def sectors_a_cell(space):
    def cell(found):
        both = [found.get(memory("sectors", space, access)) for access in ("ld", "st")]
        both = [number for number in both if number is not None]
        return f"{sum(both) / CELLS:.2f}" if both else "-"
    return cell


ROWS = (
    ("time under the profiler, ms", scaled("gpu__time_duration.sum", 1e-6)),
    ("instructions a cell", scaled(INSTRUCTIONS, WARP / CELLS, 0)),
    ("instructions a clock, of 4 possible",
     scaled("smsp__inst_executed.avg.per_cycle_active", 4, 2)),
    ("threads at work in an instruction, of 32",
     scaled("smsp__thread_inst_executed_per_inst_executed.ratio", 1, 1)),
    ("warps at work, of the most possible",
     percentage("sm__warps_active.avg.pct_of_peak_sustained_active")),
    ("hits in the first-level cache", percentage("l1tex__t_sector_hit_rate.pct")),
    ("hits in the second-level cache", percentage("lts__t_sector_hit_rate.pct")),
    ("local memory: sectors a load", per_request("local", "ld")),
    ("local memory: sectors a store", per_request("local", "st")),
    ("local memory: sectors a cell", sectors_a_cell("local")),
    ("global memory: sectors a load", per_request("global", "ld")),
    ("global memory: sectors a store", per_request("global", "st")),
    ("global memory: sectors a cell", sectors_a_cell("global")),
    ("textures: sectors a request",
     quotient(TEXTURE.format("sectors"), TEXTURE.format("requests"))),
    ("cache and shared memory: data pipe busy",
     percentage("l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed")),
    ("shared memory: bank conflicts, for 32 cells",
     scaled("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", WARP / CELLS, 2)),
    ("integer pipe (ALU) busy", percentage(pipe("alu"))),
    ("float pipe (FMA) busy", percentage(pipe("fma"))),
    ("its heavy half busy", percentage(pipe("fmaheavy"))),
    ("double pipe (FP64) busy",
     percentage(pipe("fp64"), "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active")),
    ("special functions (XU) busy", percentage(pipe("xu"))),
    ("loads and stores (LSU) busy", percentage(pipe("lsu"))),
    ("textures (TEX) busy", percentage(pipe("tex"))),
    ("fabric of the second-level cache busy",
     percentage("lts__ltcfabric2ltc_cycles_active.max.pct_of_peak_sustained_elapsed")),
    ("device memory busy",
     percentage("dram__throughput.avg.pct_of_peak_sustained_elapsed",
                "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed")),
    ("device memory: bytes a cell", scaled("dram__bytes.sum", 1 / CELLS, 1)),
    ("registers a thread", scaled("launch__registers_per_thread", 1, 0)),
)


def stalls(found):
    """(clocks an instruction, what for), the longest first; `selected` is no wait."""
    waits = [(found[STALL.format(name)], plain) for name, plain in WAITS.items()
             if found.get(STALL.format(name))]
    return sorted(waits, reverse=True)


def stall(found, place):
    waits = stalls(found)
    return f"{waits[place][1]}: {waits[place][0]:.1f}" if place < len(waits) else "-"


def evidence(record, *versions):
    """Counters of versions side by side, one launch at 2560x2560 random cells."""
    machine = record.machine()
    study = record.study()
    names = [f"{study}/{version}" if study and "/" not in version else version
             for version in versions]
    counted_of = {name: machine.counters(name) for name in names}
    rows = [[label] + [cell(counted_of[name]) for name in names] for label, cell in ROWS]
    for place, label in enumerate(("most waited for, clocks an instruction", "then", "then")):
        rows.append([label] + [stall(counted_of[name], place) for name in names])
    # What no version does at all is no evidence.
    rows = [row for row in rows if any(re.search("[1-9]", cell) for cell in row[1:])]
    resources = [resources_of(machine, name) for name in names]
    rows.append(["local memory a thread, bytes (arrays and spills)"] +
                [shown_integer(found, "local_bytes") if found else "-" for found in resources])
    rows.append(["occupancy on paper"] +
                [f"{100 * found.value('occupancy'):.0f} %" if found else "-"
                 for found in resources])
    rows = [row for row in rows if any(cell != "-" for cell in row[1:])]
    return table(["", *(name.rpartition("/")[2] for name in names)], rows)


def resources_of(machine, version):
    """The measurement that says what a kernel takes; None where no benchmark does."""
    study, _, name = version.rpartition("/")
    try:
        record = machine.at(study) if study else machine
        return next((rounds for rounds in reversed(record.times())
                     if rounds.text("version") in record.names(name) and rounds.text("registers")
                     and rounds.value("registers")), None)
    except NotMeasured:
        return None


def counters(record):
    """What the profiler counted of the local memory of each version of the ladder."""
    rows = []
    for version in dict.fromkeys(row["version"] for row in record.rows("counters.csv")):
        if "/" in version:
            continue  # of a study or a lab
        found = record.counters(version)
        time, loads = found.get("gpu__time_duration.sum"), memory("sectors", "local", "ld")
        stores = memory("sectors", "local", "st")
        dram = next((found[name] for name in found
                     if name.startswith(("gpu__dram_throughput", "dram__throughput"))), None)
        rows.append([version, shown(time / 1e6 if time else None),
                     f"{(found[loads] + found[stores]) / 1e6:.0f}"
                     if loads in found and stores in found else "-",
                     per_request("local", "ld")(found),
                     "-" if dram is None else f"{dram:.0f} %"])
    return table(["2560x2560", "kernel, ms", "local memory, million sectors of 32 bytes",
                  "sectors a load", "of the device memory's speed"], rows)


KINDS = {kind.__name__: kind for kind in (evidence, counters)}
