"""tools/mutants.py on a tree that is made up here, and the list that is committed."""

import contextlib
import dataclasses
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from mutants import at_once, command, listed, runs, stages, tree  # noqa: E402
from mutants.stages import Settings, failed_in, ran_any, stage_of  # noqa: E402

# A "library" of shell functions, and a program of tests that talks like GoogleTest.
MAKEFILE = """\
BUILD = build
$(BUILD)/tests/library: sources/limits.sh tests/library.sh
\t@mkdir -p $(@D) && cat $^ > $@.new && sh -n $@.new && chmod +x $@.new && mv $@.new $@
\t@echo 'compiled_for=$(SANITIZE)' | cat - $@ > $@.new && chmod +x $@.new && mv $@.new $@
$(BUILD)/most: sources/limits.sh
\t@mkdir -p $(@D) && (cat $^; echo most) > $@ && chmod +x $@
test-library:
\t@$(BUILD)/tests/library $(TESTFLAGS)
"""
LIMITS = """\
lock() { true; }
pause() { true; }
most() { echo 255; }
least() { echo 1; }
count() { for i in 1 2 3; do echo $i; done; }
"""
TESTS = """\
filter=${1#--gtest_filter=}
echo '[==========] Running some tests'
failed=0
run() { # name, condition
    case "$filter" in (*"$1"*) ;; (*) return ;; esac
    echo "[ RUN      ] $1"
    if eval "$2"; then echo "[       OK ] $1 (0 ms)"; else echo "[  FAILED  ] $1 (0 ms)"; failed=1; fi
}
run Limits.Most '[ "$(most)" = 255 ]'
run Limits.Pause pause
run Limits.CountEnds '[ "$(count | tail -n 1)" = 3 ]'
run Limits.AreLocked '[ "$compiled_for" != thread ] || lock'
run Limits.Program '[ "$(build/most)" = 255 ]'
run Limits.Wrong false
exit $failed
"""
HEAD = "mutant {name}: sources/limits.sh\nA user would see it.\n{by}\n"
MOST = HEAD.format(name="most", by="by: library Limits.Most") + "- 255\n+ 256\n"
LEAST = HEAD.format(name="least", by="by: library Limits.Most") + "- echo 1\n+ echo 0\n"


class MadeUp(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.root = pathlib.Path(place.name) / "tree"
        for path, text in (("Makefile", MAKEFILE), ("sources/limits.sh", LIMITS),
                           ("tests/library.sh", "#!/bin/sh\n" + TESTS)):
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        self.list = pathlib.Path(place.name) / "list"
        self.list.mkdir()
        self.addCleanup(os.environ.update, {k: os.environ[k] for k in ("MAKEFLAGS", "MFLAGS")
                                            if k in os.environ})
        for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):  # of the make that runs this
            os.environ.pop(name, None)

    def run_on(self, text, *arguments):
        """The status, and all that was said."""
        (self.list / "limits.txt").write_text(text, encoding="utf-8")
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = command.main(arguments, self.root, self.list)
        return status, said.getvalue()


def appears(file):
    """Waits for it."""
    for _ in range(600):
        if file.exists():
            return True
        time.sleep(0.1)
    return False


