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
    'vmaf': ('vmaf',),  # of what was encoded
}
#: Those of the library.
OWN = tuple(METRICS)[:-1]
SUMS = tuple(f'sum-{figure}' for figures in METRICS.values() for figure in figures)
MAIN = {'psnr': 'psnr', 'ssim': 'ssim', 'ms-ssim': 'ms-ssim-y', 'psnr-hvs': 'psnr-hvs',
        'xpsnr': 'xpsnr-y', 'vmaf': 'vmaf'}
IN_DB = 'psnr', 'psnr-hvs', 'xpsnr'
INFINITE = (1 << 63) - 1
_PLANES = tuple('yuv')

COMPARED = 'frames', *(f'{what}-{p}' for what in ('samples', 'sse') for p in _PLANES)
#: The columns of whole numbers, of which a row has some.
COUNTS = (*COMPARED,
          'levels', 'nonzero-levels', *(f'bits-{p}' for p in _PLANES), 'bits', 'bits-headers',
          'bits-optimized', 'file-size', 'file-size-optimized',
          *(f'bits-estimated-{p}' for p in _PLANES), 'bits-estimated')


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
    coded: bool = False     # the size is that of a file, not of a model
    counts: dict[str, int] = dataclasses.field(default_factory=dict)  # sum-*: in billionths
    met: bool | None = None
    missed: str = ''

    @property
    def name(self) -> str:
        return self.encoder or self.transform or ''

    @property
    def series(self) -> tuple:
        return self.transform, self.encoder, self.scale

    @property
    def exact(self) -> bool:
        """Whether the bits are those of a file."""
        return 'bits' in self.counts

    @property
    def bits(self) -> int:
        return self.counts.get('bits', self.count('bits-estimated'))

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
        frames, total = self.count('frames'), self.counts.get(f'sum-{name}')
        if total is None or frames == 0 or not self.has_plane(name):
            return None
        value = math.inf if total == INFINITE else total / 1e9
        if not name.startswith('xpsnr'):
            return value / frames
        root, peak = value / frames, float((1 << self.depth) - 1)
        samples = float(self.count('samples' + name[-2:]) // frames)
        return 10 * math.log10(samples * peak * peak / (root * root)) if root >= 1 else math.inf

    @property
    def bpp(self) -> float:
        samples = self.count('samples-y')
        return self.bits / samples if samples else 0.0

    @property
    def size(self) -> float:
        """Bytes: of the JPEG file, of the encoder's stream, or else of the bits."""
        return self.count('file-size') if self.exact else self.bits / 8

    @property
    def kbps(self) -> float | None:
        frames = self.count('frames')
        if not self.rate or frames == 0:
            return None
        return float(Fraction(self.bits + self.count('bits-headers'), frames)
                     * Fraction(self.rate) / 1000)

    @property
    def nonzero(self) -> float:
        levels = self.count('levels')
        return self.count('nonzero-levels') / levels if levels else 0.0

    def cells(self, metrics: Iterable[str]) -> dict[str, Any]:
        """The columns and what they hold; None: nothing."""
        figures = {f: self.figure(f) for m in METRICS if m in metrics for f in METRICS[m]}
        return {
            'file': self.file, 'transform': self.transform, 'encoder': self.encoder,
            **{scale: self.setting if scale == self.scale else None for scale in SCALES},
            'format': self.format, 'width': self.width, 'height': self.height,
            'depth': self.depth, 'frame-rate': self.rate or None, 'frame': self.frame,
            **{c: self.counts.get(c) if self.has_plane(c) else None for c in COUNTS},
            **{f'sum-{f}': None if v is None else self.counts[f'sum-{f}']
               for f, v in figures.items()},
            **{f'psnr-{p}': self.psnr(p) if self.has_plane(f'-{p}') else None for p in _PLANES},
            'psnr': self.psnr(), **figures, 'bpp': self.bpp, 'kbps': self.kbps,
            'nonzero': self.nonzero if self.encoder is None else None,
            'file-size-exact': self.coded if self.exact else None,
            'target-met': self.met, 'target-missed': self.missed or None}

    @staticmethod
    def head(metrics: Iterable[str], width: int) -> str:
        """Of a table for people, and a line of it; names have this width."""
        return (f'{"transform":<{width}}{"setting":>13}  {"format":<9}{"frames":>7}{"Y dB":>7}'
                f'{"dB":>7}' + ''.join(f'{MAIN[m]:>10}' for m in metrics)
                + f'{"bpp":>8}{"kbit/s":>9}{"bytes":>11}  file\n')

    def text(self, metrics: Iterable[str], width: int) -> str:
        number = f'{self.count("frames"):7}' if self.frame is None else f' #{self.frame:<5}'
        missed = {None: '', True: '  met', False: f'  missed {self.missed}'}[self.met]
        return (f'{self.name:<{width}}{f"{self.scale} {self.setting}":>13}  {self.format:<9}'
                f'{number}{self.psnr("y"):7.2f}{self.psnr():7.2f}' + ''.join(
                    padded(self.figure(MAIN[m]), 10, 4 if m in IN_DB else 6) for m in metrics)
                + f'{self.bpp:8.4f}{padded(self.kbps, 9, 1)}{self.size:11.0f}{missed}'
                f'  {self.file}\n')

    def add(self, other: 'Row') -> None:
        """Add another part of the file."""
        if (self.width, self.height, self.depth, self.exact) != (
                other.width, other.height, other.depth, other.exact):
            raise TableError(f'{self.file} has rows of {self.width}x{self.height} and of '
                f'{other.width}x{other.height}: not parts of one file')
        self.coded = self.coded and other.coded
        if self.rate != other.rate and other.count('frames'):
            self.rate = other.rate if not self.count('frames') else ''
        a, b = self.counts, other.counts
        if not a['frames']:
            a, b = b, a
        self.counts = {  # without frames there are no figures; else both have them
            n: add_sums(a.get(n, 0), b.get(n, 0)) for n in a | b
            if not n.startswith('sum-') or n in a and (n in b or not b['frames'])}
        self.check()

    def check(self) -> None:
        if any(not 0 <= n <= INFINITE for n in self.counts.values()):
            raise TableError(f'a sum of {self.file} does not fit into 63 bits: measure '
                             'parts of it with --first-frame and --n-frames')


def add_sums(a: int, b: int) -> int:
    """Of which one may be infinite."""
    return INFINITE if INFINITE in (a, b) else a + b


# Writing

def padded(value: float | None, width: int, digits: int) -> str:
    return ' ' * width if value is None else f'{value:{width}.{digits}f}'


def csv_line(cells: Iterable[Any]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator='\n').writerow(
        [str(c).lower() if isinstance(c, bool) else c for c in cells])
    return out.getvalue()


def json_line(cells: dict[str, Any]) -> str:
    """JSON has no infinite number: it is null."""
    return json.dumps({name: None if value == math.inf else value
                       for name, value in cells.items() if value is not None},
                      ensure_ascii=False, separators=(',', ':')) + '\n'


#: Which has the columns.
EMPTY = Row('', None, None, '', 0, '', 0, 0, 8)


# Reading

def _whole(cells: dict[str, Any], column: str) -> int:
    value = cells.get(column)
    if not isinstance(value, (int, str)) or isinstance(value, bool):
        raise ValueError(f'its {column} is {value!r}, not a whole number')
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
    setting, width, height, depth = (_whole(cells, name) for name in (
        scales[0], 'width', 'height', 'depth'))
    if not 8 <= depth <= 12:
        raise ValueError(f'its depth is {depth}, outside 8 to 12')
    needed = ('frames', 'bits' if 'bits' in cells else 'bits-estimated',
              *(f'{what}-{p}' for p in ('yuv' if 'samples-u' in cells else 'y')
                for what in ('samples', 'sse')))
    return Row(cells['file'], transform, cells.get('encoder'), scales[0], setting,
               cells['format'], width, height, depth, cells.get('frame-rate', ''),
               _whole(cells, 'frame') if 'frame' in cells else None,
               'bits' in cells and cells.get('file-size-exact') in (True, 'true'),
               {name: _whole(cells, name) for name in (*COUNTS, *SUMS)
                if name in cells or name in needed})


def _records(lines: io.StringIO, is_json: bool) -> Iterator[dict[str, Any]]:
    if is_json:
        for line in iter(lines.readline, ''):
            yield dict(json.loads(line))
        return
    records = csv.DictReader(iter(lines.readline, ''), strict=True)
    if records.fieldnames and 'file' not in records.fieldnames:
        raise ValueError('it does not name the columns of blockdct-measure')
    for cells in records:
        if None in cells or None in cells.values():
            raise ValueError('it has not one cell for each column')
        yield cells


def read_rows(text: str, transforms: Iterable[str]) -> tuple[list[Row], list[int]]:
    """The complete rows of CSV or JSON, and where each ends in the text."""
    rows: list[Row] = []
    ends: list[int] = []
    lines = io.StringIO(text[:text.rfind('\n') + 1], newline='')
    try:
        for cells in _records(lines, text.startswith('{')):
            rows.append(_row(cells, transforms))
            ends.append(lines.tell())
    except (ValueError, TypeError, csv.Error) as error:
        # Unless a quoted name breaks off.
        if not isinstance(error, csv.Error) or lines.read():
            raise TableError(f'line {text.count(chr(10), 0, lines.tell())}: {error}') from None
    return rows, ends


# Order

def merge(rows: Iterable[Row], encoders: Iterable[str] = ()) -> list[Row]:
    """Add up the parts of files, in the order of one run: files, formats and encoders as they
    first come, these first; frames before their sums; transforms and settings by number."""
    from blockdct import TRANSFORMS
    places: list[dict[Any, int]] = [{}, {}, {e: i for i, e in enumerate(encoders)}]
    merged: dict[tuple, Row] = {}
    for r in rows:
        file, form, encoder = (place.setdefault(key, len(place)) for place, key in zip(
            places, (r.file, r.format, r.encoder)))
        transform = TRANSFORMS.index(r.transform) if r.transform else len(TRANSFORMS)
        key = (file, form, math.inf if r.frame is None else r.frame, transform, encoder,
               SCALES.index(r.scale), r.setting)
        if merged.setdefault(key, r) is not r:
            merged[key].add(r)
    return [merged[key] for key in sorted(merged)]


def metrics_of(rows: Iterable[Row]) -> list[str]:
    names = {name for row in rows for name in row.counts}
    return [m for m in METRICS if names & {f'sum-{f}' for f in METRICS[m]}]
