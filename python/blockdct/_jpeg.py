# SPDX-License-Identifier: LGPL-2.1-or-later
"""JPEG files: reading and writing their levels, and the pictures that libjpeg-turbo and
Pillow decode from them."""
import dataclasses
import functools
import math
import operator
import os
import types
from typing import Any, BinaryIO, Callable, NamedTuple, Sequence, cast

import numpy as np

from . import _arrays, _blockdct
from ._arrays import check_range
from ._results import Levels
from ._settings import TABLES, Array, Settings, preset_of

#: The values of `colour_space`, in the order of JpegFileColour (jpeg/file.h), and
#: their numbers of components.
COLOUR_SPACES = {'grey': 1, 'YCbCr': 3, 'RGB': 3, 'CMYK': 4, 'YCCK': 4}
#: By columns and rows of luma per column and row of chroma.
_SUBSAMPLINGS = {(1, 1): '4:4:4', (2, 1): '4:2:2', (1, 2): '4:4:0',
                 (2, 2): '4:2:0'}
_MAX_STEP = 32767
_MAX_SIDE = 65500  # jmorecfg.h: JPEG_MAX_DIMENSION
_IN_A_BATCH = 64
_BYTES = bytes, bytearray, memoryview


class _Component(NamedTuple):
    """The position of a component in a picture, and of its blocks in `values`."""
    factors: tuple[int, int]  # pixels per sample, across and down
    size: tuple[int, int]     # (height, width) in samples
    grid: tuple[int, int]     # (rows, columns) in blocks
    first: int                # level


