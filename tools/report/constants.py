"""tools/report/constants.txt: the numbers that are known without measuring, with their reasons."""

import re

FILE = "tools/report/constants.txt"
SECTIONS = ("prose", "sources", "machines")


class Constants:
    """Lines "phrase | reason" below [prose] and [sources]: a number within a phrase needs no
    source. Below [machines], "words | results/NAME": words that name that machine in a sentence."""

    def __init__(self, root):
        self.wrong = []
        self.phrases = {section: [] for section in SECTIONS}
        self.machines = {}
        path = root / FILE
        section = "prose"
        for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            if line.startswith("["):
                section = line.strip("[]")
                if section not in SECTIONS:
                    self.wrong.append(f"{FILE}:{number}: there is no section {line}")
                    section = "prose"
                continue
            phrase, _, reason = (part.strip() for part in line.partition(" | "))
            if not reason:
                self.wrong.append(f"{FILE}:{number}: '{line}' has no reason after a bar")
            elif section == "machines":
                self.machines.setdefault(reason.split("/")[-1], []).append(phrase)
            elif not re.search(r"\d", phrase) or not re.search(r"[A-Za-z^]", phrase):
                self.wrong.append(f"{FILE}:{number}: '{phrase}' is not a number with a word")
            else:
                self.phrases[section].append(pattern_of(phrase))

    def spans(self, text, section="prose"):
        """Where in a text a phrase of the list stands."""
        return [match.span() for pattern in self.phrases[section]
                for match in pattern.finditer(text)]


def pattern_of(phrase):
    """A phrase as it stands, over any blanks, and not as a part of a longer number or word."""
    words = r"\s+".join(map(re.escape, phrase.split()))
    before = r"(?<![\w.,])" if phrase[0].isalnum() else ""
    after = r"(?!\w|[.,]\d)" if phrase[-1].isalnum() else ""
    return re.compile(before + words + after, re.IGNORECASE)
