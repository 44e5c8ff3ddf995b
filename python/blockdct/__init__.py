# SPDX-License-Identifier: LGPL-2.1-or-later
"""Block transforms and quantizers for batches of pictures.

    import blockdct, numpy
    batch = numpy.random.randint(0, 256, (16, 224, 224, 3), 'uint8')
    pictures, psnr, *_ = blockdct.transform(batch, quality=range(30, 46))

`transform` returns the pictures that the quantized levels decode to, `measure` what it
says of each picture at many settings, without pictures, `levels` these levels,
`reconstruct` pictures from levels, `compare` figures of two batches, and
`tables` JPEG's quantization tables. `read_images` decodes JPEG files; `read_jpeg` and
`write_jpeg` read and write their levels, and `origin` finds the JPEG file that a picture
was decoded from.
jpeg-8x8 computes, bit for bit, what libjpeg-turbo and so Pillow compute.

Pictures are arrays of numpy or of a library with DLPack (torch, CuPy, JAX). Results are
arrays of the same library on the same device; data on a GPU are not copied to the host.
The shape says what an array holds. If it can be two things, that is a ValueError, which
names them; then, `layout` says it:

    NHWC, NCHW   a batch, (N, height, width, channels) or (N, channels, height, width)
    HWC, CHW     one picture
    NHW, HW      a batch of grey pictures; one
    YUV          a tuple (Y, U, V), or (Y,), of planes (N, height, width) or (height,
                 width), whose sizes determine the subsampling

with 1 channel (grey), 3 (R, G, B) or 4 (R, G, B, alpha; last; alpha is not changed).
One picture is a batch without N, and so are its figures. A list or tuple of pictures,
of any sizes, is a batch; its pictures come back in a list. Images of Pillow come back
as such.

Samples are uint8. Grey and planes can be uint16, which needs `depth`, the bits of a
sample, 9 to 12; values above 2^depth - 1 are read as 2^depth - 1. Floats from 0 to 1
need `rounding`: 'nearest', 'floor' or 'torchvision' (as its v2.ToDtype), and come back
as floats. A side has 1 to 65535 samples. Strides are arbitrary; if the samples of a row
are not adjacent, the batch is copied first.

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
import inspect
import os
import sys
from typing import Any, Callable, Iterable, NamedTuple, Sequence, TypeVar, cast, overload

import numpy as np
import numpy.typing as npt

from . import _arrays, _blockdct, _engines, _jpeg
from ._engines import close
from ._images import read_images
from ._jpeg import JpegLevels, Origin, read_jpeg

__all__ = ['Compared', 'Counts', 'JpegLevels', 'Levels', 'METRICS', 'Measured', 'Origin',
           'Settings', 'TABLES', 'TRANSFORMS', 'Transformed', 'close', 'compare',
           'cuda_devices', 'levels', 'measure', 'origin', 'read_images', 'read_jpeg', 'reconstruct',
           'tables', 'transform', 'write_jpeg']
__version__: str = _blockdct.version

_Array = npt.NDArray[Any]
_Layout = tuple[int, ...]
_Device = str | int | None

_names = _blockdct.list_names()
_transforms = {name: (i, has_qp) for i, (name, has_qp) in enumerate(_names[0])}
_metrics = {name: (i, figures) for i, (name, figures) in enumerate(_names[1])}
_presets = {name: (i, luma, chroma) for i, (name, luma, chroma) in enumerate(_names[2])}
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
            raise ValueError(f'transform {self.transform!r} is not one of {TRANSFORMS}')
        if not isinstance(self.tables, str):
            steps = np.asarray(self.tables)
            if steps.dtype.kind not in 'ui' or steps.size not in (64, 128):
                raise ValueError(f'tables are {steps.size} of {steps.dtype}, not 64 or 128 '
                                 'whole numbers')
            object.__setattr__(self, 'tables', tuple(steps.ravel().tolist()))
        elif self.tables not in _presets:
            raise ValueError(f'tables {self.tables!r} is not one of {TABLES}')
        _check_range('quality', self.quality, 1, 100)
        _check_range('qp', self.qp, 0, 51)

    def _params(self) -> tuple[Any, ...]:
        preset = _presets[self.tables][0] if isinstance(self.tables, str) else -1
        has_lists = self.scaling_list not in _SCALING
        return (_transforms[self.transform][0], self.quality, self.qp, self.chroma_qp_offset,
                self.min_block, self.max_block, self.lambda_scale, self.deadzone,
                2 if has_lists else _SCALING.index(self.scaling_list), self.baseline,
                self.scale_tables,
                max(preset, 0), None if preset >= 0 else np.clip(
                    np.array(self.tables), -1, 1 << 20).astype(np.int32).tobytes(),
                self.scaling_list.encode() if has_lists else None)


class Counts(NamedTuple):
    """Whole numbers of each picture, int64: what they add up to, over pictures or
    batches in any order, is exact. Arrays are (N, 3), of Y, U and V, with 0 where the
    format has none, or (N,); those of `measure` are (N, S, 3) and (N, S)."""
    #: Visible samples.
    samples: _Array
    #: Sums of the squared errors of these, below 2^57; None without an original.
    squared_errors: _Array | None
    #: Of R, G and B, each with as many samples as Y; None if there are none.
    squared_errors_rgb: _Array | None
    #: Levels of whole blocks, and those that are not 0; None of `compare`.
    levels: _Array | None
    nonzero_levels: _Array | None
    #: With metrics 'bits': bits of the levels; else None.
    bits: _Array | None
    #: (N,): With metrics 'bits', of a JPEG file, else 0: bits with Huffman tables that
    #: are optimal for the picture, bytes of the file with Annex K's and with these
    #: tables, within 0.5 %; else None.
    bits_optimized: _Array | None
    file_size: _Array | None
    file_size_optimized: _Array | None
    #: (N,), by name as in `metrics`: the figure in billionths, rounded; of XPSNR the
    #: root of the weighted squared errors, whose mean over pictures is XPSNR's. 2^63 - 1
    #: if it is not finite.
    metrics: dict[str, _Array]


class Transformed(NamedTuple):
    """The result of `transform`. Figures are arrays with an entry for each picture."""
    #: What the levels decode to, in the form of the batch.
    pictures: Any
    #: In dB, over all samples of R, G and B or of the planes; inf if nothing
    #: differs; NaN without an original.
    psnr: _Array
    #: Mean squared error of the same samples.
    mse: _Array
    #: With metrics 'planes': (N, 3), PSNR of Y, U and V; else None.
    psnr_planes: _Array | None
    #: With metrics 'planes': share of the levels that are not 0; else None.
    nonzero: _Array | None
    #: With metrics 'bits': bits of all levels; exact for a JPEG file (jpeg-8x8 at 8
    #: bits), an estimate for all else; else None.
    bits: _Array | None
    #: With metrics 'bits': bytes of the JPEG file, within 0.5 %, 0 if there is no
    #: such file; else None.
    file_size: _Array | None
    #: Other metrics, by name: 'ssim', 'ssim-y', ...
    metrics: dict[str, _Array]
    #: With metrics 'counts': whole numbers, for exact sums; else None.
    counts: Counts | None


class Measured(NamedTuple):
    """The result of `measure`, with fields as in Transformed, for each picture and each
    setting: (N, S), of planes (N, S, 3). Errors are those of Y, U and V: R, G and B have
    none without a picture."""
    psnr: _Array
    mse: _Array
    psnr_planes: _Array | None
    nonzero: _Array | None
    bits: _Array | None
    file_size: _Array | None
    metrics: dict[str, _Array]
    counts: Counts | None


class Compared(NamedTuple):
    """The result of `compare`, with fields as in Transformed."""
    psnr: _Array
    mse: _Array
    psnr_planes: _Array | None
    metrics: dict[str, _Array]
    counts: Counts | None


@dataclasses.dataclass
class Levels:
    """The quantized levels of a batch. It can be pickled if its arrays can."""
    #: (N, n) int16: for each picture the blocks of Y, then of U and V.
    values: Any
    #: hevc-quadtree: (N, rows * columns) uint8, log2 of the luma block's side, for
    #: each place in a grid of the smallest blocks; else None.
    sizes: _Array | None
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
            raise ValueError('hevc-quadtree\'s blocks have many sizes: see values and sizes')
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
def _jobs_of(settings: Settings, layout: _Layout) -> _blockdct.Jobs:
    return _blockdct.Jobs((64, 64, *layout), settings._params())


def _jobs(settings: Settings, layout: _Layout) -> _blockdct.Jobs:
    """Jobs of all qualities or QPs. They do not depend on the picture's size."""
    return _jobs_of(dataclasses.replace(settings, quality=85, qp=26), layout[2:])


