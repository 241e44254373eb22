"""What results/ holds: CSV files, the rounds in them, and medians, minima and ranges of these.

A benchmark that is repeated in rounds has `round` as its first column. The value of a measurement
is the median of its rounds, its minimum the least of their minima, its range the lowest to the
highest of its rounds. A file without that column is one round.
"""

import csv
import pathlib
import re
import statistics

NOT_YET = "not measured yet"

# What tells one measurement from another; the rest of the columns were measured, or describe it.
KEYS = ("version", "way", "path", "peer", "content", "case", "type", "levels", "window", "method",
        "chosen", "runs_on", "platform", "probe", "block", "width", "height", "rows", "columns",
        "side", "size", "offset", "memory", "threads", "gpus", "call", "part", "input", "run",
        "compiler", "flags", "arithmetic", "registers_asked", "block_threads", "shared_bytes",
        "kernel", "metric", "key")
# Of these, zero or nothing means that the version did not run, or ran no kernel.
TIME = re.compile(r"(^|_)(ms|seconds)$|^m(cells|pixel)_per_s$")


class NotMeasured(Exception):
    """A file, a row or a value that a document asks for is not there."""


class Wrong(Exception):
    """What a document says cannot be understood: a sentence."""


class Rounds:
    """The rows of one measurement, one a round."""

    def __init__(self, rows):
        self.rows = rows

    def text(self, column):
        return self.rows[0].get(column) or ""

    def values(self, column):
        """The numbers of a column that were measured, one a round."""
        found = []
        for row in self.rows:
            if column not in row:
                raise Wrong(f"there is no column {column}, only {', '.join(row)}")
            try:
                number = float(row[column].replace(",", ""))
            except (ValueError, AttributeError):
                continue
            if number > 0 or not TIME.search(column):
                found.append(number)
        return found

    def value(self, column):
        """The median of the rounds; None where nothing was measured."""
        found = self.values(column)
        return statistics.median(found) if found else None

    def least(self, column):
        return min(self.values(column), default=None)

    def range(self, column):
        """Lowest and highest of the rounds; None where nothing was measured."""
        found = self.values(column)
        return (min(found), max(found)) if found else None


def same(cell, wanted):
    """Whether a cell of a CSV says what is asked for, as text or as a number."""
    if str(cell) == str(wanted):
        return True
    try:
        return float(cell) == float(wanted)
    except (TypeError, ValueError):
        return False


class Results:
    """The directories under results/ of one project; files are read once."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.read = {}

    def path(self, directory, name):
        """`name` in `directory`, unless it names its own place under results/."""
        return self.root / (name if name.startswith("results/") else f"{directory}/{name}")

    def shown(self, path):
        return path.relative_to(self.root).as_posix()

    def text(self, directory, name):
        try:
            return self.path(directory, name).read_text()
        except OSError:
            raise NotMeasured(f"there is no {self.shown(self.path(directory, name))}") from None

    def rows(self, directory, name):
        """The rows of a CSV file, as dictionaries."""
        path = self.path(directory, name)
        if path not in self.read:
            lines = self.text(directory, name).splitlines()
            self.read[path] = raw_counters(lines) if lines and lines[0].startswith('"v') else \
                list(csv.DictReader(lines))
        return self.read[path]

    def measurements(self, directory, name, **wanted):
        """The rounds of each measurement whose columns have these values, in the order of the
        file."""
        groups = {}
        for row in self.rows(directory, name):
            for column in wanted:
                if column not in row:
                    raise Wrong(f"{self.shown(self.path(directory, name))} has no column {column}")
            if all(same(row[column], value) for column, value in wanted.items()):
                key = tuple(row[column] for column in KEYS if column in row)
                if "round" not in row:
                    key += (len(groups),)  # without rounds each row is a measurement
                groups.setdefault(key, []).append(row)
        return [Rounds(rows) for rows in groups.values()]

    def one(self, directory, name, **wanted):
        """The only measurement with these values."""
        found = self.measurements(directory, name, **wanted)
        if not found:
            asked = ", ".join(f"{column} {value}" for column, value in wanted.items())
            raise NotMeasured(f"{self.shown(self.path(directory, name))} has no row with {asked}")
        if len(found) > 1:
            raise Wrong(f"{self.shown(self.path(directory, name))}: {len(found)} measurements fit, "
                        "name more columns")
        return found[0]


def raw_counters(lines):
    """The counters as ncu --csv prints them, after the name of the version, as rows with names."""
    return [{"version": row[0], "kernel": row[5], "metric": row[-3], "unit": row[-2],
             "value": row[-1]} for row in csv.reader(lines)]


def size_of(rounds):
    """ "400x400", in the order of the program: width x height, or rows x columns."""
    row = rounds.rows[0]
    names = ("width", "height") if "width" in row else ("rows", "columns")
    return "x".join(row[name] for name in names)


def size_named(size):
    """ 10240, "10240" or "1024x4096" as "10240x10240" or "1024x4096"."""
    text = str(size)
    if not re.fullmatch(r"\d+(x\d+)?", text):
        raise Wrong(f"{text} is not a size")
    return text if "x" in text else f"{text}x{text}"


def cells_of(size):
    width, height = size.split("x")
    return int(width) * int(height)


def sizes_of(measured):
    return list(dict.fromkeys(size_of(rounds) for rounds in measured))


def versions_of(measured):
    return list(dict.fromkeys(rounds.text("version") for rounds in measured))


def at_size(measured, size):
    """The measurements at a size, by version."""
    return {rounds.text("version"): rounds for rounds in measured if size_of(rounds) == size}


def is_same(revision, other):
    """Whether these are one revision, one of them maybe shortened."""
    return revision.startswith(other) or other.startswith(revision)


def facts(text):
    """The lines "name:   value" of an environment.txt."""
    return dict(re.findall(r"^([\w ]+?):\s+(.*)$", text, re.MULTILINE))
