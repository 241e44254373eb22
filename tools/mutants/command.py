"""The command: which mutants, one after the other, and the score."""

import argparse
import os
import pathlib
import random
import signal
import sys
import tempfile
import time

from . import listed
from .at_once import Turns, in_processes
from .judge import Judge, Verdict, build
from .stages import Settings, stage_of

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RESULTS = ("caught", "SURVIVED", "equivalent", "not run", "WRONG")


def _number(text):
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of mutants")
    return int(text)


def _options(arguments):
    parser = argparse.ArgumentParser(
        prog="make mutants ARGUMENTS=", description="Plants bugs, one at a time, in a copy of the "
        "tree, and runs the tests that should see them. Exit status: 0 if no mutant survives, 1 if "
        "one does, 2 if the list is wrong.")
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help="mutants or rooms; default: all")
    parser.add_argument("--sample", type=int, metavar="N", help="so many of them, by --seed")
    parser.add_argument("--seed", default="1", help="any text; another one, another sample")
    parser.add_argument("--minutes", type=float, metavar="M",
                        help="begin no mutant later than that; the others are listed as not run")
    parser.add_argument("--unproven", action="store_true",
                        help="also those that have not been run yet: tests may be missing")
    parser.add_argument("--list", action="store_true", help="print the list, and run nothing")
    parser.add_argument("--check", action="store_true",
                        help="can all be planted in this tree? runs nothing")
    parser.add_argument("--only-build", action="store_true",
                        help="does the code with each compile? runs no test")
    parser.add_argument("--limit", type=float, default=600, metavar="S",
                        help="seconds that the tests of a mutant may take, 600 unless told: who "
                        "takes longer hangs, and is caught")
    parser.add_argument("--at-once", type=_number, default=1, metavar="N",
                        help="so many at once, each in a copy of its own")
    for name in ("make", "build", "python"):
        parser.add_argument(f"--{name}", default={"python": "python3"}.get(name, name),
                            help=argparse.SUPPRESS)
    parser.add_argument("--gpu", type=int, default=0, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def _chosen(mutants, names):
    known = {mutant.name for mutant in mutants} | {mutant.room for mutant in mutants}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise listed.ListError(f"there is no mutant or room '{unknown[0]}', only the rooms " +
                               ", ".join(sorted({mutant.room for mutant in mutants})) +
                               "; more are listed with --unproven")
    return [m for m in mutants if not names or m.name in names or m.room in names]


def _builds(mutants, settings):
    """The directories of their own that their tests are built in."""
    return {stage_of(line, settings).build for m in mutants for line in m.by} - {""}


def _sampled(mutants, options, settings):
    """Those that can run here: a sample of what is never run would say nothing. None of those that
    another build is made for, which takes longer than a sample should."""
    if options.sample is None:
        return mutants
    runnable = [m for m in mutants if m.by and (settings.has_gpu or not m.gpu)
                and not _builds([m], settings)]
    return random.Random(options.seed).sample(runnable, min(options.sample, len(runnable)))


def _print_list(mutants):
    for mutant in mutants:
        print(f"{mutant.room:12} {mutant.name:40} {mutant.sees}")


def _table(verdicts):
    """A row for each room."""
    rooms = sorted({verdict.mutant.room for verdict in verdicts})
    print("\n" + "room".ljust(16) + "".join(result.rjust(11) for result in RESULTS))
    for room in rooms + ["all"]:
        mine = [v for v in verdicts if room in ("all", v.mutant.room)]
        counts = [sum(v.result == result for v in mine) for result in RESULTS]
        print(room.ljust(16) + "".join(str(count).rjust(11) for count in counts))


def _verdicts(mutants, options, settings, root, place):
    """Of each mutant its number and the verdict, in the order in which they come."""
    build(root, settings, [m for m in mutants if m.by], options.only_build)
    turns, start = Turns(options.at_once), time.monotonic()
    judges = [Judge(root, os.path.join(place, str(i)), settings, turns, options.only_build,
                    _builds(mutants, settings))
              for i in range(min(options.at_once, len(mutants)))]

    def verdict_of(judge, mutant):
        late = options.minutes is not None and time.monotonic() - start > 60 * options.minutes
        return Verdict(mutant, "not run", "the minutes are over") if late and mutant.by \
            else judge.judge(mutant)

    if len(judges) > 1:
        yield from in_processes(verdict_of, judges, mutants)
    else:
        for number, mutant in enumerate(mutants):
            yield number, verdict_of(judges[0], mutant)


def _run(mutants, options, settings, root):
    numbered = {}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the copies are removed on the way
    with tempfile.TemporaryDirectory(prefix="mutants-") as place:
        for number, verdict in _verdicts(mutants, options, settings, root, place):
            numbered[number] = verdict
            print(f"{verdict.result:10} {verdict.mutant.room}/{verdict.mutant.name}: {verdict.why}"
                  f" ({verdict.seconds:.0f} s)", flush=True)
    verdicts = [numbered[number] for number in sorted(numbered)]
    _table(verdicts)
    for verdict in verdicts:
        if verdict.result in ("SURVIVED", "WRONG"):
            print(f"\n{verdict.result}: {verdict.mutant.name}, {verdict.mutant.where}: "
                  f"{verdict.mutant.sees}\n  {verdict.why}")
    results = {verdict.result for verdict in verdicts}
    return 2 if "WRONG" in results else 1 if "SURVIVED" in results else 0


def main(arguments, root=ROOT, directory=listed.HERE):
    options = _options(arguments)
    python = os.path.abspath(options.python) if os.sep in options.python else options.python
    settings = Settings(options.make, options.build, python, bool(options.gpu),
                        options.limit)
    try:
        mutants = listed.read_list(directory, options.unproven)
        for mutant in mutants:
            for line in mutant.by:
                stage_of(line, settings)
        wrong = listed.complaints(mutants, root)
        if wrong:
            raise listed.ListError("\n".join(wrong))
        mutants = _sampled(_chosen(mutants, options.names), options, settings)
        if options.list or options.check:
            if options.list:
                _print_list(mutants)
            print(f"{len(mutants)} mutants")
            return 0
        return _run(mutants, options, settings, root)
    except listed.ListError as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 2