class Runs(MadeUp):
    def test_a_mutant_that_a_test_sees_is_caught(self):
        status, said = self.run_on(MOST)
        self.assertIn("caught     limits/most: by Limits.Most", said)
        self.assertEqual(status, 0, said)

    def test_a_mutant_that_survives_fails_the_run(self):
        status, said = self.run_on(MOST + LEAST)
        self.assertIn("SURVIVED   limits/least", said)
        self.assertRegex(said, r"(?m)^all +1 +1 +0 +0 +0$")
        self.assertIn("SURVIVED: least, limits.txt:6: A user would see it.\n  library Limits", said)
        self.assertEqual(status, 1, said)

    def test_each_mutant_is_alone_and_the_tree_stays_as_it_is(self):
        after = HEAD.format(name="count", by="by: library Limits.Most") + "- 1 2 3\n+ 1 2 4\n"
        status, said = self.run_on(MOST + after)
        self.assertIn("SURVIVED   limits/count", said)
        self.assertEqual((self.root / "sources/limits.sh").read_text(encoding="utf-8"), LIMITS)

    def test_several_at_once_are_each_alone_in_a_copy(self):
        count = HEAD.format(name="count", by="by: library Limits.CountEnds") + "- 1 2 3\n+ 1 2 4\n"
        after = HEAD.format(name="after", by="by: library Limits.Most") + "- 1 2 3\n+ 1 2 4\n"
        for at_once in ("2", "3", "9"):
            status, said = self.run_on(MOST + count + LEAST + after, "--at-once", at_once)
            self.assertIn("caught     limits/most: by Limits.Most", said)
            self.assertIn("caught     limits/count: by Limits.CountEnds", said)
            self.assertIn("SURVIVED   limits/least", said)
            self.assertIn("SURVIVED   limits/after", said)
            self.assertRegex(said, r"(?m)^all +2 +2 +0 +0 +0$")
            self.assertEqual(status, 1, said)
        self.assertEqual((self.root / "sources/limits.sh").read_text(encoding="utf-8"), LIMITS)

    def test_who_ends_the_run_ends_all_of_its_tests(self):
        begun, mark = self.root.parent / "begun", self.root.parent / "late"
        hangs = HEAD.format(name="hang", by="by: library Limits.CountEnds") + \
            f"- for i in 1 2 3; do echo $i; done;\n+ echo >{begun}; sleep 4; echo >{mark};\n"
        (self.list / "limits.txt").write_text(hangs + MOST, encoding="utf-8")
        run = subprocess.Popen([sys.executable, "-c", (
            "import pathlib, sys; sys.path.insert(0, sys.argv[1]); from mutants import command;"
            "sys.exit(command.main(['--at-once', '2'], *map(pathlib.Path, sys.argv[2:])))"),
            str(ROOT / "tools"), str(self.root), str(self.list)], stdout=subprocess.DEVNULL)
        self.assertTrue(appears(begun))
        run.terminate()
        self.assertEqual(run.wait(10), 143)
        time.sleep(5)
        self.assertFalse(mark.exists(), "the test went on")

    def test_later_tests_are_asked_where_the_first_ones_see_nothing(self):
        both = "by: library Limits.Most\nby: library Limits.CountEnds"
        status, said = self.run_on(HEAD.format(name="count", by=both) + "- 1 2 3\n+ 1 2 4\n")
        self.assertIn("by Limits.CountEnds", said)
        self.assertEqual(status, 0, said)

    def test_what_does_not_end_is_caught(self):
        hangs = HEAD.format(name="hang", by="by: library Limits.CountEnds") + \
            "- for i in 1 2 3; do echo $i; done;\n+ while :; do sleep 1; done;\n"
        status, said = self.run_on(hangs, "--limit", "2")
        self.assertIn("by Limits.CountEnds, which did not end", said)
        self.assertEqual(status, 0, said)

    def test_what_takes_its_time_without_a_bug_is_caught_where_it_does_not_end(self):
        (self.root / "sources/limits.sh").write_text(LIMITS.replace("pause() { true",
                                                                    "pause() { sleep 0.8"), "utf-8")
        hangs = HEAD.format(name="hang", by="by: library Limits.Pause") + "- sleep 0.8\n+ sleep 60\n"
        status, said = self.run_on(hangs, "--limit", "6")
        self.assertIn("by Limits.Pause, which did not end", said)
        self.assertEqual(status, 0, said)

    def test_the_copy_is_of_all_but_other_builds(self):
        for name in ("tests/builds.sh", "build/kept", "build-other/left", "tests/venv/left"):
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")
        copy = tree.Copy(self.root, ["build"], self.root.parent / "copy").place
        self.assertEqual([name for name in ("tests/builds.sh", "build/kept", "build-other",
                                            "tests/venv") if (copy / name).exists()],
                         ["tests/builds.sh", "build/kept"])

    def test_what_hardly_ends_without_a_bug_is_not_caught(self):
        mark = self.root.parent / "sound"
        (self.root / "sources/limits.sh").write_text(
            LIMITS.replace("pause() { true", f"pause() {{ echo >>{mark}; sleep 2"), "utf-8")
        hangs = HEAD.format(name="hang", by="by: library Limits.Pause:Limits.CountEnds") + \
            "- count() {\n+ count() { sleep 9;\n"
        status, said = self.run_on(hangs + hangs.replace("hang", "again"), "--limit", "3")
        self.assertRegex(said, r"WRONG +limits/hang: did not end in 3 s, of which it takes "
                               r"\d\.\d without it, too")
        self.assertRegex(said, r"WRONG +limits/again: did not end")
        self.assertEqual(mark.read_text(encoding="utf-8"), 3 * "\n", "once for both")
        self.assertEqual(status, 2, said)

    def test_a_program_that_was_not_built_with_the_bug_is_told(self):
        starts = MOST.replace("library Limits.Most", "library Limits.Program with most")
        forgets = starts.replace(" with most", "").replace("t most:", "t forgotten:")
        least = LEAST.replace("Limits.Most", "Limits.Program with most")
        status, said = self.run_on(starts + forgets + least)
        self.assertIn("caught     limits/most: by Limits.Program", said)
        self.assertIn("WRONG      limits/forgotten: library Limits.Program starts without the bug: "
                      "most. 'with most' builds it", said)
        self.assertIn("SURVIVED   limits/least", said)
        self.assertEqual(status, 2, said)

    def test_a_test_that_fails_anyway_catches_nothing(self):
        status, said = self.run_on(MOST.replace("Limits.Most", "Limits.Wrong"))
        self.assertIn("WRONG      limits/most: fails without it, too", said)
        self.assertEqual(status, 2, said)

    def test_it_catches_nothing_of_a_second_bug_either(self):
        wrong = MOST + LEAST
        status, said = self.run_on(wrong.replace("Limits.Most", "Limits.Wrong"))
        self.assertEqual(said.count("fails without it, too"), 4, said)  # each twice
        self.assertEqual(status, 2, said)

    def test_code_that_does_not_build_is_a_mistake_of_the_list(self):
        status, said = self.run_on(MOST.replace("+ 256", "+ 256)"))
        self.assertIn("WRONG      limits/most: does not build", said)
        self.assertEqual(status, 2, said)

    def test_tests_that_there_are_not_are_not_run(self):
        status, said = self.run_on(MOST.replace("Limits.Most", "Nobody.Knows"))
        self.assertIn("not run    limits/most: nothing can be tested here", said)
        self.assertEqual(status, 0, said)

    def test_mutants_for_a_gpu_are_listed_and_not_run_without_one(self):
        for_gpu = MOST.replace("by: ", "gpu: ")
        status, said = self.run_on(for_gpu)
        self.assertIn("not run    limits/most: needs a GPU: library Limits.Most", said)
        self.assertIn("caught     limits/most", self.run_on(for_gpu, "--gpu", "1")[1])

    def test_equivalent_ones_are_told_with_their_argument(self):
        status, said = self.run_on(LEAST.replace("by: library Limits.Most",
                                                 "equivalent: Nobody asks."))
        self.assertIn("equivalent limits/least: Nobody asks.", said)
        self.assertEqual(status, 0, said)

    def test_a_sample_is_the_same_for_a_seed(self):
        texts = [self.run_on(MOST + LEAST, "--sample", "1", "--seed", seed, "--list")[1]
                 for seed in "aabcdefgh"]
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(len(set(texts)), 2, "every mutant comes once")

    def test_a_sample_is_of_what_can_run_here(self):
        for_gpu = MOST.replace("by: ", "gpu: ")
        for seed in "abcdefgh":
            self.assertIn("least", self.run_on(for_gpu + LEAST, "--sample", "1", "--seed", seed,
                                               "--list")[1])

    def test_a_sample_may_be_all_there_is(self):
        self.assertEqual(self.run_on(MOST, "--sample", "9")[0], 0)

    def test_no_time_is_no_run(self):
        nobody = HEAD.format(name="nobody", by="equivalent: nobody asks") + "- echo 1\n+ echo 2\n"
        self.assertIn("equivalent limits/nobody: nobody asks",
                      self.run_on(nobody, "--minutes", "0")[1])
        status, said = self.run_on(MOST, "--minutes", "0")
        self.assertIn("not run    limits/most: the minutes are over", said)

    def test_minutes_are_minutes(self):
        clock = unittest.mock.Mock()
        clock.monotonic.side_effect = [1000, 1059, 1061]
        with unittest.mock.patch.object(command, "time", clock):
            status, said = self.run_on(MOST + LEAST, "--minutes", "1")
        self.assertIn("caught     limits/most", said)
        self.assertIn("not run    limits/least: the minutes are over", said)

    def test_a_room_is_all_of_its_mutants_and_those_unproven_are_asked_for(self):
        (self.list / "unproven").mkdir()
        (self.list / "unproven/later.txt").write_text(MOST.replace("most", "later"), "utf-8")
        for words, names in ((("limits",), ["most", "least"]), (("least",), ["least"]),
                             ((), ["most", "least"]), (("--unproven", "later"), ["later"]),
                             (("--unproven",), ["most", "least", "later"])):
            said = self.run_on(MOST + LEAST, "--list", *words)[1].splitlines()
            self.assertEqual([line.split()[1] for line in said[:-1]], names, words)
            self.assertEqual(said[-1], f"{len(names)} mutants")

    def test_who_survives_some_tests_survives_where_others_cannot_run(self):
        lacks = "by: report Limits with no_such_module"
        status, said = self.run_on(LEAST.replace("by: ", lacks + "\nby: ") +
                                   HEAD.format(name="all", by=lacks) + "- 255\n+ 256\n")
        self.assertIn("SURVIVED   limits/least", said)
        self.assertIn(f"not run    limits/all: nothing can be tested here by {lacks[4:]}", said)
        self.assertEqual(status, 1, said)

    def test_a_room_may_need_a_gpu(self):
        room = "gpu: library Limits.Most\n" + HEAD.format(name="most", by="").replace("\n\n", "\n")
        self.assertIn("not run    limits/most: needs a GPU", self.run_on(room + "- 255\n+ 256\n")[1])

    def test_a_mistake_of_the_list_counts_more_than_a_survivor(self):
        self.assertEqual(self.run_on(LEAST + MOST.replace("Limits.Most", "Limits.Wrong"))[0], 2)

    def test_a_tree_that_does_not_build_is_not_tested(self):
        (self.root / "sources/limits.sh").write_text(LIMITS + "(\n", encoding="utf-8")
        status, said = self.run_on(MOST)
        self.assertIn("the tree itself does not build", said)
        self.assertNotIn("limits/most", said)
        self.assertEqual(status, 2)

    def test_nothing_of_a_bug_stays_in_the_build(self):
        build = self.root / "build"
        for name in ("changed", "gone", "same"):
            build.mkdir(exist_ok=True)
            (build / name).write_text(name, encoding="utf-8")
        copy = tree.Copy(self.root, ["build"], self.root.parent / "copy")
        built = copy.place / "build"
        mutant = listed.Mutant("room", "name", "sources/limits.sh", "where", old="255", new="256")
        copy.plant(mutant)
        self.assertIn("echo 256", (copy.place / mutant.path).read_text(encoding="utf-8"))
        (built / "changed").write_text("by the bug", encoding="utf-8")
        (built / "new").touch()
        (built / "gone").unlink()
        copy.restore(mutant)
        self.assertEqual((copy.place / mutant.path).read_text(encoding="utf-8"), LIMITS)
        self.assertEqual({path.name: path.read_text(encoding="utf-8")
                          for path in built.iterdir()},
                         {name: name for name in ("changed", "gone", "same")})
        for name in ("changed", "gone", "same"):
            self.assertEqual((built / name).stat().st_mtime_ns,
                             (build / name).stat().st_mtime_ns, name)

    def test_what_a_command_has_started_is_stopped_with_it(self):
        outcome = runs.run("sleep 8 & sleep 8; echo", self.root, 0.2)
        self.assertIsNone(outcome.status)
        self.assertLess(outcome.seconds, 5)

    def test_a_process_that_ends_early_ends_the_run(self):
        with self.assertRaises(RuntimeError):
            list(at_once.in_processes(lambda judge, mutant: os._exit(3), [None, None], [1, 2]))

    def test_a_file_that_is_taken_away_meanwhile_is_not_missed(self):
        copy2 = shutil.copy2

        def late(source, target):
            if source.endswith("gone"):
                os.unlink(source)
            return copy2(source, target)

        (self.root / "sources/gone").touch()
        with unittest.mock.patch("shutil.copy2", late):
            copy = tree.Copy(self.root, ["build"], self.root.parent / "copy")
        self.assertFalse((copy.place / "sources/gone").exists())
        self.assertTrue((copy.place / "sources/limits.sh").exists())


