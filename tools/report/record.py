"""The record of a document: where its results lie, and where to find a version among them."""

from .results import NotMeasured, Results, Wrong, cells_of, size_named, size_of
from .source_code import LABS, Source

COURSE = "results/course-v100"
# Bytes that a cell costs at least: an array read and an array written; the maximum only reads.
BYTES_A_CELL = {"maximum": 4}


class Record:
    """Results as one document sees them: paths start at its directory."""

    def __init__(self, root, directory, results=None):
        self.root = root
        self.directory = directory
        self.results = results or Results(root)
        self.sources = {}

    def at(self, directory):
        """The same with another directory: below this one, or a whole path under results/."""
        if not directory:
            return self
        if not directory.startswith("results/"):
            directory = f"{self.needed()}/{directory}"
        other = Record(self.root, directory, self.results)
        other.sources = self.sources
        return other

    def needed(self):
        if not self.directory:
            raise Wrong("the document has no line <!-- record: results/... -->, and the marker "
                        "names no directory")
        return self.directory

    def study(self):
        """The study whose directory this is; nothing for the ladder."""
        parts = self.needed().split("/")
        return parts[2] if len(parts) > 2 else None

    def source(self, study=None):
        study = study or self.study()
        if study not in self.sources:
            self.sources[study] = Source(self.root, study)
        return self.sources[study]

    def ideas(self, study):
        """The idea of each version, by each of its names."""
        try:
            return {name: idea for version, idea, namespace in self.source(study).versions()
                    for name in (version, namespace)}
        except NotMeasured:
            return {}

    def text(self, name):
        return self.results.text(self.needed(), name)

    def rows(self, name):
        return self.results.rows(self.needed(), name)

    def measurements(self, name, **wanted):
        return self.results.measurements(self.needed(), name, **wanted)

    def one(self, name, **wanted):
        return self.results.one(self.needed(), name, **wanted)

    def names(self, version, study=None):
        """Every name that a version may have in a file."""
        try:
            return self.source(study).names(version)
        except NotMeasured:
            return [version]

    def times(self):
        """The measurements of this directory's benchmark: of the ladder, a study or a lab."""
        study = self.study()
        if study in LABS:
            return self.machine().measurements(f"{study}.csv")
        return self.measurements("times.csv")

    def machine(self):
        """The record of the whole machine."""
        return self.at("/".join(self.needed().split("/")[:2]))

    def of_version(self, version, size, study=None):
        """The times of a version at a size: of the ladder, "fast_study/f3" of a study or
        "maximum/m5" of a lab."""
        if "/" in version:
            study, version = version.split("/")
        size = size_named(size)
        record = self.at(study) if study and study != self.study() else self
        names = self.names(version, study)
        found = [rounds for rounds in record.times() if rounds.text("version") in names
                 and size_of(rounds) == size and rounds.text("block") in ("", "-", "32")]
        if not found:
            raise NotMeasured(f"the times of {record.directory} have no {version} at {size}")
        return found[0]

    def copies(self, size, column, study=None):
        """The time of a copy within the device or the host, as the benchmark of that size measured
        it."""
        record = self.at(study) if study else self
        for rounds in record.times():
            if size_of(rounds) == size_named(size) and rounds.value(column):
                return rounds.value(column)
        raise NotMeasured(f"the times of {record.directory} have no {column} at {size}")

    def counters(self, version):
        """What the profiler counted for a version: {metric: number}, in bytes and nanoseconds. Of
        several launches sums are added up, and the rest is of the one with most instructions."""
        study, _, name = version.rpartition("/")
        names = [f"{study}/{other}" if study else other for other in self.names(name, study)]
        launches, last = [], None
        for row in self.rows("counters.csv"):
            if row["version"] not in names:
                continue
            # Another kernel, or a metric for the second time: the next launch.
            if row["kernel"] != last or row["metric"] in launches[-1]:
                launches.append({})
                last = row["kernel"]
            launches[-1][row["metric"]] = counted(row)
        if not launches:
            raise NotMeasured(f"{self.directory}/counters.csv has no {version}")
        merged = dict(max(launches, key=lambda k: k.get("smsp__inst_executed.sum") or 0))
        for metric in merged:
            if metric.endswith(".sum"):
                merged[metric] = sum(launch.get(metric) or 0 for launch in launches)
        return {metric: number for metric, number in merged.items() if number is not None}


UNITS = {"Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "us": 1e3, "usecond": 1e3, "ms": 1e6,
         "msecond": 1e6, "s": 1e9, "second": 1e9}


def counted(row):
    """The number of a row of counters.csv without the profiler's prefixes; None if it has none."""
    try:
        return float(row["value"].replace(",", "")) * UNITS.get(row["unit"], 1)
    except ValueError:
        return None


def bytes_of(study, size):
    return BYTES_A_CELL.get(study, 8) * cells_of(size)


def ceiling_of(rounds):
    """The time that no kernel can beat: of a copy, or of reading, of the same bytes."""
    column = "device_read_ms" if "device_read_ms" in rounds.rows[0] else "device_copy_ms"
    return rounds.value(column)
