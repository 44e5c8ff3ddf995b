# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pieces of work, and who does them: threads, processes, or a Dask cluster."""
import argparse
import concurrent.futures
import dataclasses
import itertools
import os
import signal
import threading
from typing import Any, Callable, Iterator

import blockdct

from . import origin, transforms
from .decoding import Pictures
from .files import File, FileError, NoVideo
from .output import UsageError
from .progress import Progress
from .rows import Row, TableError, merge
from .targets import Target

_MOST_ON_GPU = 8  # files at once, as a GPU is faster than several decoding threads
_SPAN = 250       # frames of a piece of transforms
_TRIES = 4        # of a piece whose process dies


@dataclasses.dataclass
class Piece:
    file: File
    plan: transforms.Plan
    target: Target | None


@dataclasses.dataclass
class Result:
    rows: list[Row] | None = None
    error: str = ''
    no_video: bool = False
    without: list[str] = dataclasses.field(default_factory=list)
    lost: list[str] = dataclasses.field(default_factory=list)
    notes: list[str] = dataclasses.field(default_factory=list)
    origin: str = ''


def devices(backend: str) -> Iterator[str]:
    """All GPUs in turn, or the CPU."""
    gpus, reason = (0, '') if backend == 'cpu' else blockdct.cuda_devices()
    if backend == 'cuda' and gpus == 0:
        raise UsageError(f'--backend cuda: {reason}')
    return itertools.cycle([f'cuda:{i}' for i in range(gpus)] or ['cpu'])


def work(piece: Piece, progress: Callable[[float], None] = lambda share: None) -> Result:
    """Measure a piece; what goes wrong is in the result."""
    plan, path, name = piece.plan, piece.file.path, piece.file.name
    result = Result()
    try:
        rows: list[Row] = []
        if plan.settings:
            result.origin = origin.file_tables(path)

            def look(sample: Any) -> None:
                result.origin = result.origin or origin.of_picture(sample)
            rows, result.without = transforms.measure(path, name, plan, progress, look)
        if plan.encoders:
            from . import encoders
            coded, result.lost, without, result.notes = encoders.measure(
                path, name, plan, piece.target, progress)
            result.without = result.without or without
            rows += coded
        result.rows = rows
    except (FileError, TableError, ValueError, RuntimeError, MemoryError) as error:
        result.error = str(error) or type(error).__name__
        result.no_video = isinstance(error, NoVideo)
    return result


