# SPDX-License-Identifier: LGPL-2.1-or-later
"""Engines that are kept for the next batch, and their state after a fork."""
import contextlib
import logging
import os
import threading
from typing import Iterator

from . import _arrays, _blockdct

_log = logging.getLogger('blockdct')
_BACKENDS = {'cpu': 0, 'cuda': 1}
_MAX_IDLE = 8
# Bytes of pictures in flight, and their maximum number.
_IN_FLIGHT = {'cpu': (16 << 20, 16), 'cuda': (256 << 20, 64)}

_lock = threading.Lock()
_idle: list['_Entry'] = []  # the last used last
_cuda_process: int | None = None


class _Entry:
    def __init__(self, device: str, threads: int, layout: tuple[int, ...]):
        kind, _, number = device.partition(':')
        self.key = device, threads
        self.layout = layout
        self.engine = _blockdct.Engine(_BACKENDS[kind], int(number or 0), threads)
        self.warning = ''

    def warn(self) -> None:
        warning = self.engine.warning()
        if warning and warning != self.warning:
            _log.warning('%s', warning)
        self.warning = warning


def _forget() -> None:
    """Forget the engines in a forked child, which lacks their threads."""
    global _lock, _idle
    _lock, _idle = threading.Lock(), []


os.register_at_fork(after_in_child=_forget)


def normalize(device: str | int | None, of_arrays: str) -> str:
    """The device to compute on, as 'cpu' or 'cuda:0'."""
    if device is None:
        return of_arrays
    name = f'cuda:{device}' if isinstance(device, int) else str(device)
    kind, colon, number = name.partition(':')
    if kind not in _BACKENDS or (colon and not number.isdecimal()) or (
            kind == 'cpu' and colon):
        raise ValueError(f"device {device!r} is not 'cpu', 'cuda', 'cuda:0', 'cuda:1', ...")
    if kind == 'cuda' and not colon:
        name = of_arrays if of_arrays != 'cpu' else 'cuda:0'
    if of_arrays not in ('cpu', name):
        raise ValueError(f'the arrays are on {of_arrays}, but device is {name}: '
                         'leave device out, or copy the arrays')
    return name


def _check_cuda() -> None:
    global _cuda_process
    if _cuda_process is None:
        _cuda_process = os.getpid()
    elif _cuda_process != os.getpid():
        raise RuntimeError(
            'this process was forked after CUDA was used, which CUDA does not '
            "survive: start processes with 'spawn' (multiprocessing.get_context("
            "'spawn'), DataLoader(multiprocessing_context='spawn'))")


def depth_for(device: str, width: int, height: int, depth: int) -> int:
    """The number of pictures in flight, of samples of `depth` bits."""
    budget, most = _IN_FLIGHT[device.partition(':')[0]]
    return max(2, min(most, budget // (3 * width * height * (1 if depth == 8 else 2))))


def stack_height(width: int, height: int, n: int) -> int:
    """The number of pictures that a GPU processes at once, if `n` pictures of R, G
    and B are divided equally."""
    budget = _IN_FLIGHT['cuda'][0] // 2
    most = max(2, min(65535 // height, budget // (3 * width * height)))
    parts = -(-n // most)
    return -(-n // parts)


def check_threads(threads: int) -> None:
    _arrays.check_range('threads', threads, 0, 1024)


@contextlib.contextmanager
def engine(device: str, threads: int, layout: tuple[int, ...]) -> Iterator[_blockdct.Engine]:
    """An engine for this thread alone, which is kept for later use."""
    check_threads(threads)
    if device != 'cpu':
        _check_cuda()
    key = device, threads
    with _lock:
        alike = [entry for entry in _idle if entry.key == key]
        entry = next((e for e in alike if e.layout == layout), None)
        if entry is None and len(alike) >= _MAX_IDLE // 2:
            entry = alike[0]
        if entry is not None:
            _idle.remove(entry)
    if entry is None:
        entry = _Entry(device, threads, layout)
        entry.warn()
    entry.layout = layout
    yield entry.engine
    entry.warn()
    with _lock:
        _idle.append(entry)
        surplus = _idle[:-_MAX_IDLE]
        del _idle[:-_MAX_IDLE]
    for old in surplus:
        old.engine.close()


def close() -> None:
    """Free the memory and the threads that are kept for the next batch. You can
    still use the module afterwards."""
    with _lock:
        entries = _idle[:]
        _idle.clear()
    for entry in entries:
        entry.engine.close()