class SanitizerOfThreads(MadeUp):
    LOCK = HEAD.format(name="lock", by="by: sanitize thread Limits.AreLocked") + \
        "- lock() { true\n+ lock() { false\n"

    def run_where(self, need, text, *arguments):
        with unittest.mock.patch.object(stages, "THREADS_NEED", need):
            return self.run_on(text, *arguments)

    def test_a_lock_that_is_taken_away_is_seen_in_a_build_of_its_own(self):
        wrong = MOST.replace("library", "sanitize thread")
        plain = LEAST.replace("least", "plain").replace("Limits.Most", "Limits.AreLocked")
        status, said = self.run_where("true", self.LOCK + wrong + plain)
        self.assertIn("caught     limits/lock: by Limits.AreLocked", said)
        self.assertIn("caught     limits/most: by Limits.Most", said)
        self.assertIn("SURVIVED   limits/plain", said)
        self.assertEqual(status, 1, said)

    def test_of_a_machine_without_it_is_said_what_it_lacks(self):
        status, said = self.run_where("false", self.LOCK + MOST)
        self.assertIn("not run    limits/lock: nothing can be tested here by sanitize thread "
                      "Limits.AreLocked: it needs clang++", said)
        self.assertIn("caught     limits/most", said)
        self.assertFalse((self.root / "build-thread").exists())
        self.assertEqual(status, 0, said)

    def test_a_sample_has_none_of_it(self):
        for seed in "abcdefgh":
            self.assertIn("most", self.run_where("true", self.LOCK + MOST, "--sample", "1",
                                                 "--seed", seed, "--list")[1])


