"""The rows that plots.py draws: each a measurement, with the medians and ranges of its rounds."""

import pathlib
import re
import statistics

from results import KEYS, Results


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return text


def read(directory, name):
    """Rows of a CSV, one for each version and size: medians of its rounds, and in row["range"] the
    lowest and the highest of each column. A file without rounds counts as one round."""
    merged = []
    directory = pathlib.Path(directory)
    for rounds in Results(directory.parent).measurements(directory.name, name):
        first, row = rounds.rows[0], {"range": {}}
        for column in first:
            values = [number(line[column]) for line in rounds.rows]
            if column in KEYS or not all(isinstance(value, float) for value in values):
                row[column] = first[column]
                continue
            row[column] = statistics.median(values)
            row["range"][column] = (min(values), max(values))
        merged.append(row)
    return merged


def positive(row, column):
    """A measured number; None where the version did not run, or ran no kernel."""
    found = row.get(column)
    return found if isinstance(found, float) and found > 0 else None


def size_of(row):
    return tuple(int(row[key]) for key in (("width", "height") if "width" in row
                                           else ("columns", "rows")))


def named(size):
    return f"{size[0]}x{size[1]}"


def sizes_of(rows):
    return list(dict.fromkeys(size_of(row) for row in rows))


def versions_of(rows):
    return list(dict.fromkeys(row["version"] for row in rows))


def family_of(row):
    engine = re.fullmatch(r"v(\d+)", row["version"])
    return "engine" if engine and int(engine[1]) >= 15 else row["platform"]


def environment(directory, stage=None):
    """Machine and revision in a few words; of the record, where a study has none of its own. The
    revision is the stage's, where record.csv has it."""
    file = next((path for path in (directory / "environment.txt",
                                   directory.parent / "environment.txt") if path.exists()), None)
    text = file.read_text() if file else ""
    gpus = re.findall(r"^GPU \d+: +(.+?)[,(]", text, re.MULTILINE)
    threads = re.search(r"^threads: +(\d+)", text, re.MULTILINE)
    revision = re.search(r"^revision: +(\S+)", text, re.MULTILINE)
    record = next((path for path in (directory / "record.csv",
                                     directory.parent / "record.csv") if path.exists()), None)
    if stage and record:
        stages = record.read_text()
        revision = re.search(rf"^{stage},(\w+)", stages, re.MULTILINE) or revision
    words = [f"{len(gpus)} {gpus[0]}" if gpus else "no GPU"]
    words += [f"{threads[1]} CPU threads"] if threads else []
    words += [f"revision {revision[1][:10]}"] if revision else []
    return ", ".join(words)


def idea_of(row):
    """Its name and what it changes, short enough for the margin of a plot."""
    idea = re.sub(r"^baseline: |, like v0$", "", row.get("idea") or "")
    idea = re.sub(r"^\w+ ([+-]) ", r"\1 ", idea)
    return f"{row['version']}  {idea}".rstrip()


def ideas_of(rows):
    return list({row["version"]: idea_of(row) for row in rows}.values())
