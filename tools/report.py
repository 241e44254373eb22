#!/usr/bin/env python3
"""Fills the tables of README.md and report.md, and draws the plots, from results/.

A table stands between two markers, the first of which says what it holds:

    <!-- table: KIND DIRECTORY [WORD ...] -->
    <!-- end of table -->

A table whose file is not in results/ is an error, unless "not measured yet" stands between its
markers: then it is left so, and a line says that it waits.

usage: tools/report.py            rewrite the tables; draw the plots where gnuplot is installed
       tools/report.py --check    change nothing; exit status 1 if a table, or a lead comment of
                                  a core.cu, is not what results/ says
"""

import csv
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = ("README.md", "report.md")
MARKED = re.compile(r"(<!-- table: (.+?) -->\n)(.*?)(<!-- end of table -->)", re.DOTALL)
NOT_YET = "not measured yet\n"


def rows_of(directory, name):
    with open(ROOT / directory / name, newline="") as file:
        return list(csv.DictReader(file))


def sizes_of(rows):
    """Sizes in the order of the file, as "400x400"."""
    return list(dict.fromkeys(f"{row['width']}x{row['height']}" for row in rows))


def at_size(rows, size):
    return {row["version"]: row for row in rows if f"{row['width']}x{row['height']}" == size}


def value(row, column):
    """A measured number; None where the version did not run, or ran no kernel."""
    number = float(row[column])
    return number if number > 0 else None


def shown(number):
    """Three significant digits or so, never in scientific notation."""
    if number is None:
        return "-"
    decimals = next((places for places, least in enumerate((100, 10, 1, 0.1)) if number >= least), 4)
    return f"{number:.{decimals}f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def environment(directory):
    """The machine and the build of a run."""
    return "```\n" + (ROOT / directory / "environment.txt").read_text() + "```\n"


def ladder(directory, size):
    """All versions at one size, for the README."""
    rows = []
    for name, row in at_size(rows_of(directory, "times.csv"), size).items():
        total = value(row, "total_median_ms")
        cells = int(row["width"]) * int(row["height"])
        rate = cells / total / 1e3 if total else None
        rows.append([name, row["platform"], row["idea"], shown(total),
                     shown(value(row, "kernel_median_ms")), shown(rate)])
    return table(["", "platform", "idea", "end to end, ms", "kernel alone, ms", "Mcell/s"], rows)


def times(directory, column):
    """One measured column of all versions at all sizes; `total_median_ms`, `kernel_median_ms`."""
    measured = rows_of(directory, "times.csv")
    sizes = sizes_of(measured)
    by_size = {size: at_size(measured, size) for size in sizes}
    rows = []
    for name in dict.fromkeys(row["version"] for row in measured):
        cells = [value(by_size[size][name], column) for size in sizes]
        if any(cells):
            rows.append([name] + [shown(cell) for cell in cells])
    return table([""] + sizes, rows)


def steps(directory, column, *pairs):
    """How many times faster the second version of each pair, "v0:v1", is than the first."""
    measured = rows_of(directory, "times.csv")
    sizes = sizes_of(measured)
    rows = []
    for pair in pairs:
        before, after = pair.split(":")
        cells = []
        for size in sizes:
            versions = at_size(measured, size)
            old, new = value(versions[before], column), value(versions[after], column)
            cells.append(f"{old / new:.2f}" if old and new else "-")
        idea = at_size(measured, sizes[0])[after]["idea"]
        rows.append([f"{before} to {after}", idea] + cells)
    return table(["step", "what changes"] + sizes, rows)


def resources(directory):
    """What each kernel takes of a multiprocessor, and its share of the speed of a copy."""
    measured = rows_of(directory, "times.csv")
    size = sizes_of(measured)[-1]
    rows = []
    for name, row in at_size(measured, size).items():
        kernel = value(row, "kernel_median_ms")
        if copy_share(row):
            asked = [row["registers"], row["local_bytes"], f"{100 * float(row['occupancy']):.0f} %"]
            rows.append([name, *(asked if value(row, "registers") else "---"), shown(kernel),
                         f"{copy_share(row):.2f} %"])
    return table(["", "registers a thread", "local bytes a thread", "occupancy",
                  f"kernel at {size}, ms", "of the speed of a copy"], rows)


def share(directory):
    """How much of the end-to-end time is the kernel."""
    measured = rows_of(directory, "times.csv")
    sizes = sizes_of(measured)
    by_size = {size: at_size(measured, size) for size in sizes}
    rows = []
    for name in by_size[sizes[0]]:
        cells = []
        for size in sizes:
            kernel = value(by_size[size][name], "kernel_median_ms")
            total = value(by_size[size][name], "total_median_ms")
            cells.append(f"{100 * kernel / total:.0f} %" if kernel and total else "-")
        if any(cell != "-" for cell in cells):
            rows.append([name] + cells)
    return table(["kernel / end to end"] + sizes, rows)


