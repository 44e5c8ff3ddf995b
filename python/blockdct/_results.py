# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the functions return, and the engine writes."""
import dataclasses
import math
from typing import Any, NamedTuple, TypeVar

import numpy as np

from . import _arrays
from ._settings import Array, Settings, Wanted, jobs_for, metric_of

_N_FIGURES = 8 + 4 * len(metric_of)
_N_COUNTS = 21 + 4 * len(metric_of)


class Counts(NamedTuple):
    """Whole numbers of each picture, int64: what they add up to, over pictures or
    batches in any order, is exact. Arrays are (N, 3), of Y, U and V, with 0 where the
    format has none, or (N,); those of `measure` are (N, S, 3) and (N, S)."""
    #: Visible samples.
    samples: Array
    #: Sums of the squared errors of these, below 2^57; None without an original.
    squared_errors: Array | None
    #: Of R, G and B, each with as many samples as Y; None if there are none.
    squared_errors_rgb: Array | None
    #: Levels of whole blocks, and those that are not 0; None of `compare`.
    levels: Array | None
    nonzero_levels: Array | None
    #: With metrics 'bits': bits of the levels; else None.
    bits: Array | None
    #: (N,): With metrics 'bits', of a JPEG file, else 0: bits with Huffman tables that
    #: are optimal for the picture, bytes of the file with Annex K's and with these
    #: tables, within 0.5 %; else None.
    bits_optimized: Array | None
    file_size: Array | None
    file_size_optimized: Array | None
    #: (N,), by name as in `metrics`: the figure in billionths, rounded; of XPSNR the
    #: root of the weighted squared errors, whose mean over pictures is XPSNR's. 2^63 - 1
    #: if it is not finite.
    metrics: dict[str, Array]


class Transformed(NamedTuple):
    """The result of `transform`. Figures are arrays with an entry for each picture."""
    #: What the levels decode to, in the form of the batch.
    pictures: Any
    #: In dB, over all samples of R, G and B or of the planes; inf if nothing
    #: differs; NaN without an original.
    psnr: Array
    #: Mean squared error of the same samples.
    mse: Array
    #: With metrics 'planes': (N, 3), PSNR of Y, U and V; else None.
    psnr_planes: Array | None
    #: With metrics 'planes': share of the levels that are not 0; else None.
    nonzero: Array | None
    #: With metrics 'bits': bits of all levels; exact for a JPEG file (jpeg-8x8 at 8
    #: bits), an estimate for all else; else None.
    bits: Array | None
    #: With metrics 'bits': bytes of the JPEG file, within 0.5 %, 0 if there is no
    #: such file; else None.
    file_size: Array | None
    #: Other metrics, by name: 'ssim', 'ssim-y', ...
    metrics: dict[str, Array]
    #: With metrics 'counts': whole numbers, for exact sums; else None.
    counts: Counts | None


class Measured(NamedTuple):
    """The result of `measure`, with fields as in Transformed, for each picture and each
    setting: (N, S), of planes (N, S, 3). Errors are those of Y, U and V: R, G and B have
    none without a picture."""
    psnr: Array
    mse: Array
    psnr_planes: Array | None
    nonzero: Array | None
    bits: Array | None
    file_size: Array | None
    metrics: dict[str, Array]
    counts: Counts | None


class Compared(NamedTuple):
    """The result of `compare`, with fields as in Transformed."""
    psnr: Array
    mse: Array
    psnr_planes: Array | None
    metrics: dict[str, Array]
    counts: Counts | None


@dataclasses.dataclass
class Levels:
    """The quantized levels of a batch. It can be pickled if its arrays can."""
    #: (N, n) int16: for each picture the blocks of Y, then of U and V.
    values: Any
    #: hevc-quadtree: (N, rows * columns) uint8, log2 of the luma block's side, for
    #: each place in a grid of the smallest blocks; else None.
    sizes: Array | None
    #: The settings of each picture.
    settings: list[Settings]
    #: The arrangement of the pictures, for `reconstruct`.
    form: _arrays.Form

    def blocks(self, component: int) -> Any:
        """The blocks of component 0 (Y), 1 (U) or 2 (V), as a view of `values`:
        (N, rows, columns, height, width), with a row for each vertical frequency.
        vvc-64x64 has the lowest 32 x 32 frequencies. Not for hevc-quadtree."""
        _arrays.check_range('component', component, 0, 2 if self.form.layout[3] else 0)
        if self.sizes is not None:
            raise ValueError('hevc-quadtree\'s blocks have many sizes: see values and sizes')
        layout = self.form.layout
        columns, rows, first, size, log2_width, _ = jobs_for(
            self.settings[0], layout).describe(layout)[1][component]
        width = min(1 << log2_width, 32)
        part = self.values[:, first:first + columns * rows * size]
        return part.reshape((-1, rows, columns, size // width, width))


def address_of(array: Array) -> int:
    address: int = array.__array_interface__['data'][0]
    return address


_Kind = TypeVar('_Kind', Transformed, Measured, Compared)


class Results:
    """The figures of each picture at each setting, and its whole numbers if they are
    wanted, which the engine writes."""

    def __init__(self, n: int, wanted: Wanted):
        self.wanted = wanted
        self.figures: Array = np.empty((n, _N_FIGURES))
        self.whole: Array | None = np.empty((n, _N_COUNTS), np.int64) if wanted.counts else None

    def addresses(self) -> tuple[int, int]:
        return address_of(self.figures), 0 if self.whole is None else address_of(self.whole)

    def divide(self, form: _arrays.Form, *settings: int) -> None:
        """By picture, if there is not only one, and by setting."""
        lead = settings if form.is_single else (
            len(self.figures) // math.prod(settings), *settings)
        self.figures = self.figures.reshape(*lead, _N_FIGURES)
        if self.whole is not None:
            self.whole = self.whole.reshape(*lead, _N_COUNTS)

    def make(self, kind: type[_Kind], is_rgb: bool = False, measured: bool = True,
             coded: bool = True, **own: Any) -> _Kind:
        """A result, whose fields are those of its kind."""
        figures, wanted = self.figures, self.wanted
        fields: dict[str, Any] = {
            'psnr': figures[..., 1], 'mse': figures[..., 0],
            'metrics': {name: figures[..., 8 + i] for i, name in self._named()},
            'counts': self._counts(is_rgb, measured, coded), **own}
        if wanted.planes:
            fields |= {'psnr_planes': figures[..., 2:5], 'nonzero': figures[..., 5]}
        if wanted.bits:
            fields |= {'bits': figures[..., 6].astype(np.int64),
                       'file_size': np.nan_to_num(figures[..., 7]).astype(np.int64)}
        return kind._make(map(fields.get, kind._fields))

    def _named(self) -> list[tuple[int, str]]:
        return [(4 * m + c, name) for m, names in metric_of.values()
                if self.wanted.mask >> m & 1 for c, name in enumerate(names)
                if name is not None and not np.isnan(self.figures[..., 8 + 4 * m + c]).all()]

    def _counts(self, is_rgb: bool, measured: bool, coded: bool) -> Counts | None:
        if self.whole is None:
            return None
        parts = [self.whole[..., i:i + 3] for i in range(0, 18, 3)]
        sizes = [self.whole[..., i] for i in range(18, 21)]
        have = (True, measured, measured and is_rgb, coded, coded, *[self.wanted.bits] * 4)
        return Counts._make([*[one if is_wanted else None for one, is_wanted
                               in zip(parts + sizes, have)],
                             {name: self.whole[..., 21 + i] for i, name in self._named()}])
