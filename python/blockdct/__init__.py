# SPDX-License-Identifier: LGPL-2.1-or-later
"""Block transforms and quantizers for batches of pictures.

    import blockdct, numpy
    batch = numpy.random.randint(0, 256, (16, 224, 224, 3), 'uint8')
    pictures, psnr, *_ = blockdct.transform(batch, quality=range(30, 46))

`transform` returns the pictures that the quantized levels decode to, `measure` what it
says of each picture at many settings, without pictures, `levels` these levels,
`reconstruct` pictures from levels, `compare` figures of two batches, and
`tables` JPEG's quantization tables. `read_jpeg` and `write_jpeg` read and write the
levels of files, and `origin` finds the JPEG file that a picture was decoded from.
jpeg-8x8 computes, bit for bit, what libjpeg-turbo and so Pillow compute.

A batch is an array of numpy or of a library with DLPack (torch, CuPy, JAX). Results
are arrays of the same library on the same device; data on a GPU are not copied to the
host. Shapes, with layout='NHWC' or 'NCHW':

    R, G, B          (N, height, width, 3) or (N, 3, height, width), uint8
    R, G, B, alpha   (N, height, width, 4), uint8; alpha is not changed
    grey             (N, height, width), or with one channel; uint8 or uint16
    planes           a tuple (Y, U, V) of (N, height, width) each; their sizes
                     determine the subsampling; uint8 or uint16

uint16 needs `depth`, the bits of a sample, 9 to 12; values above 2^depth - 1 are read
as 2^depth - 1. A side has 1 to 65535 samples. Strides are arbitrary; if the samples
of a row are not adjacent, the batch is copied first.

Any thread can call the functions. They release the interpreter's lock and wait until
their results are complete. They raise ValueError, which names the value and the range,
TypeError for objects that are not arrays, RuntimeError for errors of CUDA, and
MemoryError. Common arguments:

    device   where to compute: 'cpu', 'cuda', 'cuda:1', or None: where the batch is.
             A GPU can compute arrays of the host, too.
    stream   the caller's CUDA stream: a torch.cuda.Stream, a cupy.cuda.Stream or an
             address; None: the default stream. Work that is on it, or that the
             arrays' library has begun on them, is completed first.
    threads  threads of the CPU engine; 0: one per processor, except for small
             pictures. Use 1 in data loaders, which run several processes.
"""
import dataclasses
import functools
import os
from typing import Any, Iterable, NamedTuple, Sequence

import numpy as np

from . import _arrays, _blockdct, _engines, _jpeg
from ._engines import close
from ._jpeg import JpegLevels, Origin, read_jpeg

__all__ = ['Compared', 'Counts', 'JpegLevels', 'Levels', 'METRICS', 'Measured', 'Origin',
           'Settings', 'TABLES', 'TRANSFORMS', 'Transformed', 'close', 'compare',
           'cuda_devices', 'levels', 'measure', 'origin', 'read_jpeg', 'reconstruct',
           'tables', 'transform', 'write_jpeg']
__version__: str = _blockdct.version

_transforms = {name: (i, has_qp)
               for i, (name, has_qp) in enumerate(_blockdct.transforms())}
_metrics = {name: (i, figures)
            for i, (name, figures) in enumerate(_blockdct.metrics())}
_presets = {name: (i, *steps)
            for i, (name, *steps) in enumerate(_blockdct.presets())}
_SCALING = ('flat', 'default')
_N_FIGURES = 8 + 4 * len(_metrics)
_N_COUNTS = 21 + 4 * len(_metrics)

#: The names of transforms: 'jpeg-8x8', 'hevc-32x32', ...
TRANSFORMS: tuple[str, ...] = tuple(_transforms)
#: The names for `metrics`: 'planes', 'bits', 'counts', 'ssim', 'ms-ssim', ...
METRICS: tuple[str, ...] = ('planes', 'bits', 'counts', *_metrics)
#: The names of the tables that quality scales: 'annex-k', ...
TABLES: tuple[str, ...] = tuple(_presets)


