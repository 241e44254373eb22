"""One mutant: planted, built, tested, taken out again."""

import contextlib
import dataclasses

from . import runs, stale
from .listed import ListError, Mutant
from .stages import failed_in, ran_any, stage_of
from .tree import Copy

KEPT = 1500  # characters of output in a message
SHARE = 0.5  # of the limit: tests that take longer without a bug may be stopped without one, too
# What a mutant changes is compiled quickly; all else was built before, as make does.
QUICKLY = "OPTIMIZE=-O1 --old-file={build}/compiler.stamp"


@dataclasses.dataclass
class Verdict:
    mutant: Mutant
    result: str  # caught, SURVIVED, equivalent, not run, WRONG
    why: str
    seconds: float = 0


def build(root, settings, mutants, only_build=False):
    """What the tests of these mutants need, in the tree, as make does."""
    wanted = [m for m in mutants if settings.has_gpu or not m.gpu or only_build]
    stages, targets = [stage_of(line, settings) for mutant in wanted for line in mutant.by], {}
    lacking = {needs for needs in {stage.needs for stage in stages}
               if needs and runs.run(needs, root).status}
    for stage in stages:
        if stage.targets and stage.needs not in lacking:
            targets.setdefault(stage.variables, set()).update(stage.targets)
    for variables, names in targets.items():
        built = runs.run(f"{settings.make} {variables} {' '.join(sorted(names))}", root)
        if built.status:
            raise ListError(f"the tree itself does not build:\n{built.output[-KEPT:]}")


class Judge:
    """Tries mutants in a copy of a tree that is built; who tests when is for `turns` to say."""

    def __init__(self, root, place, settings, turns, only_build=False, builds=()):
        self.settings, self.turns, self.only_build = settings, turns, only_build
        self.sound = {}  # command -> what comes of it without a bug
        self.copy = Copy(root, {settings.build, *builds}, place)

    def judge(self, mutant):
        if mutant.equivalent:
            return Verdict(mutant, "equivalent", mutant.equivalent)
        if mutant.gpu and not self.settings.has_gpu and not self.only_build:
            return Verdict(mutant, "not run", "needs a GPU: " + "; ".join(mutant.by))
        verdict = Verdict(mutant, "SURVIVED", "; ".join(mutant.by))
        skipped, passed = [], []
        for line in mutant.by:
            stage = stage_of(line, self.settings)
            if stage.needs and runs.run(stage.needs, self.copy.place).status:
                skipped.append(f"{line}: it needs {stage.lacks}")
                continue
            outcome = self._try(mutant, stage, verdict)
            if outcome is None:  # decided
                return verdict
            if outcome.status == 0 and not ran_any(outcome.output):
                skipped.append(line)
            elif outcome.status != 0:
                self._look_at(stage, outcome, verdict)
                return verdict
            else:
                passed.append(line)
        if len(skipped) == len(mutant.by):
            verdict.result, verdict.why = "not run", f"nothing can be tested here by {skipped[0]}"
        elif self.only_build:
            verdict.result, verdict.why = "not run", "it was built"
        else:
            self._look_for_stale(mutant, passed, verdict)
        return verdict

    def _make(self, stage):
        quickly = QUICKLY.format(build=stage.build or self.settings.build)
        return f"{self.settings.make} {stage.variables} {quickly}"

    @contextlib.contextmanager
    def _planted(self, mutant, stage, verdict):
        """With the bug in place. Whether what the stage needs is built with it."""
        self.copy.plant(mutant)
        try:
            built = runs.run(f"{self._make(stage)} {' '.join(stage.targets)}", self.copy.place) \
                if stage.targets else runs.Outcome(0, "", 0)
            verdict.seconds += built.seconds
            if built.status:
                verdict.result = "WRONG"
                verdict.why = f"does not build:\n{built.output[-KEPT:]}"
            yield built.status == 0
        finally:
            self.copy.restore(mutant)

    def _try(self, mutant, stage, verdict):
        """The outcome of the stage's tests with the bug in place; None if it does not build."""
        with self._planted(mutant, stage, verdict) as is_built:
            if not is_built:
                return None
            tested = self._test(stage, "true" if self.only_build else stage.command)
            verdict.seconds += tested.seconds
            return tested

    def _look_for_stale(self, mutant, passed, verdict):
        """What passes has seen nothing of a bug in a program that was not built with it."""
        for line in passed:
            stage = stage_of(line, self.settings)
            with self._planted(mutant, stage, verdict) as is_built:
                if not is_built:
                    return
                started = stale.started(self._make(stage),
                                        self.copy.place / (stage.build or self.settings.build),
                                        lambda: self._test(stage, stage.command))
            if started:
                names = " ".join(started)
                verdict.result = "WRONG"
                verdict.why = f"{line} starts without the bug: {names}. 'with {names}' builds it"
                return

    def _test(self, stage, command):
        with self.turns.taken(stage.alone):
            return runs.run(command, self.copy.place, self.settings.limit)

    def _look_at(self, stage, outcome, verdict):
        """A failure counts if the same test passes without the bug, and that tests do not end if the
        same ones do in much less time."""
        test = failed_in(outcome.output)
        command = stage.command
        if stage.program and test and outcome.status is not None:
            command = f"{stage.program} --gtest_filter={test}"
        if command not in self.sound:
            self.sound[command] = self._test(stage, command)
        sound, limit = self.sound[command], self.settings.limit
        if outcome.status is None and sound.seconds > SHARE * limit:
            verdict.result = "WRONG"
            verdict.why = (f"did not end in {limit:g} s, of which it takes {sound.seconds:.1f} "
                           f"without it, too (--limit): {command}")
            return
        if sound.status != 0:
            verdict.result, verdict.why = "WRONG", f"fails without it, too: {command}"
            return
        how = "did not end" if outcome.status is None else f"ended with status {outcome.status}"
        verdict.result = "caught"
        verdict.why = f"by {test or stage.command}" + \
            ("" if test and outcome.status == 1 else f", which {how}")