def scaling(directory, side):
    """OpenMP versions by number of threads, times faster than with one."""
    measured = [row for row in rows_of(directory, "scaling.csv") if row["side"] == side]
    threads = list(dict.fromkeys(row["threads"] for row in measured))
    rows = []
    for name in dict.fromkeys(row["version"] for row in measured):
        best = {r["threads"]: float(r["min_ms"]) for r in measured if r["version"] == name}
        rows.append([name, shown(best["1"])] + [f"{best['1'] / best[t]:.1f}" for t in threads[1:]])
    return table([f"{side}x{side}", "1 thread, ms"] + [f"{t} threads" for t in threads[1:]], rows)


def counters(directory):
    """What the profiler counted of each kernel's local memory."""
    names = {"gpu__time_duration.sum": "time", "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum": "loads",
             "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum": "load sectors",
             "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum": "store sectors",
             "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": "dram"}
    kernels = {}
    with open(ROOT / directory / "counters.csv", newline="") as file:
        for row in csv.reader(file):
            version, metric, counted = row[0], row[-3], float(row[-1].replace(",", ""))
            if metric in names:
                kernels.setdefault(version, {})[names[metric]] = counted
    rows = [[version, shown(k["time"] / 1e6), f"{(k['load sectors'] + k['store sectors']) / 1e6:.0f}",
             f"{k['load sectors'] / k['loads']:.1f}", f"{k['dram']:.0f} %"]
            for version, k in kernels.items()]
    return table(["2560x2560", "kernel, ms", "local memory, million sectors of 32 bytes",
                  "sectors a load", "of the device memory's speed"], rows)


def maximum(directory, column):
    """Times of the maximum lab in one column, against CUB's and against reading the same bytes."""
    measured = rows_of(directory, "maximum.csv")
    sizes = list(dict.fromkeys(f"{row['rows']}x{row['columns']}" for row in measured))
    by_size = {size: {row["version"]: row for row in measured
                      if f"{row['rows']}x{row['columns']}" == size} for size in sizes}
    rows = []
    for name in dict.fromkeys(row["version"] for row in measured):
        cells = []
        for size in sizes:
            row, cub = by_size[size].get(name), by_size[size]["m6"]
            time = value(row, column) if row else None
            cells.append(f"{shown(time)} ({value(cub, column) / time:.3f}, "
                         f"{float(row['device_read_ms']) / time:.3f})" if time else "-")
        if any(cell != "-" for cell in cells):
            rows.append([name] + cells)
    return table([""] + sizes, rows)


def transpose(directory, block):
    """Share of the device's copy speed by size, for the versions with blocks of that side."""
    measured = [row for row in rows_of(directory, "transpose.csv")
                if row["block"] in (block, "-") and value(row, "kernel_median_ms")
                and value(row, "device_copy_ms")]
    sizes = list(dict.fromkeys(row["rows"] for row in measured))
    rows = []
    for name in dict.fromkeys(row["version"] for row in measured):
        share_of = {row["rows"]: value(row, "device_copy_ms") / value(row, "kernel_median_ms")
                    for row in measured if row["version"] == name}
        rows.append([name] + [f"{share_of[size]:.2f}" if size in share_of else "-" for size in sizes])
    return table([""] + sizes, rows)


def blocks(directory, side):
    """Kernel times of the transpose versions by block, at one size."""
    measured = [row for row in rows_of(directory, "transpose.csv")
                if row["rows"] == side and row["block"] != "-"]
    shapes = list(dict.fromkeys(row["block"] for row in measured))
    rows = []
    for name in dict.fromkeys(row["version"] for row in measured):
        by_block = {row["block"]: value(row, "kernel_median_ms") for row in measured
                    if row["version"] == name}
        rows.append([name] + [shown(by_block.get(block)) for block in shapes])
    return table([f"{side}x{side}, ms"] + [f"{block}x{block}" for block in shapes], rows)


def measures(directory):
    """The two measures of the bottleneck study."""
    rows = [[row["version"] + (" (probe)" if row["probe"] == "yes" else ""),
             shown(value(row, "total_median_ms")), shown(value(row, "slowest_group_median_ms"))]
            for row in rows_of(directory, "measures.csv")]
    return table(["", "all groups but the first, ms", "slowest group, ms"], rows)


def gpu(directory):
    """The GPU engine's kernel by content, size and alignment, beside a copy on the same device."""
    rows = []
    for row in rows_of(directory, "gpu.csv"):
        time = value(row, "median_ms")
        rows.append([row["content"], f"{row['width']}x{row['height']}", row["offset"], shown(time),
                     shown(megacells(row, time)), f"{value(row, 'copy_ms') / time:.2f}"])
    return table(["content", "size", "offset", "ms", "Mcell/s", "share of copy"], rows)


