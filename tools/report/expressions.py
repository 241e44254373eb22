"""Numbers in sentences: <!--= EXPR | FORMAT -->15.4 ms<!--/-->, EXPR over what was measured. What a
sentence says of numbers stands behind it: <!-- holds: EXPR < EXPR -->. If that is false, so is the
sentence.

Times are in ms. SIZE is a side (10240) or "1024x4096"; a version may be "fast_study/f3" or
"maximum/m5"; machine= names another directory of results/.
"""

import ast

from .filter_tables import reached
from .formats import written
from .launch_tables import copied, least_copies
from .record import COURSE, bytes_of, ceiling_of
from .results import NotMeasured, Wrong, cells_of, same, size_named

ALLOWED = (ast.Expression, ast.Call, ast.keyword, ast.Constant, ast.Name, ast.Load, ast.Tuple,
           ast.BinOp, ast.UnaryOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub)
CONDITIONS = (ast.Compare, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.BoolOp, ast.And, ast.Or)


def total_of(*terms):
    return sum(terms[0] if isinstance(terms[0], tuple) else terms)


class Expressions:
    """What the expressions of a document may call."""

    def __init__(self, record):
        self.record = record
        self.used = set()  # directories other than the record's that the last expression asked
        functions = (self.kernel, self.total, self.copy, self.host_copy, self.gb_per_s, self.share,
                     self.rate, self.kernel_rate, self.counter, self.resource, self.get, self.low,
                     self.high, self.spread, self.rounds, self.faster, self.longer,
                     self.compared, self.within, self.copy_together, self.aims,
                     self.aims_met, self.course, self.course_ms, self.parts)
        self.names = {function.__name__: function for function in functions}
        self.names.update(max=max, min=min, round=round, abs=abs, sum=total_of)

    def written(self, text):
        """ "EXPR | FORMAT" evaluated and written."""
        expression, bar, wanted = text.replace("\\|", "|").rpartition("|")
        if not bar:
            raise Wrong(f"{text.strip()}: there is no format after a |")
        return written(self.value(expression), wanted)

    def value(self, expression):
        result = self.evaluated(expression, ALLOWED)
        for part in result if isinstance(result, tuple) else (result,):
            if isinstance(part, bool) or not isinstance(part, (int, float)):
                raise Wrong(f"{expression.strip()} is not a number or a pair of numbers")
        return result

    def holds(self, condition):
        result = self.evaluated(condition, ALLOWED + CONDITIONS)
        if not isinstance(result, bool):
            raise Wrong(f"{condition.strip()} is no comparison of numbers")
        return result

    def evaluated(self, expression, allowed):
        self.used = set()
        try:
            tree = ast.parse(expression.strip(), mode="eval")
        except SyntaxError as error:
            raise Wrong(f"{expression.strip()}: {error.msg}") from None
        for node in ast.walk(tree):
            if not isinstance(node, allowed):
                raise Wrong(f"{expression.strip()}: {type(node).__name__} may not stand here")
            if isinstance(node, ast.Name) and node.id not in self.names:
                raise Wrong(f"{expression.strip()}: there is no {node.id}, only "
                            f"{', '.join(self.names)}")
        try:
            return eval(compile(tree, "expression", "eval"), {"__builtins__": {}}, self.names)
        except (TypeError, ZeroDivisionError) as error:
            raise Wrong(f"{expression.strip()}: {error}") from None

    def on(self, machine):
        """The record, or the one of another machine."""
        if not machine:
            return self.record
        directory = machine if machine.startswith("results/") else f"results/{machine}"
        if directory != self.record.directory:
            self.used.add(directory)
        return self.record.at(directory)

    def timed(self, version, size, column, study, machine):
        rounds = self.on(machine).of_version(version, size, study)
        return measured(rounds.value(column), f"{version} at {size} has no {column}")

    def kernel(self, version, size, study=None, machine=None):
        """ms of the kernel alone."""
        return self.timed(version, size, "kernel_median_ms", study, machine)

    def total(self, version, size, study=None, machine=None):
        """ms end to end."""
        return self.timed(version, size, "total_median_ms", study, machine)

    def copy(self, size, study=None, machine=None):
        """ms in which the device copies the same floats; for the maximum, reads them."""
        column = "device_read_ms" if study == "maximum" else "device_copy_ms"
        return self.on(machine).copies(size, column, study)

    def host_copy(self, size, study=None, machine=None):
        return self.on(machine).copies(size, "host_copy_ms", study)

    def gb_per_s(self, version, size, study=None, machine=None):
        """GB/s of the kernel: an array in and an array out; for the maximum, an array in."""
        lab = version.split("/")[0] if "/" in version else study
        return bytes_of(lab, size_named(size)) / 1e6 / self.kernel(version, size, study, machine)

    def share(self, version, size, study=None, machine=None):
        """The time of a copy (for the maximum, of a read) over the kernel's: 0 to 1."""
        rounds = self.on(machine).of_version(version, size, study)
        ceiling = measured(ceiling_of(rounds), f"there is no time of a copy at {size}")
        return ceiling / self.kernel(version, size, study, machine)

    def rate(self, version, size, study=None, machine=None):
        """Cells a second end to end."""
        return 1e3 * cells_of(size_named(size)) / self.total(version, size, study, machine)

    def kernel_rate(self, version, size, study=None, machine=None):
        return 1e3 * cells_of(size_named(size)) / self.kernel(version, size, study, machine)

    def counter(self, version, metric, machine=None):
        """What the profiler counted; bytes in bytes, times in ns."""
        return measured(self.on(machine).counters(version).get(metric),
                        f"counters.csv has no {metric} of {version}")

    def resource(self, version, column, size=None, study=None, machine=None):
        """ "registers", "local_bytes" or "occupancy" (0 to 1), at the largest size that has it."""
        if "/" in version:
            study, version = version.split("/")
        record = self.on(machine)
        record = record.at(study) if study else record
        names = record.names(version, study)
        found = [rounds for rounds in record.measurements("times.csv")
                 if rounds.text("version") in names and rounds.value("registers")
                 and (size is None or same(rounds.text("width"), str(size).split("x")[0]))]
        if not found:
            raise NotMeasured(f"{record.directory}/times.csv has no {column} of {version}")
        return found[-1].value(column)

    def get(self, file, column, machine=None, **wanted):
        """The one number of a column where the others have these values; of rounds the median."""
        found = self.matching(file, column, machine, wanted)
        values = {rounds.value(column) for rounds in found}
        if len(values) > 1:
            raise Wrong(f"{file}: {len(found)} measurements fit, name more columns")
        return values.pop()

    def low(self, file, column, machine=None, **wanted):
        """The least number of a column, over all rows and rounds with these values."""
        return min(rounds.range(column)[0]
                   for rounds in self.matching(file, column, machine, wanted))

    def high(self, file, column, machine=None, **wanted):
        return max(rounds.range(column)[1]
                   for rounds in self.matching(file, column, machine, wanted))

    def spread(self, file, column, machine=None, **wanted):
        """By how much the rounds of a measurement differ, as a share of their median: the most of
        all with these values."""
        found = [(rounds.range(column), rounds.value(column))
                 for rounds in self.matching(file, column, machine, wanted)]
        shares = [(high - low) / middle for (low, high), middle in found if middle]
        if not shares:
            raise Wrong(f"{file}: all medians of {column} are 0: no spread is a share of that")
        return max(shares)

    def rounds(self, file, machine=None):
        """How many rounds a file has."""
        return len({row["round"] for row in self.on(machine).rows(file)})

    def gains(self, way, others, machine, wanted):
        """How many times as fast a way of together.csv is as the best of others, by filter and
        size."""
        times = {}
        for rounds in self.matching("together.csv", "median_ms", machine, wanted):
            row = rounds.rows[0]
            times.setdefault((row["case"], row["width"], row["height"]), {})[row["way"]] = \
                rounds.value("median_ms")
        gains = [min(of[other] for other in others) / of[way] for of in times.values()
                 if all(of.get(name) for name in (way, *others))]
        if not gains:
            raise NotMeasured(f"together.csv has no {way} beside {', '.join(others)}")
        return gains

    def faster(self, way, *others, machine=None, **wanted):
        """(least, most): how many times as fast a way is as the best of others."""
        gains = self.gains(way, others, machine, wanted)
        return min(gains), max(gains)

    def longer(self, way, *others, machine=None, **wanted):
        """(least, most): how many times as long a way takes as the best of others."""
        least, most = self.faster(way, *others, machine=machine, **wanted)
        return 1 / most, 1 / least

    def compared(self, way, *others, machine=None, **wanted):
        """How many filters and sizes there are of a way and others."""
        return len(self.gains(way, others, machine, wanted))

    def within(self, limit, way, *others, machine=None, **wanted):
        """Of how many of them it takes at most that many times as long as the best of others."""
        return sum(1 / gain <= limit for gain in self.gains(way, others, machine, wanted))

    def copy_together(self, case, size, machine=None):
        """ms in which all cores copy the bytes that a filter of together.csv moves."""
        copies = least_copies(self.on(machine).measurements("together.csv"))
        return measured(copies.get(copied(case, size_named(size))),
                        f"together.csv has no copy for {case} at {size}")

    def aims(self, machine=None):
        """How many aims there are for the library's filters on one thread."""
        return len(list(reached(self.on(machine))))

    def aims_met(self, machine=None):
        """How many of these aims are reached."""
        return sum(share >= 1 for *_, share in reached(self.on(machine)))

    def matching(self, file, column, machine, wanted):
        if file.startswith("results/"):
            self.used.add("/".join(file.split("/")[:2]))
            self.used.discard(self.record.directory)
        record = self.on(machine)
        found = [rounds for rounds in record.measurements(file, **wanted)
                 if rounds.value(column) is not None]
        if not found:
            asked = ", ".join(f"{name} {value}" for name, value in wanted.items())
            place = file if file.startswith("results/") else f"{record.directory}/{file}"
            raise NotMeasured(f"{place} has no {column} with {asked}")
        return found

    def course(self, key):
        """A single figure of the course's documents."""
        self.used.add(COURSE)
        rounds = self.record.at(COURSE).one("claims.csv", key=key)
        return measured(rounds.value("value"), f"claims.csv has no number for {key}")

    def course_ms(self, version, size=None):
        """ms that the course's documents measured: of the ladder, or "memory_study/log_none"."""
        self.used.add(COURSE)
        study, _, name = version.rpartition("/")
        found = [rounds for rounds in
                 self.record.at(COURSE).measurements(f"{study or 'ladder'}.csv", version=name)
                 if size is None or fits(rounds, size_named(size))]
        values = {next((rounds.value(column) for column in ("total_ms", "ms", "kernel_ms")
                        if column in rounds.rows[0]), None) for rounds in found}
        if len(values) > 1:
            raise Wrong(f"course_ms({version!r}, {size!r}): {len(values)} figures fit")
        return measured(values.pop() if values else None,
                        f"{COURSE} has no {version} at {size}")

    def parts(self, version, size, part, call="later", machine=None):
        """ms of a part of a call."""
        width, height = size_named(size).split("x")
        return self.get("parts.csv", "ms", machine, version=version, width=width, height=height,
                        call=call, part=part)


def fits(rounds, size):
    """Whether a row is of a size; a row without one is of every size."""
    row = rounds.rows[0]
    first, second = size.split("x")
    return all(same(row[name], wanted) for name, wanted in
               (("width", first), ("height", second), ("rows", first), ("columns", second),
                ("side", first)) if name in row)


def measured(number, else_say):
    if number is None:
        raise NotMeasured(else_say)
    return number
