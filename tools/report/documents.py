"""Markers in the documents, and what stands between them.

    <!-- record: results/1x-nvidia-h200 -->    the first line: where the markers' paths start

    <!-- table: KIND WORDS... -->              KIND is a function of tables.py, cards.py, ...;
    <!-- end of table -->                      in=DIRECTORY names one below the record's, or all of
                                               results/NAME

    <!--= EXPR | FORMAT -->15.4 ms<!--/-->     a number in a sentence: expressions.py, formats.py.
                                               In a cell of a table the bar is written \\|

    <!-- holds: EXPR < EXPR and EXPR > 2 -->   behind a sentence that is true only then
"""

import re

from . import (cards, engine_tables, evidence, filter_tables, lab_tables, launch_aims,
               launch_tables, python_tables, study_tables, tables)
from .expressions import Expressions
from .record import Record
from .results import NOT_YET, NotMeasured, Wrong

KINDS = {kind: function
         for room in (tables, cards, study_tables, lab_tables, engine_tables, filter_tables,
                      launch_tables, launch_aims, python_tables, evidence)
         for kind, function in room.KINDS.items()}
DOCUMENTS = ("README.md", "report.md", "sources/local_entropy/README.md",
             "sources/local_entropy/methods/README.md")

RECORD = re.compile(r"\A<!-- record: (results/\S+) -->\n")
TABLE = re.compile(r"(?P<before>^<!-- table: (?P<words>.+?)\s*-->\n)(?P<body>.*?)"
                   r"(?P<after>^<!-- end of table -->)", re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"(?P<before><!--= (?P<words>(?:(?!-->).)+?)\s*-->)(?P<body>(?:(?!<!--).)*?)"
                    r"(?P<after><!--/-->)", re.DOTALL)
HOLDS = re.compile(r"<!-- holds: (?P<words>(?:(?!-->).)+?)\s*-->", re.DOTALL)


# What the evaluation of a wrong expression ends in, besides Wrong.
FAILURES = (TypeError, ValueError, KeyError, IndexError, StopIteration)


def why(error):
    return str(error) if isinstance(error, Wrong) else f"{type(error).__name__}: {error}"


class Claim:
    """A condition beside a sentence that is true under it alone."""

    def __init__(self, document, match):
        self.line = document.line_of(match.start())
        self.start, self.end = match.span()
        self.words = " ".join(match["words"].split())
        self.is_table = False
        self.holds = True
        self.wrong = None      # why that is not known
        self.waits = None      # what was not measured yet
        self.machines = set()  # directories of other machines that it asks
        try:
            self.holds = document.expressions.holds(self.words)
            self.machines |= document.expressions.used
        except NotMeasured as missing:
            self.waits = str(missing)
        except (Wrong, *FAILURES) as error:
            self.wrong = why(error)


class Marker:
    """One marker of a document: what it asks for and what stands there."""

    def __init__(self, document, match, is_table):
        self.line = document.line_of(match.start())
        self.start, self.end = match.span()
        self.words = match["words"].strip()
        self.body = match["body"]
        self.is_table = is_table
        self.new = self.body   # what ought to stand there
        self.wrong = None      # why that is not known
        self.waits = None      # what was not measured yet
        self.machines = set()  # directories of other machines that it draws from


class Document:
    """A document as it is, and as results/ would have it."""

    def __init__(self, root, name, results=None):
        self.name = name
        self.text = (root / name).read_text()
        found = RECORD.match(self.text)
        self.directory = found[1] if found else None
        self.record = Record(root, self.directory, results)
        self.expressions = Expressions(self.record)
        self.markers = []
        self.claims = [Claim(self, match) for match in HOLDS.finditer(self.text)]
        tables_at = list(TABLE.finditer(self.text))
        numbers = [match for match in NUMBER.finditer(self.text)
                   if not any(table.start() < match.start() < table.end() for table in tables_at)]
        pieces, last = [], 0
        for match in sorted(tables_at + numbers, key=lambda match: match.start()):
            pieces += [self.text[last:match.start()], self.fill(match, match in tables_at)]
            last = match.end()
        self.filled = "".join(pieces + [self.text[last:]])

    def line_of(self, place):
        return self.text.count("\n", 0, place) + 1

    def fill(self, match, is_table):
        marker = Marker(self, match, is_table)
        self.markers.append(marker)
        try:
            marker.new = self.table(marker) if is_table else self.number(marker)
        except NotMeasured as missing:
            marker.waits = str(missing)
            if not is_table:
                marker.new = NOT_YET
            elif marker.body.strip() in ("", NOT_YET):
                marker.new = NOT_YET + "\n"
            else:
                marker.wrong = f"{missing}, which this table is made from"
        except (Wrong, *FAILURES) as error:
            marker.wrong = why(error)
        return match["before"] + marker.new + match["after"]

    def number(self, marker):
        text = self.expressions.written(" ".join(marker.words.split()))
        marker.machines |= self.expressions.used
        return text

    def table(self, marker):
        kind, rest = re.match(r"(\S+)\s*(.*)", marker.words, re.DOTALL).groups()
        if kind not in KINDS:
            raise Wrong(f"there is no table {kind}, only {', '.join(sorted(KINDS))}")
        # in=fast_study, in=results/NAME, or just results/NAME
        directory = re.search(r"(?:^|\s)(?:in=(\S+)|(results/[\w.-]+(?:/\w+)*))(?=\s|$)", rest)
        record = self.record
        if directory:
            rest = rest[:directory.start()] + rest[directory.end():]
            record = self.record.at(directory[1] or directory[2])
        words = [rest] if kind == "claims" else rest.split()
        if kind == "text" and len(words) == 1 and words[0].startswith("results/"):
            record = self.record.at("/".join(words[0].split("/")[:2]))
        try:
            body = KINDS[kind](record, *words)
        except TypeError as error:
            if "positional argument" not in str(error):
                raise
            raise Wrong(f"{kind}: {error}") from None
        machine = record.machine().directory if record.directory else None
        if self.directory and machine and machine != self.record.machine().directory:
            marker.machines.add(machine)
            body = named(body, machine)
        if NOT_YET in body:  # the other rows are shown
            marker.waits = f"{marker.words} has rows without a measurement"
        return body


def named(body, machine):
    """A table of another machine than the document's says so in its first cell."""
    if not body.startswith("|"):
        return body
    name = machine.partition("/")[2]
    first, bar, rest = body[1:].partition("|")
    return f"| {', '.join(filter(None, (name, first.strip())))} {bar}{rest}"


def documents(root, results):
    return [Document(root, name, results) for name in DOCUMENTS if (root / name).exists()]
