"""The box by itself: how it ends, its limits, and its walls."""

import ctypes
import os
import platform
import re
import shutil
import signal
import subprocess
import tempfile

from grading import scene
from grading.scene import Short, brief, write_program

# Tried with arguments that no call takes: each would fail with another error, were it not refused.
CALLS_X86_64 = {"ptrace": 101, "process_vm_writev": 311, "tkill": 200, "setns": 308, "unshare": 272,
                "mount": 165, "bpf": 321, "perf_event_open": 298, "io_uring_setup": 425,
                "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297, "pidfd_send_signal": 424,
                "keyctl": 250, "add_key": 248, "connect": 42, "socketpair": 53, "sendto": 44,
                "sendmsg": 46, "sendmmsg": 307, "fork": 57, "vfork": 58, "memfd_create": 319,
                "shmget": 29, "clone of a process": 56, "getpid by its x32 name": 0x40000000 + 39,
                "truncate": 76, "chmod": 90, "fchmod": 91, "fchmodat": 268, "fchmodat2": 452,
                "chown": 92, "fchown": 93, "lchown": 94, "fchownat": 260, "utime": 132,
                "utimes": 235, "futimesat": 261, "utimensat": 280, "setxattr": 188,
                "lsetxattr": 189, "fsetxattr": 190, "setxattrat": 463, "removexattr": 197,
                "lremovexattr": 198, "fremovexattr": 199, "removexattrat": 466,
                "file_setattr": 469, "ioctl for verity": 16}
# What its owner may do to a file, $f, that it cannot write: by its name, or open to be read, $h.
EMPTIES = {"truncate": "truncate $f, 0", "reading": "sysopen my $a, $f, 512",
           "neither": "sysopen my $b, $f, 515", "open": "syscall(2, $f, 512) >= 0",
           "open, neither": "syscall(2, $f, 515) >= 0"}
CHANGES = {"chmod": "chmod 0606, $f", "fchmod": "chmod 0606, $h", "utime": "utime 1, 1, $f",
           "futime": "utime 1, 1, $h", "chown": "chown -1, -1, $f", "fchown": "chown -1, -1, $h",
           "setxattr": "syscall(188, $f, my $n = 'user.mark', my $v = '1', 1, 0) >= 0",
           "flags": "ioctl $h, 0x40086602, my $g = pack('q', 64)",
           "attributes": "ioctl $h, 0x401c5820, my $x = pack('x28')"}
EPERM, ENOTTY, ENOSYS = 1, 25, 38
TOLD = ("--report", "8")  # where the program's own output goes, too


def box_command(*words):
    return [os.path.abspath(os.path.join(scene.BUILD, "grade", "box")), *words]


def run_box(*words, before=""):
    script = "exec 8>&1; " + before + 'exec "$@"'
    return subprocess.run(["sh", "-c", script, "sh", *box_command(*words)], capture_output=True,
                          text=True, check=False, timeout=60)


def in_box(script, *options, before=""):
    """A shell's script in it."""
    return run_box(*options, "--", "/bin/sh", "-c", script, before=before)


def landlock_version():
    """Of this system, by the number that the call has on all machines."""
    return ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1)


