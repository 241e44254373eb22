"""What may not stand in the documents and sources: text that results/ do not say, numbers without a
source, pictures that are not there, a record of several revisions, measured times in comments.

Each rule yields sentences "FILE:LINE: what was found"."""

import csv
import re
import shutil
import subprocess

from .constants import Constants
from .documents import HOLDS, NUMBER, TABLE, documents
from .results import Results, facts, is_same
from .source_code import comments

# What in a document is not prose: it is blanked out, so that places stay what they are.
NOT_PROSE = (
    re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.DOTALL | re.MULTILINE),
    re.compile(r"<!--.*?-->", re.DOTALL),
    re.compile(r"(?<=\n\n)(?: {4}[^\n]*\n)+"),              # indented: code
    re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)", re.DOTALL),
    re.compile(r"(?<=\])\([^)]*\)"),                        # targets of links
    re.compile(r"<https?:[^>]*>|https?:\S+"),
    re.compile(r"^\s*\d+[.)](?=\s)", re.MULTILINE),         # numbers of lists
    re.compile(r"^#+ +\d+(?:\.\d+)*\.?(?=\s)", re.MULTILINE),
    re.compile(r"\b(?:sections?|chapters?|figures?)\s+\d+(?:\.\d+)*"
               r"(?:(?:\s+(?:to|and)\s+|,\s*)\d+(?:\.\d+)*)*", re.IGNORECASE),
)
# Digits that no letter stands before: v7, sm_90, H200 and AVX-512 are names.
FIGURE = re.compile(r"(?<!\w)(?<![A-Za-z]-)(?<!\d\.)"
                    r"(?:\d{1,3}(?: \d{3})+(?!\d)|\d+(?:[.,]\d+)*(?:x\d+)*)")

MEASURED = re.compile(r"\d[\d.,]*\s*(?:ms|us|µs|GB/s|[MG]cell/s|(?:milli|micro)seconds?)(?!\w)|"
                      r"\d[\d.,]*\s*times\s+(?:faster|slower|as\s+(?:fast|slow|long))|"
                      r"(?-i:\bMeasured:)", re.IGNORECASE)
SOURCES = (".cu", ".h", ".cpp", ".cuh")


def unfilled(document):
    """Markers that cannot be filled."""
    for marker in document.markers:
        if marker.wrong:
            yield (f"{document.name}:{marker.line}: {'table' if marker.is_table else 'number'} "
                   f"`{' '.join(marker.words.split())}`: {marker.wrong}")


def refuted(document):
    """Sentences that results/ no longer bear out."""
    for claim in document.claims:
        where = f"{document.name}:{claim.line}: `holds: {claim.words}`"
        if claim.wrong:
            yield f"{where}: {claim.wrong}"
        elif not claim.holds:
            yield f"{where} is false by now: write the sentence before it anew"


def stale(document):
    """Generated text that is not what results/ say."""
    for marker in document.markers:
        where = f"{document.name}:{marker.line}"
        asked = " ".join(marker.words.split())
        if marker.wrong:
            continue
        if marker.new != marker.body and marker.is_table:
            yield f"{where}: the table `{asked}` is not what results/ says: run `make report`"
        elif marker.new != marker.body:
            yield (f"{where}: '{marker.body}' is not what results/ says, {marker.new}: "
                   "run `make report`")


def waiting(document):
    for marker in document.markers:
        if marker.waits and not marker.wrong:
            yield f"{document.name}:{marker.line}: not measured yet: {marker.waits}"
    for claim in document.claims:
        if claim.waits:
            yield f"{document.name}:{claim.line}: not measured yet: {claim.waits}"


