# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the random transforms draw, and how it degrades pictures."""
import dataclasses
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

import blockdct
from blockdct import Settings, _arrays, _engines
from blockdct._settings import check_used, jobs_for, read_transforms, transform_of

Range = int | Sequence[int]
Several = str | Settings | Sequence[str | Settings]


class Pass(NamedTuple):
    """One compression, whose grid of blocks begins so much above and left of the picture."""
    arguments: dict[str, Any]
    rows: int
    columns: int


def _read_range(name: str, value: Range, low: int, high: int) -> tuple[int, int]:
    ends = np.ravel(value) if np.ndim(value) else np.array([value, value])
    if len(ends) != 2 or ends.dtype.kind not in 'iu' \
            or not low <= ends[0] <= ends[1] <= high:
        raise ValueError(f'{name} {value!r} is neither a number nor the first and the last '
                         f'of a range within {low} to {high}')
    return int(ends[0]), int(ends[1])


def _index(several: Sequence[Any], integer: Callable[[int, int], int]) -> int:
    return integer(0, len(several) - 1) if len(several) > 1 else 0


@dataclasses.dataclass(eq=False)
class Codec:
    """What to draw from, checked here, not in a worker."""
    quality: Range | None
    qp: Range | None
    transform: Several
    chroma_subsampling: str | Sequence[str]
    double: float
    shift: int
    rounding: str
    threads: int

    def __post_init__(self) -> None:
        several = read_transforms(self.transform)
        self._chroma = list(self.chroma_subsampling) if isinstance(
            self.chroma_subsampling, (list, tuple)) else [self.chroma_subsampling]
        if not several or not self._chroma:
            raise ValueError('there is no transform or no chroma_subsampling to draw from')
        black = np.zeros((1, 1, 3), np.float32)
        pictures = [_arrays.Pictures(black, 'HWC', chroma, None, None, self.rounding)
                    for chroma in self._chroma]
        jobs = [jobs_for(one, pictures[0].layout) for one in several]
        check_used(several, jobs, self.quality, self.qp)
        quality = (30, 95) if self.quality is None else self.quality
        qp = (22, 42) if self.qp is None else self.qp
        ends = {'quality': _read_range('quality', quality, 1, 100),
                'qp': _read_range('qp', qp, 0, 51)}
        names = ['qp' if transform_of[one.transform][1] else 'quality' for one in several]
        #: Each transform, with the range that it draws from, if it has one.
        self._transforms = [(one, {name: ends[name]} if own.n > 1 else {})
                            for one, name, own in zip(several, names, jobs)]
        if not 0 <= self.double <= 1:
            raise ValueError(f'double {self.double} is not a probability, 0 to 1')
        _arrays.check_range('shift', self.shift, 0, 63)
        _engines.check_threads(self.threads)

    def _draw_one(self, integer: Callable[[int, int], int]) -> dict[str, Any]:
        settings, ranges = self._transforms[_index(self._transforms, integer)]
        chroma = self._chroma[_index(self._chroma, integer)]
        return {'transform': settings, 'chroma_subsampling': chroma,
                **{name: integer(*ends) for name, ends in ranges.items()}}

    def draw(self, integer: Callable[[int, int], int]) -> list[Pass]:
        """The compressions of one sample; `integer` draws one from the first to the last."""
        passes = [Pass(self._draw_one(integer), 0, 0)]
        if self.double > 0 and integer(0, (1 << 24) - 1) < self.double * (1 << 24):
            passes.insert(0, Pass(self._draw_one(integer), integer(0, self.shift),
                                  integer(0, self.shift)))
        return passes

    def degrade(self, given: Any, passes: list[Pass], layout: str) -> Any:
        """Pictures, an array or an image, as decoders show them."""
        batch = _arrays.from_image(given)
        lead = (slice(None),) * layout.index('H')
        for one in passes:
            first = one.rows, one.columns
            if any(first):
                rows, columns = [np.arange(-n, side).clip(0)
                                 for n, side in zip(first, batch.shape[len(lead):])]
                batch = batch[(*lead, rows)][(*lead, slice(None), columns)]
            batch = blockdct.transform(batch, layout=layout, **one.arguments,
                                       rounding=self.rounding, threads=self.threads).pictures
            batch = batch[(*lead, slice(one.rows, None), slice(one.columns, None))]
        return _arrays.like_input(given, batch)