@dataclasses.dataclass(frozen=True)
class Settings:
    """A transform and its quantizer. Fields that the transform does not use have no
    effect, but are checked.

    transform         one of TRANSFORMS
    quality           1 to 100; jpeg-8x8, dct-8x8: scales the tables as libjpeg does
    qp                0 to 51; hevc-*, h264-*, vvc-64x64: QP of luma
    chroma_qp_offset  -12 to 12; same transforms: added for chroma
    deadzone          1/6 to 1/3; same transforms: rounding offset in steps
    min_block, max_block  4, 8, 16 or 32; hevc-quadtree: sides of luma blocks
    lambda_scale      0 to 1000; hevc-quadtree: weight of bits
    scaling_list      hevc-*, vvc-64x64: 'flat', 'default' (H.265's intra lists) or
                      the text of a file in the format of HM and x265
    tables            jpeg-8x8, dct-8x8: one of TABLES, or steps: 64 for all
                      components, or 64 for luma and 64 for chroma; row-major, a row
                      for each vertical frequency
    scale_tables      let quality scale these steps, too
    baseline          limit steps to 255 at a depth of 8, as `cjpeg -baseline` does
    """
    transform: str = 'jpeg-8x8'
    quality: int = 85
    qp: int = 26
    chroma_qp_offset: int = 0
    deadzone: float = 1 / 3
    min_block: int = 4
    max_block: int = 32
    lambda_scale: float = 1.0
    scaling_list: str = 'flat'
    tables: str | Sequence[int] = 'annex-k'
    scale_tables: bool = False
    baseline: bool = True

    def __post_init__(self) -> None:
        if self.transform not in _transforms:
            raise ValueError(f'transform {self.transform!r} is not one of '
                             f'{TRANSFORMS}')
        if not isinstance(self.tables, str):
            steps = np.asarray(self.tables)
            if steps.dtype.kind not in 'ui' or steps.size not in (64, 128):
                raise ValueError(f'tables are {steps.size} of {steps.dtype}, not 64 '
                                 'or 128 whole numbers')
            object.__setattr__(self, 'tables', tuple(steps.ravel().tolist()))
        elif self.tables not in _presets:
            raise ValueError(f'tables {self.tables!r} is not one of {TABLES}')
        _check_range('quality', self.quality, 1, 100)
        _check_range('qp', self.qp, 0, 51)

    def _params(self) -> tuple:
        has_steps = not isinstance(self.tables, str)
        has_lists = self.scaling_list not in _SCALING
        return (_transforms[self.transform][0], self.quality, self.qp,
                self.chroma_qp_offset, self.min_block, self.max_block,
                self.lambda_scale, self.deadzone,
                2 if has_lists else _SCALING.index(self.scaling_list),
                self.baseline, self.scale_tables,
                0 if has_steps else _presets[self.tables][0],
                self.tables if has_steps else None,
                self.scaling_list.encode() if has_lists else None)


class Counts(NamedTuple):
    """Whole numbers of each picture, int64: what they add up to, over pictures or
    batches in any order, is exact. Arrays are (N, 3), of Y, U and V, with 0 where the
    format has none, or (N,); those of `measure` are (N, S, 3) and (N, S)."""
    #: Visible samples.
    samples: np.ndarray
    #: Sums of the squared errors of these, below 2^57; None without an original.
    squared_errors: np.ndarray | None
    #: Of R, G and B, each with as many samples as Y; None if there are none.
    squared_errors_rgb: np.ndarray | None
    #: Levels of whole blocks, and those that are not 0; None of `compare`.
    levels: np.ndarray | None
    nonzero_levels: np.ndarray | None
    #: With metrics 'bits': bits of the levels; else None.
    bits: np.ndarray | None
    #: (N,): With metrics 'bits', of a JPEG file, else 0: bits with Huffman tables that
    #: are optimal for the picture, bytes of the file with Annex K's and with these
    #: tables, within 0.5 %; else None.
    bits_optimized: np.ndarray | None
    file_size: np.ndarray | None
    file_size_optimized: np.ndarray | None
    #: (N,), by name as in `metrics`: the figure in billionths, rounded; of XPSNR the
    #: root of the weighted squared errors, whose mean over pictures is XPSNR's. 2^63 - 1
    #: if it is not finite.
    metrics: dict[str, np.ndarray]


