# SPDX-License-Identifier: LGPL-2.1-or-later
"""What made a JPEG file, or a picture that was decoded from one."""
import argparse
import functools
from typing import Any

import blockdct
import numpy as np
from blockdct import _blockdct

from . import files
from .decoding import Pictures
from .files import FileError
from .formats import RGB, convert
from .gst import Gst
from .output import DONE, FAILED, complain
from .transforms import Layout

_SIDE = 512  # of the part that is looked at beside a measurement
_SAMPLING = {(1, 1): '4:4:4', (2, 1): '4:2:2', (1, 2): '4:4:0', (2, 2): '4:2:0'}


def _name(tables: str | None, quality: int | None) -> str:
    return f'{tables} quality {quality}' if tables else 'tables of its own'


def file_tables(path: str) -> str:
    """The name of a JPEG file's tables; '' of others."""
    try:
        files.check(path)
        with open(path, 'rb') as file:
            if file.read(2) != b'\xff\xd8':
                return ''
            steps = blockdct.tables(b'\xff\xd8' + file.read())
    except (OSError, ValueError, FileError):
        return ''
    return _known(steps.tobytes())


@functools.lru_cache(maxsize=64)
def _known(data: bytes) -> str:
    steps = np.frombuffer(data, np.uint16).reshape(2, 8, 8)
    grey = (steps[0] == steps[1]).all()
    for name in blockdct.TABLES:
        for quality in range(100, 0, -1):
            own = blockdct.tables(name, quality)
            if (own[0] == steps[0]).all() and (grey or (own[1] == steps[1]).all()):
                return _name(name, quality)
    return _name(None, None)


def _rgb(caps: Gst.Caps) -> Gst.Caps | None:
    decoded = caps.get_structure(0).get_string('format')
    return convert(caps, 'RGB') if decoded in RGB else None


def _find(pixels: np.ndarray) -> Any:
    """(left, top, h, v, preset, quality, steps), or why it is not known."""
    array = np.ascontiguousarray(pixels if pixels.shape[2] == 3 else pixels[..., 0])
    return _blockdct.find_origin(array.__array_interface__['data'][0], array.strides[0],
                                 array.shape[1], array.shape[0], array[0, 0].size)


def _tell(found: tuple, whole: bool) -> str:
    left, top, h, v, preset, quality, steps = found
    text = _name(blockdct.TABLES[preset] if preset >= 0 else None, quality)
    if h > 0:
        text += f', {_SAMPLING[h, v]}'
    if left or top:
        text += f', its first whole block at {left}, {top}'
    if whole and preset < 0:
        steps = np.frombuffer(steps, np.uint16).reshape(2, 8, 8)
        for name, own in zip(["luma's steps, 0 where unknown", "chroma's"][:1 + (h > 0)], steps):
            text += f'\n  {name}:' + ''.join(
                '\n   ' + ''.join(f'{s:4}' for s in row) for row in own)
    return text


def _pixels(sample: Gst.Sample) -> np.ndarray | None:
    layout = Layout(sample.get_caps())
    if not layout.is_rgb and layout.format != 'GRAY8':
        return None
    array = layout.read(sample)[0]
    return array if layout.is_rgb else array[..., None]


def of_picture(sample: Gst.Sample) -> str:
    """Of the middle of a picture, beside a measurement."""
    pixels = _pixels(sample)
    if pixels is None:
        return ''
    at = [max(0, (n - _SIDE) // 32 * 16) for n in pixels.shape[:2]]
    found = _find(pixels[at[0]:at[0] + _SIDE, at[1]:at[1] + _SIDE, :3])
    return '' if isinstance(found, str) else _tell(found, False)


def _line(path: str, limit: float) -> str:
    tables = file_tables(path)
    if tables:
        return f'a JPEG file, {tables}'
    with Pictures.open(path, limit, _rgb) as pictures:
        sample = pictures.pull()
        pixels = _pixels(sample) if sample else None
    if pixels is None:
        return 'not known: it does not decode to RGB or to grey of 8 bits'
    found = _find(pixels)
    return f'not known: {found}' if isinstance(found, str) else \
        f'decoded from a JPEG file, {_tell(found, True)}'


def run(o: argparse.Namespace) -> int:
    status = DONE
    for file in files.find(o.files):
        try:
            print(f'{file.name}: {_line(file.path, o.stall_limit)}', flush=True)
        except FileError as error:
            complain(f'{file.name}: {error}')
            status = FAILED
    return status
