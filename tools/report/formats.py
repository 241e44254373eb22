"""How numbers are written: in tables, and in sentences by a format."""

import re

from .results import Wrong


def decimals_of(number):
    """Decimals for three significant digits or so."""
    size = abs(number)
    return next((places for places, least in enumerate((100, 10, 1, 0.1)) if size >= least), 4)


def shown(number):
    """Three significant digits or so, never in scientific notation."""
    return "-" if number is None else f"{number:.{decimals_of(number)}f}"


def with_range(rounds, column):
    """ "15.4 (15.2 to 15.6)": the median and the range of the rounds; alone where they are one."""
    if rounds is None:
        return "-"
    middle, ends = rounds.value(column), rounds.range(column)
    if middle is None:
        return "-"
    low, high = (f"{end:.{decimals_of(middle)}f}" for end in ends)
    return shown(middle) if low == high else f"{shown(middle)} ({low} to {high})"


def grouped(number):
    """An integer; from 10 000 on its digits stand in threes."""
    text = f"{round(number):,}".replace(",", " ")
    return text if abs(number) >= 10000 else text.replace(" ", "")


def times(number):
    return f"{number:.{0 if abs(number) >= 100 else 1 if abs(number) >= 10 else 2}f}"


def percent(ratio):
    """ "91", "8.5", "0.83": a ratio in hundredths."""
    size = abs(100 * ratio)
    return f"{100 * ratio:.{0 if size >= 10 or size == 0 else 1 if size >= 1 else 2}f}"


# Times are in ms, rates in cells a second, shares and differences of shares are ratios.
FORMATS = {
    "ms": (shown, "ms"),
    "us": (lambda number: shown(1e3 * number), "µs"),
    "s": (lambda number: shown(1e-3 * number), "s"),
    "times": (times, "times"),
    "%": (percent, "%"),
    "points": (percent, "points"),
    "GB/s": (shown, "GB/s"),
    "Gcell/s": (lambda number: shown(1e-9 * number), "Gcell/s"),
    "Mcell/s": (lambda number: shown(1e-6 * number), "Mcell/s"),
    "int": (grouped, ""),
}


def written(value, wanted):
    """A number, or a pair as a range, in a format: a word of FORMATS or ".2f", and any words."""
    name, _, words = wanted.strip().partition(" ")
    if re.fullmatch(r"\.\d+f", name):
        write, unit = (lambda number: f"{number:{name}}"), ""
    elif name in FORMATS:
        write, unit = FORMATS[name]
    else:
        raise Wrong(f"there is no format {name or '(none)'}, only {', '.join(FORMATS)} and .1f")
    ends = [write(end) for end in (value if isinstance(value, tuple) else (value,))]
    text = " to ".join(dict.fromkeys(ends))
    return " ".join(part for part in (text, unit, words.strip()) if part)
