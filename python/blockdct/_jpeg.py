# SPDX-License-Identifier: LGPL-2.1-or-later
"""JPEG files: reading and writing their levels, and the pictures that libjpeg-turbo and
Pillow decode from them."""
import dataclasses
import functools
import operator
import os
from typing import Any, BinaryIO, Callable, NamedTuple, Sequence, cast

import numpy as np

from . import _arrays, _blockdct

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
        if not 1 <= operator.index(side) <= _MAX_SIDE:
            raise ValueError(f'{name} {side} is outside 1 to {_MAX_SIDE}')
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
    tables: np.ndarray
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
        if not 0 <= component < len(self.sampling):
            raise ValueError(f'component {component} is outside 0 to {len(self.sampling) - 1}')
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


def contents(file: Any) -> tuple[str, bytes]:
    """A file's name for errors, and its bytes."""
    if isinstance(file, _BYTES):
        return 'bytes', bytes(file)
    if hasattr(file, 'read'):
        data = file.read()
        if not isinstance(data, _BYTES):
            raise TypeError(f"read() returned {type(data).__name__}, not bytes: open with 'rb'")
        return str(getattr(file, 'name', 'file')), bytes(data)
    _check_path(file, ', bytes nor an object with read()')
    with open(file, 'rb') as opened:
        return os.fsdecode(file), opened.read()


def _check_path(file: Any, others: str) -> None:
    """open() takes the number of a descriptor, too, which it closes."""
    if not isinstance(file, (str, bytes, os.PathLike)):
        raise TypeError(f'{type(file).__name__} is neither a path{others}')


class _Memory:
    """Levels in memory of C, for numpy; `owner` frees them with the last array."""

    def __init__(self, address: int, n: int, owner: Any):
        self.owner = owner
        self.__array_interface__ = {'version': 3, 'shape': (n,), 'data': (address, False),
                                    'typestr': np.dtype(np.int16).str}


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
    if operator.index(max_pixels) < 1:
        raise ValueError(f'max_pixels {max_pixels} is below 1')
    try:
        width, height, colour, components, *memory = _blockdct.read_jpeg(
            data, min(max_pixels, _MAX_SIDE ** 2))
    except ValueError as error:
        raise ValueError(f'{name}: {error}') from None
    tables = np.stack([np.frombuffer(c[4], np.uint16) for c in components])
    return JpegLevels(np.asarray(_Memory(*memory)), tables.reshape(-1, 8, 8),
                      tuple(c[:2] for c in components), width, height,
                      tuple(COLOUR_SPACES)[colour])


def write(levels: JpegLevels, file: Any, optimize: bool, progressive: bool) -> None:
    """Write a file from levels in host memory."""
    _check_library()
    _check(levels)
    if not hasattr(file, 'write'):
        _check_path(file, ' nor an object with write()')
    values = np.ascontiguousarray(_arrays.to_host(levels.values))
    if values.dtype != np.int16:
        raise ValueError(f'levels are of {values.dtype}, not int16')
    data = _blockdct.write_jpeg(
        int(levels.width), int(levels.height),
        tuple(COLOUR_SPACES).index(levels.colour_space),
        tuple((int(h), int(v), steps.tobytes()) for (h, v), steps
              in zip(levels.sampling, levels.tables.astype(np.uint16))),
        values.__array_interface__['data'][0], values.size, optimize, progressive)
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

#: Decodes with an engine: takes (N, n) levels, 64 or 128 steps for each picture, and
#: the form of the pictures.
Decode = Callable[[Any, Sequence[tuple[int, ...]], _arrays.Form], Any]


def _batch_form(levels: JpegLevels) -> _arrays.Form | None:
    """The form in which an engine can decode a whole file at once; None: there is
    none."""
    if levels.colour_space == 'grey':
        return _grey_form(levels.height, levels.width)
    chroma = levels.chroma_subsampling
    if levels.colour_space != 'YCbCr' or chroma is None:
        return None
    return _arrays.Form((levels.width, levels.height, 8, _arrays.CHROMA[chroma], 3,
                         3), 'NHWC', False)


def _grey_form(height: int, width: int) -> _arrays.Form:
    return _arrays.Form((width, height, 8, 0, 1, 0), 'NHW', False)


