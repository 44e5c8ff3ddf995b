# SPDX-License-Identifier: LGPL-2.1-or-later
"""Settings of transforms, and what they are for each picture of a batch."""
import dataclasses
import functools
from typing import Any, Iterable, NamedTuple, Sequence

import numpy as np

from . import _arrays, _blockdct
from ._arrays import check_range

Array = np.ndarray[Any, Any]
Layout = tuple[int, ...]

_names = _blockdct.list_names()
transform_of = {name: (i, has_qp) for i, (name, has_qp) in enumerate(_names[0])}
metric_of = {name: (i, figures) for i, (name, figures) in enumerate(_names[1])}
preset_of = {name: (i, np.frombuffer(b''.join(steps), np.uint16).reshape(2, 64).astype(int))
             for i, (name, steps) in enumerate(_names[2])}
_SCALING = ('flat', 'default')

#: The names of transforms: 'jpeg-8x8', 'hevc-32x32', ...
TRANSFORMS: tuple[str, ...] = tuple(transform_of)
#: The names for `metrics`: 'planes', 'bits', 'counts', 'ssim', 'ms-ssim', ...
METRICS: tuple[str, ...] = ('planes', 'bits', 'counts', *metric_of)
#: The names of the tables that quality scales: 'annex-k', ...
TABLES: tuple[str, ...] = tuple(preset_of)


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
        if self.transform not in transform_of:
            raise ValueError(f'transform {self.transform!r} is not one of {TRANSFORMS}')
        if not isinstance(self.tables, str):
            steps = np.asarray(self.tables)
            if steps.dtype.kind not in 'ui' or steps.size not in (64, 128):
                raise ValueError(f'tables are {steps.size} of {steps.dtype}, not 64 or 128 '
                                 'whole numbers')
            object.__setattr__(self, 'tables', tuple(steps.ravel().tolist()))
        elif self.tables not in preset_of:
            raise ValueError(f'tables {self.tables!r} is not one of {TABLES}')
        check_range('quality', self.quality, 1, 100)
        check_range('qp', self.qp, 0, 51)

    def _params(self) -> tuple[Any, ...]:
        preset = preset_of[self.tables][0] if isinstance(self.tables, str) else -1
        has_lists = self.scaling_list not in _SCALING
        return (transform_of[self.transform][0], self.quality, self.qp, self.chroma_qp_offset,
                self.min_block, self.max_block, self.lambda_scale, self.deadzone,
                2 if has_lists else _SCALING.index(self.scaling_list), self.baseline,
                self.scale_tables,
                max(preset, 0), None if preset >= 0 else np.clip(
                    np.array(self.tables), -1, 1 << 20).astype(np.int32).tobytes(),
                self.scaling_list.encode() if has_lists else None)


@functools.lru_cache(maxsize=64)
def _jobs_of(settings: Settings, layout: Layout) -> _blockdct.Jobs:
    return _blockdct.Jobs((64, 64, *layout), settings._params())


def jobs_for(settings: Settings, layout: Layout) -> _blockdct.Jobs:
    """Jobs of all qualities or QPs. They do not depend on the picture's size."""
    try:
        return _jobs_of(dataclasses.replace(settings, quality=85, qp=26), layout[2:])
    except (AttributeError, TypeError) as error:
        raise TypeError(f'{settings}: {error}') from None


def _whole(name: str, values: Any, n: int, each: str, low: int, high: int) -> Array:
    """One value or `n` values, checked, as `n` values."""
    array = np.asarray(values.cpu() if hasattr(values, 'cpu') else list(values)
                       if isinstance(values, range) else values)
    if array.dtype.kind not in 'ui' and array.size > 0:
        raise ValueError(f'{name} is of {array.dtype}, not whole numbers')
    if array.ndim > 1 or (array.ndim == 1 and len(array) != n):
        raise ValueError(f'{name} has shape {array.shape}: give one value or {n}, one per {each}')
    for extreme in (array.min(), array.max()) if array.size else ():
        check_range(name, extreme, low, high)
    return array.astype(np.int32) if array.ndim else np.full(n, array, np.int32)


class Wanted(NamedTuple):
    mask: int  # bits 1 << number of a metric
    bits: bool
    planes: bool
    counts: bool