def _split(piece: Piece, threads: int) -> list[Piece]:
    """A file's encoders with one of their settings each, and its transforms for spans of
    frames."""
    plan = dataclasses.replace(piece.plan, threads=piece.plan.threads or threads)
    parts = []
    if plan.settings:
        own = dataclasses.replace(plan, encoders=())
        end, frames = plan.end, 0
        try:
            with Pictures.open(piece.file.path, plan.stall_limit) as pictures:
                pictures.pull()
                frames = pictures.input.declared()
        except FileError:
            pass  # which the piece will say
        last = min(frames, end) if end is not None else frames
        starts = list(range(plan.first, last - _SPAN // 2, _SPAN)) or [plan.first]
        for first, following in zip(starts, [*starts[1:], None]):
            n = following - first if following else None if end is None else end - first
            parts.append(dataclasses.replace(own, first=first, n=n))
    whole = piece.target is None or piece.target.collection
    parts += [dataclasses.replace(plan, settings=(), encoders=(
        dataclasses.replace(e, values=values),)) for e in plan.encoders
        for values in ([(v,) for v in e.values] if whole else [e.values])]
    return [dataclasses.replace(piece, plan=part) for part in parts]


def _join(results: list[Result], plan: transforms.Plan) -> Result:
    """What a file's pieces say."""
    failed = next((r for r in results if r.error), None)
    if failed:
        return failed
    try:
        rows = merge((row for r in results for row in r.rows or []),
                     [e.line for e in plan.encoders])
    except TableError as error:
        return Result(error=str(error))
    return Result(rows, lost=[text for r in results for text in r.lost],
                  notes=[text for r in results for text in r.notes],
                  without=next((r.without for r in results if r.without), []),
                  origin=next((r.origin for r in results if r.origin), ''))


def run_pieces(pieces: list[Piece], o: argparse.Namespace, bar: Progress
               ) -> Iterator[tuple[Piece, Result]]:
    """Results in the order of the pieces, one for each file."""
    parts = [_split(piece, 0 if o.dask else max(1, (os.cpu_count() or 1) // o.jobs))
             if o.jobs or o.dask else [piece] for piece in pieces]
    every = list(itertools.chain(*parts))
    if o.dask:
        results = _run_dask(every, o.dask)
    elif o.jobs:
        results = _run_processes(every, o.jobs)
    else:
        # What is Python's of a file is done while another one is decoded and measured, on
        # the CPU by all processors.
        gpus = len({p.plan.device for p in pieces if p.plan.device != 'cpu'})
        n = gpus * max(1, min(_MOST_ON_GPU, (os.cpu_count() or 1) // gpus)) if gpus else \
            1 if any(p.plan.encoders for p in pieces) else 2
        results = _run_threads(every, n, bar.note)
    for i, (piece, own) in enumerate(zip(pieces, parts)):
        found = []
        for k in range(len(own)):
            found.append(next(results))
            bar.note(i, (k + 1) / len(own))
        yield piece, _join(found, piece.plan)


def _run_threads(pieces: list[Piece], n: int, note: Callable[[int, float], None],
                 do: Callable[[Piece, Callable[[float], None]], Result] = work,
                 end: Callable[[], None] = lambda: None) -> Iterator[Result]:
    stop = threading.Event()

    def one(i: int) -> Result:
        def progress(share: float) -> None:
            note(i, share)
            if stop.is_set():
                raise FileError('interrupted')
        return do(pieces[i], progress)
    with concurrent.futures.ThreadPoolExecutor(n) as pool:
        try:
            yield from pool.map(one, range(len(pieces)))
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            end()


def _run_processes(pieces: list[Piece], n: int) -> Iterator[Result]:
    """By threads with a process each. If one dies, that costs its piece alone, which
    another process tries again."""
    import multiprocessing
    from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
    own = threading.local()

    def do(piece: Piece, progress: Callable[[float], None]) -> Result:
        for _ in range(_TRIES):
            progress(0)
            try:
                own.pool = getattr(own, 'pool', None) or ProcessPoolExecutor(
                    1, multiprocessing.get_context('spawn'), _ignore_interrupts)
                return own.pool.submit(work, piece).result()
            except BrokenProcessPool:
                own.pool = None
        return Result(error='its process dies, as from an encoder or a decoder that crashes')

    def end() -> None:
        for child in multiprocessing.active_children():
            child.terminate()
    return _run_threads(pieces, n, lambda i, share: None, do, end)


def _ignore_interrupts() -> None:
    """The process that started this one ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _work_for_dask(piece: Piece) -> Result:
    """Stops the worker's profiler first: it calls sys._current_frames(), which can deadlock when
    a GStreamer thread enters Python (CPython issue 106883)."""
    from distributed import get_worker
    worker = get_worker()
    profiler = worker.periodic_callbacks.pop('profile', None)
    if profiler:
        worker.loop.add_callback(profiler.stop)
    return work(piece)


def _run_dask(pieces: list[Piece], address: str) -> Iterator[Result]:
    try:
        from distributed import Client
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise UsageError('--dask needs Python\'s distributed (Debian: python3-distributed)'
                         ) from None
    try:
        client = Client(address, timeout=20)
    except (OSError, ValueError) as error:
        raise UsageError(f'--dask {address}: no scheduler answers there ({error})') from None
    with client:
        for future in client.map(_work_for_dask, pieces, pure=False):
            try:
                yield future.result()
            except KilledWorker:
                yield Result(error='its workers died, as an encoder or a decoder that '
                             'crashes makes them')
