# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pieces of work, here or elsewhere: files with their settings."""
import argparse
import concurrent.futures
import dataclasses
import itertools
import os
from typing import Callable, Iterator

import blockdct

from . import origin, transforms
from .decoding import Pictures
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


def work(piece: Piece, source: Callable[..., Pictures] = Pictures,
         progress: Callable[[float], None] = lambda share: None) -> Result:
    """Measure a piece; what goes wrong is in the result."""
    plan = dataclasses.replace(piece.plan, device=piece.device)
    result = Result()
    rows: list[Row] = []
    try:
        if plan.settings:
            rows, result.without = transforms.measure(piece.file.path, piece.file.name,
                                                      plan, source, progress)
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


class _Ahead:
    """Pictures that are decoded while the file before is measured."""

    def __init__(self, pieces: list[Piece]):
        self._pieces, self._opened = pieces, {}

    def open(self, i: int) -> None:
        if i < len(self._pieces) and self._pieces[i].plan.settings:
            piece = self._pieces[i]
            formats = piece.plan.formats or (None,)
            try:
                self._opened[piece.file.path] = Pictures(
                    piece.file.path, piece.plan.stall_limit,
                    transforms.chooser(piece.plan, formats[0]))
            except FileError:
                pass

    def take(self, path: str, limit: float, choose) -> Pictures:
        return self._opened.pop(path, None) or Pictures(path, limit, choose)

    def close(self) -> None:
        for pictures in self._opened.values():
            pictures.close()


def _run_here(pieces: list[Piece], bar: Progress) -> Iterator[tuple[Piece, Result]]:
    """On the CPU one file after the other, which uses all processors; on GPUs several at
    once."""
    gpus = len({p.device for p in pieces if p.device != 'cpu'})
    ahead = _Ahead(pieces)

    def one(i: int) -> Result:
        if not gpus:
            ahead.open(i + 1)
        result = work(pieces[i], ahead.take, lambda share: bar.note(i, share))
        bar.note(i, 1.0)
        return result
    try:
        if not gpus:
            for i, piece in enumerate(pieces):
                yield piece, one(i)
            return
        n = gpus * max(1, min(_MOST_ON_GPU, (os.cpu_count() or 1) // gpus))
        with concurrent.futures.ThreadPoolExecutor(n) as pool:
            yield from zip(pieces, pool.map(one, range(len(pieces))))
    finally:
        ahead.close()