class Transformed(NamedTuple):
    """The result of `transform`. Figures are arrays with an entry for each picture."""
    #: What the levels decode to, in the form of the batch.
    pictures: Any
    #: In dB, over all samples of R, G and B or of the planes; inf if nothing
    #: differs; NaN without an original.
    psnr: np.ndarray
    #: Mean squared error of the same samples.
    mse: np.ndarray
    #: With metrics 'planes': (N, 3), PSNR of Y, U and V; else None.
    psnr_planes: np.ndarray | None
    #: With metrics 'planes': share of the levels that are not 0; else None.
    nonzero: np.ndarray | None
    #: With metrics 'bits': bits of all levels; exact for a JPEG file (jpeg-8x8 at 8
    #: bits), an estimate for all else; else None.
    bits: np.ndarray | None
    #: With metrics 'bits': bytes of the JPEG file, within 0.5 %, 0 if there is no
    #: such file; else None.
    file_size: np.ndarray | None
    #: Other metrics, by name: 'ssim', 'ssim-y', ...
    metrics: dict[str, np.ndarray]
    #: With metrics 'counts': whole numbers, for exact sums; else None.
    counts: Counts | None


class Measured(NamedTuple):
    """The result of `measure`, with fields as in Transformed, for each picture and each
    setting: (N, S), of planes (N, S, 3). Errors are those of Y, U and V: R, G and B have
    none without a picture."""
    psnr: np.ndarray
    mse: np.ndarray
    psnr_planes: np.ndarray | None
    nonzero: np.ndarray | None
    bits: np.ndarray | None
    file_size: np.ndarray | None
    metrics: dict[str, np.ndarray]
    counts: Counts | None


class Compared(NamedTuple):
    """The result of `compare`, with fields as in Transformed."""
    psnr: np.ndarray
    mse: np.ndarray
    psnr_planes: np.ndarray | None
    metrics: dict[str, np.ndarray]
    counts: Counts | None