def everywhere(directory):
    """The engine from host memory to host memory: a line a size and way, a column a memory."""
    measured = rows_of(directory, "everywhere.csv")
    memories = list(dict.fromkeys(row["memory"] for row in measured))
    rows = []
    for size in sizes_of(measured):
        for way in dict.fromkeys(row["way"] for row in measured):
            times_of = {row["memory"]: row for row in measured
                        if f"{row['width']}x{row['height']}" == size and row["way"] == way}
            last = times_of[memories[-1]]
            rows.append([size, way] +
                        [shown(value(times_of[memory], "median_ms")) for memory in memories] +
                        [shown(megacells(last, value(last, "median_ms"))),
                         shown(value(last, "host_copy_ms")), shown(value(last, "bus_copy_ms"))])
    return table(["size", "way"] + [f"{memory}, ms" for memory in memories] +
                 [f"{memories[-1]}, Mcell/s", "copy by all cores, ms", "over the bus both ways, ms"],
                 rows)


def cpu(directory):
    """One thread of each path of the CPU engine, in Mcell/s and as share of a copy."""
    measured = [row for row in rows_of(directory, "cpu.csv") if row["threads"] == "1"]
    paths = list(dict.fromkeys(row["path"] for row in measured))
    rows = []
    for content, size in dict.fromkeys((row["content"], f"{row['width']}x{row['height']}")
                                       for row in measured):
        by_path = {row["path"]: row for row in measured
                   if row["content"] == content and f"{row['width']}x{row['height']}" == size}
        rows.append([content, size] + [rate_and_share(by_path.get(path)) for path in paths])
    return table(["content", "size"] + paths, rows)


def cpu_scaling(directory, path, *sizes):
    """One path of the CPU engine on random cells, by number of threads."""
    measured = [row for row in rows_of(directory, "cpu.csv")
                if row["path"] == path and row["content"] == "random"]
    threads = list(dict.fromkeys(row["threads"] for row in measured))
    rows = []
    for size in sizes:
        by_threads = {row["threads"]: row for row in measured
                      if f"{row['width']}x{row['height']}" == size}
        rows.append([size] + [rate_and_share(by_threads.get(count)) for count in threads])
    return table([path, "1 thread"] + [f"{count} threads" for count in threads[1:]], rows)


def peers(directory):
    """Other software that computes the same, beside the ladder's best."""
    rows = []
    for row in rows_of(directory, "peers.csv"):
        size = f"{row['width']}x{row['height']}" if row["width"] else "-"
        rows.append([row["peer"], row["runs_on"], row["memory"], size,
                     shown(value(row, "median_ms")), shown(value(row, "mcells_per_s")),
                     row["note"]])
    return table(["", "runs on", "from and to memory of the", "size", "ms", "Mcell/s", "note"], rows)


def megacells(row, time):
    """Million cells a second, of a time in ms."""
    return int(row["width"]) * int(row["height"]) / time / 1e3


def rate_and_share(row):
    """Mcell/s and, in brackets, the share of the speed of a copy by as many threads."""
    if row is None:
        return "-"
    share_of_copy = value(row, "copy_ms") / value(row, "median_ms")
    return f"{shown(value(row, 'mcells_per_s'))} ({share_of_copy:.2f})"


def text(path):
    """A log as it is."""
    return "```\n" + (ROOT / path).read_text() + "```\n"


KINDS = {kind.__name__: kind
         for kind in (environment, ladder, times, steps, resources, share, scaling, counters, maximum,
                      transpose, blocks, measures, gpu, everywhere, cpu, cpu_scaling, peers, text)}


def filled(document):
    """`document` with every table made anew."""
    def fill(match):
        before, words, body, after = match.groups()
        kind, *words = words.split()
        try:
            body = KINDS[kind](*words)
        except FileNotFoundError as missing:
            file = pathlib.Path(missing.filename).relative_to(ROOT)
            if body != NOT_YET:
                sys.exit(f"report.py: there is no {file}, which a table is made from")
            print(f"report.py: there is no {file} yet: its table waits", file=sys.stderr)
        return before + body + after
    return MARKED.sub(fill, document)


def copy_share(row):
    """Of a kernel on one GPU, in percent: how fast that GPU copies the same floats is 100."""
    kernel, copy = value(row, "kernel_median_ms"), value(row, "device_copy_ms")
    return 100 * copy / kernel if kernel and copy and row["platform"] == "CUDA" else None