class Refused(MadeUp):
    def expect(self, text, sentence, *arguments):
        status, said = self.run_on(text, *arguments)
        self.assertIn(sentence, said)
        self.assertEqual(status, 2, said)

    def test_an_old_text_that_is_not_there_exactly_once(self):
        self.expect(MOST.replace("- 255", "- 254"), "has the old text of most 0 times")
        self.expect(MOST.replace("- 255", "- echo"), "has the old text of most 3 times")
        self.expect(MOST.replace("limits.sh", "gone.sh"), "No such file")
        self.expect(MOST.replace("by:", "in: v1\nby:"), "has the old text of most 0 times")

    def test_who_only_checks_the_list_is_told_too(self):
        self.assertEqual(self.run_on(MOST, "--check")[0], 0)
        status, said = self.run_on(MOST.replace("- 255", "- 254"), "--check")
        self.assertIn("has the old text of most 0 times", said)
        self.assertEqual(status, 2, said)

    def test_a_mutant_that_is_not_whole(self):
        self.expect(MOST.replace("A user would see it.\n", ""), "has no sentence")
        self.expect(MOST.replace("by: library Limits.Most\n", ""), "wants either tests")
        self.expect(MOST.replace("+ 256", "+ 255"), "changes nothing")
        self.expect(MOST + MOST, "most is already in limits.txt:1")
        self.expect("nonsense\n" + MOST, "limits.txt:1: expected 'mutant NAME: FILE'")
        self.expect(MOST.replace("by: library", "by: liberty"), "there is no stage 'liberty")
        self.expect(MOST.replace("by:", "gpu: library X\nby:"), "with and without a GPU")
        self.expect(MOST, "there is no mutant or room 'x'", "x")

    def test_no_number_of_mutants(self):
        for number in ("0", "-1", "two"):
            with self.assertRaises(SystemExit) as refused:
                self.expect(MOST, "is no number of mutants", "--at-once", number)
            self.assertEqual(refused.exception.code, 2)


