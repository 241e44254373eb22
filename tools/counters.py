#!/usr/bin/env python3
"""Turns what ncu prints into counters.csv: version,kernel,metric,unit,value.

usage: tools/counters.py OUTPUT.csv [NAME=]LOG ...

A LOG is the output of `ncu --csv --nvtx`, in which tools/profile.cu and tools/profile_labs.cu name
the version of every kernel. NAME/ is put before the versions of that log. Of kernels of one name
that a version launches the first launch counts, and it says how many there were; what ncu could not
measure is left out. Prints what it found; exit status 1 if that is nothing.
"""

import csv
import re
import sys

HEADER = ["version", "kernel", "metric", "unit", "value"]


def rows_of(path):
    """The rows of a log as dictionaries: the CSV begins with the line of "ID"."""
    with open(path, newline="", errors="replace") as file:
        lines = file.readlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith('"ID",')), len(lines))
    table = [line for line in lines[begin:] if line.startswith('"')]
    return csv.DictReader(table)


def kernel_name(signature):
    """void a::b<c>(d, e) -> a::b<c>: without the type of its result and its parameters."""
    name = signature.strip()
    if name.endswith(")"):
        depth = 0
        for i in range(len(name) - 1, -1, -1):
            depth += {")": 1, "(": -1}.get(name[i], 0)
            if depth == 0:
                name = name[:i]
                break
    return re.sub(r"^void ", "", name)


def version_of(row, kernel):
    """By its NVTX range; without one, by the namespace of the kernel. None if neither tells."""
    for column, value in row.items():
        if isinstance(value, str) and column not in ("Kernel Name", "Metric Value"):
            ranges = re.findall(r"version=([\w/.-]+);", value)
            if ranges:
                return ranges[-1]  # the innermost
    if re.search(r"\blocal_entropy::words::.*entropyKernel", kernel):
        return "v15"
    lab = re.match(r"transpose::(t\d+)::", kernel)
    if lab:
        return "transpose/" + lab.group(1)
    space = re.match(r"(\w+)::", kernel)
    if not space or space.group(1) in ("cub", "thrust", "cublas", "local_entropy", "transpose"):
        return None
    name = space.group(1)
    return "maximum/" + name if re.fullmatch(r"m\d+", name) else name


def number(text):
    """1,565,408 -> 1565408; None for n/a and the like."""
    text = text.replace(",", "").strip()
    try:
        value = float(text)
    except ValueError:
        return None
    return text if value == value else None


def convert(logs):
    """Rows of counters.csv from (prefix, path) pairs."""
    result, launches, unknown = [], {}, set()
    for prefix, path in logs:
        for row in rows_of(path):
            metric, value = row.get("Metric Name") or "", number(row.get("Metric Value") or "")
            if not metric or value is None:
                continue
            kernel = kernel_name(row.get("Kernel Name") or "")
            version = version_of(row, kernel)
            if version is None:
                unknown.add(kernel)
                continue
            if prefix:
                version = prefix + "/" + version
            of_kernel = launches.setdefault((version, kernel), {})  # in order
            of_kernel[path, row["ID"]] = True
            if next(iter(of_kernel)) != (path, row["ID"]):
                continue
            result.append([version, kernel, metric, row.get("Metric Unit") or "", value])
    for kernel in sorted(unknown):
        print(f"counters.py: left out, of no known version: {kernel}", file=sys.stderr)
    for (version, kernel), of_kernel in launches.items():
        if len(of_kernel) > 1:
            print(f"counters.py: the first of {len(of_kernel)} launches counts: {version} {kernel}",
                  file=sys.stderr)
    return result


def main(arguments):
    if len(arguments) < 2 or arguments[0] in ("-h", "--help"):
        wanted = bool(arguments) and arguments[0] in ("-h", "--help")
        print(__doc__.strip(), file=sys.stdout if wanted else sys.stderr)
        return 0 if wanted else 2
    logs = [re.fullmatch(r"(?:(\w+)=)?(.*)", argument).groups() for argument in arguments[1:]]
    try:
        rows = convert(logs)
        if rows:
            with open(arguments[0], "w", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([HEADER] + rows)
    except OSError as error:
        print(f"counters.py: {error}", file=sys.stderr)
        return 2
    versions = list(dict.fromkeys(row[0] for row in rows))
    print(f"{len(rows)} counters of {len(versions)} versions: {' '.join(versions)}")
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
