# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of JPEG files, on the host by libjpeg, or on a GPU."""
import concurrent.futures
import functools
import os
import sys
from typing import Any, BinaryIO, Callable, Sequence

import numpy as np

from . import _arrays, _blockdct, _engines, _jpeg
from ._results import address_of

#: Of EXIF's orientations 2 to 8: whether rows and columns change places, and then,
#: which of (rows, columns) run backwards.
_TURNS = {2: (False, (1,)), 3: (False, (0, 1)), 4: (False, (0,)), 5: (True, ()),
          6: (True, (1,)), 7: (True, (0, 1)), 8: (True, (0,))}


def _shape(height: int, width: int, channels: int) -> tuple[int, ...]:
    return (height, width) if channels == 1 else (height, width, channels)


def _orientation(data: bytes) -> int:
    """EXIF's orientation of a file, 1 if it has none."""
    at = 2
    while data[at:at + 1] == b'\xff' and data[at:at + 2] != b'\xff\xda':
        length = int.from_bytes(data[at + 2:at + 4], 'big')
        part = data[at + 4:at + 2 + length]
        if data[at:at + 2] == b'\xff\xe1' and part[:6] == b'Exif\0\0':
            return _tag(part[6:])
        at += 2 + length
    return 1


def _tag(tiff: bytes) -> int:
    """The orientation in the first directory."""
    def whole(at: int, size: int) -> int:
        return int.from_bytes(tiff[at:at + size], 'little' if tiff[:2] == b'II' else 'big')
    first = whole(4, 4)
    for entry in range(first + 2, min(first + 2 + 12 * whole(first, 2), len(tiff)), 12):
        if whole(entry, 2) == 0x112 and whole(entry + 2, 2) == 3:
            return whole(entry + 8, 2)
    return 1


def _turn(array: Any, orientation: int) -> Any:
    if orientation not in _TURNS:
        return array
    swap, backwards = _TURNS[orientation]
    if swap:
        array = array.swapaxes(0, 1)
    if hasattr(array, 'flip'):
        return array.flip(backwards) if backwards else array.contiguous()
    steps = tuple(slice(None, None, -1 if i in backwards else 1) for i in (0, 1))
    return _arrays.contiguous(array[steps])


def _on_gpu(device: str) -> tuple[Callable[[int], Any], Any]:
    """What makes an array of bytes on a GPU, of torch or cupy, and the stream on which it
    does."""
    number = int(device.partition(':')[2])
    for name in sorted(('torch', 'cupy'), key=lambda name: name not in sys.modules):
        try:
            library = __import__(name)
        except ImportError:
            continue
        if name == 'torch':
            return (functools.partial(library.empty, dtype=library.uint8, device=device),
                    library.cuda.current_stream(number))
        gpu = library.cuda.Device(number)

        def make(size: int) -> Any:
            with gpu:
                return library.empty(size, 'uint8')
        with gpu:
            return make, library.cuda.get_current_stream()
    raise ImportError("device 'cuda' needs torch or cupy, which make the arrays on the GPU: "
                      'install one of them')


class _Host:
    """Decoding by libjpeg, in threads."""

    def __init__(self, threads: int, max_pixels: int):
        self._max_pixels = max_pixels
        self._threads = threads
        self._pool: concurrent.futures.ThreadPoolExecutor | None = None

    def close(self) -> None:
        if self._pool:
            self._pool.shutdown()

    def _decode(self, data: bytes) -> Any:
        try:
            return _jpeg.from_bytes(data, self._max_pixels)
        except ValueError as error:
            return error

    def start(self, files: Sequence[bytes]) -> list[Callable[[], Any]]:
        """Returns functions that wait for pictures."""
        if self._threads == 1 or len(files) <= 1:
            return [functools.partial(self._decode, data) for data in files]
        if self._pool is None:
            self._pool = concurrent.futures.ThreadPoolExecutor(
                self._threads or len(os.sched_getaffinity(0)))
        return [self._pool.submit(self._decode, data).result for data in files]


