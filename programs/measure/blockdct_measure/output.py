# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables: for people, as CSV and as lines of JSON, which a later run can continue."""
import fcntl
import os
import stat
import sys
from typing import IO, Callable, Iterable

from blockdct import TRANSFORMS

from .rows import IN_DB, MAIN, Row, TableError, csv_head, csv_line, json_line, read_rows

_HEAD = 1 << 16  # bytes from which a table is recognised
_STARTS = 'file,transform,', 'file,reference,', '{"file":'


#: Exit statuses: all done and met; a target or limit missed; a file failed, or wrong use.
DONE, MISSED, FAILED, INTERRUPTED = 0, 1, 2, 130


class UsageError(Exception):
    """Wrong use."""


def complain(text: object) -> None:
    sys.stderr.write(f'blockdct-measure: {text}\n')


def text_head(metrics: Iterable[str]) -> str:
    return (f'{"transform":<12} set  {"format":<9} {"frames":>8}   Y dB   U dB   V dB     dB'
            + ''.join(f' {MAIN[m]:>9}' for m in metrics)
            + f' {"bpp":>8} {"kbit/s":>9} {"bytes":>12} nonzero  file\n')


def text_line(row: Row, metrics: Iterable[str]) -> str:
    number = f'{row.count("frames"):8}' if row.frame is None else f'#{row.frame:<7}'
    text = f'{row.name:<12} {row.setting:3}  {row.format:<9} {number}'
    for p in 'yuv':
        text += f' {row.psnr(p):6.2f}' if row.has_plane(f'-{p}') else ' ' * 7
    text += f' {row.psnr():6.2f}'
    for m in metrics:
        figure = row.figure(MAIN[m])
        text += ' ' * 10 if figure is None else f' {figure:9.{4 if m in IN_DB else 6}f}'
    kbps = row.kbps
    text += f' {row.bpp:8.4f} ' + (' ' * 9 if kbps is None else f'{kbps:9.1f}') \
        + f' {row.size:12.0f} '
    text += f'{100 * row.nonzero:6.2f}%' if row.encoder is None else ' ' * 7
    if row.met is not None:
        text += '  met' if row.met else f'  missed {row.missed}'
    return f'{text}  {row.file}\n'


