"""Calls that are long, that are ended, and that are many at once."""

import concurrent.futures
import multiprocessing
import os
import signal
import threading
import time
import weakref

import numpy as np
import pytest

from local_entropy import LevelError, _host, _library, diversity, entropy

RANDOM = np.random.default_rng(7)
SMALL = RANDOM.integers(0, 256, (64, 64), dtype=np.uint8)
# Large windows in double precision: all of this image takes many seconds, long enough to be ended.
# They are seconds of the processor, which other programs on a busy machine do not lengthen.
LARGE = RANDOM.integers(0, 65536, (6000, 6000), dtype=np.uint16)
LONG = {"size": 101, "dtype": np.float64, "threads": 1, "device": "cpu"}


@pytest.mark.parametrize("shape", [(1000, 1000), (2, 2, 500, 500), (100, 100, 100)])
def test_progress(shape):
    """Of an image, of a stack of large ones, and of many that each end soon."""
    parts = []
    entropy(LARGE.flat[:np.prod(shape)].reshape(shape), **LONG, progress=parts.append)
    assert parts and parts == sorted(parts) and 0 <= parts[0] and 0.3 < parts[-1] <= 1


class Enough(BaseException):
    pass


@pytest.mark.parametrize("kind", [Enough, ValueError, KeyboardInterrupt])
def test_what_progress_raises_ends_the_call(kind):
    error = kind("enough")

    def stop(part):
        raise error

    start = time.process_time()
    with pytest.raises(kind) as caught:
        entropy(LARGE, **LONG, progress=stop)
    assert caught.value is error
    assert time.process_time() - start < 3
    entropy(SMALL, threads=1)  # the engine goes on


@pytest.mark.parametrize("threads", [1, 2])
def test_control_c_ends_a_call(threads, signals_end):
    # Of several, in case that one comes where Python itself runs.
    for _ in range(5):
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        start = time.process_time()
        with pytest.raises(KeyboardInterrupt):
            entropy(LARGE, **{**LONG, "threads": threads})
        timer.join()
        assert time.process_time() - start < 3