class BoxWalls(Short):
    """What a program cannot do there, and what it can."""

    def needs_root(self):
        if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], check=False,
                                               stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("needs root, and unshare")

    def test_it_may_use_a_gpu_that_a_group_may_use(self):
        self.needs_root()
        node = f"/dev/nvidia-test-{os.getpid()}"
        if subprocess.run(["mknod", "-m", "660", node, "c", "1", "3"], check=False,
                          stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no device node can be made here")
        self.addCleanup(os.unlink, node)
        shutil.chown(node, group=44)
        self.assertHolds(in_box(f"echo 1 1<>{node} && echo opened", "--alone").stdout, "opened")

    def test_files_of_the_driver_that_were_mounted_into_proc_stay(self):
        self.needs_root()
        if not os.path.isdir("/proc/driver"):
            self.skipTest("no /proc/driver here")
        before = "mount -t tmpfs tmpfs /proc/driver; mkdir /proc/driver/nvidia; " \
                 "echo 580 >/proc/driver/nvidia/version; "
        shown = " ".join(box_command("--alone", "--", "/bin/cat", "/proc/driver/nvidia/version"))
        outcome = subprocess.run(["unshare", "-m", "sh", "-c", before + "exec " + shown],
                                 capture_output=True, text=True, check=False)
        self.assertEqual(outcome.stdout, "580\n", brief(outcome.stderr))

    def test_a_thread_may_have_a_name(self):
        outcome = in_box("echo cuda >/proc/self/comm && echo named", "--alone")
        self.assertHolds(outcome.stdout, "named")

    def test_a_device_answers(self):
        outcome = run_box("--alone", "--", "/usr/bin/perl", "-e",
                          "open my $d, '<', '/dev/null'; ioctl $d, 0x5401, my $t; print $! + 0")
        self.assertEqual(outcome.stdout, str(ENOTTY), brief(outcome.stderr)) # not EACCES

    def test_an_unknown_wall_is_refused(self):
        outcome = in_box("true", "--without", "ceiling")
        self.assertEqual(outcome.returncode, 125)
        self.assertHolds(outcome.stderr, "no wall is named ceiling")

    def test_calls_that_lead_out_are_refused(self):
        if platform.machine() != "x86_64":
            self.skipTest("the numbers of the calls are those of x86-64")
        tries = "".join(f"$! = 0; syscall({number}, -1, -1, -1, -1, -1); "
                        f"print qq(@{{[$! + 0]}} {name}\\n);"
                        for name, number in CALLS_X86_64.items())
        # Of clone the first argument is the flags: none, so a process.
        tries = tries.replace("syscall(56, -1,", "syscall(56, 0,")
        tries = tries.replace("syscall(16, -1, -1,", "syscall(16, -1, 0x40806685,")
        outcome = run_box("--alone", "--", "/usr/bin/perl", "-e", tries)
        self.assertEqual(outcome.stdout.splitlines(), [f"{EPERM} {name}" for name in CALLS_X86_64],
                         brief(outcome.stderr))

    def test_files_of_its_own_user_stay_as_they_are(self):
        """As who is not root, whose files are safe from nobody; each of two walls by itself."""
        if platform.machine() != "x86_64":
            self.skipTest("the numbers of the calls are those of x86-64")
        user = os.geteuid() or 1234
        def ordinary():
            if os.geteuid() == 0:
                os.setgroups([])
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)

        os.chmod(self.others, 0o755)
        box, file = (os.path.join(self.others, name) for name in ("box", "file"))
        shutil.copy(box_command()[0], box)  # the build may lie where that user cannot go
        with open(file, "w", encoding="utf-8") as text:
            text.write("kept")
        os.chown(file, user, -1)
        before = os.stat(file)
        for without, tries in (("nobody", {**EMPTIES, **CHANGES}),
                               ("landlock", {**EMPTIES, **CHANGES}),
                               ("calls", EMPTIES if landlock_version() >= 3 else {})):
            script = "my $f = shift; open my $h, '<', $f or die; " + \
                     "".join(f"print '{name}; ' if {how};" for name, how in tries.items())
            outcome = subprocess.run([box, "--alone", "--without", without, "--read", file, "--",
                                      "/usr/bin/perl", "-e", script, file], check=False,
                                     capture_output=True, text=True, preexec_fn=ordinary)
            with self.subTest(without=without):
                self.assertEqual((outcome.returncode, outcome.stdout), (0, ""),
                                 brief(outcome.stderr))
                self.assertEqual(os.stat(file).st_ctime_ns, before.st_ctime_ns)

    def test_signals_are_for_itself(self):
        if platform.machine() != "x86_64":
            self.skipTest("the numbers of the calls are those of x86-64")
        tries = "my $p = syscall(39); for my $who ($p, $p + 1) { for my $call (62, 234) {" \
                "$! = 0; syscall($call, $who, $call == 62 ? 0 : $who, 0); " \
                "print $! + 0, qq(\\n) } }" \
                "for my $call (435, 437) { $! = 0; syscall($call, 0, 0); print $! + 0, qq(\\n) }"
        outcome = run_box("--alone", "--", "/usr/bin/perl", "-e", tries)
        self.assertEqual([int(line) for line in outcome.stdout.split()],
                         [0, 0, EPERM, EPERM, ENOSYS, ENOSYS], brief(outcome.stderr))

    def test_what_may_be_written(self):
        link = "ln" if landlock_version() != 1 else "cp" # from another directory
        for options in ((), ("--without", "mounts")):
            with self.subTest(options=options):
                outcome = in_box(f"cd {self.mine}; echo 123 >a; echo a >a; mkdir -p d; "
                                 f"{link} -f a d/b; echo b >{self.others}/b; cat d/b",
                                 "--write", self.mine, *TOLD, *options)
                if "Landlock" not in outcome.stdout:
                    self.skipTest("this system has no Landlock")
                self.assertHolds(outcome.stdout, "\na\n")
                self.assertEqual(os.listdir(self.others), [], "it was written there")

    def test_what_may_be_read(self):
        for name in ("shown", "hidden"):
            with open(os.path.join(self.others, name), "w", encoding="utf-8") as file:
                file.write(name)
        cat = f"cat {self.others}/shown; cat {self.others}/hidden; ls {self.others}"
        asked = ("--hide", self.others, "--read", os.path.join(self.others, "shown"), *TOLD)
        outcome = in_box(cat, *asked, "--without", "landlock")
        if "namespaces" not in outcome.stdout:
            self.skipTest("this system has no namespaces")
        self.assertHolds(outcome.stdout, "\nshownshown\n") # the file, and its name
        self.assertLacks(outcome.stdout, "hidden")
        outcome = in_box(cat, *asked, "--without", "mounts")
        if "Landlock" not in outcome.stdout:
            self.skipTest("this system has no Landlock")
        self.assertHolds(outcome.stdout, "\nshownexit")

    def test_no_network(self):
        outcome = in_box("cat /proc/net/dev", *TOLD)
        if "namespaces" not in outcome.stdout:
            self.skipTest("this system has no namespaces")
        self.assertEqual(re.findall(r"^ *([\w.-]+):", outcome.stdout, re.MULTILINE), ["lo"])

    def test_processes_of_others_are_not_seen(self):
        outcome = in_box("set -- /proc/[0-9]*; echo $#", *TOLD)
        if "namespaces" not in outcome.stdout:
            self.skipTest("this system has no namespaces")
        self.assertHolds(outcome.stdout.split("\n", 1)[1].split(), "2") # the box and sh
        outcome = in_box("echo", *TOLD, "--without", "processes")
        self.assertHolds(outcome.stdout,
                         "namespace of network, namespace of ipc, namespace of mounts")

    def test_a_wall_that_is_left_out_is_that_one(self):
        kinds = {"processes": "pid", "network": "net", "ipc": "ipc", "mounts": "mnt"}
        if "namespaces" not in in_box("true", *TOLD).stdout:
            self.skipTest("this system has no namespaces")
        for left_out in (None, *kinds):
            outcome = in_box("cd /proc/self/ns && readlink " + " ".join(kinds.values()),
                             *(("--without", left_out) if left_out else ()))
            shared = [wall for wall, kind in kinds.items()
                      if os.readlink(f"/proc/self/ns/{kind}") in outcome.stdout.split()]
            # Without a view of its own it would see /proc as it is outside: the same processes.
            expected = {"mounts": ["processes", "mounts"], None: []}.get(left_out, [left_out])
            self.assertEqual((shared, len(outcome.stdout.split())), (expected, len(kinds)),
                             brief(outcome.stderr))

    def test_descriptors_that_are_not_kept_are_closed(self):
        shown = "for n in 3 7 9; do [ -e /proc/self/fd/$n ] && echo $n; done; true"
        before = "exec 7</etc/passwd 9</etc/passwd; "
        for options, expected in (((), []), (("--keep", "9"), ["9"])):
            outcome = in_box(shown, *options, before=before)
            self.assertEqual(outcome.stdout.split(), expected, brief(outcome.stderr))

    def setUp(self):
        self.mine, self.others = (tempfile.mkdtemp(prefix="grade-box-", dir="/var/tmp")
                                  for _ in range(2))
        for folder in (self.mine, self.others):
            self.addCleanup(shutil.rmtree, folder)