def broken_markers(document):
    """Markers that were opened and not closed, and numbers that Markdown would not show."""
    text = blanked(document.text, (TABLE, NUMBER, HOLDS))
    for match in re.finditer(r"<!-- (?:table:|end of table)|<!--=|<!--/-->", text):
        yield (f"{document.name}:{document.line_of(match.start())}: {match[0]} belongs to no pair "
               "of markers")
    for match in re.finditer(r"<!--\s*holds\b", text):
        yield (f"{document.name}:{document.line_of(match.start())}: a condition is written "
               "<!-- holds: EXPR < EXPR -->, not like this one")
    for match in re.finditer(r"^ {0,3}<!--(?:=| holds:)", document.text, re.MULTILINE):
        yield (f"{document.name}:{document.line_of(match.start())}: a line that begins with a "
               "marker is HTML to Markdown: put a word before it")


def blanked(text, patterns):
    """The same text, of the same length, with these parts blank."""
    for pattern in patterns:
        text = pattern.sub(lambda match: re.sub(r"[^\n]", "\0", match[0]), text)
    return text


def unsourced(document, constants):
    """Numbers in prose that neither a marker fills nor the list of constants knows."""
    prose = blanked(document.text, (TABLE, NUMBER) + NOT_PROSE)
    known = constants.spans(prose)
    for match in FIGURE.finditer(prose):
        if not any(begin <= match.start() and match.end() <= end for begin, end in known):
            yield (f"{document.name}:{document.line_of(match.start())}: '{match[0]}' in "
                   f"\"{around(prose, match)}\" has no source: use a marker, or name it in "
                   "tools/report/constants.txt")


def around(prose, match):
    """A few words on either side of a match."""
    before = prose[max(0, match.start() - 30):match.start()].split("\n")[-1]
    after = prose[match.end():match.end() + 25].split("\n")[0]
    return re.sub(r"\0+", "..", before + match[0] + after).strip()


def unnamed_machines(document, constants):
    """What draws from another machine's results, or is true by them, in a paragraph that does not
    name that machine."""
    for marker in document.markers + document.claims:
        for directory in sorted(marker.machines):
            machine = directory.split("/")[1]
            begin = document.text.rfind("\n\n", 0, marker.start) + 2
            if marker.is_table:  # its heading line names the machine, or the paragraph before
                begin = document.text.rfind("\n\n", 0, max(0, begin - 2)) + 2
            end = document.text.find("\n\n", marker.end)
            end = len(document.text) if end < 0 else end
            said = re.sub(r"<!--.*?-->", " ", document.text[begin:end], flags=re.DOTALL)
            if not any(name in said for name in [machine, *constants.machines.get(machine, [])]):
                yield (f"{document.name}:{marker.line}: `{' '.join(marker.words.split())}` is of "
                       f"{machine}, and its paragraph does not say so")


def records(found):
    """Every document begins with a line that names the record, all of them the same one."""
    for document in found:
        if not document.directory:
            yield f"{document.name}:1: no line <!-- record: results/... --> at its top"
    if len({document.directory for document in found if document.directory}) > 1:
        said = ", ".join(f"{document.name} {document.directory}" for document in found)
        yield f"{found[0].name}:1: the documents name several records: {said}"


def directories(found):
    """The record's directory; without a record line, those that the tables name."""
    named = {document.directory for document in found if document.directory}
    if not named:
        named = {match[0] for document in found for marker in document.markers
                 for match in re.finditer(r"results/[\w.-]+", marker.words)}
    return sorted(named)


def revisions(root, found):
    """(what is wrong, stages that are not measured yet at the record's revision). That is the one
    of its environment.txt, in which its first round was measured; the table `environment` names
    the stages of others."""
    wrong, waits = [], []
    first = None
    for where, stage, revision in revisions_said(root, found):
        if revision is None:
            wrong.append(f"{where}: names no revision")
            continue
        if revision.endswith("-modified"):
            wrong.append(f"{where}: {revision}: the sources had changes that no revision holds")
        elif first and not is_same(revision, first[1]):
            said = f"revision {revision}, but {first[0]} is of {first[1]}"
            if stage and not stage.startswith("round"):
                waits.append(f"{where}: {stage} is not measured yet at the record's revision: {said}")
            else:
                wrong.append(f"{where}: {said}")
        first = first or (where, revision)
    return wrong, waits


