# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pieces of work, here or elsewhere: files with their settings."""
import argparse
import concurrent.futures
import dataclasses
import itertools
import os
import threading
from typing import Callable, Iterator

import blockdct

from . import origin, transforms
from .files import File, FileError, NoVideo
from .output import UsageError
from .progress import Progress
from .rows import Row, TableError, merge
from .targets import Target

_MOST_ON_GPU = 8  # files at once, as a GPU is faster than several decoding threads


@dataclasses.dataclass
class Piece:
    file: File
    plan: transforms.Plan
    target: Target | None
    device: str


@dataclasses.dataclass
class Result:
    rows: list[Row] | None = None
    error: str = ''
    no_video: bool = False
    without: list[str] = dataclasses.field(default_factory=list)
    lost: list[str] = dataclasses.field(default_factory=list)
    origin: str = ''


def device_names(backend: str, n: int) -> Iterator[str]:
    """The device of each piece: all GPUs in turn, or the CPU."""
    gpus, reason = (0, '') if backend == 'cpu' else blockdct.cuda_devices()
    if backend == 'cuda' and gpus == 0:
        raise UsageError(f'--backend cuda: {reason}')
    return itertools.cycle([f'cuda:{i}' for i in range(gpus)] or ['cpu'])


def work(piece: Piece, progress: Callable[[float], None] = lambda share: None) -> Result:
    """Measure a piece; what goes wrong is in the result."""
    plan = dataclasses.replace(piece.plan, device=piece.device)
    result = Result()
    rows: list[Row] = []
    try:
        if plan.settings:
            rows, result.without = transforms.measure(piece.file.path, piece.file.name,
                                                      plan, progress)
            result.origin = origin.short(piece.file.path)
        if plan.encoders:
            from . import encoders
            coded, result.lost, without = encoders.measure(
                piece.file.path, piece.file.name, plan, piece.target, progress)
            result.without = result.without or without
            rows = merge(rows + coded)
        result.rows = rows
    except (FileError, TableError, ValueError, RuntimeError, MemoryError) as error:
        result.error = str(error) or type(error).__name__
        result.no_video = isinstance(error, NoVideo)
    return result


def run_pieces(pieces: list[Piece], o: argparse.Namespace, bar: Progress
               ) -> Iterator[tuple[Piece, Result]]:
    """Results in the order of the pieces."""
    return _run_here(pieces, bar)


def _run_here(pieces: list[Piece], bar: Progress) -> Iterator[tuple[Piece, Result]]:
    """By threads: what is Python's of a file is done while another one is decoded and
    measured, on the CPU by all processors."""
    gpus = len({p.device for p in pieces if p.device != 'cpu'})
    n = gpus * max(1, min(_MOST_ON_GPU, (os.cpu_count() or 1) // gpus)) if gpus else \
        1 if any(p.plan.encoders for p in pieces) else 2
    stop = threading.Event()

    def one(i: int) -> Result:
        def note(share: float) -> None:
            bar.note(i, share)
            if stop.is_set():
                raise FileError('interrupted')
        result = work(pieces[i], note)
        bar.note(i, 1.0)
        return result
    with concurrent.futures.ThreadPoolExecutor(n) as pool:
        try:
            yield from zip(pieces, pool.map(one, range(len(pieces))))
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