class Alone(unittest.TestCase):
    def test_tests_that_fill_a_gpu_have_it_for_themselves(self):
        turns, others = at_once.Turns(2), threading.Event()
        settings = Settings("make", "build", "python3", True)
        self.assertTrue(stage_of("every_call Faults*", settings).alone)
        self.assertFalse(stage_of("all Launch*", settings).alone)

        def other():
            with turns.taken(False):
                others.set()

        with turns.taken(False), turns.taken(False):
            pass
        with turns.taken(True):
            thread = threading.Thread(target=other)
            thread.start()
            self.assertFalse(others.wait(0.2), "somebody else has a turn")
        self.assertTrue(others.wait(5), "the turns were not given back")
        thread.join()

    def test_a_sanitizer_may_have_some_of_the_tests(self):
        settings = Settings("make", "build", "python3", True)
        self.assertEqual(stage_of("sanitize memcheck A.*:*B*", settings).command,
                         "TESTS='A.*:*B*' make SANITIZERS=memcheck sanitize")
        self.assertEqual(stage_of("sanitize memcheck", settings).command,
                         "make SANITIZERS=memcheck sanitize")

    def test_tests_of_python_run_with_the_modules_that_the_tree_was_told_of(self):
        settings = Settings("make", "build", "/venv/python", False)
        plots = stage_of("report Drawn with matplotlib", settings)
        self.assertEqual(plots.command,
                         "/venv/python -B -m unittest discover -f -s tests/report -k Drawn")
        self.assertEqual(plots.needs, "/venv/python -c 'import matplotlib'")
        self.assertEqual(stage_of("report", settings).needs, "")
        self.assertEqual(stage_of("python mask", settings).needs,
                         "/venv/python -c 'import numpy, pytest'")