def read_metrics(metrics: str | Iterable[str]) -> Wanted:
    names: list[Any] = [metrics] if isinstance(metrics, str) \
        or not hasattr(metrics, '__iter__') else list(metrics)
    for name in names:
        if name not in METRICS and name != 'psnr':
            raise ValueError(f'metric {name!r} is not one of {("psnr", *METRICS)}')
    mask = sum({1 << metric_of[name][0] for name in names if name in metric_of})
    return Wanted(mask, 'bits' in names, 'planes' in names, 'counts' in names)


def read_transforms(transform: Any, **more: Any) -> list[Settings]:
    """A name, Settings, or several of these; `more`: other fields of Settings."""
    several = [transform] if isinstance(transform, (str, Settings)) else transform
    if not hasattr(several, '__len__') or not all(
            [isinstance(one, (str, Settings)) for one in several]):
        raise TypeError(f'transform {transform!r} is neither a name, Settings, nor a list of '
                        'these')
    return [Settings(one, **more) if isinstance(one, str)
            else dataclasses.replace(one, **more) if more else one for one in several]


class Plan:
    """Each picture's settings, or each of many, resolved to jobs."""

    def __init__(self, transform: Any, quality: Any, qp: Any, more: dict[str, Any],
                 layout: Layout, n: int, each: str = 'picture'):
        for name in more:
            if name not in _FIELDS:
                raise TypeError(f'{name} is neither an argument nor one of the settings '
                                f'{", ".join(_FIELDS[3:])}')
        self.bases = bases = read_transforms(transform, **more)
        if len(bases) not in (1, n):
            raise ValueError(f'{len(bases)} transforms for {n} {each}s: give one, or one '
                             f'per {each}')
        self.jobs = tuple([jobs_for(base, layout) for base in bases])
        check_used(bases, self.jobs, quality, qp)
        numbers = []
        for name, values, high in ('quality', quality, 100), ('qp', qp, 51):
            if values is None:
                values = [getattr(base, name) for base in bases]
                values = values[0] if len(bases) == 1 else values
            numbers.append(_whole(name, values, n, each, int(name == 'quality'), high))
        self.quality, self.qp = numbers
        self.index: Array = np.zeros(n, np.int32)
        for i, (base, jobs) in enumerate(zip(bases, self.jobs)):
            mine: Any = slice(None) if len(bases) == 1 else i
            if transform_of[base.transform][1]:
                self.index[mine] = self.qp[mine]
            elif jobs.n > 1:
                self.index[mine] = self.quality[mine] - 1

    def can_stack(self, layout: Layout, src: Any, wanted: Wanted) -> bool:
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
        pairs: Any = zip(self.quality.tolist(), self.qp.tolist())
        return [dataclasses.replace(self.bases[i % len(self.bases)], quality=quality, qp=qp)
                for i, (quality, qp) in enumerate(pairs)]


def check_used(bases: list[Settings], jobs: Sequence[_blockdct.Jobs], quality: Any,
               qp: Any) -> None:
    """What is given alone is used by a transform."""
    have_qp = [transform_of[base.transform][1] for base in bases]
    names = ', '.join(sorted({base.transform for base in bases}))
    if bases and quality is None and qp is not None and not any(have_qp):
        raise ValueError(f'qp is given, but {names} has quality')
    if bases and qp is None and quality is not None and not any(
            one.n > 1 and not has_qp for one, has_qp in zip(jobs, have_qp)):
        raise ValueError('quality is given, but ' + (
            f'{names} has qp' if all(have_qp) else
            'the steps are, too: scale_tables=True lets quality scale them'))


@functools.lru_cache(maxsize=1024, typed=True)
def _plan_of_one(transform: str | Settings, quality: Any, qp: Any, layout: Layout,
                 n: int) -> Plan:
    return Plan(transform, quality, qp, {}, (1, 1, *layout), n)


_ONE = (int, type(None), range)


def plan_for(transform: Any, quality: Any, qp: Any, more: dict[str, Any],
          layout: Layout, n: int) -> Plan:
    quality, qp = [int(v) if isinstance(v, np.integer) else v for v in (quality, qp)]
    if not more and type(quality) in _ONE and type(qp) in _ONE and isinstance(
            transform, (str, Settings)):
        return _plan_of_one(transform, quality, qp, layout[2:], n)
    return Plan(transform, quality, qp, more, layout, n)


_FIELDS = tuple(field.name for field in dataclasses.fields(Settings))
