# SPDX-License-Identifier: LGPL-2.1-or-later
"""Transforms: the module blockdct prices all settings of each picture."""
import dataclasses
import io
from fractions import Fraction
from typing import Any, Callable

import blockdct
import numpy as np

from .decoding import Pictures
from .files import FileError
from .formats import (RGB, convert, depth_of, describe, nearest, same_picture, subsampling,
                      tell_caps)
from .gst import Gst, GstVideo
from .rows import COUNTS, INFINITE, OWN, Row

#: The frames before the first one that XPSNR looks at.
_LEAD = 2
_BATCH = 16 << 20  # bytes of pictures that are measured at once, and their number
_MOST = 16
SUBSAMPLINGS = '4:2:0', '4:2:2', '4:4:0', '4:4:4'
_PLANES = 'yuv'
_OF_FILES = 'bits-optimized', 'file-size', 'file-size-optimized'


@dataclasses.dataclass(frozen=True)
class Plan:
    """What to measure of every file."""
    settings: tuple[tuple[str, str, int], ...] = ()  # transform, scale, number
    encoders: tuple[Any, ...] = ()                   # encoders.Encoder
    formats: tuple[str, ...] = ()                    # (): the decoder's
    subsampling: str = '4:2:0'                       # of RGB
    metrics: tuple[str, ...] = ()
    frames: bool = False                             # also a row for each frame
    exact_size: bool = False
    first: int = 0
    n: int | None = None
    device: str = 'cpu'                              # of blockdct, 'cuda:0'
    threads: int = 0
    stall_limit: float = 120

    @property
    def end(self) -> int | None:
        return None if self.n is None else self.first + self.n


def scale_of(transform: str) -> str:
    return 'quality' if transform in ('jpeg-8x8', 'dct-8x8') else 'qp'


def row_format(name: str, subsampling: str) -> str:
    return f'RGB {subsampling}' if name in RGB else name