@dataclasses.dataclass
class Levels:
    """The quantized levels of a batch. It can be pickled if its arrays can."""
    #: (N, n) int16: for each picture the blocks of Y, then of U and V.
    values: Any
    #: hevc-quadtree: (N, rows * columns) uint8, log2 of the luma block's side, for
    #: each place in a grid of the smallest blocks; else None.
    sizes: np.ndarray | None
    #: The settings of each picture.
    settings: list[Settings]
    #: The arrangement of the pictures, for `reconstruct`.
    form: _arrays.Form

    def blocks(self, component: int) -> Any:
        """The blocks of component 0 (Y), 1 (U) or 2 (V), as a view of `values`:
        (N, rows, columns, height, width), with a row for each vertical frequency.
        vvc-64x64 has the lowest 32 x 32 frequencies. Not for hevc-quadtree."""
        _check_range('component', component, 0, 2 if self.form.layout[3] else 0)
        if self.sizes is not None:
            raise ValueError('the blocks of hevc-quadtree have many sizes: see '
                             'values and sizes')
        layout = self.form.layout
        columns, rows, first, size, log2_width, _ = _jobs(
            self.settings[0], layout).describe(layout)[1][component]
        width = min(1 << log2_width, 32)
        part = self.values[:, first:first + columns * rows * size]
        return part.reshape((-1, rows, columns, size // width, width))


def _check_range(name: str, value: Any, low: int, high: int) -> None:
    if not low <= value <= high:
        raise ValueError(f'{name} {value} is outside {low} to {high}')


# Jobs

@functools.lru_cache(maxsize=64)
def _jobs_for(params: tuple, layout: tuple) -> _blockdct.Jobs:
    return _blockdct.Jobs((64, 64, *layout), params)


@functools.lru_cache(maxsize=256)
def _jobs_of(settings: Settings, layout: tuple) -> _blockdct.Jobs:
    base = dataclasses.replace(settings, quality=85, qp=26)
    return _jobs_for(base._params(), layout)


def _jobs(settings: Settings, layout: tuple) -> _blockdct.Jobs:
    """Jobs of all qualities or QPs. They do not depend on the picture's size."""
    return _jobs_of(settings, layout[2:])


def _whole(name: str, values: Any, n: int, each: str, low: int, high: int) -> np.ndarray:
    """One value or `n` values, checked, as `n` values."""
    array = np.asarray(values.cpu() if hasattr(values, 'cpu') else list(values)
                       if isinstance(values, range) else values)
    if array.dtype.kind not in 'ui' and array.size > 0:
        raise ValueError(f'{name} is of {array.dtype}, not whole numbers')
    if array.ndim > 1 or (array.ndim == 1 and len(array) != n):
        raise ValueError(f'{name} has shape {array.shape}: give one value or {n}, '
                         f'one per {each}')
    for extreme in (array.min(), array.max()) if array.size else ():
        _check_range(name, extreme, low, high)
    return array.astype(np.int32) if array.ndim else np.full(n, array, np.int32)


class _Plan:
    """Each picture's settings, or each of many, resolved to jobs."""

    def __init__(self, transform, quality, qp, more, layout, n, each='picture'):
        if isinstance(transform, (str, Settings)):
            transform = [transform]
        if len(transform) not in (1, n):
            raise ValueError(f'{len(transform)} transforms for {n} {each}s: give '
                             f'one, or one per {each}')
        bases = [_settings(one, tuple(more.items())) if isinstance(one, str)
                 else dataclasses.replace(one, **more) if more else one
                 for one in transform]
        self.bases = bases
        numbers = []
        for name, values, high in ('quality', quality, 100), ('qp', qp, 51):
            if values is None:
                values = [getattr(base, name) for base in bases]
                values = values[0] if len(bases) == 1 else values
            numbers.append(_whole(name, values, n, each, int(name == 'quality'), high))
        self.quality, self.qp = numbers
        self.jobs = tuple(_jobs(base, layout) for base in bases)
        self.index = np.zeros(n, np.int32)
        for i, (base, jobs) in enumerate(zip(bases, self.jobs)):
            mine = slice(None) if len(bases) == 1 else i
            if _transforms[base.transform][1]:
                self.index[mine] = self.qp[mine]
            elif jobs.n > 1:
                self.index[mine] = self.quality[mine] - 1

    def can_stack(self, layout: tuple, src: tuple, wanted: '_Wanted') -> bool:
        """Whether a GPU can process the pictures at once, one below the other."""
        base = self.bases[0]
        if not (src and src[0] and not wanted.counts and layout[5] and len(self.index) > 1
                and src[1][1] and len(self.bases) == 1
                and base.transform != 'hevc-quadtree'
                and not wanted.mask and not wanted.planes):
            return False
        down = _arrays.DIVISORS[layout[3]][0]
        rows = layout[1], layout[1] // down, layout[1] // down
        _, blocks, is_jpeg = self.jobs[0].describe(layout)
        if wanted.bits and not is_jpeg:
            return False
        return layout[1] % down == 0 and all(
            n % (1 << block[5]) == 0 for n, block in zip(rows, blocks))

    def settings(self) -> list[Settings]:
        """The settings of each picture."""
        return [dataclasses.replace(self.bases[i % len(self.bases)],
                                    quality=int(quality), qp=int(qp))
                for i, (quality, qp) in enumerate(zip(self.quality, self.qp))]


@functools.lru_cache(maxsize=64)
def _settings_for(transform: str, more: tuple) -> Settings:
    return Settings(transform, **dict(more))


def _settings(transform: str, more: tuple) -> Settings:
    try:
        return _settings_for(transform, more)
    except TypeError:  # steps in a list or an array, or an unknown argument
        return Settings(transform, **dict(more))


# Batches

def _address(array: np.ndarray) -> int:
    return array.__array_interface__['data'][0]


class _Wanted(NamedTuple):
    mask: int  # bits 1 << number of a metric
    bits: bool
    planes: bool
    counts: bool


def _wanted(metrics: str | Iterable[str]) -> _Wanted:
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    for name in names:
        if name not in METRICS and name != 'psnr':
            raise ValueError(f'metric {name!r} is not one of {("psnr", *METRICS)}')
    mask = sum({1 << _metrics[name][0] for name in names if name in _metrics})
    return _Wanted(mask, 'bits' in names, 'planes' in names, 'counts' in names)


class _Results:
    """The figures of each picture at each setting, and its whole numbers if they are
    wanted, which the engine writes."""

    def __init__(self, n: int, wanted: _Wanted):
        self.wanted = wanted
        self.figures = np.empty((n, _N_FIGURES))
        self.whole = np.empty((n, _N_COUNTS), np.int64) if wanted.counts else None

    def addresses(self) -> tuple[int, int]:
        return _address(self.figures), 0 if self.whole is None else _address(self.whole)

    def divide(self, n: int, settings: int) -> None:
        """By picture and setting."""
        self.figures = self.figures.reshape(n, settings, _N_FIGURES)
        if self.whole is not None:
            self.whole = self.whole.reshape(n, settings, _N_COUNTS)

    def errors(self) -> tuple:
        return (self.figures[..., 1], self.figures[..., 0],
                self.figures[..., 2:5] if self.wanted.planes else None)

    def rate(self) -> tuple:
        figures, bits = self.figures, self.wanted.bits
        return (figures[..., 5] if self.wanted.planes else None,
                figures[..., 6].astype(np.int64) if bits else None,
                np.nan_to_num(figures[..., 7]).astype(np.int64) if bits else None)

    def metrics(self) -> dict[str, np.ndarray]:
        return {name: self.figures[..., 8 + i] for i, name in self._named()}

    def _named(self) -> list[tuple[int, str]]:
        return [(4 * m + c, name) for m, names in _metrics.values()
                for c, name in enumerate(names)
                if name is not None and self.wanted.mask >> m & 1
                and not np.isnan(self.figures[..., 8 + 4 * m + c]).all()]

    def counts(self, is_rgb: bool, measured: bool = True, coded: bool = True
               ) -> Counts | None:
        if self.whole is None:
            return None
        parts = [self.whole[..., i:i + 3] for i in range(0, 18, 3)]
        sizes = [self.whole[..., i] for i in range(18, 21)]
        bits = self.wanted.bits
        return Counts(parts[0], parts[1] if measured else None,
                      parts[2] if measured and is_rgb else None,
                      *(parts[3:5] if coded else (None, None)),
                      *([parts[5], *sizes] if bits else [None] * 4),
                      {name: self.whole[..., 21 + i] for i, name in self._named()})


def _transformed(form, new, results, measured=True) -> Transformed:
    pictures = tuple(one.result() for one in new)
    return Transformed(
        pictures if form.is_planes else pictures[0], *results.errors(), *results.rate(),
        results.metrics(), results.counts(form.layout[5] > 0, measured))


def _run(layout, plan, device, threads, stream, src, dst, *, levels=None,
         sizes=None, n_levels=0, from_levels=False,
         wanted=_Wanted(0, False, True, False), settings=1, frame_rate=0) -> _Results:
    """Process a batch, each picture with as many entries of the plan as `settings`
    says."""
    n = len(plan.index)
    results = _Results(n, wanted)
    if n == 0:
        return results
    stream = stream if device != 'cpu' else 0
    if dst and plan.can_stack(layout, src, wanted):
        high = _engines.stack_height(*layout[:2], n)
        tall = (layout[0], layout[1] * high, *layout[2:])
        with _engines.engine(device, threads, tall) as engine:
            engine.stack(tall, high, n, plan.jobs[0], _address(plan.index), src,
                         dst, wanted.bits, stream, results.addresses()[0])
        return results
    depth = _engines.depth_for(device, *layout[:2], 1 + (layout[2] > 8))
    with _engines.engine(device, threads, layout) as engine:
        engine.transform(
            layout, depth, n, settings, plan.jobs, _address(plan.index), src, dst,
            levels and (levels.address, levels.strides[0]),
            sizes and (sizes.address, sizes.strides[0]), n_levels,
            bool(levels) and levels.device != 'cpu', from_levels, wanted.bits,
            wanted.mask, frame_rate, stream, *results.addresses())
    return results


def transform(batch: Any, transform: str | Settings | Sequence = 'jpeg-8x8', *,
              quality: Any = None, qp: Any = None, layout: str = 'NHWC',
              chroma_subsampling: str = '4:2:0', depth: int | None = None,
              metrics: str | Iterable[str] = (), device: str | int | None = None,
              stream: Any = None, threads: int = 0, **settings: Any) -> Transformed:
    """Quantize each picture, without prediction, and decode its levels, with PSNR.

    transform           a name or Settings, one for all pictures or a sequence with
                        one per picture
    quality, qp         one number, or one per picture; None: as in Settings (85, 26)
    chroma_subsampling  '4:2:0', '4:2:2', '4:4:0' or '4:4:4': the size of U and V
                        that R, G and B are converted to
    metrics             any of METRICS
    settings            other fields of Settings

    Batch, device, stream, threads and errors: see the module.
    """
    address = _arrays.stream_address(stream)
    src = _arrays.Pictures(batch, layout, chroma_subsampling, depth, address)
    device = _engines.normalize(device, src.device)
    wanted = _wanted(metrics)
    plan = _Plan(transform, quality, qp, settings, src.layout, src.n)
    dst, new = src.like()
    results = _run(src.layout, plan, device, threads, address, src.planes, dst,
                   wanted=wanted)
    return _transformed(src.form, new, results)


def _length(values: Any) -> int | None:
    """None: it is one for all."""
    try:
        return None if isinstance(values, str) else len(values)
    except TypeError:
        return None


def measure(batch: Any, transform: str | Settings | Sequence = 'jpeg-8x8', *,
            quality: Any = None, qp: Any = None, layout: str = 'NHWC',
            chroma_subsampling: str = '4:2:0', depth: int | None = None,
            metrics: str | Iterable[str] = (), device: str | int | None = None,
            stream: Any = None, threads: int = 0, frame_rate: int | None = None,
            **settings: Any) -> Measured:
    """Compute what `transform` says of every picture at each of S settings, without
    making pictures.

    transform     a name or Settings, one for all settings or a sequence of S
    quality, qp   one number, or S of them: quality=range(1, 101)
    frame_rate    1 to 1000: the pictures are consecutive frames of a video, and 'xpsnr'
                  weighs what moves by the two before; None: each is a picture by itself

    Other arguments are as for `transform`.
    """
    address = _arrays.stream_address(stream)
    src = _arrays.Pictures(batch, layout, chroma_subsampling, depth, address)
    device = _engines.normalize(device, src.device)
    lengths = [n for n in map(_length, (transform, quality, qp)) if n is not None]
    n = max(lengths, default=1)
    if frame_rate is not None:
        _check_range('frame_rate', frame_rate, 1, 1000)
    plan = _Plan(transform, quality, qp, settings, src.layout, n, 'setting')
    plan.index = np.tile(plan.index, src.n)
    if len(plan.jobs) > 1:
        plan.jobs *= src.n
    results = _run(src.layout, plan, device, threads, address, src.planes, None,
                   wanted=_wanted(metrics), settings=n, frame_rate=frame_rate or 0)
    results.divide(src.n, n)
    return Measured(*results.errors(), *results.rate(), results.metrics(),
                    results.counts(False))


def levels(batch: Any, transform: str | Settings = 'jpeg-8x8', *,
           quality: Any = None, qp: Any = None, layout: str = 'NHWC',
           chroma_subsampling: str = '4:2:0', depth: int | None = None,
           device: str | int | None = None, stream: Any = None, threads: int = 0,
           **settings: Any) -> Levels:
    """Compute the quantized levels of each picture: what an encoder would code.
    Arguments are as for `transform`, with one transform for all pictures."""
    address = _arrays.stream_address(stream)
    src = _arrays.Pictures(batch, layout, chroma_subsampling, depth, address)
    device = _engines.normalize(device, src.device)
    plan = _Plan(transform, quality, qp, settings, src.layout, src.n)
    if len(plan.bases) > 1:
        raise ValueError(f'{len(plan.bases)} transforms: levels have one')
    n_levels, components, _ = plan.jobs[0].describe(src.layout)
    new = _arrays.New(src.arrays[0], (src.n, n_levels), 'int16')
    sizes = None
    if plan.bases[0].transform == 'hevc-quadtree':
        sizes = np.empty((src.n, components[0][0] * components[0][1]), np.uint8)
    _run(src.layout, plan, device, threads, address, src.planes, None,
         levels=_arrays.find(new.array, address),
         sizes=None if sizes is None else _arrays.find(sizes), n_levels=n_levels)
    return Levels(new.result(), sizes, plan.settings(), src.form)


def reconstruct(levels: Levels | JpegLevels | Sequence[JpegLevels], *,
                metrics: str | Iterable[str] = (),
                device: str | int | None = None, stream: Any = None,
                threads: int = 0) -> Any:
    """Compute pictures from levels alone, as a decoder does. You may change
    `levels.values`: every value of 16 bits has a defined result.

    For Levels it returns Transformed. Without an original, PSNR is NaN, and 'bits',
    'counts' and 'planes' are the only metrics.

    For JpegLevels it returns the pixels of numpy.asarray(PIL.Image.open(file)), to the
    bit, as uint8: (height, width) for grey, (height, width, 3) for R, G and B, (height,
    width, 4) for C, M, Y and K, inverted as by Pillow. For a list of JpegLevels it
    returns a list; files of the same size and sampling are faster together. CMYK, YCCK,
    RGB and samplings other than 4:4:4, 4:2:2, 4:4:0 and 4:2:0 are composed from their
    planes on the host. There are no metrics.
    """
    if not isinstance(levels, Levels):
        if _wanted(metrics) != _wanted(()):
            raise ValueError('there are no metrics for a JPEG file')

        def decode(values, steps, form):
            settings = [_settings('jpeg-8x8', (('tables', s), ('baseline', False)))
                        for s in steps]
            return reconstruct(Levels(values, None, settings, form), device=device,
                               stream=stream, threads=threads).pictures
        return _jpeg.reconstruct(levels, decode)
    address = _arrays.stream_address(stream)
    wanted = _wanted(metrics)
    if wanted.mask:
        raise ValueError("levels have no original: the only metrics are 'bits', "
                         "'counts' and 'planes'")
    layout, bases = levels.form.layout, levels.settings
    memory = _arrays.find(levels.values, address)
    base = bases[0] if bases else Settings()
    n_levels = _jobs(base, layout).describe(layout)[0]
    if memory.dtype != 'int16' or memory.shape != (len(bases), n_levels):
        raise ValueError(f'levels are {memory.shape} of {memory.dtype}, not '
                         f'{(len(bases), n_levels)} of int16')
    if memory.strides[1] != 2 or memory.address % 16 or memory.strides[0] % 16:
        copy = _arrays.New(levels.values, memory.shape, 'int16')
        copy.array[:] = levels.values
        memory = _arrays.find(copy.array, address)
    sizes = levels.sizes
    if sizes is not None:
        places = _jobs(base, layout).describe(layout)[1][0]
        shape = len(bases), places[0] * places[1]
        sizes = np.ascontiguousarray(sizes)
        if sizes.dtype != np.uint8 or sizes.shape != shape:
            raise ValueError(f'sizes are {sizes.shape} of {sizes.dtype}, not '
                             f'{shape} of uint8')
    device = _engines.normalize(device, memory.device)
    dst, new = _arrays.empty(levels.values, len(bases), levels.form, address)
    plan = _Plan(bases or [base], None, None, {}, layout, len(bases))
    results = _run(layout, plan, device, threads, address, None, dst, levels=memory,
                   sizes=None if sizes is None else _arrays.find(sizes),
                   n_levels=n_levels, from_levels=True, wanted=wanted)
    return _transformed(levels.form, new, results, measured=False)


def compare(reference: Any, distorted: Any, *,
            metrics: str | Iterable[str] = (), layout: str = 'NHWC',
            chroma_subsampling: str = '4:2:0', depth: int | None = None,
            device: str | int | None = None, stream: Any = None,
            threads: int = 0) -> Compared:
    """Compute PSNR and other metrics of each picture against its reference. The two
    batches have the same form. `metrics`: any of METRICS except 'bits'."""
    address = _arrays.stream_address(stream)
    both = [_arrays.Pictures(batch, layout, chroma_subsampling, depth, address)
            for batch in (reference, distorted)]
    wanted = _wanted(metrics)
    if wanted.bits:
        raise ValueError("metric 'bits' is for transform: compared pictures have none")
    if both[0].layout != both[1].layout:  # R, G and B, once together and once not
        for pictures in both:
            pictures.copy()
        both = [_arrays.Pictures(p.arrays if p.is_planes else p.arrays[0], layout,
                                 chroma_subsampling, depth, address) for p in both]
    first, second = both
    if (first.n, first.layout, first.device) != (second.n, second.layout,
                                                 second.device):
        raise ValueError(
            f'the batches differ: {first.n} pictures of {first.height} x '
            f'{first.width} on {first.device}, {second.n} of {second.height} x '
            f'{second.width} on {second.device}, or in their channels or depth')
    device = _engines.normalize(device, first.device)
    results = _Results(first.n, wanted)
    if first.n > 0:
        in_flight = _engines.depth_for(device, *first.layout[:2],
                                       1 + (first.depth > 8))
        with _engines.engine(device, threads, first.layout) as engine:
            engine.compare(first.layout, in_flight, first.n, first.planes,
                           second.planes, wanted.mask, address if device != 'cpu' else 0,
                           *results.addresses())
    return Compared(*results.errors(), results.metrics(),
                    results.counts(first.layout[5] > 0, coded=False))


def tables(source: str | bytes | os.PathLike = 'annex-k',
           quality: int | None = None, baseline: bool = True) -> np.ndarray:
    """Return JPEG's quantization tables: (2, 8, 8) uint16, the steps of luma and of
    chroma, with a row for each vertical frequency.

    source    one of TABLES; or the path or the bytes of a JPEG file, or of a text
              that `cjpeg -qtables` takes
    quality   1 to 100: scale the steps as libjpeg does (jcparam.c); None: do not
    baseline  limit scaled steps to 255, else to 32767
    """
    if isinstance(source, str) and source in _presets:
        steps = np.array(_presets[source][1:])
    else:
        if not isinstance(source, bytes):
            if isinstance(source, str) and not os.path.exists(source):
                raise ValueError(f'tables {source!r} is neither one of {TABLES} nor '
                                 'a file')
            source = _jpeg.contents(source)[1]
        steps = np.array(_blockdct.parse_tables(source))
        steps = np.broadcast_to(steps.reshape(-1, 64), (2, 64))
    if quality is not None:
        steps = _scale(steps, quality, baseline)
    return steps.reshape(2, 8, 8).astype(np.uint16)


def _scale(steps: np.ndarray, quality: int, baseline: bool) -> np.ndarray:
    _check_range('quality', quality, 1, 100)
    percent = 5000 // quality if quality < 50 else 200 - 2 * quality
    return np.clip((steps * percent + 50) // 100, 1, 255 if baseline else 32767)


def _steps_of(settings: Settings) -> np.ndarray:
    """(2, 64): the steps of jpeg-8x8."""
    if isinstance(settings.tables, str):
        return _scale(np.array(_presets[settings.tables][1:]), settings.quality,
                      settings.baseline)
    steps = np.broadcast_to(np.reshape(settings.tables, (-1, 64)), (2, 64))
    return _scale(steps, settings.quality, settings.baseline) \
        if settings.scale_tables else steps


def write_jpeg(levels: Levels | JpegLevels, file: Any, *, optimize: bool = False,
               progressive: bool = False) -> None:
    """Write levels to a JPEG file with libjpeg's jpeg_write_coefficients.

    levels       JpegLevels, or Levels of one picture with jpeg-8x8 at 8 bits. Then
                 `cjpeg -quality` or `cjpeg -qtables` with the same sampling
                 (`-sample`) writes the same file, byte by byte, for this picture
    file         a path, or an object with write()
    optimize     use Huffman tables made for this file (`cjpeg -optimize`)
    progressive  write libjpeg's progressive scans (`cjpeg -progressive`)

    Raises ValueError for levels outside -1023 to 1023, which no file can have, and for
    fields of JpegLevels that do not fit together; OSError, with the file's name, if it
    cannot be written, as on a full disk.
    """
    if isinstance(levels, Levels):
        settings = levels.settings[0] if len(levels.settings) == 1 else None
        width, height, depth, chroma, n_planes, _ = levels.form.layout
        if settings is None or settings.transform != 'jpeg-8x8' or depth != 8:
            raise ValueError(
                f'levels are of {len(levels.settings)} pictures, or not of jpeg-8x8 at '
                'a depth of 8: a file takes one picture of jpeg-8x8')
        down, across = _arrays.DIVISORS[chroma]
        steps = _steps_of(settings)
        levels = JpegLevels(
            _arrays.to_host(levels.values)[0],
            steps[[0, 1, 1][:n_planes]].reshape(-1, 8, 8),
            ((across, down), (1, 1), (1, 1))[:n_planes], width, height,
            'grey' if n_planes == 1 else 'YCbCr')
    _jpeg.write(levels, file, optimize, progressive)


def origin(picture: Any) -> Origin | None:
    """Find the JPEG file that libjpeg decoded a picture from, even if it was cropped
    afterwards. Returns None if it is not known. A result has been checked: levels with
    these steps, on this grid, decode to every whole block without saturated pixels (0
    or 255 in R, G or B).

    picture   (height, width) or (height, width, 3), R, G and B; uint8
    """
    return _jpeg.origin(picture, TABLES)


def cuda_devices() -> tuple[int, str]:
    """Return the number of usable GPUs and, if it is 0, the reason."""
    _engines._check_cuda()
    return _blockdct.count_devices(1)
