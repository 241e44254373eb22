"""Several mutants at once, each process with a copy of the tree of its own."""

import contextlib
import multiprocessing
import queue

FORK = multiprocessing.get_context("fork")  # a judge is handed over as it is
LOOKS = 0.5  # seconds between two looks whether all processes are still there


class Turns:
    """At most `number` run tests at once; who must be alone waits until nobody else does."""

    def __init__(self, number):
        self.number, self.free, self.door = number, FORK.Semaphore(number), FORK.Lock()

    @contextlib.contextmanager
    def taken(self, alone):
        taken = 0
        try:
            with self.door:  # so that two that must be alone do not wait for each other
                for _ in range(self.number if alone else 1):
                    self.free.acquire()
                    taken += 1
            yield
        finally:
            for _ in range(taken):
                self.free.release()


def _work(verdict_of, judge, tasks, verdicts):
    with contextlib.suppress(KeyboardInterrupt):  # SIGTERM: as in the process that begins this one
        while (task := tasks.get()) is not None:
            number, mutant = task
            verdicts.put((number, verdict_of(judge, mutant)))


def in_processes(verdict_of, judges, mutants):
    """Yields (number, verdict_of(judge, mutants[number])) as they come, by a process a judge."""
    tasks, verdicts = FORK.Queue(), FORK.Queue()
    for task in [*enumerate(mutants), *(None for _ in judges)]:
        tasks.put(task)
    processes = [FORK.Process(target=_work, args=(verdict_of, judge, tasks, verdicts))
                 for judge in judges]
    try:
        for process in processes:
            process.start()
        left = len(mutants)
        while left:
            try:
                yield verdicts.get(timeout=LOOKS)
                left -= 1
            except queue.Empty:
                if any(process.exitcode for process in processes):
                    raise RuntimeError("a process that tries mutants has ended early") from None
    finally:
        tasks.cancel_join_thread()
        for process in processes:
            if process.pid is not None:
                process.terminate()
                process.join()
