"""Fills the tables and numbers of the documents (documents.py names them) from results/, and draws
the plots. What a marker may say: tools/report/documents.py. A sentence whose condition (holds:) is
false by now is named, and the exit status is 1.

What was not measured yet, or not at the revision of the rest, is left so, and a line says that it
waits; only --complete minds.

usage: tools/report.py                        fill the documents; draw, where matplotlib is there
       tools/report.py --plots-only           draw only
       tools/report.py --check [--complete]   change nothing; exit status 1 if a document does not
                                              say what results/ says, has a number without a source,
                                              ... (tools/report/check.py)
"""

import pathlib
import re
import sys

from .check import check, directories, refuted, unfilled, waiting
from .documents import documents
from .results import Results

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
USES = ([], ["--plots-only"], ["--check"], ["--check", "--complete"])


def say(*sentences):
    for sentence in sentences:
        print(f"report.py: {sentence}", file=sys.stderr)


def fill(root):
    """Rewrites the documents; what could not be filled is left as it is. Returns what that was, and
    the sentences that are false by now."""
    wrong = []
    for document in documents(root, Results(root)):
        if document.filled != document.text:
            (root / document.name).write_text(document.filled)
        wrong += [*unfilled(document), *refuted(document)]
        say(*waiting(document))
    return wrong


def draw(root):
    """The plots of the record, those of other machines that a document shows, and the diagrams, as
    far as they can be drawn here."""
    try:
        from . import diagrams, plots
    except ImportError as missing:
        say(f"the plots are left as they are: {missing}")
        return
    found = documents(root, Results(root))
    for directory in directories(found):
        plots.draw(root / directory)
    shown = {match.groups() for document in found for match in
             re.finditer(r"\((?:\.\./)*(results/[\w.-]+)/plots/(\w+)\.svg\)", document.text)}
    for directory, name in sorted(shown):
        if directory not in directories(found) and name in plots.PLOTS:
            plots.draw(root / directory, names=[name])
    diagrams.draw_all()


def main(arguments, root=ROOT):
    if arguments not in USES:
        wanted = arguments == ["--help"]
        print(__doc__.strip(), file=sys.stdout if wanted else sys.stderr)
        return 0 if wanted else 2
    if arguments and arguments[0] == "--check":
        wrong, waits = check(root)
        say(*waits, *wrong)
        return 1 if wrong or (waits and "--complete" in arguments) else 0
    wrong = [] if arguments else fill(root)
    say(*wrong)
    draw(root)
    return 1 if wrong else 0