def revisions_said(root, found):
    """(FILE:LINE, stage or None, revision) of each environment.txt, the log, and each line of
    record.csv."""
    for directory in directories(found):
        texts = sorted((root / directory).rglob("*environment.txt"), key=lambda path: len(path.parts))
        for path in [*texts, root / "screen.log"]:
            if not path.exists():
                continue
            text = path.read_text(errors="replace")
            line = next((number for number, words in enumerate(text.splitlines(), 1)
                         if words.startswith("revision:")), 1)
            yield f"{path.relative_to(root).as_posix()}:{line}", None, facts(text).get("revision")
        stages = root / directory / "record.csv"
        if stages.exists():
            for line, row in enumerate(csv.DictReader(stages.read_text().splitlines()), 2):
                yield f"{directory}/record.csv:{line}", row["stage"], row.get("revision") or None


def images(root, found):
    """Pictures that a document shows and that are not there, and committed ones that none shows."""
    shown = set()
    for document in found:
        folder = (root / document.name).parent
        text = blanked(document.text, NOT_PROSE[:2])
        for match in re.finditer(r"!\[[^\]]*\]\(([^)\s]+)[^)]*\)|<img[^>]*?src=\"([^\"]+)\"|"
                                 r"<source[^>]*?srcset=\"([^\"]+)\"", text):
            target = next(filter(None, match.groups()))
            if re.match(r"https?:", target):
                continue
            path = (folder / target).resolve()
            shown.add(path)
            if not path.exists():
                yield (f"{document.name}:{document.line_of(match.start())}: there is no picture "
                       f"{target}")
    for name in committed(root, "results"):
        if name.endswith((".svg", ".png")) and (root / name).resolve() not in shown:
            yield f"{name}:1: no document shows this picture"


def committed(root, folder):
    """Files that git knows; all of them where it cannot be asked."""
    if (root / ".git").exists() and shutil.which("git"):
        listed = subprocess.run(["git", "ls-files", "-z", folder], cwd=root, capture_output=True,
                                text=True)
        if listed.returncode == 0:
            return [name for name in listed.stdout.split("\0") if name and (root / name).exists()]
    return sorted(path.relative_to(root).as_posix() for path in (root / folder).rglob("*")
                  if path.is_file())


def measured_comments(root, constants):
    """Times and ratios in comments of the sources: they belong into results/."""
    for path in sorted((root / "sources").rglob("*")):
        if path.suffix not in SOURCES:
            continue
        code = path.read_text(errors="replace")
        name = path.relative_to(root).as_posix()
        for line, comment in comments(code):
            comment = re.sub(r"(?<=\n)\s*(?://+|\*)", "", comment)
            known = constants.spans(comment, "sources")
            for match in MEASURED.finditer(comment):
                if not any(begin <= match.start() < end for begin, end in known):
                    said = " ".join(match[0].split())
                    place = line + comment.count("\n", 0, match.start())
                    yield (f"{name}:{place}: '{said}' in a comment: what was measured belongs into "
                           "results/")


def check(root):
    """(what is wrong, what was not measured yet), sentences each."""
    constants = Constants(root)
    found = documents(root, Results(root))
    wrong, waits = list(constants.wrong), []
    wrong += records(found)
    for document in found:
        for rule in (unfilled, refuted, stale, broken_markers):
            wrong += rule(document)
        for rule in (unnamed_machines, unsourced):
            wrong += rule(document, constants)
        waits += waiting(document)
    wrong += images(root, found)
    of_revisions, stages = revisions(root, found)
    wrong += of_revisions
    waits += stages
    wrong += measured_comments(root, constants)
    return wrong, waits
