# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the random transforms draw, and how it degrades pictures."""
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

import blockdct
from blockdct import Settings, _arrays
from blockdct._settings import transform_of

Range = int | Sequence[int]
Several = str | Settings | Sequence[str | Settings]


class Pass(NamedTuple):
    """One compression, whose grid of blocks begins so much above and left of the picture."""
    arguments: dict[str, Any]
    rows: int
    columns: int


def _check_range(name: str, value: Range, low: int, high: int) -> tuple[int, int]:
    ends = np.ravel(value) if np.ndim(value) else np.array([value, value])
    if len(ends) != 2 or ends.dtype.kind not in 'iu' \
            or not low <= ends[0] <= ends[1] <= high:
        raise ValueError(f'{name} {value!r} is neither a number nor the first and the last '
                         f'of a range within {low} to {high}')
    return int(ends[0]), int(ends[1])


def _index(several: Sequence[Any], integer: Callable[[int, int], int]) -> int:
    return integer(0, len(several) - 1) if len(several) > 1 else 0


class Codec:
    """The ranges to draw from, checked."""

    def __init__(self, quality: Range, qp: Range, transform: Several,
                 chroma_subsampling: str | Sequence[str], double: float, shift: int,
                 rounding: str, threads: int):
        self.quality = _check_range('quality', quality, 1, 100)
        self.qp = _check_range('qp', qp, 0, 51)
        several: Sequence[str | Settings] = \
            [transform] if isinstance(transform, (str, Settings)) else transform
        self.transforms = [Settings(one) if isinstance(one, str) else one for one in several]
        self.chroma = [chroma_subsampling] if isinstance(chroma_subsampling, str) \
            else list(chroma_subsampling)
        for name in self.chroma:
            if name not in (names := tuple(_arrays.CHROMA)[1:]):
                raise ValueError(f'chroma_subsampling {name!r} is not one of {names}')
        if not self.transforms or not self.chroma:
            raise ValueError('there is no transform or no chroma_subsampling to draw from')
        if not 0 <= double <= 1:
            raise ValueError(f'double {double} is not a probability, 0 to 1')
        self.double, self.shift = double, _check_range('shift', shift, 0, 63)[1]
        self.more: dict[str, Any] = {'rounding': rounding, 'threads': threads}

    def _draw_one(self, integer: Callable[[int, int], int]) -> dict[str, Any]:
        settings = self.transforms[_index(self.transforms, integer)]
        chroma = self.chroma[_index(self.chroma, integer)]
        name, ends = ('qp', self.qp) if transform_of[settings.transform][1] \
            else ('quality', self.quality)
        return {'transform': settings, 'chroma_subsampling': chroma, name: integer(*ends)}

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
                                       **self.more).pictures
            batch = batch[(*lead, slice(one.rows, None), slice(one.columns, None))]
        return _arrays.like_input(given, batch)