def _on_device(files: list[bytes], device: str, stream: Any, host: _Host,
               max_pixels: int) -> list[Any]:
    make, own_stream = _on_gpu(device)
    wait = _arrays.stream_address(own_stream if stream is None else stream)
    pictures: list[Any] = [None] * len(files)
    with _engines.engine(device, 0, ()) as engine:
        found = np.frombuffer(_blockdct.engine_decode(engine, files, 0, 0), np.int32)
        sides: Any = found.reshape(-1, 4)[:, :3].astype(np.int64)
        ours = (sides[:, 0] > 0) & (sides[:, 0] * sides[:, 1] <= max_pixels)
        mine: Any = np.flatnonzero(ours).tolist()
        others: Any = np.flatnonzero(~ours).tolist()
        waits = dict(zip(others, host.start([files[i] for i in others])))
        if mine:
            sides = sides[mine]
            sizes = sides.prod(1)
            alike = (sides == sides[0]).all()
            pitches = sizes if alike else sizes + -sizes % 16
            first = pitches.cumsum() - pitches
            memory = make(int(pitches.sum()))
            # Where the stream is not the library's own, it waits for the memory.
            address = memory.data_ptr() if stream is None and hasattr(memory, 'data_ptr') \
                else _arrays.find(memory, wait).address
            where = first + address
            made = list(memory.reshape(len(mine), *_shape(*sides[0].tolist()))) if alike else [
                memory[at:at + size].reshape(_shape(*one))
                for at, size, one in zip(first.tolist(), sizes.tolist(), sides.tolist())]
            done = np.frombuffer(_blockdct.engine_decode(
                engine, [files[i] for i in mine], address_of(where), wait),
                np.int32).reshape(-1, 4)[:, 3]
            for i, picture in zip(mine, made):
                pictures[i] = picture
            damaged = [mine[k] for k in np.flatnonzero(done == 0)]
            waits.update(zip(damaged, host.start([files[i] for i in damaged])))
    for i, result in waits.items():
        picture = result()
        pictures[i] = picture if isinstance(picture, ValueError) \
            else _arrays.from_host(make(0), picture)
    return pictures


def read_images(files: Sequence[str | os.PathLike[str] | bytes | BinaryIO], *,
                device: str | int | None = None, stream: Any = None, errors: str = 'raise',
                exif_transpose: bool = False, max_pixels: int = 1 << 28,
                threads: int = 0) -> list[Any]:
    """Decode JPEG files to the pixels of numpy.asarray(PIL.Image.open(file)), to the
    bit. Returns a list of uint8 arrays in the order of the files: (height, width) for
    grey, (height, width, 3) for RGB, (height, width, 4) for CMYK,
    inverted as by Pillow.

    files           paths, bytes, tensors or arrays of bytes, or objects whose read()
                    returns a whole file
    device          'cpu', None: arrays of numpy, by libjpeg in threads. 'cuda', 'cuda:1': arrays
                    on the GPU, of torch or, where only that is there, of cupy. The GPU
                    decodes files in baseline Huffman coding with one scan and one
                    component or three; it leaves others, and damaged ones, to the host
    stream          work on it is completed first; None: on the library's current one
    errors          'raise': a file that cannot be decoded is a ValueError that names it.
                    'none': its array is None. One that cannot be read is an OSError
    exif_transpose  turn pictures as PIL.ImageOps.exif_transpose does
    max_pixels      maximum number of pixels; files with more are errors
    threads         of the host; 0: one for each processor

    A file that libjpeg reads with a warning of lost data is an error: what decoders make
    up for these data differs. Arrays on a GPU share a batch's memory, which is freed with the
    last of them; those of one size lie one behind the other.
    """
    _jpeg._check_library()
    if errors not in ('raise', 'none'):
        raise ValueError(f"errors {errors!r} is neither 'raise' nor 'none'")
    _engines.check_threads(threads)
    if isinstance(files, (str, bytes, os.PathLike)):
        raise TypeError('files is one file: give a list of files')
    max_pixels = _jpeg.read_limit(max_pixels)
    named = [_jpeg.contents(file) for file in files]
    data = [one for _, one in named]
    device = _engines.normalize(device, 'cpu')
    host = _Host(threads, max_pixels)
    try:
        pictures = [wait() for wait in host.start(data)] if device == 'cpu' \
            else _on_device(data, device, stream, host, max_pixels)
    finally:
        host.close()
    for i, picture in enumerate(pictures):
        if isinstance(picture, ValueError):
            if errors == 'raise':
                raise ValueError(f'file {i}, {named[i][0]}: {picture}') from None
            pictures[i] = None
        elif exif_transpose:
            pictures[i] = _turn(picture, _orientation(data[i]))
    return pictures