@functools.lru_cache(maxsize=1024)
def _plan_steps(tables: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The 64 or 128 steps with which an engine decodes a file, and the components
    whose values are to be multiplied first, because Cb and Cr have different tables
    or a step is outside 1 to 32767."""
    steps = np.frombuffer(tables, np.uint16).reshape(-1, 64).copy()
    bad = ((steps == 0) | (steps > _MAX_STEP)).any(1)
    if len(steps) == 3 and (steps[1] != steps[2]).any():
        bad |= [False, True, True]
    steps[bad] = 1
    return tuple(steps[:2].ravel().tolist()), tuple(np.flatnonzero(bad).tolist())


def _engine_steps(levels: JpegLevels) -> tuple[Any, tuple[int, ...]]:
    """Values and steps for an engine. Values that are multiplied stay in 16 bits, as
    in libjpeg-turbo."""
    steps, bad = _plan_steps(np.ascontiguousarray(levels.tables, np.uint16).tobytes())
    if not bad:
        return levels.values, steps
    values = _arrays.to_host(levels.values).copy()
    scaled = dataclasses.replace(levels, values=values)
    for c in bad:
        scaled.blocks(c)[:] *= levels.tables[c].astype(np.int16)
    return _arrays.from_host(levels.values, values), steps


def _widen(plane: np.ndarray, across: int, down: int) -> np.ndarray:
    """Enlarge a component to the size of the picture or more, by libjpeg's "fancy"
    interpolation for factors of 2 (jdsample.c), else by replication."""
    height, width = plane.shape
    if (across, down) == (1, 1):
        return plane
    fancy_across = across == 2 and down <= 2 and width > 2
    fancy = fancy_across or (across, down) == (1, 2)
    if not fancy:
        return plane.repeat(down, 0).repeat(across, 1)
    p = plane.astype(np.int32)
    if down == 2:
        ends = np.pad(p, ((1, 1), (0, 0)), 'edge')
        p = np.stack((3 * p + ends[:-2], 3 * p + ends[2:]), 1).reshape(-1, width)
    if across == 1:
        p[0::2] += 1
        p[1::2] += 2
        return (p >> 2).astype(np.uint8)
    ends = np.pad(p, ((0, 0), (1, 1)), 'edge')
    left, right, shift = (8, 7, 4) if down == 2 else (1, 2, 2)
    wide = np.stack((3 * p + ends[:, :-2] + left, 3 * p + ends[:, 2:] + right), 2)
    return (wide >> shift).reshape(len(p), 2 * width).astype(np.uint8)


def _rgb(y: np.ndarray, cb: np.ndarray, cr: np.ndarray) -> list[np.ndarray]:
    """Convert Y, Cb and Cr to R, G and B (jdcolor.c)."""
    def fixed(value: float) -> Any:
        return int(value * 65536 + 0.5) * (np.arange(256) - 128)
    half = 1 << 15
    y = y.astype(np.int32)
    red = y + ((fixed(1.402) + half) >> 16)[cr]
    green = y + ((-fixed(0.34414) + half)[cb] - fixed(0.71414)[cr] >> 16)
    blue = y + ((fixed(1.772) + half) >> 16)[cb]
    return [np.clip(c, 0, 255).astype(np.uint8) for c in (red, green, blue)]


def _compose(levels: JpegLevels, planes: list[np.ndarray]) -> np.ndarray:
    """Compose the pixels that Pillow returns from the decoded components."""
    planes = [_widen(plane, *own.factors)[:levels.height, :levels.width]
              for plane, own in zip(planes, levels._all())]
    if levels.colour_space in ('YCbCr', 'YCCK'):
        # libjpeg's C, M and Y are 255 - R, G, B; Pillow inverts all four
        planes[:3] = _rgb(*planes[:3])
        planes[3:] = [255 - k for k in planes[3:]]
    elif levels.colour_space == 'CMYK':
        planes = [255 - plane for plane in planes]
    return np.stack(planes, 2)


def _decode_alone(levels: JpegLevels, decode: Decode) -> Any:
    """Decode a file that no layout of the engines describes: each component as a grey
    picture, from which the pixels are composed here."""
    host = dataclasses.replace(levels, values=_arrays.to_host(levels.values))
    steps = [_engine_steps(dataclasses.replace(
        host, values=host.blocks(c).ravel(), tables=host.tables[c:c + 1],
        sampling=((1, 1),), height=own.size[0], width=own.size[1],
        colour_space='grey'))
        for c, own in enumerate(host._all())]
    planes = [decode(values[None], [own], _grey_form(*host.component_size(c)))[0]
              for c, (values, own) in enumerate(steps)]
    return _arrays.from_host(levels.values, _compose(host, planes))


def reconstruct(levels: JpegLevels | Sequence[JpegLevels], decode: Decode) -> Any:
    """Decode one file or several. The engine decodes files of the same form in
    batches."""
    if isinstance(levels, JpegLevels) or not isinstance(levels, (list, tuple)):
        return reconstruct([cast(JpegLevels, levels)], decode)[0]
    pictures: list[Any] = [None] * len(levels)
    groups: dict[tuple[Any, ...], list[int]] = {}
    for i, one in enumerate(levels):
        _check(one)
        form = _batch_form(one)
        if form is None:
            pictures[i] = _decode_alone(one, decode)
        else:
            key = form, type(one.values), getattr(one.values, 'device', None)
            groups.setdefault(key, []).append(i)
    for (form, *_), members in groups.items():
        for first in range(0, len(members), _IN_A_BATCH):
            part = members[first:first + _IN_A_BATCH]
            values, steps = zip(*(_engine_steps(levels[i]) for i in part))
            made = decode(values[0][None] if len(part) == 1
                          else _arrays.stack(values),
                          steps, form)
            for i, picture in zip(part, made):
                pictures[i] = picture
    return pictures


def _check(levels: Any) -> None:
    if not isinstance(levels, JpegLevels):
        raise TypeError(f'{type(levels).__name__} is neither Levels nor JpegLevels')
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
    steps: np.ndarray


def origin(picture: Any, presets: Sequence[str]) -> Origin | None:
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
                  presets[preset] if preset >= 0 else None,
                  quality if preset >= 0 else None,
                  np.frombuffer(steps, np.uint16).reshape(2, 8, 8))
