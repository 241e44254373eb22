"""The sources: namespaces of a core, functions in them, what differs between two, comments."""

import difflib
import re

from .results import NotMeasured, Wrong

LABS = ("maximum", "transpose")
LITERAL = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'"


def source_of(study):
    """Where the namespaces of a study or lab stand; of the ladder without one."""
    if study in LABS:
        return f"sources/{study}/core.cu"
    return f"sources/entropy/cores/{study}.cu" if study else "sources/entropy/core.cu"


class Source:
    """One core: its namespaces, and its table of versions."""

    def __init__(self, root, study):
        self.name = source_of(study)
        self.letter = (study or "v")[0]  # f3 is the fourth version of the fast_study
        try:
            self.code = (root / self.name).read_text()
        except OSError:
            raise NotMeasured(f"there is no {self.name}") from None

    def versions(self):
        """(name, idea, namespace) of each row of the table of versions."""
        return re.findall(r'\{"([^"]+)",\s*\w+,\s*"([^"]*)",\s*(?:\w+::)*?(\w+)::\w+', self.code)

    def names(self, version):
        """Every name of a version: in the table, of its namespace, and by its number (f3: the
        fourth)."""
        table = self.versions()
        number = re.fullmatch(rf"{self.letter}(\d+)", version)
        for name, _, namespace in table:
            if version in (name, namespace):
                return list(dict.fromkeys((version, name, namespace)))
        if number and int(number[1]) < len(table):
            name, _, namespace = table[int(number[1])]
            return list(dict.fromkeys((version, name, namespace)))
        return [version]

    def body(self, version):
        """What stands between the braces of its namespace."""
        body = self.body_or_none(version)
        if body is None:
            raise Wrong(f"{self.name} has no namespace {version}")
        return body

    def body_or_none(self, version):
        for name in self.names(version):
            found = re.search(rf"^namespace (?:\w+::)*{name}\n{{\n(.*?)^}} // namespace", self.code,
                              re.MULTILINE | re.DOTALL)
            if found:
                return found[1].strip("\n")
        return None

    def kernel(self, version, function=None):
        """A function of a namespace as it stands; without a name, its kernel."""
        pieces = pieces_of(self.body(version))
        names = [name for name, _ in pieces if name]
        wanted = function or next((name for name, text in pieces if "__global__" in text),
                                  next((name for name in names if "Kernel" in name), names[-1]))
        if wanted not in names:
            raise Wrong(f"{version} of {self.name} has no function {wanted}, "
                        f"only {', '.join(names)}")
        return "\n".join(text for name, text in pieces if name == wanted) + "\n"


def pieces_of(body):
    """The declarations of a namespace with the comments before them: [(name, text)]."""
    blank, pieces, depth, start, opened = without_comments(body), [], 0, 0, False
    for place, sign in enumerate(blank):
        if sign in "{(":
            depth += 1
            opened |= sign == "{"
        elif sign in "})":
            depth -= 1
        ends = sign == "}" and opened and not blank[place + 1:].lstrip(" ").startswith((";", ","))
        if depth == 0 and (sign == ";" or ends):
            line = body.find("\n", place)
            line = len(body) if line < 0 else line
            text = body[start:line].strip("\n")
            pieces.append((name_of(blank[start:place + 1]), text))
            start, opened = line, False
    return pieces


def name_of(declaration):
    """The name that a declaration without comments declares; None if it has none that matters."""
    head = declaration.split("{")[0]
    if re.match(r"\s*(?:struct|class|enum)\b", head):
        return re.match(r"\s*(?:struct|class|enum(?: class)?)\s+(\w+)", head)[1]
    depth, names = 0, []
    for found in re.finditer(r"(\w+)\s*\(|[()]", head):
        if found[0].endswith("("):
            if depth == 0 and found[1]:
                names.append(found[1])
            depth += 1
        else:
            depth -= 1
    return names[-1] if names else None


def without_comments(code):
    """The same length, with comments, strings and preprocessor lines blank."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    return re.sub(rf"//[^\n]*|/\*.*?\*/|{LITERAL}|^#[^\n]*", blank, code,
                  flags=re.MULTILINE | re.DOTALL)


def difference(before, after, names):
    """The lines that change from one body to another, by function; the versions' own names do not
    count."""
    own = re.compile(r"\b(?:" + "|".join(map(re.escape, names)) + r")\b(?=::|[^\"]*\"[^\"]*$)")

    def plain(line):
        return own.sub("NAME", line).rstrip()
    old, new = before.split("\n"), after.split("\n")
    where_old, where_new = function_by_line(before), function_by_line(after)
    lines, last_function = [], None
    matcher = difflib.SequenceMatcher(None, [*map(plain, old)], [*map(plain, new)], autojunk=False)
    for tag, old_begin, old_end, new_begin, new_end in matcher.get_opcodes():
        removed = [f"-{line}" for line in old[old_begin:old_end] if line.strip()]
        added = [f"+{line}" for line in new[new_begin:new_end] if line.strip()]
        if tag == "equal" or not removed + added:
            continue
        function = where_new[new_begin] if added else where_old[old_begin]
        if lines and function == last_function:
            lines.append(" ...")
        elif function:
            lines.append(f"@@ {function} @@")
        lines += removed + added
        last_function = function
    return "\n".join(lines) + "\n"


def function_by_line(body):
    """The name of the declaration that each line belongs to."""
    names, place = [None] * (body.count("\n") + 1), 0
    for name, text in pieces_of(body):
        begin = body.index(text, place)
        place = begin + len(text)
        for line in range(body.count("\n", 0, begin), body.count("\n", 0, place) + 1):
            names[line] = name
    return names


def comments(code):
    """(line, text) of each comment; lines of // below each other are one."""
    found = []
    pattern = rf"{LITERAL}|(//[^\n]*(?:\n\s*//[^\n]*)*|/\*.*?\*/)"
    for match in re.finditer(pattern, code, re.DOTALL):
        if match[1]:
            found.append((code.count("\n", 0, match.start()) + 1, match[1]))
    return found
