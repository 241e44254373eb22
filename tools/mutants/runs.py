"""Commands with a limit of time."""

import dataclasses
import os
import signal
import subprocess
import time


@dataclasses.dataclass
class Outcome:
    status: int  # of the command; None if it was stopped, because it took too long
    output: str
    seconds: float


def run(command, directory, limit=None):
    """A shell command, in a process group of its own, of which nothing is left behind."""
    start = time.monotonic()
    environment = {**os.environ, "GTEST_COLOR": "no", "GTEST_FAIL_FAST": "1"}
    # close_fds: make's job server is two of them.
    with subprocess.Popen(command, shell=True, cwd=directory, env=environment, close_fds=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True) as process:
        try:
            output, status = process.communicate(timeout=limit)[0], process.returncode
        except BaseException as stop:
            os.killpg(process.pid, signal.SIGKILL)
            output, status = process.communicate()[0], None
            if not isinstance(stop, subprocess.TimeoutExpired):
                raise
    return Outcome(status, output.decode(errors="replace"), time.monotonic() - start)