class BoxEnds(Short):
    """How it says what became of the program."""

    def expect(self, outcome, status, end):
        self.assertEqual((outcome.returncode, outcome.stdout.splitlines()[-1:]), (status, [end]),
                         brief(outcome.stderr))

    def test_as_the_program_does(self):
        self.expect(in_box("exit 7", *TOLD), 7, "exit 7")
        self.expect(in_box("true", *TOLD), 0, "exit 0")
        self.expect(in_box("kill -USR1 $$", *TOLD), 128 + signal.SIGUSR1,
                    f"signal {signal.SIGUSR1:d}")
        self.expect(in_box("(sleep 0.1 &); sleep 0.3; exit 7", *TOLD), 7, "exit 7") # not as others
        self.assertRegex(in_box("true", *TOLD).stdout, "^walls [a-zA-Z]")

    def test_at_its_limits(self):
        self.expect(in_box("sleep 9", *TOLD, "--seconds", "0.1"), 124, "timeout")
        self.expect(in_box("sleep 9 & sleep 9 & wait", *TOLD, "--threads", "2"), 124,
                    "threads")
        holds = "my $size = 60_000_000; my $held = 'x' x $size; sleep 9"
        alone = run_box(*TOLD, "--alone", "--memory", str(100 << 20), "--",
                        "/usr/bin/perl", "-e", holds.replace("60_", "200_"))
        self.expect(alone, 124, "memory")
        # Two that hold little, and together more.
        both = f'perl -e "{holds}" & perl -e "{holds}" & wait'.replace("$", "\\$")
        self.expect(in_box(both, *TOLD, "--memory", str(100 << 20)), 124, "memory")

    def test_within_its_limits(self):
        self.expect(in_box("sleep 0.1 & sleep 0.1 & wait", *TOLD, "--threads", "9",
                           "--seconds", "600", "--memory", str(1 << 30)), 0, "exit 0")

    def test_what_a_program_may_have(self):
        outcome = in_box("ulimit -n; ulimit -c; ulimit -f", "--file-size", str(1 << 20),
                         before="ulimit -S -c $(ulimit -H -c); ")
        self.assertEqual(outcome.stdout.split(), ["4096", "0", str((1 << 20) // 512)])

    def test_a_file_that_grows_too_large_ends_no_program(self):
        folder = tempfile.mkdtemp(prefix="grade-box-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, folder)
        outcome = in_box("head -c 5000 /dev/zero >large; echo $?; pwd", "--file-size", "1000",
                         "--directory", folder, "--write", folder)
        self.assertEqual(outcome.stdout.split(), ["1", folder], brief(outcome.stderr))
        self.assertEqual(os.path.getsize(os.path.join(folder, "large")), 1000)

    def test_nothing_goes_on(self):
        for options in ((), ("--without", "processes")):
            mark = f"9.{os.getpid()}"
            self.expect(in_box(f"sleep {mark} >&- 2>&- & echo", *TOLD, *options), 0, "exit 0")
            self.assertNotEqual(subprocess.run(["pgrep", "-f", f"sleep {mark}"], check=False,
                                               stdout=subprocess.DEVNULL).returncode, 0)

    def test_a_script(self):
        folder = tempfile.mkdtemp(prefix="grade-box-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, folder)
        script = os.path.join(folder, "script")
        write_program(script, "#!/bin/sh\necho $1\n")
        self.assertEqual(run_box("--read", folder, "--", script, "said").stdout, "said\n")

    def test_what_it_cannot_do_is_said(self):
        nowhere = "/var/tmp/grade-box-nowhere"
        for words, sentence in (
                (("--", nowhere), f"{nowhere}: No such file or directory"),
                (("--write", nowhere, "--", "/bin/true"), f"{nowhere} cannot be opened")):
            outcome = run_box(*TOLD, *words)
            self.expect(outcome, 125, f"failed {sentence}")
            outcome = run_box(*words)
            self.assertEqual((outcome.returncode, outcome.stderr), (125, f"box: {sentence}\n"))

    def test_help(self):
        outcome = run_box("--help")
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""))
        self.assertHolds(outcome.stdout, "usage: box")
        for words in ((), ("--nonsense", "--", "/bin/true")):
            outcome = run_box(*words)
            self.assertEqual((outcome.returncode, outcome.stdout), (125, ""))
            self.assertHolds(outcome.stderr, "box")