def _whole(name: str, values: Any, n: int, each: str, low: int, high: int) -> _Array:
    """One value or `n` values, checked, as `n` values."""
    array = np.asarray(values.cpu() if hasattr(values, 'cpu') else list(values)
                       if isinstance(values, range) else values)
    if array.dtype.kind not in 'ui' and array.size > 0:
        raise ValueError(f'{name} is of {array.dtype}, not whole numbers')
    if array.ndim > 1 or (array.ndim == 1 and len(array) != n):
        raise ValueError(f'{name} has shape {array.shape}: give one value or {n}, one per {each}')
    for extreme in (array.min(), array.max()) if array.size else ():
        _check_range(name, extreme, low, high)
    return array.astype(np.int32) if array.ndim else np.full(n, array, np.int32)


class _Plan:
    """Each picture's settings, or each of many, resolved to jobs."""

    def __init__(self, transform: Any, quality: Any, qp: Any, more: dict[str, Any],
                 layout: _Layout, n: int, each: str = 'picture'):
        if isinstance(transform, (str, Settings)):
            transform = [transform]
        if len(transform) not in (1, n):
            raise ValueError(f'{len(transform)} transforms for {n} {each}s: give one, or one '
                             f'per {each}')
        for name in more:
            if name not in _FIELDS:
                raise TypeError(f'{name} is neither an argument nor one of the settings '
                                f'{", ".join(_FIELDS[3:])}')
        bases = [Settings(one, **more) if isinstance(one, str)
                 else dataclasses.replace(one, **more) if more else one
                 for one in transform]
        self.bases = bases
        self.jobs = tuple([_jobs(base, layout) for base in bases])
        _check_used(bases, self.jobs, quality, qp)
        numbers = []
        for name, values, high in ('quality', quality, 100), ('qp', qp, 51):
            if values is None:
                values = [getattr(base, name) for base in bases]
                values = values[0] if len(bases) == 1 else values
            numbers.append(_whole(name, values, n, each, int(name == 'quality'), high))
        self.quality, self.qp = numbers
        self.index = np.zeros(n, np.int32)
        for i, (base, jobs) in enumerate(zip(bases, self.jobs)):
            mine = slice(None) if len(bases) == 1 else i
            if _transforms[base.transform][1]:
                self.index[mine] = self.qp[mine]
            elif jobs.n > 1:
                self.index[mine] = self.quality[mine] - 1

    def can_stack(self, layout: _Layout, src: Any, wanted: '_Wanted') -> bool:
        """Whether a GPU can process the pictures at once, one below the other."""
        if not (src and src[0] and src[1][1] and layout[5] and len(self.index) > 1
                and len(self.bases) == 1 and self.bases[0].transform != 'hevc-quadtree'
                and not (wanted.mask or wanted.planes or wanted.counts)):
            return False
        height, down = layout[1], _arrays.DIVISORS[layout[3]][0]
        _, blocks, is_jpeg = self.jobs[0].describe(layout)
        return (is_jpeg or not wanted.bits) and height % down == 0 and all(
            rows % (1 << block[5]) == 0
            for rows, block in zip((height, height // down, height // down), blocks))

    def settings(self) -> list[Settings]:
        """The settings of each picture."""
        return [dataclasses.replace(self.bases[i % len(self.bases)], quality=quality, qp=qp)
                for i, (quality, qp) in enumerate(zip(self.quality.tolist(), self.qp.tolist()))]


def _check_used(bases: list[Settings], jobs: tuple[_blockdct.Jobs, ...], quality: Any,
                qp: Any) -> None:
    """What is given alone is used by a transform."""
    have_qp = [_transforms[base.transform][1] for base in bases]
    names = ', '.join(sorted({base.transform for base in bases}))
    if bases and quality is None and qp is not None and not any(have_qp):
        raise ValueError(f'qp is given, but {names} has quality')
    if bases and qp is None and quality is not None and not any(
            one.n > 1 and not has_qp for one, has_qp in zip(jobs, have_qp)):
        raise ValueError('quality is given, but ' + (
            f'{names} has qp' if all(have_qp) else
            'the steps are, too: scale_tables=True lets quality scale them'))


@functools.lru_cache(maxsize=1024, typed=True)
def _plan_of_one(transform: str | Settings, quality: Any, qp: Any, layout: _Layout,
                 n: int) -> _Plan:
    return _Plan(transform, quality, qp, {}, (1, 1, *layout), n)


_ONE = (int, type(None), range)


def _plan(transform: Any, quality: Any, qp: Any, more: dict[str, Any],
          layout: _Layout, n: int) -> _Plan:
    quality, qp = [int(v) if isinstance(v, np.integer) else v for v in (quality, qp)]
    if not more and type(quality) in _ONE and type(qp) in _ONE and isinstance(
            transform, (str, Settings)):
        return _plan_of_one(transform, quality, qp, layout[2:], n)
    return _Plan(transform, quality, qp, more, layout, n)


_FIELDS = tuple(field.name for field in dataclasses.fields(Settings))


# Batches

def _address(array: _Array) -> int:
    address: int = array.__array_interface__['data'][0]
    return address


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

    def divide(self, *lead: int) -> None:
        """By picture, or by picture and setting; not by picture if there is one."""
        self.figures = self.figures.reshape(*lead, _N_FIGURES)
        if self.whole is not None:
            self.whole = self.whole.reshape(*lead, _N_COUNTS)

    def errors(self) -> tuple[_Array, _Array, _Array | None]:
        return (self.figures[..., 1], self.figures[..., 0],
                self.figures[..., 2:5] if self.wanted.planes else None)

    def rate(self) -> tuple[_Array | None, _Array | None, _Array | None]:
        figures, bits = self.figures, self.wanted.bits
        return (figures[..., 5] if self.wanted.planes else None,
                figures[..., 6].astype(np.int64) if bits else None,
                np.nan_to_num(figures[..., 7]).astype(np.int64) if bits else None)

    def metrics(self) -> dict[str, _Array]:
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
        have = (True, measured, measured and is_rgb, coded, coded, *[self.wanted.bits] * 4)
        return Counts._make([*[one if is_wanted else None for one, is_wanted
                               in zip(parts + sizes, have)],
                             {name: self.whole[..., 21 + i] for i, name in self._named()}])


def _transformed(form: _arrays.Form, made: Callable[[], Any], results: _Results,
                 measured: bool = True) -> Transformed:
    if form.is_single:
        results.divide()
    return Transformed(made(), *results.errors(), *results.rate(), metrics=results.metrics(),
                       counts=results.counts(form.layout[5] > 0, measured))


def _pick(values: Any, indices: list[int]) -> Any:
    return values if _length(values) is None else [values[i] for i in indices]


def _merge(parts: list[Any], indices: list[list[int]], n: int) -> Any:
    """The results of parts of a batch, field by field, in the batch's order."""
    some = next((part for part in parts if part is not None), None)
    if some is None:
        return None
    if isinstance(some, tuple):
        return type(some)(*[_merge(list(field), indices, n) for field in zip(*parts)])
    if isinstance(some, dict):
        return {name: _merge([part.get(name) for part in parts], indices, n)
                for name in dict.fromkeys(name for part in parts for name in part)}
    merged: Any = [None] * n if isinstance(some, list) else np.full(
        (n, *some.shape[1:]), np.nan if some.dtype.kind == 'f' else 0, some.dtype)
    for part, own in zip(parts, indices):
        for i, value in zip(own, () if part is None else part):
            merged[i] = value
    return merged


def _by_form(run: Callable[..., Any], names: list[str], given: dict[str, Any],
             each: tuple[str, ...]) -> Any:
    """Process pictures of any forms, those of one form at once. None: the batches, of
    these names, are arrays or planes of one form."""
    layout, chroma = given.pop('layout', None), given.pop('chroma_subsampling', '4:2:0')
    batches = [given.pop(name) for name in names]
    lists = [_arrays.read_list(batch, layout) for batch in batches]
    if not isinstance(chroma, str) and (_length(chroma) is None or None in lists):
        raise ValueError(f'chroma_subsampling {chroma!r} is not one of '
                         f'{tuple(_arrays.CHROMA)}; for a list, list(batch), it can be a list')
    if all(one is None for one in lists):
        return None
    if given.pop('out', None) is not None:
        raise ValueError('out is for an array or planes, not for a list')
    n = len(lists[0] or ())
    if any(one is None or len(one) != n for one in lists):
        raise ValueError(f'the batches differ: {len(batches[0])} and {len(batches[-1])} pictures, '
                         'or a list and an array')
    of_each = {name: given.pop(name) for name in each if name in given}
    for name, values in {'chroma_subsampling': chroma, **of_each}.items():
        if _length(values) not in (None, n):
            raise ValueError(f'{name} has {_length(values)} values: give one value or {n}, '
                             'one per picture')
    groups: dict[Any, list[int]] = {}
    for i in range(n):
        forms = [_arrays.picture_form(one[i], layout) for one in lists if one is not None]
        groups.setdefault((*forms, chroma if isinstance(chroma, str) else chroma[i]),
                          []).append(i)
    parts = []
    for (*forms, own), indices in groups.items():
        arrays = [_arrays.stack([_arrays.from_image(one[i]) for i in indices])
                  for one in lists if one]
        parts.append(run(*arrays, layout='N' + forms[0][0],
                         chroma_subsampling=own, **given,
                         **{name: _pick(values, indices)
                            for name, values in of_each.items()}))
    if n == 0:
        groups, none = {(): []}, np.zeros((0, 1, 1), np.uint8)
        parts = [run(*[none] * len(lists), layout='NHW', **given)]
    if isinstance(parts[0], Transformed):
        parts = [part._replace(pictures=[part.pictures[i] for i in range(len(indices))])
                 for part, indices in zip(parts, groups.values())]
    merged = _merge(parts, list(groups.values()), n)
    return merged if not isinstance(merged, Transformed) else merged._replace(
        pictures=[*map(_arrays.like_input, batches[0], merged.pictures)])


def _run(layout: _Layout, plan: _Plan, device: str, threads: int, stream: int, src: Any,
         dst: Any, *, levels: _arrays.Memory | None = None,
         sizes: _arrays.Memory | None = None, n_levels: int = 0, from_levels: bool = False,
         wanted: _Wanted = _Wanted(0, False, True, False), settings: int = 1,
         frame_rate: int = 0) -> _Results:
    """Process a batch, each picture with as many entries of the plan as `settings`
    says."""
    n = len(plan.index)
    results = _Results(n, wanted)
    if n == 0:
        return results
    high = _engines.stack_height(layout[0], layout[1], n) \
        if dst and plan.can_stack(layout, src, wanted) else 0
    layout = (layout[0], layout[1] * max(high, 1), *layout[2:])
    depth = 2 if high else _engines.depth_for(device, layout[0], layout[1], layout[2])
    with _engines.engine(device, threads, layout) as engine:
        engine.run(
            layout, depth, n, settings, high, plan.jobs, _address(plan.index), src, dst,
            levels and (levels.address, levels.strides[0]),
            sizes and (sizes.address, sizes.strides[0]), n_levels,
            levels is not None and levels.device != 'cpu', from_levels, wanted.bits,
            wanted.mask, frame_rate, stream if device != 'cpu' else 0, *results.addresses())
    return results


_Function = TypeVar('_Function', bound=Callable[..., Any])


def _entry(n: int, *each: str) -> Callable[[_Function], _Function]:
    """A function of `n` batches, which can be lists of pictures with `each` argument for
    each of these; torch.compile is to call it, not to trace it."""
    def decorate(function: _Function) -> _Function:
        names = list(inspect.signature(function).parameters)

        def run(*args: Any, **arguments: Any) -> Any:
            given = dict(zip(names, args), **arguments)
            if not isinstance(given.get('chroma_subsampling', ''), str) or any([
                    isinstance(given.get(name), (list, tuple)) for name in names[:n]]):
                merged = _by_form(run, names[:n], given, each)
                if merged is not None:
                    return merged
            return function(*args, **arguments)

        @functools.wraps(function)
        def call(*args: Any, **arguments: Any) -> Any:
            dynamo = sys.modules.get('torch._dynamo')
            return (run if dynamo is None else dynamo.disable(run))(*args, **arguments)
        setattr(call, '_torchdynamo_disable', True)
        return cast(_Function, call)
    return decorate


@_entry(1, 'transform', 'quality', 'qp')
def transform(batch: Any, transform: str | Settings | Sequence[Any] = 'jpeg-8x8', *,
              quality: Any = None, qp: Any = None, layout: str | None = None,
              chroma_subsampling: str | Sequence[str] = '4:2:0', depth: int | None = None,
              metrics: str | Iterable[str] = (), rounding: str | None = None, out: Any = None,
              device: _Device = None, stream: Any = None, threads: int = 0,
              **settings: Any) -> Transformed:
    """Quantize each picture, without prediction, and decode its levels, with PSNR.

    transform           a name or Settings, one for all pictures or a sequence with
                        one per picture
    quality, qp         one number, or one per picture; None: as in Settings (85, 26)
    chroma_subsampling  '4:2:0', '4:2:2', '4:4:0' or '4:4:4': the size of U and V
                        that R, G and B are converted to; one, or one per picture
    metrics             any of METRICS
    out                 where the pictures are written, in the form of the batch, and
                        not in its memory; not for lists
    settings            other fields of Settings

    Batch, layout, depth, rounding, device, stream, threads and errors: see the module.
    """
    address = _arrays.stream_address(stream)
    src = _arrays.Pictures(batch, layout, chroma_subsampling, depth, address, rounding)
    device = _engines.normalize(device, src.device)
    wanted = _wanted(metrics)
    plan = _plan(transform, quality, qp, settings, src.layout, src.n)
    dst, made = src.like(out)
    results = _run(src.layout, plan, device, threads, address, src.planes, dst,
                   wanted=wanted)
    return _transformed(src.form, made, results)


def _length(values: Any) -> int | None:
    """None: it is one for all."""
    try:
        return None if isinstance(values, str) else len(values)
    except TypeError:
        return None


@_entry(1)
def measure(batch: Any, transform: str | Settings | Sequence[Any] = 'jpeg-8x8', *,
            quality: Any = None, qp: Any = None, layout: str | None = None,
            chroma_subsampling: str | Sequence[str] = '4:2:0', depth: int | None = None,
            metrics: str | Iterable[str] = (), rounding: str | None = None,
            device: _Device = None, stream: Any = None, threads: int = 0,
            frame_rate: int | None = None,
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
    src = _arrays.Pictures(batch, layout, chroma_subsampling, depth, address, rounding)
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
    results.divide(*() if src.form.is_single else (src.n,), n)
    return Measured(*results.errors(), *results.rate(), metrics=results.metrics(),
                    counts=results.counts(False))


@_entry(0)
def levels(batch: Any, transform: str | Settings = 'jpeg-8x8', *,
           quality: Any = None, qp: Any = None, layout: str | None = None,
           chroma_subsampling: str = '4:2:0', depth: int | None = None,
           rounding: str | None = None, device: _Device = None,
           stream: Any = None, threads: int = 0, **settings: Any) -> Levels:
    """Compute the quantized levels of each picture: what an encoder would code.
    Arguments are as for `transform`, with one transform and one subsampling for all
    pictures, which are an array or planes."""
    if _arrays.read_list(batch, layout) is not None:
        raise ValueError('levels are of pictures of one size: give an array, not a list')
    address = _arrays.stream_address(stream)
    src = _arrays.Pictures(batch, layout, chroma_subsampling, depth, address, rounding)
    device = _engines.normalize(device, src.device)
    plan = _plan(transform, quality, qp, settings, src.layout, src.n)
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


@overload
def reconstruct(levels: Levels, *, metrics: str | Iterable[str] = (), device: _Device = None,
                stream: Any = None, threads: int = 0) -> Transformed: ...
@overload
def reconstruct(levels: JpegLevels, *, metrics: tuple[()] = (), device: _Device = None,
                stream: Any = None, threads: int = 0) -> Any: ...
@overload
def reconstruct(levels: Sequence[JpegLevels], *, metrics: tuple[()] = (),
                device: _Device = None, stream: Any = None, threads: int = 0) -> list[Any]: ...
@_entry(0)
def reconstruct(levels: Any, *, metrics: str | Iterable[str] = (), device: _Device = None,
                stream: Any = None, threads: int = 0) -> Any:
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

        def decode(values: Any, steps: Sequence[tuple[int, ...]], form: _arrays.Form) -> Any:
            settings = [Settings(tables=own, baseline=False) for own in steps]
            return reconstruct(Levels(values, None, settings, form), device=device,
                               stream=stream, threads=threads).pictures
        return _jpeg.reconstruct(levels, decode)
    address = _arrays.stream_address(stream)
    wanted = _wanted(metrics)
    if wanted.mask:
        raise ValueError("levels have no original: metrics are 'bits', 'counts', 'planes'")
    layout, bases = levels.form.layout, levels.settings
    memory = _arrays.find(levels.values, address)
    base = bases[0] if bases else Settings()
    n_levels = _jobs(base, layout).describe(layout)[0]
    if memory.dtype != 'int16' or memory.shape != (len(bases), n_levels):
        raise ValueError(f'levels are {memory.shape} of {memory.dtype}, not int16 of '
                         f'{(len(bases), n_levels)}')
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
            raise ValueError(f'sizes are {sizes.shape} of {sizes.dtype}, not {shape} of uint8')
    device = _engines.normalize(device, memory.device)
    dst, made = _arrays.empty(levels.values, len(bases), levels.form, address)
    plan = _Plan(bases or [base], None, None, {}, layout, len(bases))
    results = _run(layout, plan, device, threads, address, None, dst, levels=memory,
                   sizes=None if sizes is None else _arrays.find(sizes),
                   n_levels=n_levels, from_levels=True, wanted=wanted)
    return _transformed(levels.form, made, results, measured=False)


@_entry(2)
def compare(reference: Any, distorted: Any, *,
            metrics: str | Iterable[str] = (), layout: str | None = None,
            chroma_subsampling: str | Sequence[str] = '4:2:0', depth: int | None = None,
            rounding: str | None = None, device: _Device = None,
            stream: Any = None, threads: int = 0) -> Compared:
    """Compute PSNR and other metrics of each picture against its reference. The two
    batches have the same form. `metrics`: any of METRICS except 'bits'."""
    wanted = _wanted(metrics)
    if wanted.bits:
        raise ValueError("metric 'bits' is for transform: compared pictures have none")
    address = _arrays.stream_address(stream)
    first, second = [_arrays.Pictures(batch, layout, chroma_subsampling, depth, address,
                                      rounding) for batch in (reference, distorted)]
    if first.layout != second.layout:  # R, G and B, once together and once not
        first.make_dense()
        second.make_dense()
    if (first.n, first.layout, first.device) != (second.n, second.layout,
                                                 second.device):
        raise ValueError(
            f'the batches differ: {first.n} pictures of {first.layout[1]} x '
            f'{first.layout[0]} on {first.device}, {second.n} of {second.layout[1]} x '
            f'{second.layout[0]} on {second.device}, or in their channels or depth')
    device = _engines.normalize(device, first.device)
    plan = _Plan((), None, None, {}, first.layout, 0)
    plan.index = np.zeros(first.n, np.int32)
    results = _run(first.layout, plan, device, threads, address, first.planes, second.planes,
                   wanted=wanted)
    if first.form.is_single:
        results.divide()
    return Compared(*results.errors(), metrics=results.metrics(),
                    counts=results.counts(first.layout[5] > 0, coded=False))


def tables(source: str | bytes | os.PathLike[str] = 'annex-k',
           quality: int | None = None, baseline: bool = True) -> _Array:
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
                raise ValueError(f'tables {source!r} is neither one of {TABLES} nor a file')
            source = _jpeg.contents(source)[1]
        steps = np.array(_blockdct.parse_tables(source))
        steps = np.broadcast_to(steps.reshape(-1, 64), (2, 64))
    if quality is not None:
        steps = _scale(steps, quality, baseline)
    return steps.reshape(2, 8, 8).astype(np.uint16)


def _scale(steps: _Array, quality: int, baseline: bool) -> _Array:
    _check_range('quality', quality, 1, 100)
    percent = 5000 // quality if quality < 50 else 200 - 2 * quality
    scaled: _Array = np.clip((steps * percent + 50) // 100, 1, 255 if baseline else 32767)
    return scaled


def _steps_of(settings: Settings) -> _Array:
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
            raise ValueError(f'levels are of {len(levels.settings)} pictures, or not of jpeg-8x8 '
                             'at a depth of 8: a file takes one picture of jpeg-8x8')
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
