# SPDX-License-Identifier: LGPL-2.1-or-later
"""The table's rows: whole numbers that add up over frames and parts of files, and the
figures that follow from them; CSV and JSON of both."""
import csv
import dataclasses
import io
import json
import math
from fractions import Fraction
from typing import Any, Iterable, Iterator

SCALES = 'quality', 'qp', 'crf', 'bitrate'
#: What a metric's figures are called: of Y, of U, of V, of all; the last is its main one.
METRICS = {
    'ssim': ('ssim-y', 'ssim-u', 'ssim-v', 'ssim'),
    'ms-ssim': ('ms-ssim-y',),
    'psnr-hvs': ('psnr-hvs-y', 'psnr-hvs-u', 'psnr-hvs-v', 'psnr-hvs'),
    'xpsnr': ('xpsnr-y', 'xpsnr-u', 'xpsnr-v'),
}
MAIN = {'psnr': 'psnr', 'ssim': 'ssim', 'ms-ssim': 'ms-ssim-y', 'psnr-hvs': 'psnr-hvs',
        'xpsnr': 'xpsnr-y'}
IN_DB = 'psnr', 'psnr-hvs', 'xpsnr'
INFINITE = (1 << 63) - 1
_BILLION = 10 ** 9
_PLANES = tuple('yuv')

_ANY, _EXACT, _ESTIMATE, _CODED = 'transform coded', 'exact', 'estimate', 'coded'
#: Columns of whole numbers, the sums that they show, and the rows that have them.
COUNTS = [
    ('frames', 'frames', _ANY),
    *((f'{what}-{p}', f'{what}-{p}', _ANY) for what in ('samples', 'sse') for p in _PLANES),
    ('levels', 'levels', 'transform'),
    ('nonzero-levels', 'nonzero-levels', 'transform'),
    *((f'bits-{p}', f'bits-{p}', _EXACT) for p in _PLANES),
    ('bits', 'bits', f'{_EXACT} {_CODED}'),
    ('bits-headers', 'bits-headers', _CODED),
    ('bits-optimized', 'bits-optimized', _EXACT),
    ('file-size', 'file-size', f'{_EXACT} {_CODED}'),
    ('file-size-optimized', 'file-size-optimized', _EXACT),
    *((f'bits-estimated-{p}', f'bits-{p}', _ESTIMATE) for p in _PLANES),
    ('bits-estimated', 'bits', _ESTIMATE),
]
_TEXTS = 'file', 'transform', 'encoder', 'format', 'frame-rate', 'target-missed'


class TableError(Exception):
    """A table that cannot be read, or rows that do not go together."""