class Output:
    """A table that rows of whole files are added to."""

    def __init__(self, path: str, style: str, metrics: Iterable[str], resume: bool = False,
                 heads: dict[str, Callable[[Iterable[str]], str]] | None = None):
        self.path, self.style, self.metrics = path, style, tuple(metrics)
        self.known: list[Row] = []
        self._end = 0
        self._file: IO[bytes] | None = None
        self._fd = self._open(resume)
        if self._end == 0 and style != 'json':
            self._write(heads[style](self.metrics) if heads else
                        csv_head(self.metrics) if style == 'csv' else text_head(self.metrics))

    def _open(self, resume: bool) -> int:
        if self.path == '-':
            return 1
        try:
            mode = os.stat(self.path).st_mode
        except OSError:
            mode = stat.S_IFREG
        try:
            if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                return os.open(self.path, os.O_WRONLY | os.O_CLOEXEC)
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise UsageError(f'another run is writing {self.path}: wait for its end, '
                                 'or name another file') from None
        except OSError as error:
            raise TableError(f'{self.path}: {error.strerror}') from None
        self._check(fd)
        if resume:
            self._fd = fd
            self._read(fd)
        else:
            os.ftruncate(fd, 0)
        return fd

    def _check(self, fd: int) -> None:
        """Whether the file is empty or has a table of this program."""
        text = os.pread(fd, _HEAD, 0).decode('utf-8', 'replace')
        ok = any(text[:len(s)] == s[:len(text)] for s in _STARTS)
        try:
            ok = ok and ('reference' in text[:4000] or bool(read_rows(text, TRANSFORMS)))
        except TableError:
            ok = False
        if not ok:
            raise UsageError(f'{self.path} is not a table of blockdct-measure, and is not '
                             'overwritten: remove it, or name another file')

    def _read(self, fd: int) -> None:
        text = os.pread(fd, os.fstat(fd).st_size, 0).decode('utf-8', 'replace')
        head = csv_head(self.metrics) if self.style == 'csv' else ''
        if not head.startswith(text[:len(head)]) or (
                text and text.startswith('{') != (self.style == 'json')):
            raise UsageError(f'--resume: {self.path} has other columns; remove it, or '
                             'name another')
        if len(text) >= len(head) and text:
            self.known, ends = read_rows(text, TRANSFORMS)
            self._ends = [len(text[:end].encode()) for end in ends]

    def keep(self, n: int) -> None:
        """Continue after the first `n` known rows."""
        self.known = self.known[:n]
        self._end = self._ends[n - 1] if n else 0
        os.ftruncate(self._fd, self._end)
        os.lseek(self._fd, self._end, os.SEEK_SET)
        if n == 0 and self.style == 'csv':
            self._write(csv_head(self.metrics))

    def _write(self, text: str) -> None:
        data = memoryview(text.encode())
        try:
            if self.path == '-':
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()
                return
            while data:
                data = data[os.write(self._fd, data):]
        except OSError as error:
            raise TableError(f'{"standard output" if self.path == "-" else self.path}: '
                             f'{error.strerror}') from None

    def write(self, rows: Iterable[Row]) -> None:
        line: Callable[[Row], str] = {
            'csv': lambda r: csv_line(v for _, v in r.cells(self.metrics)),
            'json': lambda r: json_line(r.cells(self.metrics)),
            'text': lambda r: r.text(self.metrics) if hasattr(r, 'text')
            else text_line(r, self.metrics)}[self.style]
        self._write(''.join(map(line, rows)))

    def close(self) -> None:
        if self._fd > 2:
            os.close(self._fd)


def read_table(path: str) -> list[Row]:
    try:
        if path == '-':
            text = sys.stdin.buffer.read()
        else:
            with open(path, 'rb') as file:
                text = file.read()
        return read_rows(text.decode(), TRANSFORMS)[0]
    except OSError as error:
        raise TableError(f'{path}: {error.strerror}') from None
    except (TableError, UnicodeDecodeError) as error:
        raise TableError(f'{path}: {error}') from None


def check_known(known: list[Row], expected: list[tuple], n_formats: int, frames: bool,
                metrics: Iterable[str], path: str) -> int:
    """How many rows of a table to keep: those of whole files. `expected`: the series and
    settings of a format, which rows of frames have, too; None for any setting."""
    at = kept = 0
    allowed = set(metrics)
    while at < len(known):
        end = at
        while end < len(known) and known[end].file == known[at].file:
            end += 1
        rows = known[at:end]
        sums = [r for r in rows if r.frame is None]
        wanted = expected * max(1, n_formats)
        i, ok = 0, (len(sums) < len(rows)) == frames or end == len(known)
        for row in sums:
            # Encoders may have failed.
            while i < len(wanted) and wanted[i][0][1] and not _fits(row, wanted[i]):
                i += 1
            ok = ok and i < len(wanted) and _fits(row, wanted[i])
            i += 1
        while i < len(wanted) and wanted[i][0][1] and end < len(known):
            i += 1
        whole = i == len(wanted)
        ok = ok and {n.rpartition('-')[0] if n not in allowed else n
                     for r in sums for n in r.sums} <= allowed
        if not ok or not (whole or end == len(known)):
            raise UsageError(f'--resume: the rows of {rows[0].file} in {path} have other '
                             'transforms, settings, formats or metrics; remove it, or name '
                             'another')
        if not whole:
            break
        kept = at = end
    return kept


def _fits(row: Row, wanted: tuple) -> bool:
    return row.series == wanted[0] and wanted[1] in (None, row.setting)