@functools.lru_cache(maxsize=1024)
def _components(sampling: tuple[tuple[int, int], ...], width: int, height: int,
                colour_space: str) -> tuple[list[_Component], int]:
    """All components, and the number of levels. Checks what they follow from."""
    if colour_space not in COLOUR_SPACES:
        raise ValueError(f'colour_space {colour_space!r} is not one of '
                         f'{tuple(COLOUR_SPACES)}')
    if len(sampling) != COLOUR_SPACES[colour_space]:
        raise ValueError(f'sampling has {len(sampling)} components, not the '
                         f'{COLOUR_SPACES[colour_space]} of {colour_space}')
    for name, side in ('width', width), ('height', height):
        check_range(name, side, 1, _MAX_SIDE)
    for own in sampling:
        if len(own) != 2 or any(not 1 <= operator.index(f) <= 4 for f in own):
            raise ValueError(f'sampling {sampling} has something other than pairs of 1 '
                             'to 4')
    most = [max(own[i] for own in sampling) for i in (0, 1)]
    components, first = [], 0
    for h, v in sampling:
        if most[0] % h or most[1] % v:
            raise ValueError(f'sampling {sampling} has factors that do not divide the '
                             'largest ones')
        across, down = most[0] // h, most[1] // v
        size = -(-height // down), -(-width // across)
        grid = -(-size[0] // 8), -(-size[1] // 8)
        components.append(_Component((across, down), size, grid, first))
        first += 64 * grid[0] * grid[1]
    return components, first


@dataclasses.dataclass
class JpegLevels:
    """The quantized levels of a JPEG file. It can be pickled if its arrays can."""
    #: (n,) int16: component after component; in each, block after block from left to
    #: right, then downwards, without blocks that only pad an MCU; in a block, a row
    #: for each vertical frequency. `reconstruct` takes arrays on a GPU, too.
    values: Any
    #: (components, 8, 8) uint16: quantization steps, a row for each vertical frequency.
    tables: Array
    #: Sampling factors of each component, across and down, 1 to 4.
    sampling: tuple[tuple[int, int], ...]
    #: Size of the picture, in samples.
    width: int
    height: int
    #: 'grey', 'YCbCr', 'RGB', 'CMYK' or 'YCCK', by the JFIF and Adobe markers and
    #: the components' names, as libjpeg derives it.
    colour_space: str

    def _shape(self) -> tuple[list[_Component], int]:
        try:
            return _components(self.sampling, self.width, self.height,
                               self.colour_space)
        except TypeError:
            raise TypeError(
                f'sampling {self.sampling!r} is not a tuple of pairs of whole numbers, or '
                f'width {self.width!r} or height {self.height!r} is no number, or '
                f'colour_space {self.colour_space!r} no text') from None

    def _all(self) -> list[_Component]:
        return self._shape()[0]

    def _component(self, component: int) -> _Component:
        check_range('component', component, 0, len(self.sampling) - 1)
        return self._all()[component]

    def component_size(self, component: int) -> tuple[int, int]:
        """(height, width) of a component, in samples."""
        return self._component(component).size

    def blocks(self, component: int) -> Any:
        """The blocks of a component, as a view of `values`: (rows, columns, 8, 8),
        with a row for each vertical frequency."""
        own = self._component(component)
        n = 64 * own.grid[0] * own.grid[1]
        return self.values[own.first:own.first + n].reshape((*own.grid, 8, 8))

    @property
    def chroma_subsampling(self) -> str | None:
        """'4:4:4', '4:2:2', '4:4:0' or '4:2:0' if there are Y, Cb and Cr with this
        sampling; else None."""
        factors = [own.factors for own in self._all()]
        if len(factors) != 3 or factors[0] != (1, 1) or factors[1] != factors[2]:
            return None
        return _SUBSAMPLINGS.get(factors[1])


def _check_library() -> None:
    if not _blockdct.jpeg_library:
        raise NotImplementedError('this blockdct has no libjpeg: build it with -Djpeg=enabled')


def read_limit(max_pixels: Any) -> int:
    """The maximum number of pixels, as C takes it."""
    check_range('max_pixels', max_pixels, 1, math.inf)
    return int(min(max_pixels, _MAX_SIDE ** 2))


def contents(file: Any) -> tuple[str, bytes]:
    """A file's name for errors, and its bytes."""
    if isinstance(file, _BYTES):
        return 'bytes', bytes(file)
    if hasattr(file, 'read'):
        data = file.read()
        if not isinstance(data, _BYTES):
            raise TypeError(f"read() returned {type(data).__name__}, not bytes: open with 'rb'")
        return str(getattr(file, 'name', 'file')), bytes(data)
    if hasattr(file, '__dlpack__') or isinstance(file, np.ndarray):
        data = _arrays.to_host(file)
        if data.dtype != np.uint8 or data.ndim != 1:
            raise ValueError(f'an array of bytes has shape {data.shape} of {data.dtype}, not '
                             '(n,) of uint8')
        return 'array', data.tobytes()
    _check_path(file, ', bytes nor an object with read()')
    with open(file, 'rb') as opened:
        return os.fsdecode(file), opened.read()


def _check_path(file: Any, others: str) -> None:
    """open() takes the number of a descriptor, too, which it closes."""
    if not isinstance(file, (str, bytes, os.PathLike)):
        raise TypeError(f'{type(file).__name__} is neither a path{others}')


def from_memory(shape: tuple[int, ...], typestr: str, address: int, owner: Any) -> Any:
    """Memory of C as an array; `owner` frees it with the last one."""
    return np.asarray(types.SimpleNamespace(owner=owner, __array_interface__={
        'version': 3, 'shape': shape, 'typestr': typestr, 'data': (address, False)}))


def from_bytes(data: bytes, max_pixels: int = _MAX_SIDE ** 2) -> Any:
    """The pixels of a file, by libjpeg."""
    height, width, channels, address, owner = _blockdct.decode_jpeg(data, max_pixels)
    shape = (height, width, channels)[:2 if channels == 1 else 3]
    return from_memory(shape, '|u1', address, owner)


def read_jpeg(file: str | os.PathLike[str] | bytes | BinaryIO, *,
              max_pixels: int = 1 << 28) -> JpegLevels:
    """Read the levels of a JPEG file with libjpeg's jpeg_read_coefficients;
    `reconstruct` does the rest of decoding. It releases the interpreter's lock, so that
    threads can read several files at once.

    file        a path, bytes, or an object whose read() returns the whole file
    max_pixels  maximum number of pixels; files with more are refused before memory is
                allocated

    It reads baseline, extended and progressive files of 8 bits per sample and 1, 3 or
    4 components, with all sampling factors that divide the largest ones. It raises
    ValueError, which names the file, for other files and if levels are missing or
    damaged: for truncated and corrupt files, and for progressive files that lack
    scans, which decoders smooth. It raises OSError if the file cannot be read, and
    NotImplementedError if blockdct was built without libjpeg.
    """
    _check_library()
    name, data = contents(file)
    try:
        width, height, colour, components, address, n, owner = _blockdct.read_jpeg(
            data, read_limit(max_pixels))
    except ValueError as error:
        raise ValueError(f'{name}: {error}') from None
    tables = np.stack([np.frombuffer(steps, np.uint16) for _, steps in components])
    return JpegLevels(from_memory((n,), np.dtype('i2').str, address, owner),
                      tables.reshape(-1, 8, 8),
                      tuple(factors for factors, _ in components), width, height,
                      tuple(COLOUR_SPACES)[colour])


def _encode(levels: JpegLevels, optimize: bool = False, progressive: bool = False) -> bytes:
    _check_library()
    values = np.ascontiguousarray(_arrays.to_host(levels.values))
    if values.dtype != np.int16:
        raise ValueError(f'levels are of {values.dtype}, not int16')
    return _blockdct.write_jpeg(
        int(levels.width), int(levels.height),
        tuple(COLOUR_SPACES).index(levels.colour_space),
        tuple((int(h), int(v), steps.tobytes()) for (h, v), steps
              in zip(levels.sampling, levels.tables.astype(np.uint16))),
        values.__array_interface__['data'][0], values.size, optimize, progressive)


def tables(source: str | bytes | os.PathLike[str] = 'annex-k',
           quality: int | None = None, baseline: bool = True) -> Array:
    """Return JPEG's quantization tables: (2, 8, 8) uint16, the steps of luma and of
    chroma, with a row for each vertical frequency.

    source    one of TABLES; or the path or the bytes of a JPEG file, or of a text
              that `cjpeg -qtables` takes
    quality   1 to 100: scale the steps as libjpeg does (jcparam.c); None: do not
    baseline  limit scaled steps to 255, else to 32767
    """
    if isinstance(source, str) and source in preset_of:
        steps: Array = preset_of[source][1]
    else:
        if not isinstance(source, bytes):
            if isinstance(source, str) and not os.path.exists(source):
                raise ValueError(f'tables {source!r} is neither one of {TABLES} nor a file')
            source = contents(source)[1]
        steps = np.frombuffer(_blockdct.parse_tables(source), np.intc)
        steps = np.broadcast_to(steps.reshape(-1, 64), (2, 64))
    if quality is not None:
        steps = _scale(steps, quality, baseline)
    return steps.reshape(2, 8, 8).astype(np.uint16)


def _scale(steps: Array, quality: int, baseline: bool) -> Array:
    check_range('quality', quality, 1, 100)
    percent = 5000 // quality if quality < 50 else 200 - 2 * quality
    scaled: Array = np.clip((steps * percent + 50) // 100, 1, 255 if baseline else 32767)
    return scaled


def _steps_of(settings: Settings) -> Array:
    """(2, 64): the steps of jpeg-8x8."""
    if isinstance(settings.tables, str):
        return _scale(preset_of[settings.tables][1], settings.quality, settings.baseline)
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
    _check(levels)
    if not hasattr(file, 'write'):
        _check_path(file, ' nor an object with write()')
    data = _encode(levels, optimize, progressive)
    if hasattr(file, 'write'):
        file.write(data)
        return
    try:
        with open(file, 'wb') as opened:
            opened.write(data)
    except OSError as error:
        error.filename = os.fspath(file)  # which a full disk does not name
        raise


# Pictures of levels

def _plan(levels: JpegLevels) -> tuple[_arrays.Form, tuple[int, ...]] | None:
    """The form of the pictures and the steps with which an engine decodes a file; None:
    only libjpeg does."""
    steps = levels.tables.reshape(-1, 64)
    chroma = levels.chroma_subsampling
    if not ((steps > 0) & (steps <= _MAX_STEP)).all():
        return None
    if levels.colour_space == 'grey':
        form = _arrays.Form((levels.width, levels.height, 8, 0, 1, 0), 'NHW', False)
    elif levels.colour_space == 'YCbCr' and chroma and (steps[1] == steps[2]).all():
        form = _arrays.Form((levels.width, levels.height, 8, _arrays.CHROMA[chroma], 3, 3),
                            'NHWC', False)
    else:
        return None
    values: Any = steps[:2].ravel().tolist()
    return form, tuple(values)


def reconstruct(levels: JpegLevels | Sequence[JpegLevels],
                decode: Callable[[Levels], Any]) -> Any:
    """Decode one file or several. The engine decodes files of the same form in
    batches."""
    if isinstance(levels, JpegLevels) or not isinstance(levels, (list, tuple)):
        return reconstruct([cast(JpegLevels, levels)], decode)[0]
    pictures: list[Any] = [None] * len(levels)
    groups: dict[Any, list[tuple[int, tuple[int, ...]]]] = {}
    for i, one in enumerate(levels):
        _check(one)
        plan = _plan(one)
        if plan is None:
            pictures[i] = _arrays.from_host(one.values, from_bytes(_encode(one)))
        else:
            key = plan[0], type(one.values), getattr(one.values, 'device', None)
            groups.setdefault(key, []).append((i, plan[1]))
    for (form, *_), members in groups.items():
        for first in range(0, len(members), _IN_A_BATCH):
            indices, steps = zip(*members[first:first + _IN_A_BATCH])
            values = [levels[i].values for i in indices]
            made = decode(Levels(
                values[0][None] if len(values) == 1 else _arrays.stack(values), None,
                [Settings(tables=own, baseline=False) for own in steps], form))
            for i, picture in zip(indices, made):
                pictures[i] = picture
    return pictures


def _check(levels: Any) -> None:
    if not isinstance(levels, JpegLevels):
        raise TypeError(f'{type(levels).__name__} is neither Levels, which are not in a list, '
                        'nor JpegLevels')
    components, n = levels._shape()
    if not hasattr(levels.values, 'shape'):
        raise TypeError(f'values is a {type(levels.values).__name__}, not an array')
    if tuple(levels.values.shape) != (n,):
        raise ValueError(f'levels have shape {tuple(levels.values.shape)}, not {(n,)}')
    tables = levels.tables
    if not isinstance(tables, np.ndarray) or tables.dtype.kind not in 'iu':
        raise TypeError('tables is not an array of whole numbers of numpy')
    if tables.shape != (len(components), 8, 8):
        raise ValueError(f'tables have shape {tables.shape}, not {(len(components), 8, 8)}')
    if tables.dtype != np.uint16 and not 0 <= tables.min() <= tables.max() <= 65535:
        raise ValueError(f'steps from {tables.min()} to {tables.max()} are not in 0 to 65535')


# What made a picture

class Origin(NamedTuple):
    """The JPEG file that a picture was decoded from."""
    #: (left, top) of the first whole block of 8 x 8, 0 to 7 each; if not 0, the
    #: picture was cropped.
    offset: tuple[int, int]
    #: '4:4:4', '4:2:2', '4:4:0', '4:2:0'; None: grey, or chroma does not tell.
    chroma_subsampling: str | None
    #: One of TABLES, and the quality that scales it; None: the steps match none of
    #: them, or several.
    tables: str | None
    quality: int | None
    #: (2, 8, 8) uint16: the steps of luma and chroma, a row for each vertical
    #: frequency; 0 where all levels are 0, so that the step is unknown.
    steps: Array


def origin(picture: Any) -> Origin | None:
    """Find the JPEG file that libjpeg decoded a picture from, even if it was cropped
    afterwards. Returns None if it is not known. A result has been checked: levels with
    these steps, on this grid, decode to every whole block without saturated pixels (0
    or 255 in R, G or B).

    picture   (height, width) or (height, width, 3), RGB; uint8
    """
    array = _arrays.to_host(picture)
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[..., 0]
    if array.dtype != np.uint8 or array.ndim not in (2, 3) or (
            array.ndim == 3 and array.shape[2] != 3) or 0 in array.shape:
        raise ValueError(f'a picture is (height, width) or (height, width, 3) of '
                         f'uint8, not {array.shape} of {array.dtype}')
    array = np.ascontiguousarray(array)
    found = _blockdct.find_origin(array.__array_interface__['data'][0],
                                  array.strides[0], array.shape[1],
                                  array.shape[0], array[0, 0].size)
    if isinstance(found, str):
        return None
    left, top, h, v, preset, quality, steps = found
    return Origin((left, top), _SUBSAMPLINGS.get((h, v)),
                  TABLES[preset] if preset >= 0 else None,
                  quality if preset >= 0 else None,
                  np.frombuffer(steps, np.uint16).reshape(2, 8, 8))
