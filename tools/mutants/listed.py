"""The list of mutants: a text file for each room, *.txt beside this file. README.md tells the form."""

import dataclasses
import pathlib
import re
from typing import List

HERE = pathlib.Path(__file__).resolve().parent
HEAD = re.compile(r"mutant ([a-z0-9][a-z0-9-]*): (\S+)")
KEYS = ("by", "gpu", "in", "equivalent")


class ListError(Exception):
    """The list is wrong, not the code: the sentence says where and why."""


@dataclasses.dataclass
class Mutant:
    room: str
    name: str
    path: str  # of the file, from the root of the tree
    where: str  # in the list, for messages
    sees: str = ""  # what a user would see
    by: List[str] = dataclasses.field(default_factory=list)  # "stage selection", in order
    gpu: bool = False  # these tests need a GPU
    within: str = ""  # the namespace in which the old text is
    equivalent: str = ""  # why nothing can be seen
    old: str = ""
    new: str = ""

    def planted_in(self, text):
        """`text` with the bug in it. The old text must be there exactly once."""
        begin, end = 0, len(text)
        if self.within:
            begin = text.find(f"namespace {self.within}\n{{")
            end = text.find(f"}} // namespace {self.within}\n", begin)
        times = text.count(self.old, begin, end) if 0 <= begin < end else 0
        if times != 1:
            raise ListError(f"{self.where}: {self.path} has the old text of {self.name} "
                            f"{times} times, expected once")
        return text[:begin] + text[begin:end].replace(self.old, self.new) + text[end:]


def _finish(mutant, sentence, old, new, usual):
    if not mutant.by and not mutant.equivalent and usual:
        mutant.by, mutant.gpu = list(usual.by), usual.gpu
    mutant.sees, mutant.old, mutant.new = " ".join(sentence), "\n".join(old), "\n".join(new)
    complaint = None
    if not mutant.sees:
        complaint = "has no sentence that says what a user would see"
    elif not mutant.old:
        complaint = "has no old text"
    elif mutant.old == mutant.new:
        complaint = "changes nothing"
    elif bool(mutant.by) == bool(mutant.equivalent):
        complaint = "wants either tests (by:, gpu:) or an argument (equivalent:)"
    if complaint:
        raise ListError(f"{mutant.where}: {mutant.name} {complaint}")
    return mutant


def _take_key(mutant, key, value):
    if key in ("equivalent", "in"):
        setattr(mutant, "within" if key == "in" else key, value)
        return
    if mutant.by and mutant.gpu != (key == "gpu"):
        raise ListError(f"{mutant.where}: {mutant.name} has tests with and without a GPU")
    mutant.by.append(value)
    mutant.gpu = key == "gpu"


def read_room(path):
    """The mutants of one file."""
    mutants, mutant, sentence, old, new = [], None, [], [], []
    usual = Mutant(path.stem, "all of the room", "", path.name)  # tests of those that name none
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        where = f"{path.name}:{number}"
        head = HEAD.fullmatch(line)
        key, colon, value = line.partition(": ")
        if head:
            if mutant:
                mutants.append(_finish(mutant, sentence, old, new, usual))
            mutant = Mutant(path.stem, head[1], head[2], where)
            sentence, old, new = [], [], []
        elif line == "" or line.startswith("#"):
            continue
        elif not mutant and colon and key in ("by", "gpu"):
            _take_key(usual, key, value)
        elif not mutant:
            raise ListError(f"{where}: expected 'mutant NAME: FILE', not '{line}'")
        elif line[0] in "-+" and line[1:2] in ("", " "):
            (old if line[0] == "-" else new).append(line[2:])
        elif old or new:
            raise ListError(f"{where}: expected '- old text', '+ new text' or the next mutant")
        elif colon and key in KEYS:
            _take_key(mutant, key, value)
        else:
            sentence.append(line)
    if mutant:
        mutants.append(_finish(mutant, sentence, old, new, usual))
    return mutants


def read_list(directory=HERE, unproven=False):
    """All of them, in the order of the rooms' names; with those that nobody has seen caught yet."""
    mutants, known = [], {}
    directory = pathlib.Path(directory)
    more = sorted((directory / "unproven").glob("*.txt")) if unproven else []
    for path in sorted(directory.glob("*.txt")) + more:
        for mutant in read_room(path):
            if mutant.name in known:
                raise ListError(f"{mutant.where}: {mutant.name} is already in "
                                f"{known[mutant.name].where}")
            known[mutant.name] = mutant
            mutants.append(mutant)
    if not mutants:
        raise ListError(f"{directory}: there are no mutants")
    return mutants


def complaints(mutants, root):
    """A sentence for each mutant that cannot be planted in the tree."""
    wrong = []
    for mutant in mutants:
        try:
            mutant.planted_in((root / mutant.path).read_text(encoding="utf-8"))
        except OSError as error:
            wrong.append(f"{mutant.where}: {mutant.name}: {error}")
        except ListError as error:
            wrong.append(str(error))
    return wrong


def repeated(mutants, root):
    """A sentence for each mutant of which another one plants the same; all can be planted."""
    planted, wrong = {}, []
    for mutant in mutants:
        text = mutant.planted_in((root / mutant.path).read_text(encoding="utf-8"))
        first = planted.setdefault((mutant.path, text), mutant)
        if first is not mutant:
            wrong.append(f"{mutant.where}: {mutant.name} plants what {first.name} does")
    return wrong