class Layout:
    """How the pictures of caps lie in their buffers, and what blockdct gets of them."""

    def __init__(self, caps: Gst.Caps):
        self.info = GstVideo.VideoInfo.new_from_caps(caps)
        self.format = self.info.finfo.name
        self.width, self.height = self.info.width, self.info.height
        self.depth = depth_of(self.format)
        self.is_rgb = self.format in RGB
        # of a batch, for the module
        self.form = 'NHWC' if self.is_rgb else 'NHW' if self.format == 'GRAY8' else 'YUV'

    def read(self, sample: Gst.Sample) -> list[np.ndarray]:
        """RGB as one array, or planes."""
        buffer, info = sample.get_buffer(), self.info
        meta = GstVideo.buffer_get_video_meta(buffer)
        offset, stride = (meta.offset, meta.stride) if meta else (info.offset, info.stride)
        _, mapped = buffer.map(Gst.MapFlags.READ)  # extract_dup() ends without memory
        data = mapped.data
        buffer.unmap(mapped)
        finfo = describe(self.format)
        if self.is_rgb:
            channels = finfo.pixel_stride[0]
            return [np.ndarray((self.height, self.width, channels), np.uint8, data,
                               offset[0], (stride[0], channels, 1))]
        planes = []
        for c in range(finfo.n_components):
            plane, step = finfo.plane[c], finfo.pixel_stride[c]
            shape = (-(-self.height // (1 << finfo.h_sub[c])),
                     -(-self.width // (1 << finfo.w_sub[c])))
            array = np.ndarray(shape, '<u2' if self.depth > 8 else np.uint8, data,
                               offset[plane] + finfo.poffset[c], (stride[plane], step))
            planes.append(array >> finfo.shift[c] if finfo.shift[c] else array)
        return planes

    def batch(self, planes: list[np.ndarray]) -> Any:
        """Planes of pictures, as the module takes them."""
        return tuple(planes) if self.form == 'YUV' else planes[0]


class Batch:
    """Pictures that are measured at once. Their memory is used again: the system's pages take
    longer than copies."""

    def __init__(self, layout: Layout):
        size = max(layout.info.size, 1)
        self.layout, self.n = layout, 0
        self.most = max(1, min(_MOST, _BATCH // size))
        self._planes: list[np.ndarray] = []

    def add(self, sample: Gst.Sample) -> None:
        picture = self.layout.read(sample)
        self._planes = self._planes or [
            np.empty((self.most + _LEAD, *p.shape), p.dtype) for p in picture]
        for planes, own in zip(self._planes, picture):
            planes[self.n] = own
        self.n += 1

    def get(self) -> Any:
        return self.layout.batch([planes[:self.n] for planes in self._planes])

    def keep(self, n: int) -> None:
        """The last ones."""
        for planes in self._planes:
            planes[:n] = planes[self.n - n:self.n]
        self.n = n


def supported(plan: Plan, layout: Layout) -> tuple[list[str], list[str]]:
    """The plan's metrics that pictures of this layout have; and why not the others."""
    found, lacking = [], []
    grey = np.zeros((1, layout.height, layout.width, 3)[:4 if layout.is_rgb else 3],
                    np.uint16 if layout.depth > 8 else np.uint8)
    down = (1 << s for s in reversed(subsampling(layout.format)))
    empty: Any = grey
    if layout.form == 'YUV':
        rows, columns = down
        empty = grey, *[grey[:, ::rows, ::columns].copy() for _ in range(2)]
    for metric in (m for m in plan.metrics if m in OWN):
        try:
            blockdct.compare(empty, empty, metrics=[metric], depth=layout.depth,
                             layout=layout.form, chroma_subsampling=plan.subsampling,
                             threads=plan.threads)
            found.append(metric)
        except ValueError as error:
            name = row_format(layout.format, plan.subsampling)
            lacking.append(f'no {metric} of {name}: {error}')
    return found, lacking


class Lane:
    """A format of the file, with sums of each setting."""

    def __init__(self, plan: Plan, layout: Layout, without: list[str], file: str,
                 rate: Fraction | None):
        self.plan, self.layout, self.file, self.rate = plan, layout, file, rate
        self.names = [t for t, _, _ in plan.settings]
        numbers = {s: np.array([n if scale == s else default for _, scale, n in plan.settings])
                   for s, default in (('quality', 85), ('qp', 26))}
        one = len(set(self.names)) == 1
        self._call: dict[str, Any] = {
            'transform': self.names[0] if one else self.names,
            'chroma_subsampling': plan.subsampling, 'device': plan.device,
            'layout': layout.form,
            'threads': plan.threads, 'depth': layout.depth, **numbers}
        self.metrics: list[str] | None = None
        self._without = without
        self._totals: list[Row] = []
        self.frames: list[Row] = []

    def measure(self, pictures: Batch, lead: int, first: int) -> None:
        """Add pictures, of which the first `lead` only come before."""
        batch = pictures.get()
        if self.metrics is None:
            self.metrics, lacking = supported(self.plan, self.layout)
            self._without += lacking
        counts = blockdct.measure(
            batch, metrics=['bits', 'counts', *self.metrics], frame_rate=max(
                1, min(int(self.rate or 0), 1000)) if 'xpsnr' in self.metrics else None,
            **self._call).counts
        found = {'levels': counts.levels.sum(2), 'nonzero-levels': counts.nonzero_levels.sum(2),
                 'bits': counts.bits.sum(2), 'bits-optimized': counts.bits_optimized,
                 'file-size': counts.file_size, 'file-size-optimized': counts.file_size_optimized,
                 **{f'sum-{name}': array for name, array in counts.metrics.items()}}
        for c, plane in enumerate(_PLANES):
            found |= {f'samples-{plane}': counts.samples[..., c], f'bits-{plane}':
                      counts.bits[..., c], f'sse-{plane}': counts.squared_errors[..., c]}
        if self.plan.exact_size:
            found['file-size'] = self._sizes(batch, counts.file_size)
        found = {name: array[lead:] for name, array in found.items()}
        n, settings = pictures.n - lead, range(len(self.names))
        if self.plan.frames:
            self.frames += [self._row(k, first + i, 1, {n: a[i] for n, a in found.items()})
                            for i in range(n) for k in settings]
        whole = {name: np.where((array == INFINITE).any(0), INFINITE, array.sum(0))
                 for name, array in found.items()}
        added = [self._row(k, None, n, whole) for k in settings]
        for total, row in zip(self._totals, added):
            total.add(row)
        self._totals = self._totals or added

    def _sizes(self, batch: Any, modelled: np.ndarray) -> np.ndarray:
        """Exact sizes: each picture is coded at each setting of jpeg-8x8."""
        sizes = modelled.copy()
        for k, (_, _, quality) in enumerate(self.plan.settings):
            for i in range(len(sizes) if self.is_exact(k) else 0):
                at = slice(i, i + 1)
                one = tuple(p[at] for p in batch) if isinstance(batch, tuple) else batch[at]
                sizes[i, k] = len(jpeg_file(one, quality, self.plan, self.layout))
        return sizes

    def is_exact(self, k: int) -> bool:
        return self.names[k] == 'jpeg-8x8' and self.layout.depth == 8

    def _row(self, k: int, frame: int | None, frames: int, found: dict[str, np.ndarray]) -> Row:
        counts = {name: int(array[k]) for name, array in found.items()}
        if not self.is_exact(k):
            counts = {name.replace('bits', 'bits-estimated'): n for name, n in counts.items()
                      if name not in _OF_FILES}
        name, scale, number = self.plan.settings[k]
        return Row(self.file, name, None, scale, number,
                   row_format(self.layout.format, self.plan.subsampling),
                   self.layout.width, self.layout.height, self.layout.depth,
                   str(self.rate or ''), frame, self.plan.exact_size,
                   {'frames': frames, **counts})

    def rows(self) -> list[Row]:
        if not self._totals:
            nothing = dict.fromkeys((c for c in COUNTS if 'estimated' not in c and
                                     c != 'bits-headers'), np.zeros(len(self.names), int))
            self._totals = [self._row(k, None, 0, nothing) for k in range(len(self.names))]
        return self.frames + self._totals


def jpeg_file(picture: Any, quality: int, plan: Plan, layout: Layout) -> bytes:
    """A picture as a JPEG file."""
    levels = blockdct.levels(picture, 'jpeg-8x8', quality=quality, depth=layout.depth,
                             layout=layout.form, chroma_subsampling=plan.subsampling,
                             threads=plan.threads)
    out = io.BytesIO()
    blockdct.write_jpeg(levels, out)
    return out.getvalue()


def chooser(plan: Plan, name: str | None) -> Callable[[Gst.Caps], Gst.Caps | None]:
    """Sets the format of decoded pictures: this, or the nearest to the decoder's."""
    def choose(caps: Gst.Caps) -> Gst.Caps | None:
        decoded = caps.get_structure(0).get_string('format')
        wanted = name or nearest(decoded, bool(plan.encoders))
        if name is None and decoded in RGB and decoded not in ('RGB', 'RGBx', 'RGBA'):
            wanted = 'RGB' if wanted == decoded else wanted
        return convert(caps, wanted)
    return choose


def refuse_change(now: Gst.Caps, before: Gst.Caps, index: int) -> FileError:
    return FileError(f'frame {index} is {tell_caps(now)}, those before it are '
                     f'{tell_caps(before)}: one row cannot hold both; measure the parts '
                     'with --first-frame and --n-frames')


def measure(path: str, name: str, plan: Plan, progress: Callable[[float], None],
            look: Callable[[Gst.Sample], None]) -> tuple[list[Row], list[str]]:
    """The rows of a file's transforms, and what they lack; `look` gets a still."""
    rows: list[Row] = []
    without: list[str] = []
    for wanted in plan.formats or (None,):
        with Pictures.open(path, plan.stall_limit, chooser(plan, wanted)) as pictures:
            rows += _measure(pictures, name, plan, without, progress, look)
    return rows, without


def _measure(pictures: Pictures, name: str, plan: Plan, without: list[str],
             progress: Callable[[float], None], look: Callable[[Gst.Sample], None]) -> list[Row]:
    start = max(plan.first - _LEAD, 0) if 'xpsnr' in plan.metrics else plan.first
    lane: Lane | None = None
    batch: Batch | None = None
    lead = index = 0
    before: Gst.Caps | None = None

    def flush() -> None:
        nonlocal lead
        if lane is None or batch.n <= lead:
            return
        lane.measure(batch, lead, index - batch.n + lead)
        lead = min(batch.n, _LEAD) if lane.metrics and 'xpsnr' in lane.metrics else 0
        batch.keep(lead)

    while (plan.end is None or index < plan.end) and (sample := pictures.pull()):
        caps = sample.get_caps()
        if before is None or (caps is not before and not same_picture(caps, before)):
            if before is not None and index > plan.first:
                raise refuse_change(caps, before, index)
            batch, lead = Batch(Layout(caps)), 0
            lane = Lane(plan, batch.layout, without, name, pictures.input.rate)
        before = caps
        if index == 0 and pictures.input.declared() == 1:
            look(sample)
        index += 1
        if index > start:
            batch.add(sample)
            lead += index <= plan.first
        if batch.n - lead >= batch.most:
            flush()
        progress(max(pictures.input.progress(), index / plan.end if plan.end else 0))
    flush()
    if lane is None:
        raise FileError('it has no picture')
    return lane.rows()