@dataclasses.dataclass
class Row:
    """A file, or one frame of it, at a setting of a transform or an encoder."""
    file: str
    transform: str | None   # None: an encoder
    encoder: str | None     # its line
    scale: str              # one of SCALES
    setting: int
    format: str
    width: int
    height: int
    depth: int
    rate: str = ''          # frames a second, as 30000/1001; '': unknown
    frame: int | None = None
    exact: bool = False     # the bits are those of a file
    coded: bool = False     # the file's size is exact, too
    counts: dict[str, int] = dataclasses.field(default_factory=dict)
    sums: dict[str, int] = dataclasses.field(default_factory=dict)  # in billionths
    met: bool | None = None
    missed: str = ''

    @property
    def name(self) -> str:
        return self.encoder or self.transform or ''

    @property
    def series(self) -> tuple:
        return self.transform, self.encoder, self.scale

    def count(self, name: str) -> int:
        return self.counts.get(name, 0)

    def has_plane(self, name: str) -> bool:
        return name[-2:] not in ('-u', '-v') or self.count('samples' + name[-2:]) > 0

    def psnr(self, planes: Iterable[str] = _PLANES) -> float:
        samples = sum(self.count(f'samples-{p}') for p in planes)
        sse = sum(self.count(f'sse-{p}') for p in planes)
        if sse == 0:
            return math.inf
        peak = float((1 << self.depth) - 1)
        return 10 * math.log10(peak * peak / (sse / samples))

    def figure(self, name: str) -> float | None:
        """A metric's figure; None: there is none."""
        if name == 'psnr':
            return self.psnr()
        frames, total = self.count('frames'), self.sums.get(name)
        if total is None or frames == 0 or not self.has_plane(name):
            return None
        value = math.inf if total == INFINITE else total / 1e9
        if not name.startswith('xpsnr'):
            return value / frames
        root, peak = value / frames, float((1 << self.depth) - 1)
        samples = float(self.count('samples' + name[-2:]) // frames)
        return 10 * math.log10(samples * peak * peak / (root * root)) if root >= 1 \
            else math.inf

    @property
    def bpp(self) -> float:
        samples = self.count('samples-y')
        return self.count('bits') / samples if samples else 0.0

    @property
    def size(self) -> float:
        """Bytes: of the JPEG file, of the encoder's stream, or else of the bits."""
        return self.count('file-size') if self.exact else self.count('bits') / 8

    @property
    def kbps(self) -> float | None:
        frames = self.count('frames')
        if not self.rate or frames == 0:
            return None
        bits = self.count('bits') + self.count('bits-headers')
        return float(Fraction(bits, frames) * Fraction(self.rate) / 1000)

    @property
    def nonzero(self) -> float:
        levels = self.count('levels')
        return self.count('nonzero-levels') / levels if levels else 0.0

    def _kinds(self) -> set[str]:
        return {'coded'} if self.encoder is not None else {
            'transform', 'exact' if self.exact else 'estimate'}

    def cells(self, metrics: Iterable[str]) -> Iterator[tuple[str, Any]]:
        """The columns and what they hold; None: nothing."""
        figures = [f for m in METRICS if m in metrics for f in METRICS[m]]
        kinds = self._kinds()
        yield 'file', self.file
        yield 'transform', self.transform
        yield 'encoder', self.encoder
        for scale in SCALES:
            yield scale, self.setting if scale == self.scale else None
        yield 'format', self.format
        yield 'width', self.width
        yield 'height', self.height
        yield 'depth', self.depth
        yield 'frame-rate', self.rate or None
        yield 'frame', self.frame
        for column, name, of in COUNTS:
            there = kinds & set(of.split()) and self.has_plane(name)
            yield column, self.count(name) if there else None
        for f in figures:
            there = self.figure(f) is not None
            yield f'sum-{f}', self.sums[f] if there else None
        for p in _PLANES:
            yield f'psnr-{p}', self.psnr(p) if self.has_plane(f'-{p}') else None
        yield 'psnr', self.psnr()
        for f in figures:
            yield f, self.figure(f)
        yield 'bpp', self.bpp
        yield 'kbps', self.kbps
        yield 'nonzero', self.nonzero if self.encoder is None else None
        yield 'file-size-exact', self.coded if self.exact else None
        yield 'target-met', self.met
        yield 'target-missed', self.missed or None

    def add(self, other: 'Row') -> None:
        """Add another part of the file."""
        if (self.width, self.height, self.depth, self.exact) != (
                other.width, other.height, other.depth, other.exact):
            raise TableError(
                f'{self.file} has rows of {self.width}x{self.height} and of '
                f'{other.width}x{other.height}: not parts of one file')
        self.coded = self.coded and other.coded
        if self.rate != other.rate and other.count('frames'):
            self.rate = other.rate if not self.count('frames') else ''
        if self.count('frames') == 0:  # without frames there are no figures
            self.sums = dict(other.sums)
        elif other.count('frames') > 0:
            self.sums = {name: add_sums(value, other.sums[name])
                         for name, value in self.sums.items() if name in other.sums}
        self.counts = {name: self.count(name) + other.count(name)
                       for name in self.counts | other.counts}
        self.check()

    def check(self) -> None:
        if any(not -INFINITE <= n < INFINITE for n in self.counts.values()):
            raise TableError(f'a sum of {self.file} does not fit into 63 bits: measure '
                             'parts of it with --first-frame and --n-frames')


def add_sums(a: int, b: int) -> int:
    """Sums of a metric, of which one may be infinite."""
    return INFINITE if INFINITE in (a, b) else a + b


# Writing

def _text(value: Any) -> str:
    if value is None:
        return ''
    if isinstance(value, bool):
        return 'true' if value else 'false'
    return repr(value) if isinstance(value, float) else str(value)


def csv_line(cells: Iterable[Any]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator='\n').writerow([_text(c) for c in cells])
    return out.getvalue()


def json_line(cells: Iterable[tuple[str, Any]]) -> str:
    """JSON has no infinite number: it is null."""
    return json.dumps({name: None if isinstance(value, float) and math.isinf(value)
                       else value for name, value in cells if value is not None},
                      ensure_ascii=False, separators=(',', ':')) + '\n'


_EMPTY = Row('', None, None, '', 0, '', 0, 0, 8)


def csv_head(metrics: Iterable[str]) -> str:
    return csv_line(name for name, _ in _EMPTY.cells(metrics))


# Reading

def _whole(cells: dict[str, Any], column: str) -> int:
    value = cells.get(column)
    if value in ('', None):
        raise ValueError(f'it has no {column}')
    if not isinstance(value, (int, str)) or isinstance(value, bool):
        raise ValueError(f'{column} is {value!r}, not a whole number')
    number = int(value)
    if not 0 <= number <= INFINITE:
        raise ValueError(f'{column} is {number}, outside 0 to 2^63 - 1')
    return number


def _row(cells: dict[str, Any], transforms: Iterable[str]) -> Row:
    """A row from its cells, of which the whole numbers count."""
    cells = {k: v for k, v in cells.items() if v not in ('', None)}
    if not cells.get('file') or ('transform' in cells) == ('encoder' in cells):
        raise ValueError('it has no file, or neither a transform nor an encoder')
    scales = [s for s in SCALES if s in cells]
    if len(scales) != 1 or not cells.get('format'):
        raise ValueError(f'it has not one of {", ".join(SCALES)}, or no format')
    transform = cells.get('transform')
    if transform is not None and transform not in transforms:
        raise ValueError(f'its transform {transform!r} is unknown')
    row = Row(cells['file'], transform, cells.get('encoder'), scales[0],
              _whole(cells, scales[0]), cells['format'], _whole(cells, 'width'),
              _whole(cells, 'height'), _whole(cells, 'depth'),
              cells.get('frame-rate', ''),
              _whole(cells, 'frame') if 'frame' in cells else None)
    if not 8 <= row.depth <= 12:
        raise ValueError(f'its depth is {row.depth}, outside 8 to 12')
    row.exact = 'bits' in cells
    row.coded = row.exact and cells.get('file-size-exact') in (True, 'true')
    row.counts['samples-u'] = int(cells.get('samples-u', 0))
    row.counts['samples-v'] = int(cells.get('samples-v', 0))
    for column, name, of in COUNTS:
        if row._kinds() & set(of.split()) and row.has_plane(name):
            row.counts[name] = _whole(cells, column)
    row.sums = {name: _whole(cells, f'sum-{name}') for names in METRICS.values()
                for name in names if f'sum-{name}' in cells}
    return row


def read_rows(text: str, transforms: Iterable[str]) -> tuple[list[Row], list[int]]:
    """The complete rows of CSV or JSON, and where each ends in the text."""
    rows: list[Row] = []
    ends: list[int] = []
    whole = text[:text.rfind('\n') + 1]
    lines = io.StringIO(whole, newline='')
    is_json = whole.startswith('{')
    reader = None if is_json else csv.reader(iter(lines.readline, ''), strict=True)
    head = None if reader is None else next(reader, None)
    if head is not None and 'file' not in head:
        raise TableError('line 1 does not name the columns of blockdct-measure')
    number = 1
    while True:
        try:
            if reader is None:
                line = lines.readline()
                cells = json.loads(line) if line else None
                if line and not isinstance(cells, dict):
                    raise ValueError('it is no object of JSON')
            else:
                record = next(reader, None)
                number = reader.line_num
                if record is not None and len(record) != len(head or ()):
                    raise ValueError(f'it has {len(record)} columns, not {len(head or ())}')
                cells = record if record is None else dict(zip(head or (), record))
            if cells is None:
                return rows, ends
            rows.append(_row(cells, transforms))
        except (ValueError, TypeError, csv.Error) as error:
            if isinstance(error, csv.Error) and lines.tell() == len(whole):
                return rows, ends  # a quoted name that breaks off
            raise TableError(f'line {number}: {error}') from None
        ends.append(lines.tell())
        number += 1


# Order

def _ranked(rows: Iterable[Row], encoders: Iterable[str]) -> list[tuple[tuple, Row]]:
    """With each row's place in one run: files, formats and encoders as they first come,
    these first; frames before their sums; transforms and settings by number."""
    from blockdct import TRANSFORMS
    places: list[dict[Any, int]] = [{}, {}, {e: i for i, e in enumerate(encoders)}]

    def place(i: int, key: Any) -> int:
        return places[i].setdefault(key, len(places[i]))
    transforms = {name: i for i, name in enumerate(TRANSFORMS)}
    return [((place(0, r.file), place(1, r.format),
              math.inf if r.frame is None else r.frame,
              transforms.get(r.transform, len(transforms)),
              place(2, r.encoder), SCALES.index(r.scale), r.setting), r) for r in rows]


def merge(rows: Iterable[Row], encoders: Iterable[str] = ()) -> list[Row]:
    """Add up the parts of files."""
    merged: dict[tuple, Row] = {}
    for key, row in _ranked(rows, encoders):
        if key in merged:
            merged[key].add(row)
        else:
            merged[key] = dataclasses.replace(row, counts=dict(row.counts),
                                              sums=dict(row.sums))
    return [merged[key] for key in sorted(merged)]


def metrics_of(rows: Iterable[Row]) -> list[str]:
    names = {name for row in rows for name in row.sums}
    return [m for m in METRICS if names & set(METRICS[m])]