def test_control_c_ends_a_call_of_few_cells_and_large_windows(signals_end):
    """What is short is told by the windows, too."""
    def compute():
        start = time.process_time()
        try:
            diversity(LARGE[:90, :90], 255, "hill", q=0.5, mode="reflect", threads=1, device="cpu")
        except KeyboardInterrupt:
            return True, time.process_time() - start
        return False, time.process_time() - start

    # How long it takes is up to the processor: what counts is the share of it.
    _, whole = compute()
    timer = threading.Timer(whole / 5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        ended, took = compute()
    finally:
        timer.cancel()
        timer.join()
    assert ended
    assert took < 0.6 * whole


def test_a_handler_that_raises_nothing_ends_nothing():
    seen = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: seen.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
        found = entropy(LARGE[:1000, :1000], **LONG)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert seen
    np.testing.assert_array_equal(found, entropy(LARGE[:1000, :1000], **LONG))


def test_other_threads_run_meanwhile():
    ticks = []
    done = threading.Event()

    def tick():
        while not done.wait(0.005):
            ticks.append(time.monotonic())

    ticker = threading.Thread(target=tick)
    ticker.start()
    start = time.monotonic()
    entropy(LARGE[:1500, :1500], **LONG)
    end = time.monotonic()
    done.set()
    ticker.join()
    assert sum(start < at < end for at in ticks) > 0.1 * (end - start) / 0.005 > 1


def test_calls_from_many_threads():
    sizes = [3, 5, 7, 9, 11, 13]
    expected = {size: entropy(SMALL, size) for size in sizes}

    def compute(start):
        for i in range(60):
            size = sizes[(start + i) % len(sizes)]
            if i % 7 == 0:
                with pytest.raises(LevelError, match=rf"is {SMALL.max()}|is \d+, expected an"):
                    entropy(SMALL, size, levels=5 + start)
            np.testing.assert_array_equal(entropy(SMALL, size, threads=1 + i % 2), expected[size])
        return "done"

    with concurrent.futures.ThreadPoolExecutor(6) as threads:  # result() raises what was raised
        assert [each.result() for each in [threads.submit(compute, i) for i in range(6)]] == \
            ["done"] * 6


def in_child(size):
    return entropy(SMALL, size)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(method):
    expected = [entropy(SMALL, size) for size in (3, 9)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map(in_child, [3, 9])
    np.testing.assert_array_equal(found, expected)


def engines():
    return dict(_library._engines)


def test_each_number_of_threads_has_an_engine_of_its_own():
    seven = _library.engine(False, 7)
    assert seven not in (_library.engine(False, 0), _library.engine(False, 6))
    assert seven == _library.engine(False, 7)


def test_what_an_engine_is_asked_for(monkeypatch):
    """Neither GPUs nor more threads than were wanted: no result would show them."""
    asked, create = [], _library._library.le_engine_create

    def noted(options, made):
        asked.append((options._obj.threads, options._obj.devices))
        return create(options, made)

    monkeypatch.setattr(_library._library, "le_engine_create", noted)
    monkeypatch.setattr(_library, "_engines", {})
    entropy(SMALL, 3, threads=3)
    entropy(SMALL, 3, device="cpu")
    entropy(SMALL, 3, device="cpu", threads=2)
    assert asked == [(3, 1), (0, 0), (2, 0)]


def test_threads_that_begin_together_share_an_engine(monkeypatch):
    both, asked = threading.Barrier(2), []

    def slow(options, made):
        asked.append(options)
        time.sleep(0.05)
        made._obj.value = 1
        return 0

    def ask(_):
        both.wait()
        return _library.engine(False, 1)

    monkeypatch.setattr(_library._library, "le_engine_create", slow)
    monkeypatch.setattr(_library, "_engines", {})
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        assert list(threads.map(ask, range(2))) == [1, 1]
    assert len(asked) == 1


def test_a_forked_process_has_engines_of_its_own():
    entropy(SMALL)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(engines) == {}
    assert engines()


def test_a_process_forked_while_an_engine_is_made():
    with _library._making, multiprocessing.get_context("fork").Pool(1) as pool:
        found = pool.apply_async(in_child, [3]).get(60)
    np.testing.assert_array_equal(found, entropy(SMALL, 3))


@pytest.mark.parametrize("device", ["auto", "cpu"])
@pytest.mark.parametrize("threads", [None, 1, 2, 3])
def test_threads_and_devices_cannot_be_seen(threads, device):
    np.testing.assert_array_equal(entropy(LARGE[:300, :300], 9, threads=threads, device=device),
                                  entropy(LARGE[:300, :300], 9))


def test_what_is_short():
    """Few results, and few cells of all their windows together: Ctrl-C waits for no others."""
    def short(side, window):
        wanted = _library.Filter(width=window, height=window)
        return _library._is_short(wanted, _library.Array(width=side, height=side))

    assert short(90, 11) and short(64, 16)
    assert not short(91, 1) and not short(64, 17)


def test_what_short_calls_ask_for(monkeypatch):
    """For no callback, which is quicker, unless progress is wanted: then Ctrl-C ends them, too."""
    asked = []
    monkeypatch.setattr(_library, "_le_run", lambda *words: asked.append(words[-1] is None) or 0)
    entropy(SMALL, 3)
    entropy(SMALL, 3, progress=print)
    assert asked == [True, False]


def test_progress_of_planes_is_told_some_fifty_times_a_second(monkeypatch):
    now, parts = [0.0], []
    monkeypatch.setattr(_host.time, "monotonic", lambda: now[0])
    part = _host._Part(parts.append, 8)
    for now[0] in (0.01, 0.03, 0.04, 0.06):
        part.plane_is_done()
    assert parts == [0.25, 0.5]


def test_copies_are_there_until_the_call_has_ended(monkeypatch):
    read, copies, alive = _host._read, [], []

    def noted(plane):
        struct, array = read(plane)
        copies.append(weakref.ref(array))
        return struct, array

    monkeypatch.setattr(_host, "_read", noted)
    monkeypatch.setattr(_library, "run", lambda *_: alive.extend(copy() for copy in copies))
    entropy(SMALL.T, 3, mask=(SMALL > 9).T)
    assert [each is not None for each in alive] == [True, True]


def test_a_call_that_progress_has_ended_is_told_so_whenever_it_asks():
    """Threads that were at work ask once more, each."""
    error, caught = Enough("enough"), []

    def stop(part):
        raise error

    watch = _library._watch(stop, caught)
    assert next(watch) == 0
    assert [watch.send(part) for part in (0.1, 0.2, 0.3)] == [1, 1, 1]
    assert caught == [error]


@pytest.mark.parametrize("threads", [1 << 31, 1 << 32])
def test_more_threads_than_the_library_can_count(threads):
    with pytest.raises(ValueError, match="threads is"):
        entropy(SMALL, 3, threads=threads)