def draw(directory):
    """Bar charts, one bar a version and one panel a size: times end to end and of the kernel, and
    the kernel's share of the speed of a copy."""
    measured = rows_of(directory.relative_to(ROOT), "times.csv")
    sizes = sizes_of(measured)
    for name, title, unit, bar_of in (
            ("end_to_end", "end to end", "ms", lambda row: value(row, "total_median_ms")),
            ("kernel", "kernel alone", "ms", lambda row: value(row, "kernel_median_ms")),
            ("copy", "kernel", "% of the speed of a copy", copy_share)):
        script = [f"set terminal svg size {420 * len(sizes)},360 background 'white'",
                  f"set output '{directory / name}.svg'",
                  f"set multiplot layout 1,{len(sizes)}", "set style fill solid 0.7",
                  "set boxwidth 0.7", "set xtics rotate by 60 right", "set grid ytics",
                  f"set ylabel '{unit}'", "set yrange [0:*]", "set offset 0,0,graph 0.06,0",
                  "unset key"]
        drawn = False
        for size in sizes:
            bars = [(version, bar_of(row)) for version, row in at_size(measured, size).items()]
            bars = [(version, bar) for version, bar in bars if bar]
            if not bars:
                continue
            drawn = True
            script += [f"set title '{title}, {size}'", "$bars << EOD",
                       *(f"{version} {bar} {shown(bar)}" for version, bar in bars), "EOD",
                       "plot $bars using 0:2:xtic(1) with boxes lc rgb '#4477aa', "
                       "'' using 0:2:3 with labels font ',8' offset 0,0.6"]
        if drawn:
            subprocess.run(["gnuplot"], input="\n".join(script), text=True, check=True)


def directory_of(document, table_words):
    """Where the first such table of a document is measured."""
    return re.search(rf"<!-- table: {table_words} (results/[^/ ]+)",
                     (ROOT / document).read_text())[1]


def unmeasured():
    """Lead comments whose "Measured: N ms" is not what the machine measured that README (ladder) or
    the report (the others) names. One that says nothing of a version that was not measured either
    waits for the next run."""
    wrong = unmeasured_in(
        "sources/entropy/core.cu",
        at_size(rows_of(directory_of("README.md", "ladder"), "times.csv"), "10240x10240"))
    wrong += unmeasured_in(
        "sources/maximum/core.cu",
        {row["version"]: row for row in rows_of(directory_of("report.md", "maximum"), "maximum.csv")
         if row["rows"] == "16384"})
    wrong += unmeasured_in(
        "sources/transpose/core.cu",
        {row["version"]: row
         for row in rows_of(directory_of("report.md", "transpose"), "transpose.csv")
         if row["rows"] == "8192" and row["block"] in ("32", "-")})
    studies = directory_of("report.md", "times")
    for study, size in (("memory_study", "4096x4096"), ("bottleneck_study", "2560x2560")):
        wrong += unmeasured_in(f"sources/entropy/cores/{study}.cu",
                               at_size(rows_of(f"{studies}/{study}", "times.csv"), size))
    return wrong


def unmeasured_in(core, measured):
    """The same of one source, with the measured row of each version."""
    wrong = []
    for comment, version in re.findall(r"((?://.*\n)+)namespace (?:\w+::)?(\w+)\n{\n\n",
                                       (ROOT / core).read_text()):
        claim = re.search(r"Measured: ([\d.]+) ms(?:, end to end ([\d.]+) ms)?",
                          re.sub(r"\s*//\s*", " ", comment))
        row = measured.get(version)
        column = "kernel_median_ms" if row and row["platform"] == "CUDA" else "total_median_ms"
        truth = value(row, column) if row else None
        if truth is None and not claim:
            print(f"report.py: {core}: {version} is not measured yet", file=sys.stderr)
        elif truth is None:
            wrong.append(f"{core}, lead comment of {version}: not measured")
        elif not claim or any(said and abs(float(said) - truth) > 0.05 * truth for said, truth in
                              zip(claim.groups(), (truth, value(row, "total_median_ms")))):
            wrong.append(f"{core}, lead comment of {version}: measured {shown(truth)} ms")
    return wrong


def main(arguments):
    if arguments not in ([], ["--check"]):
        wanted = arguments == ["--help"]
        print(__doc__, file=sys.stdout if wanted else sys.stderr)
        return 0 if wanted else 2
    stale = []
    for name in DOCUMENTS:
        path = ROOT / name
        old = path.read_text()
        new = filled(old)
        if new != old:
            stale.append(name)
            if not arguments:
                path.write_text(new)
    if arguments:
        for claim in unmeasured():
            stale.append(claim)
            print(f"report.py: {claim}", file=sys.stderr)
        for name in set(stale) & set(DOCUMENTS):
            print(f"report.py: {name} is not what results/ says: run `make report`", file=sys.stderr)
        return 1 if stale else 0
    if shutil.which("gnuplot"):
        for file in sorted(ROOT.glob("results/*/times.csv")):
            draw(file.parent)
    else:
        print("report.py: no gnuplot, the plots are left as they are", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
