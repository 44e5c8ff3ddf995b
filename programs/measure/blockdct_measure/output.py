# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables: for people, as CSV and as lines of JSON, which a later run can continue."""
import argparse
import fcntl
import itertools
import os
import sys
from collections import Counter
from typing import Any, BinaryIO, Iterable

from blockdct import TRANSFORMS

from .rows import Row, TableError, csv_line, json_line, metrics_of, read_rows

_HEAD = 1 << 16  # bytes from which a table is recognised
_STARTS = 'file,transform,', 'file,reference,', '{"file":'
#: Exit statuses: all done and met; a target or limit missed; a file failed, or wrong use.
DONE, MISSED, FAILED, INTERRUPTED = 0, 1, 2, 130


class UsageError(Exception):
    """Wrong use."""


def complain(text: object) -> None:
    sys.stderr.write(f'blockdct-measure: {text}\n')


class Output:
    """A table that rows of whole files are added to. `empty`: a row that has the columns."""

    def __init__(self, path: str, style: str, metrics: Iterable[str], empty: Any, resume: bool,
                 width: int):
        self.path, self.style, self.metrics, self._width = path, style, tuple(metrics), width
        self.known: list[Row] = []
        self._ends: list[int] = []
        self._head = {'csv': lambda: csv_line(empty.cells(self.metrics)), 'json': str,
                      'text': lambda: empty.head(self.metrics, width)}[style]()
        self._file: BinaryIO = sys.stdout.buffer if path == '-' else self._open(resume)
        if not resume:
            self._write(self._head)

    def _open(self, resume: bool) -> BinaryIO:
        try:
            if os.path.exists(self.path) and not os.path.isfile(self.path):
                return open(self.path, 'wb')
            file = open(self.path, 'a+b')
        except OSError as error:
            raise TableError(f'{self.path}: {error.strerror}') from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(f'another run is writing {self.path}: wait for its end, '
                             'or name another file') from None
        file.seek(0)
        self._check(file.read(_HEAD).decode('utf-8', 'replace'))
        if resume:
            file.seek(0)
            self._read(file.read().decode('utf-8', 'replace'))
        else:
            file.truncate(0)
        return file

    def _check(self, text: str) -> None:
        """Whether the file is empty or has a table of this program."""
        ok = any(text[:len(s)] == s[:len(text)] for s in _STARTS)
        try:
            if ok and not text.startswith('file,reference') and '"reference":' not in text:
                read_rows(text, TRANSFORMS)
        except TableError:
            ok = False
        if not ok:
            raise UsageError(f'{self.path} is not a table of blockdct-measure, and is not '
                             'overwritten: remove it, or name another file')

    def _read(self, text: str) -> None:
        if not self._head.startswith(text[:len(self._head)]) or (
                text and text.startswith('{') != (self.style == 'json')):
            raise UsageError(f'--resume: {self.path} has other columns; remove it, or '
                             'name another')
        self.known, ends = read_rows(text, TRANSFORMS)
        self._ends = [len(text[:end].encode()) for end in ends]

    def keep(self, n: int) -> None:
        """Continue after the first `n` known rows."""
        self.known = self.known[:n]
        self._file.truncate(self._ends[n - 1] if n else 0)
        if n == 0:
            self._write(self._head)

    def _write(self, text: str) -> None:
        try:
            self._file.write(text.encode())
            self._file.flush()
        except OSError as error:
            raise TableError(f'{"standard output" if self.path == "-" else self.path}: '
                             f'{error.strerror}') from None

    def write(self, rows: Iterable[Any]) -> None:
        self._write(''.join(r.text(self.metrics, self._width) if self.style == 'text' else
            json_line(r.cells(self.metrics)) if self.style == 'json' else
            csv_line(r.cells(self.metrics).values()) for r in rows))

    def close(self) -> None:
        if self.path != '-':
            self._file.close()


def outputs(o: argparse.Namespace, metrics: Iterable[str], empty: Any,
            names: Iterable[str] = ()) -> list[Output]:
    """Those of the command line, else one for people. `names`: of encoders."""
    named = [(p, s) for p, s in ((o.csv, 'csv'), (o.json, 'json')) if p is not None]
    return [Output(path, style, metrics, empty, getattr(o, 'resume', False),
                   max(12, *map(len, names), 0)) for path, style in named or [('-', 'text')]]


def finish(tables: list[Output], failed: dict[str, list[str]], missed: dict[str, list[str]],
           interrupted: bool) -> int:
    """Say what is wrong, by what it has in common; the exit status."""
    for table in tables:
        table.close()
    for what, lines in (failed | missed).items():
        if lines:
            complain(f'{what}:' + ''.join(f'\n  {line}' for line in lines))
    return INTERRUPTED if interrupted else FAILED if any(failed.values()) else \
        MISSED if any(missed.values()) else DONE


def read_table(path: str) -> list[Row]:
    try:
        with open(0 if path == '-' else path, 'rb') as file:
            return read_rows(file.read().decode(), TRANSFORMS)[0]
    except OSError as error:
        raise TableError(f'{path}: {error.strerror}') from None
    except (TableError, UnicodeDecodeError) as error:
        raise TableError(f'{path}: {error}') from None


def check_known(known: list[Row], expected: Counter, frames: bool, metrics: Iterable[str],
                path: str) -> int:
    """How many rows of a table to keep: those of whole files. `expected`: the series and
    settings of a file, which rows of frames have, too; None for any setting."""
    kept, found, lacking = 0, [], Counter()
    for name, group in itertools.groupby(known, lambda r: r.file):
        found = list(group)
        kept += len(found)
        sums = [r for r in found if r.frame is None]
        keys = Counter((r.series, r.setting) if (r.series, r.setting) in expected
                       else (r.series, None) for r in sums)
        lacking = expected - keys
        breaks_off = kept == len(known) and lacking
        if keys - expected or not set(metrics_of(sums)) <= set(metrics) or not breaks_off and (
                (len(sums) < len(found)) != frames
                or any(transform for (transform, *_), _ in lacking)):  # encoders may fail
            raise UsageError(f'--resume: the rows of {name} in {path} have other transforms, '
                             'settings, formats or metrics; remove it, or name another')
    return kept - len(found) if lacking else kept