class Skipped(unittest.TestCase):
    def test_a_suite_of_which_some_are_skipped_was_run(self):
        for ran, last, was_run in ((63, "OK (skipped=1)", True), (63, "OK", True),
                                   (2, "OK (skipped=2)", False), (0, "OK", False)):
            text = f"s..\n---\nRan {ran} tests in 8.1s\n\n{last}\n"
            self.assertEqual(ran_any(text), was_run, text)

    def test_a_test_that_was_skipped_is_none_that_was_run(self):
        for end, was_run in (("[  SKIPPED ]", False), ("[       OK ]", True)):
            text = f"[==========] Running 1 test\n[ RUN      ] A.one\n{end} A.one (3 ms)\n"
            self.assertEqual(ran_any(text), was_run, text)

    def test_of_a_crash_the_test_is_named_in_which_it_came(self):
        self.assertEqual(failed_in("[ RUN      ] A.one\n[       OK ] A.one (0 ms)\n"
                                   "[ RUN      ] A.two\n"), "A.two")
        self.assertEqual(failed_in("failed: A.two: its program ended in it\n"), "A.two")


class Namespaces(unittest.TestCase):
    def test_the_old_text_may_be_looked_for_in_one(self):
        mutant = listed.Mutant("room", "name", "file", "where", within="b", old="1", new="2")
        text = "namespace a\n{\n1\n} // namespace a\nnamespace b\n{\n1\n} // namespace b\n"
        self.assertEqual(mutant.planted_in(text), "2".join(text.rsplit("1", 1)))


class Committed(unittest.TestCase):
    def test_every_one_can_be_planted_in_this_tree(self):
        mutants = listed.read_list(unproven=True)
        self.assertEqual(listed.complaints(mutants, ROOT), [])
        self.assertEqual(listed.repeated(mutants, ROOT), [])
        again = dataclasses.replace(mutants[0], name="again", where="here")
        self.assertEqual(listed.repeated([*mutants, again], ROOT),
                         [f"here: again plants what {mutants[0].name} does"])
        self.assertGreaterEqual(sum(bool(mutant.by) for mutant in mutants), 150)


if __name__ == "__main__":
    unittest.main()
