"""What a batch found out: grades.csv, the table on the terminal, and the page."""

import csv
import html
import io
import shutil
import sys

COLUMNS = ("core,verdict,groups_passed,groups,largest_error,error_group,error_x,error_y,expected,"
           "computed,wrong_cells,total_ms,slowest_group,slowest_ms,times_reference,warnings,"
           "message").split(",")
DIGITS = {"total_ms": 3, "slowest_ms": 3, "times_reference": 3}
VERDICTS = ["passed", "wrong", "crashed", "timeout", "memory", "build_failed", "refused", "cheated"]


def cell(row, column):
    value = row.get(column)
    if value is None:
        return ""
    return f"{value:.{DIGITS[column]}f}" if column in DIGITS else str(value)


def as_csv(rows):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([cell(row, column) for column in COLUMNS])
    return text.getvalue()


def counts(rows):
    """"40 cores: 30 passed, 10 wrong"."""
    parts = [f"{n} {verdict}" for verdict in VERDICTS
             if (n := sum(row["verdict"] == verdict for row in rows))]
    return f"{len(rows)} core{'' if len(rows) == 1 else 's'}" + (": " if parts else "") + \
        ", ".join(parts)


# ---- terminal ----------------------------------------------------------------------------------

SHOWN = [("core", "core"), ("verdict", "verdict"), ("groups_passed", "groups"),
         ("largest_error", "error"), ("total_ms", "total ms"), ("slowest_ms", "slowest"),
         ("times_reference", "x reference")]


MEANINGS = {
    "groups_passed": "how many groups of the data are right, and of how many",
    "largest_error": "the largest difference to the right answer, of all groups; error_group, "
                     "error_x and error_y: where it is",
    "total_ms": "milliseconds of all groups together",
    "slowest_ms": "of the group that takes longest, slowest_group",
    "times_reference": "total ms as a multiple of the reference solution's, timed beside it",
}


def columns_help():
    """A line for each column of the terminal that needs one: its title, its name in grades.csv."""
    return "\n".join(f"  {title} ({column}): {MEANINGS[column]}"
                     for column, title in SHOWN if column in MEANINGS)


def legend(baseline):
    """What the least clear titles mean, below the table."""
    reference = f"x reference: total ms as a multiple of {baseline}'s; " if baseline else ""
    return f"error: the largest of all groups; {reference}make grade-help explains all\n"


def printable(text):
    return "".join(c if c.isprintable() else "?" for c in text)


def shown(row, column):
    if column == "groups_passed" and row.get("groups"):
        return f"{row['groups_passed']}/{row['groups']}"
    return printable(cell(row, column))


def as_table(rows, width=None):
    """One line a core; what is wrong, and warnings, at its end, cut where a terminal ends."""
    if width is None:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 10 ** 6
    lines = [[title for _, title in SHOWN] + ["what is wrong; warnings"]]
    for row in rows:
        notes = "; ".join(part for part in (row["message"], row["warnings"]) if part)
        lines.append([shown(row, column) for column, _ in SHOWN] + [printable(notes)])
    widths = [max(len(line[i]) for line in lines) for i in range(len(SHOWN))]
    text = ""
    for line in lines:
        cells = [c.ljust(w) if i < 2 else c.rjust(w)
                 for i, (c, w) in enumerate(zip(line, widths))] + [line[-1]]
        text += "  ".join(cells).rstrip()[:width] + "\n"
    return text


# ---- page --------------------------------------------------------------------------------------

STYLE = """
:root { color-scheme: light dark }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 95rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { padding: .35rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid #8884 }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
td.core { overflow-wrap: anywhere; font-weight: 600; min-width: 14rem }
td.notes { width: 40%; overflow-wrap: anywhere }
.verdict { border-radius: .3rem; padding: .1rem .45rem; color: #fff; background: #b3261e;
  white-space: nowrap }
.passed { background: #1b7f3b } .refused { background: #6b6b6b } .timeout, .memory { background: #a65b00 }
.cheated { background: #6a1b9a }
.bar { background: #2a6fbb; height: .6rem; border-radius: .15rem; min-width: 2px; margin-top: .25rem }
.warning { color: #a65b00 }
pre { overflow: auto; max-height: 30rem; background: #8882; padding: .6rem; white-space: pre-wrap }
td.time { min-width: 10rem }
"""


def escaped(text):
    clean = "".join(c if c in "\n\t" or c.isprintable() else "\ufffd" for c in str(text))
    return html.escape(clean)


def page_row(row, longest):
    notes = [f"<div>{escaped(row['message'])}</div>"] if row["message"] else []
    if row["warnings"]:
        notes.append(f"<div class=warning>{escaped(row['warnings'])}</div>")
    log = row.get("log") or "(empty)\n"
    notes.append(f"<details><summary>log</summary><pre>{escaped(log)}</pre></details>")
    bar = ""
    if row.get("total_ms") is not None:
        share = 100 * row["total_ms"] / longest if longest else 0
        bar = f"{cell(row, 'total_ms')}<div class=bar style='width: {share:.2f}%'></div>"
    return (f"<tr><td class=core>{escaped(row['core'])}</td>"
            f"<td><span class='verdict {row['verdict']}'>{row['verdict']}</span></td>"
            f"<td class=number>{shown(row, 'groups_passed')}</td>"
            f"<td class=number>{escaped(cell(row, 'largest_error'))}</td>"
            f"<td class=time>{bar}</td>"
            f"<td class=number>{cell(row, 'slowest_ms')}</td>"
            f"<td class=number>{cell(row, 'times_reference')}</td>"
            f"<td class=notes>{''.join(notes)}</td></tr>\n")


def as_page(rows, facts):
    """One file, no script, nothing from elsewhere. facts: pairs of a name and a text."""
    longest = max((row["total_ms"] for row in rows if row.get("total_ms")), default=0)
    about = "".join(f"<li>{escaped(name)}: {escaped(text)}</li>" for name, text in facts)
    return (f"<!doctype html>\n<html lang=en><meta charset=utf-8><title>Grades</title>"
            f"<meta name=viewport content='width=device-width'><style>{STYLE}</style>\n"
            f"<h1>Grades</h1><p>{escaped(counts(rows))}</p><ul>{about}</ul>\n"
            "<table><thead><tr><th>core<th>verdict<th>groups<th>largest error<th>total, ms"
            "<th>slowest group, ms<th>times the reference<th>what is wrong; warnings</tr></thead>\n"
            f"<tbody>\n{''.join(page_row(row, longest) for row in rows)}</tbody></table>\n</html>\n")
