"""The tables of the library's filters: filter.csv of bench_filter, with scikit-image beside."""

from .formats import percent, shown
from .results import NotMeasured
from .tables import ratio, table, value_of


class Filters:
    """The chosen methods' measurements. The first of them has the content, the path and the number
    of threads that the others depart from."""

    def __init__(self, record):
        self.all = record.measurements("filter.csv")
        self.chosen = [rounds for rounds in self.all if rounds.text("chosen") == "yes"]
        if not self.chosen:
            raise NotMeasured(f"{record.directory}/filter.csv has no method that was chosen")
        self.start = {column: self.chosen[0].text(column)
                      for column in ("content", "path", "threads")}

    def names(self, column):
        return list(dict.fromkeys(rounds.text(column) for rounds in self.chosen))

    def at(self, case, **other):
        """The measurement of a case, where the others start but for `other`; None if there is
        none."""
        wanted = {"case": case, **self.start, **other}
        return next((rounds for rounds in self.chosen
                     if all(rounds.text(column) == text for column, text in wanted.items())), None)

    def rate(self, case, **other):
        """Mpixel/s."""
        return value_of(self.at(case, **other), "mpixel_per_s")

    def peer(self, case):
        """Mpixel/s of scikit-image; None where it was not installed."""
        return next((rounds.value("mpixel_per_s") for rounds in self.all
                     if rounds.text("case") == case and rounds.text("method") == "scikit-image"),
                    None)


def filters(record):
    """Mpixel/s by case: on each path, with more threads, and of scikit-image on one thread; how far
    the content moves it."""
    measured = Filters(record)
    paths, threads = measured.names("path"), measured.names("threads")[1:]
    rows = []
    for case in measured.names("case"):
        best, rate = measured.at(case), measured.rate(case)
        if not rate:
            continue
        contents = [measured.rate(case, content=content) for content in measured.names("content")]
        shares = [content / rate for content in contents if content]
        rows.append([*(best.text(column) for column in ("type", "levels", "window", "method")),
                     *(shown(measured.rate(case, path=path)) for path in paths),
                     *(shown(measured.rate(case, threads=count)) for count in threads),
                     f"{min(shares):.2f} to {max(shares):.2f}",
                     shown(measured.peer(case)), ratio(rate, measured.peer(case))])
    return table(["cells", "levels", "window", "method", *paths,
                  *(f"{count} threads" for count in threads), "by content", "scikit-image",
                  "times as fast"], rows)


def reached(record):
    """(aim, measurement, Mpixel/s, of scikit-image, part of the aim) of each aim that was set
    beforehand for one thread, results/aims/filter.csv: in Mpixel/s or that many times as fast as
    scikit-image. Either meets one."""
    measured = Filters(record)
    for aim in record.at("results/aims").rows("filter.csv"):
        case, path = aim["case"], aim["path"]
        best, rate, peer = measured.at(case), measured.rate(case, path=path), measured.peer(case)
        if not best or not rate:
            raise NotMeasured(f"{record.directory}/filter.csv has no {case} on {path}")
        share = rate / float(aim["mpixel_per_s"])
        if aim["times"] and peer:
            share = max(share, rate / peer / float(aim["times"]))
        yield aim, best, rate, peer, share


def aims(record):
    """The aims, what was measured, and which are met."""
    rows = [[f"{best.text('type')}, {best.text('levels')} levels", best.text("window"),
             aim["path"], shown(rate), aim["mpixel_per_s"], ratio(rate, peer), aim["times"] or "-",
             "met" if share >= 1 else f"{percent(share)} %"]
            for aim, best, rate, peer, share in reached(record)]
    return table(["cells", "window", "kind of processor", "Mpixel/s", "aim", "times scikit-image",
                  "aim", "of the aim"], rows)


KINDS = {"filter": filters, "filter-aims": aims}
